"""Games and matches: rules, states, views and moves, as the server has them.

>>> import kibitz
>>> match = kibitz.game("azul").deal(seed=1)
>>> match.turn, match.seats
(0, 2)
>>> match.play(match.legal_moves()[0])
>>> match.ply
1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._native import Game, Match, Move, View, game_names
from .errors import Error

__all__ = ["Game", "Match", "Move", "View", "game", "games", "replay"]

Mapping.register(View)


def games() -> list[Game]:
    """All games, in the order of the server's lists."""
    return [Game(name) for name in game_names()]


def game(name: str | Game) -> Game:
    """The game of this short name, such as ``azul``; a game is returned as it is.

    Raises ``Error`` with ``unknown_game``.
    """
    if isinstance(name, Game):
        return name
    if not isinstance(name, str):
        raise Error("unknown_game", f"a game is named by a text, not by {type(name).__name__}")
    return Game(name)


def replay(record: Mapping[str, Any], *, plies: int | None = None) -> Match:
    """The match of a server's record (``GET /v1/matches/ID/record``) after all its moves, or after ``plies``.

    A match that began with a deal is dealt again from the seed of the record, and compared with the state in it.

    Raises ``Error`` with ``bad_record``, or the code of the first move that cannot be played.
    """
    try:
        events = record["events"]
        created = events[0]
        played = game(created["game"])
        state = created["state"]
        if created.get("position") is None:
            match = played.deal(options=created["options"], seed=record["seed"])
            if match.state() != state:
                raise Error("bad_record", "the dealt state is not that of the seed")
        else:
            match = played.restore(state)
        for event in events[1:]:
            if plies is not None and match.ply >= plies:
                break
            if event["type"] == "moved":
                match.play(event["notation"], seat=event["seat"])
            elif event["type"] == "fouled":
                # The penalty that ends a match gives it the reason that the server wrote.
                ended = events[-1].get("result") or {}
                instead = match.foul(ended.get("reason", event["kind"]))
                if event["instead"] != (instead and instead.notation):
                    raise Error("bad_record", f"event {event['seq']}: the penalty is another one")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Error("bad_record", f"this is no record of a server: {error!r}") from error
    return match


def deal_options(game: Game, seats: int | None, options: dict[str, Any] | None) -> dict[str, Any]:
    """The options of a deal: those given, or those for this number of seats. Not public."""
    if seats is None:
        return {} if options is None else options
    if options is not None:
        raise Error("bad_options", "give seats or options, not both")
    found: dict[str, Any] = game.options_for(seats)
    return found
