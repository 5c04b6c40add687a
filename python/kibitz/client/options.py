"""The options of searches, which several operations share."""

from __future__ import annotations

from typing_extensions import TypedDict

from kibitz.types import EngineName, Level, Seed


class SearchOptions(TypedDict, total=False):
    """How an engine thinks. Without an option the server's default holds."""

    level: Level
    """The strength."""

    think_ms: int
    """The time to think, in milliseconds."""

    nodes: int
    """The number of nodes after which the search ends; with `seed` the move is the same on every machine."""

    candidates: int
    """The number of ranked moves in the answer."""

    engine: EngineName
    """An engine other than the game's usual one."""

    seed: Seed
    """From which the engine's random choices follow."""

    deadline_ms: int
    """The longest wait for the answer, the queue included, in milliseconds."""
