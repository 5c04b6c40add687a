# Written by scripts/client-types from asynchronous/players.py: change that file.
"""Players that anyone can see: their results, ratings, records and mistakes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

from kibitz.client import operations
from kibitz.client.synchronous.core import Core
from kibitz.client.request import without_none
from kibitz.client.resume import RecordResumption
from kibitz.types import (
    BotFault,
    BotOnline,
    ChallengeShown,
    ClockSpec,
    GameSlug,
    MatchEntry,
    MistakeEntry,
    OpponentEntry,
    PlayerAnswer,
    PlayerPage,
    PublicProgram,
    RatingHistory,
    Record,
    Seat,
    Stage,
    SuiteLine,
)


class Players:
    """The operations on players: `client.players`. Each takes the name of a player where it is about one."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(
        self, name: str, *, invitation: str | None = None, idempotency_key: str | None = None
    ) -> PlayerAnswer:
        """Registers a name. The answer has the account's token, which the server shows only once."""
        body = without_none({"name": name, "invitation": invitation})
        return self._core.call(operations.CREATE_PLAYER, body=body, headers={"idempotency-key": idempotency_key})

    def get(self, name: str) -> PlayerPage:
        """The player's kind, owner, description, results and ratings."""
        return self._core.call(operations.GET_PLAYER, path={"name": name})

    def matches(
        self, name: str, *, game: GameSlug | None = None, stage: Stage | None = None, page_size: int | None = None
    ) -> Generator[MatchEntry, None, None]:
        """The player's public matches, newest first, page by page."""
        query = {"game": game, "stage": stage, "limit": page_size}
        pages = self._core.pages(operations.LIST_PLAYER_MATCHES, "matches", "before", query, {"name": name})
        with closing(pages):
            for entry in pages:
                yield entry

    def records(
        self,
        name: str,
        *,
        game: GameSlug | None = None,
        start: str | None = None,
        end: str | None = None,
        rated: bool | None = None,
        min_rating: int | None = None,
        after: str | None = None,
    ) -> Generator[Record, None, None]:
        """The records of the player's matches, oldest first, while they arrive. `start` and `end` are days (`2026-11-05`),
        `after` is the id of a match. A download that breaks off goes on where it was."""
        query = {"game": game, "from": start, "to": end, "rated": rated, "min_rating": min_rating}
        resumption = RecordResumption(after, can_begin_after=True)
        records: Generator[Any, None, None]
        records = self._core.resumed(operations.GET_PLAYER_RECORDS, resumption, path={"name": name}, query=query)
        with closing(records):
            for record in records:
                yield record

    def ratings(self, name: str, game: GameSlug, *, points: int | None = None) -> RatingHistory:
        """The rating after some of the player's matches, at most `points` of them, spread evenly."""
        path = {"name": name, "game": game}
        return self._core.call(operations.RATING_HISTORY, path=path, query={"points": points})

    def opponents(
        self, name: str, game: GameSlug, *, page_size: int | None = None
    ) -> Generator[OpponentEntry, None, None]:
        """The results of rated matches against each opponent, the most frequent first, page by page."""
        path = {"name": name, "game": game}
        pages = self._core.pages(operations.LIST_OPPONENTS, "opponents", "after", {"limit": page_size}, path)
        with closing(pages):
            for entry in pages:
                yield entry

    def mistakes(
        self, name: str, game: GameSlug, *, phase: str | None = None, kind: str | None = None, page_size: int | None = None
    ) -> Generator[MistakeEntry, None, None]:
        """The costliest decisions of the player in analysed matches, page by page."""
        query = {"phase": phase, "kind": kind, "limit": page_size}
        path = {"name": name, "game": game}
        pages = self._core.pages(operations.LIST_MISTAKES, "mistakes", "after", query, path)
        with closing(pages):
            for entry in pages:
                yield entry

    def mistake_suite(
        self, name: str, game: GameSlug, *, phase: str | None = None, kind: str | None = None, limit: int | None = None
    ) -> Generator[SuiteLine, None, None]:
        """The same decisions as positions of a suite, by which a bot can be tested."""
        query = {"phase": phase, "kind": kind, "limit": limit}
        lines: Generator[Any, None, None]
        lines = self._core.lines(operations.GET_MISTAKE_SUITE, path={"name": name, "game": game}, query=query)
        with closing(lines):
            for line in lines:
                yield line

    def faults(
        self, name: str, *, game: GameSlug | None = None, page_size: int | None = None
    ) -> Generator[BotFault, None, None]:
        """The last faults of a bot: crashes, illegal and late moves, wrong lines, page by page."""
        query = {"game": game, "limit": page_size}
        pages = self._core.pages(operations.LIST_BOT_FAULTS, "faults", "before", query, {"name": name})
        with closing(pages):
            for entry in pages:
                yield entry

    def programs(self, name: str) -> Sequence[PublicProgram]:
        """The published programs of a hosted bot."""
        return (self._core.call(operations.LIST_PROGRAMS, path={"name": name}))["programs"]

    def program(self, name: str, number: int) -> bytes:
        """The WebAssembly module of a published program."""
        return self._core.call(operations.DOWNLOAD_PROGRAM, path={"name": name, "number": number})

    def online_bots(self, *, game: GameSlug | None = None) -> Sequence[BotOnline]:
        """The bots that are online, with their policies and ratings."""
        return (self._core.call(operations.LIST_BOTS_ONLINE, query={"game": game}))["bots"]

    def challenge(
        self,
        name: str,
        game: GameSlug,
        *,
        clock: ClockSpec | None = None,
        rated: bool | None = None,
        seat: Seat | None = None,
        open_ms: int | None = None,
    ) -> ChallengeShown:
        """Challenges a player to a match of two. `seat`: the caller's; `open_ms`: how long the challenge can be accepted."""
        body = without_none({"game": game, "clock": clock, "rated": rated, "seat": seat, "open_ms": open_ms})
        return self._core.call(operations.CHALLENGE, path={"name": name}, body=body)
