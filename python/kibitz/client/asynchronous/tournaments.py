"""Tournaments: create, enter, run, follow, and download."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from kibitz.client import operations
from kibitz.client.asynchronous.core import Core
from kibitz.client.request import without_none
from kibitz.client.resume import EventResumption, RecordResumption
from kibitz.types import (
    GameSlug,
    Record,
    TournamentEntry,
    TournamentFrame,
    TournamentPage,
    TournamentRequest,
)

LAST_EVENTS = frozenset({"ended", "aborted"})


class Tournaments:
    """The operations on tournaments: `client.tournaments`. Each takes the id of a tournament where it is about one."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(
        self, *, game: GameSlug | None = None, page_size: int | None = None
    ) -> AsyncGenerator[TournamentEntry, None]:
        """All tournaments, newest first, page by page."""
        query = {"game": game, "limit": page_size}
        pages = self._core.pages(operations.LIST_TOURNAMENTS, "tournaments", "before", query)
        async with aclosing(pages):
            async for entry in pages:
                yield entry

    async def create(self, request: TournamentRequest, *, idempotency_key: str | None = None) -> TournamentPage:
        """Creates a tournament, whose organizer is the caller."""
        headers = {"idempotency-key": idempotency_key}
        return await self._core.call(operations.CREATE_TOURNAMENT, body=request, headers=headers)

    async def get(self, id: str) -> TournamentPage:
        """Entrants, games, standings and crosstable as they are now."""
        return await self._core.call(operations.GET_TOURNAMENT, path={"id": id})

    async def enter(
        self, id: str, *, name: str | None = None, opponent: bool | None = None, mirror: bool | None = None
    ) -> TournamentPage:
        """Enters the caller, or the bot or engine `name`. `opponent`: as a fixed opponent of a gauntlet. `mirror`: the bot
        can play from every seat."""
        body = without_none({"name": name, "opponent": opponent, "mirror": mirror})
        return await self._core.call(operations.ENTER_TOURNAMENT, path={"id": id}, body=body)

    async def withdraw(self, id: str, name: str) -> None:
        """Takes an entrant out."""
        await self._core.call(operations.LEAVE_TOURNAMENT, path={"id": id, "name": name})

    async def start(self, id: str) -> TournamentPage:
        """Begins the first games, as the organizer."""
        return await self._core.call(operations.START_TOURNAMENT, path={"id": id})

    async def pause(self, id: str) -> TournamentPage:
        """Begins no further games until `resume`, as the organizer."""
        return await self._core.call(operations.PAUSE_TOURNAMENT, path={"id": id})

    async def resume(self, id: str) -> TournamentPage:
        """Ends a pause, as the organizer."""
        return await self._core.call(operations.RESUME_TOURNAMENT, path={"id": id})

    async def abort(self, id: str) -> TournamentPage:
        """Ends the tournament and its games without a result, as the organizer."""
        return await self._core.call(operations.ABORT_TOURNAMENT, path={"id": id})

    async def delete(self, id: str) -> None:
        """Deletes a tournament that has not begun, or has ended without a game."""
        await self._core.call(operations.DELETE_TOURNAMENT, path={"id": id})

    async def remove_title(self, id: str) -> None:
        """Removes the title, as the organizer."""
        await self._core.call(operations.REMOVE_TITLE, path={"id": id})

    async def follow(self, id: str, *, since: int | None = None) -> AsyncGenerator[TournamentFrame, None]:
        """The tournament as it is now (which has no `type`), then its events as they happen, until it is over. With `since`
        the events after that `seq` come first. A lost connection is replaced: no event is lost, and none comes twice."""
        resumption = EventResumption(since, LAST_EVENTS, LAST_EVENTS)
        frames = self._core.resumed(operations.FOLLOW_TOURNAMENT, resumption, path={"id": id})
        async with aclosing(frames):
            async for frame in frames:
                yield frame

    async def records(self, id: str) -> AsyncGenerator[Record, None]:
        """The records of all matches of a tournament that is over, while they arrive. A download that breaks off begins again,
        and the records that the caller has are left out."""
        resumption = RecordResumption(None, can_begin_after=False)
        records: AsyncGenerator[Any, None]
        records = self._core.resumed(operations.GET_TOURNAMENT_RECORDS, resumption, path={"id": id})
        async with aclosing(records):
            async for record in records:
                yield record

    async def standings_csv(self, id: str) -> str:
        """The standings as a table for spreadsheets."""
        return await self._core.call(operations.GET_STANDINGS_CSV, path={"id": id})
