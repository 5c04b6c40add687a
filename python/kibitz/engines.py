"""Engines: the players that are built in, at four levels. They see views, so they cannot cheat.

>>> import kibitz
>>> match = kibitz.game("ioiwari").deal(seed=1)
>>> kibitz.engine("ioiwari", nodes=1000, seed=1).decide(match.view()).move in match.legal_moves()
True
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._native import Game, Move, View, decide, engine_settings, level_names
from .errors import Error
from .games import game as find_game

__all__ = ["LEVELS", "Candidate", "Decision", "Engine", "engine"]

LEVELS: tuple[str, ...] = tuple(level_names())
"""The names of the levels, weakest first."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move that an engine considered."""

    move: Move
    value: float
    """Expected score of the seat to move after it, 0 to 1."""
    visits: int
    """How often the search tried it, in the engine's own measure."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What an engine decided."""

    move: Move
    value: float
    """Expected score of the seat to move, 0 to 1: a win is 1, a draw 1/2."""
    candidates: tuple[Candidate, ...]
    """The best moves, ranked, up to the number that was asked for."""
    line: tuple[Move, ...]
    """The moves that the engine expects from here on, its own first; empty if it has no expectation."""
    nodes: int
    """Positions searched, in the engine's own measure."""
    depth: int
    """Plies looked ahead, in the engine's own measure."""
    engine: str
    """Name and version of the engine."""


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine with its settings. ``choose`` makes it a bot, for ``kibitz.measure`` and for environments.

    With a ``seed`` and ``nodes`` it decides the same in the same view on every machine. Without ``nodes`` and
    ``time`` it takes the usual time of its game.
    """

    game: Game
    engine: str | None = None
    """Its name; ``None``: the game's best."""
    level: str = "max"
    nodes: int | None = None
    """Most positions of one decision."""
    time: float | None = None
    """Most seconds of one decision."""
    seed: int | str | bytes | None = field(default=None, repr=False)
    """Source of all its randomness; ``None``: another one for each decision."""
    candidates: int = 1
    """How many moves a decision ranks."""

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise Error("bad_value", f"no level is called {self.level!r}: {', '.join(LEVELS)}")
        names = [known["name"] for known in self.game.engines]
        if self.engine is not None and self.engine not in names:
            raise Error("unknown_engine", f"the engines of {self.game.name} are {', '.join(names)}")

    def decide(self, view: View) -> Decision:
        """Decides in a view of the seat to move. Python's other threads go on meanwhile; Ctrl-C stops the search.

        Raises ``Error`` with ``not_to_move``, ``position_finished`` or ``bad_value`` (a view of another game).
        """
        if not isinstance(view, View):
            raise Error("bad_value", f"an engine decides in a View, not in {type(view).__name__}")
        if view.game != self.game:
            raise Error("bad_value", f"an engine for {self.game.name} was given a view of {view.game.name}")
        found = decide(
            view,
            engine=self.engine,
            level=self.level,
            nodes=self.nodes,
            time=self.time,
            seed=self.seed,
            candidates=self.candidates,
        )
        name = self.game.name
        ranked = (Candidate(Move(name, c["notation"]), c["value"], c["visits"]) for c in found["candidates"])
        return Decision(
            move=Move(name, found["notation"]),
            value=found["value"],
            candidates=tuple(ranked),
            line=tuple(Move(name, move["notation"]) for move in found["line"]),
            nodes=found["nodes"],
            depth=found["depth"],
            engine=found["engine"],
        )

    def choose(self, view: View) -> Move:
        """The move of ``decide``."""
        return self.decide(view).move


def engine(
    game: str | Game,
    spec: str | None = None,
    *,
    engine: str | None = None,
    level: str | None = None,
    nodes: int | None = None,
    time: float | None = None,
    seed: int | str | bytes | None = None,
    candidates: int = 1,
) -> Engine:
    """An engine of a game. ``spec`` is the arena's text, such as ``engine:hard`` or ``engine:level=easy,nodes=500``;
    keywords replace its settings.

    Raises ``Error`` with ``unknown_game``, ``unknown_engine`` or ``bad_value``.
    """
    settings: dict[str, Any] = dict(engine_settings(spec or "engine"))
    named = {"engine": engine, "level": level, "nodes": nodes, "time": time}
    settings.update({key: value for key, value in named.items() if value is not None})
    return Engine(find_game(game), seed=seed, candidates=candidates, **settings)
