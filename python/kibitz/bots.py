"""Bots: programs that speak a contest's official dialogue, or sit at a table in Python.

A bot is anything with ``choose(view)``, which returns a legal move of the view:

>>> import kibitz
>>> class First(kibitz.Bot):
...     def choose(self, view):
...         return view.legal_moves()[0]

``kibitz.run(First("azul"))`` at the end of a file makes it a program for ``kibitz check-bot``, ``kibitz arena`` and
the contest's own referee.
"""

from __future__ import annotations

import os
import queue
import random
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, Protocol, TextIO, runtime_checkable

from ._native import Game, Move, Session, View
from .errors import Error
from .games import game as find_game

__all__ = ["Bot", "Chooser", "MoveLike", "RandomBot", "run"]

MoveLike = Move | str | dict[str, Any]
"""A move as callers may give it: a ``Move``, the official notation, or the API's JSON."""


@runtime_checkable
class Chooser(Protocol):
    """Anything that chooses moves."""

    def choose(self, view: View, /) -> MoveLike:
        """A legal move of the view's seat, which is to move."""


class Bot:
    """A bot for one game. Subclasses define ``choose``; one object lives for one process or one match."""

    def __init__(self, game: str | Game) -> None:
        self.game = find_game(game)

    def choose(self, view: View, /) -> MoveLike:
        """A legal move of the view's seat, which is to move."""
        raise NotImplementedError(f"{type(self).__name__} defines no choose(view)")

    def think_time(self, seconds: float) -> None:
        """Called before ``choose`` if the dialogue limits the time: how long the decision should take."""


class RandomBot(Bot):
    """Chooses each listed legal move with the same probability."""

    def __init__(self, game: str | Game, seed: int | None = None) -> None:
        super().__init__(game)
        self._random = random.Random(seed)

    def choose(self, view: View, /) -> Move:
        """One of the legal moves."""
        return self._random.choice(view.legal_moves())


def run(
    bot: Chooser | Callable[[View], MoveLike],
    game: str | Game | None = None,
    *,
    settings: dict[str, str] | None = None,
    source: TextIO | None = None,
    sink: TextIO | None = None,
) -> None:
    """Speaks the official dialogue on standard input and output until it ends, and asks ``bot`` for each decision.

    It suits games that start a process for each move and games with one process for a match. ``game`` is needed if
    the bot has no attribute ``game``. ``settings``: of the player's side of the dialogue. Nothing else may print to
    standard output: ``print`` writes to standard error until the dialogue ends.

    If the bot raises, or chooses an illegal move, the traceback goes to standard error and the process exits with
    status 1, which a referee treats as a crash. A referee that closes its end early ends the process silently.
    """
    named = game if game is not None else getattr(bot, "game", None)
    if named is None:
        raise Error("bad_value", "say which game: run(bot, 'azul')")
    session = find_game(named).session(settings)
    lines = sys.stdin if source is None else source
    out = sys.stdout if sink is None else sink
    try:
        with _PrintsToStandardError():
            _converse(_Dialogue(session, bot, out), lines)
    except BrokenPipeError:
        # The referee is gone. Python would report the rest of the buffer at its exit.
        if sink is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception:
        traceback.print_exc()
        if sink is not None:
            raise
        sys.exit(1)


class _PrintsToStandardError:
    """Sends what the bot prints to standard error, so that it cannot spoil the dialogue."""

    def __enter__(self) -> None:
        self._stdout = sys.stdout
        sys.stdout = sys.stderr

    def __exit__(self, *_: object) -> None:
        sys.stdout = self._stdout


class _Dialogue:
    """A session, the bot that decides in it, and where its lines go."""

    def __init__(self, session: Session, bot: Chooser | Callable[[View], MoveLike], out: TextIO) -> None:
        self.session = session
        self._choose: Callable[[View], MoveLike] = bot.choose if isinstance(bot, Chooser) else bot
        self._think_time: Callable[[float], None] | None = getattr(bot, "think_time", None)
        self._out = out

    def settle(self, step: dict[str, Any]) -> dict[str, Any]:
        """Decides until the session waits for the referee, and prints what is due."""
        self._report()
        while step["kind"] == "decision":
            self._print()
            if self._think_time is not None:
                self._think_time(step["thinking_time"])
            step = self.session.decide(self._choose(step["view"]))
            self._report()
        self._print()
        return step

    def _print(self) -> None:
        lines = self.session.take_lines()
        if lines:
            self._out.write("".join(f"{line}\n" for line in lines))
            self._out.flush()

    def _report(self) -> None:
        for remark in self.session.take_remarks():
            print(f"kibitz: {remark}", file=sys.stderr)


def _converse(dialogue: _Dialogue, source: TextIO) -> None:
    """Passes on the referee's lines until the dialogue is over."""
    session = dialogue.session
    incoming: queue.SimpleQueue[str | None] | None = None
    step = dialogue.settle(session.advance())
    while step["kind"] != "nothing":
        if step["kind"] == "entry_within" and incoming is None:
            incoming = _lines_of(source)
        try:
            line = source.readline() or None if incoming is None else incoming.get(timeout=step.get("seconds"))
        except queue.Empty:
            step = dialogue.settle(session.silence())
            continue
        if line is None:
            session.end()
        else:
            session.read(line)
        step = dialogue.settle(session.advance())
        if line is None:
            return


def _lines_of(source: TextIO) -> queue.SimpleQueue[str | None]:
    """The lines of a file as they come, then ``None``: a wait for them can end after a time."""
    incoming: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in iter(source.readline, ""):
            incoming.put(line)
        incoming.put(None)

    threading.Thread(target=read, name="kibitz-input", daemon=True).start()
    return incoming
