"""Bots for the tests, which play the first legal move, some of them badly."""

from __future__ import annotations

import threading
import time
from typing import Any


class FirstBot:
    """Plays the first legal move. `seen`: the number of its decisions."""

    def __init__(self, pause_s: float = 0.0) -> None:
        self.pause_s = pause_s
        self.seen = 0
        self.seconds: list[float] = []

    def think_time(self, seconds: float) -> None:
        self.seconds.append(seconds)

    def choose(self, view: Any) -> Any:
        self.seen += 1
        time.sleep(self.pause_s)
        return view.legal_moves()[0]


class FailingBot:
    """Raises at its second decision."""

    def __init__(self) -> None:
        self.seen = 0

    def choose(self, view: Any) -> Any:
        self.seen += 1
        if self.seen == 2:
            raise ZeroDivisionError("the bot divides by zero")
        return view.legal_moves()[0]


class IllegalBot:
    """Chooses what is no move."""

    def choose(self, view: Any) -> Any:
        return "nonsense"


class StopBot:
    """Waits in its second decision until the test lets it go on."""

    def __init__(self) -> None:
        self.seen = 0
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def choose(self, view: Any) -> Any:
        self.seen += 1
        if self.seen == 2:
            self.reached.set()
            assert self.go_on.wait(60), "the test has failed before"
        return view.legal_moves()[0]
