# Written by scripts/client-types from asynchronous/tournaments.py: change that file.
"""Tournaments: create, enter, run, follow, and download."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Any

from kibitz.client import operations
from kibitz.client.synchronous.core import Core
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

    def list(
        self, *, game: GameSlug | None = None, page_size: int | None = None
    ) -> Generator[TournamentEntry, None, None]:
        """All tournaments, newest first, page by page."""
        query = {"game": game, "limit": page_size}
        pages = self._core.pages(operations.LIST_TOURNAMENTS, "tournaments", "before", query)
        with closing(pages):
            for entry in pages:
                yield entry

    def create(self, request: TournamentRequest, *, idempotency_key: str | None = None) -> TournamentPage:
        """Creates a tournament, whose organizer is the caller."""
        headers = {"idempotency-key": idempotency_key}
        return self._core.call(operations.CREATE_TOURNAMENT, body=request, headers=headers)

    def get(self, id: str) -> TournamentPage:
        """Entrants, games, standings and crosstable as they are now."""
        return self._core.call(operations.GET_TOURNAMENT, path={"id": id})

    def enter(
        self, id: str, *, name: str | None = None, opponent: bool | None = None, mirror: bool | None = None
    ) -> TournamentPage:
        """Enters the caller, or the bot or engine `name`. `opponent`: as a fixed opponent of a gauntlet. `mirror`: the bot
        can play from every seat."""
        body = without_none({"name": name, "opponent": opponent, "mirror": mirror})
        return self._core.call(operations.ENTER_TOURNAMENT, path={"id": id}, body=body)

    def withdraw(self, id: str, name: str) -> None:
        """Takes an entrant out."""
        self._core.call(operations.LEAVE_TOURNAMENT, path={"id": id, "name": name})

    def start(self, id: str) -> TournamentPage:
        """Begins the first games, as the organizer."""
        return self._core.call(operations.START_TOURNAMENT, path={"id": id})

    def pause(self, id: str) -> TournamentPage:
        """Begins no further games until `resume`, as the organizer."""
        return self._core.call(operations.PAUSE_TOURNAMENT, path={"id": id})

    def resume(self, id: str) -> TournamentPage:
        """Ends a pause, as the organizer."""
        return self._core.call(operations.RESUME_TOURNAMENT, path={"id": id})

    def abort(self, id: str) -> TournamentPage:
        """Ends the tournament and its games without a result, as the organizer."""
        return self._core.call(operations.ABORT_TOURNAMENT, path={"id": id})

    def delete(self, id: str) -> None:
        """Deletes a tournament that has not begun, or has ended without a game."""
        self._core.call(operations.DELETE_TOURNAMENT, path={"id": id})

    def remove_title(self, id: str) -> None:
        """Removes the title, as the organizer."""
        self._core.call(operations.REMOVE_TITLE, path={"id": id})

    def follow(self, id: str, *, since: int | None = None) -> Generator[TournamentFrame, None, None]:
        """The tournament as it is now (which has no `type`), then its events as they happen, until it is over. With `since`
        the events after that `seq` come first. A lost connection is replaced: no event is lost, and none comes twice."""
        resumption = EventResumption(since, LAST_EVENTS, LAST_EVENTS)
        frames = self._core.resumed(operations.FOLLOW_TOURNAMENT, resumption, path={"id": id})
        with closing(frames):
            for frame in frames:
                yield frame

    def records(self, id: str) -> Generator[Record, None, None]:
        """The records of all matches of a tournament that is over, while they arrive. A download that breaks off begins again,
        and the records that the caller has are left out."""
        resumption = RecordResumption(None, can_begin_after=False)
        records: Generator[Any, None, None]
        records = self._core.resumed(operations.GET_TOURNAMENT_RECORDS, resumption, path={"id": id})
        with closing(records):
            for record in records:
                yield record

    def standings_csv(self, id: str) -> str:
        """The standings as a table for spreadsheets."""
        return self._core.call(operations.GET_STANDINGS_CSV, path={"id": id})
