"""The matches that a bot accepts online, and what its program may do with challenges. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.errors import Error
from kibitz.types import GameEntry, GameSlug, Policy, PolicyFrom, PolicyRated

MOST_CONCURRENT = 64


@dataclass(frozen=True, slots=True)
class OnlineOptions:
    """The matches that a bot accepts."""

    games: tuple[GameSlug, ...]
    concurrent: int = 1
    rated: PolicyRated = "any"
    clock_ms: tuple[int, int] | None = None
    """The shortest and the longest clock, in milliseconds."""
    unlimited: bool = True
    """Whether to play without a clock."""
    opponents: PolicyFrom = "anyone"
    ladder: bool = True
    """Whether to play on the permanent ladder."""

    def __post_init__(self) -> None:
        if not self.games:
            raise Error("bad_value", "say which games the bot plays: games=['azul']")
        if not 1 <= self.concurrent <= MOST_CONCURRENT:
            raise Error("bad_value", f"concurrent must be from 1 to {MOST_CONCURRENT}, not {self.concurrent}")

    def policy(self, known: Sequence[GameEntry]) -> Policy:
        """The policy for a server with these games. Unlike a program of the contest, a bot that sees views can hold every
        seat: where that matters, the policy says so.

        Raises Error with `unknown_game` if the server lacks a game."""
        entries = {entry["slug"]: entry for entry in known}
        for game in self.games:
            if game not in entries:
                raise Error("unknown_game", f"the server has no game {game!r}: {', '.join(entries)}")
        policy: Policy = {
            "games": list(self.games),
            "concurrent": self.concurrent,
            "rated": self.rated,
            "unlimited": self.unlimited,
            "from": self.opponents,
            "ladder": self.ladder,
        }
        if self.clock_ms is not None:
            policy["clock_ms"] = list(self.clock_ms)
        if all(entries[game]["mirror_seats"] for game in self.games):
            policy["referee"] = {"mirror": "yes"}
        return policy


def games_of(bot: object, games: GameSlug | Sequence[GameSlug] | None) -> tuple[GameSlug, ...]:
    """The games that a bot plays: those that the caller names, else the bot's own `game`.

    Raises Error with `bad_value` if neither names one."""
    if isinstance(games, str):
        return (games,)
    if games is not None:
        return tuple(games)
    own = getattr(bot, "game", None)
    name = getattr(own, "name", own)
    if not isinstance(name, str):
        raise Error("bad_value", "say which games the bot plays: games=['azul']")
    return (name,)  # type: ignore[return-value]
