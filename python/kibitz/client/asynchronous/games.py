"""Games, positions, leaderboards, and the records of a game."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from kibitz.client import operations
from kibitz.client.asynchronous.core import Core
from kibitz.client.request import without_none
from kibitz.client.resume import RecordResumption
from kibitz.types import (
    FileAnswer,
    GameEntry,
    GamePage,
    GameSlug,
    LeaderboardEntry,
    LegalMoves,
    NextPosition,
    OfficialPosition,
    PlayerKind,
    Position,
    PositionAnswer,
    Record,
    Seed,
)


class Games:
    """The operations on games: `client.games`. They have no effect on the server."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(self) -> Sequence[GameEntry]:
        """All games of the server."""
        return (await self._core.call(operations.LIST_GAMES))["games"]

    async def get(self, game: GameSlug) -> GamePage:
        """One game: its seats, limits, engines, and the schemas of its views and moves."""
        return await self._core.call(operations.GET_GAME, path={"game": game})

    async def position(
        self,
        game: GameSlug,
        *,
        seed: Seed | None = None,
        plies: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> PositionAnswer:
        """A fresh position, after `plies` random moves."""
        body = without_none({"seed": seed, "plies": plies, "options": options})
        return await self._core.call(operations.CREATE_POSITION, path={"game": game}, body=body)

    async def legal_moves(
        self, game: GameSlug, position: Position, *, notations: Sequence[str] | None = None
    ) -> LegalMoves:
        """The legal moves in a position, and for each of `notations` whether it is one."""
        body = without_none({"position": position, "notations": notations})
        return await self._core.call(operations.LIST_LEGAL_MOVES, path={"game": game}, body=body)

    async def next_position(
        self,
        game: GameSlug,
        position: Position,
        notation: str,
        *,
        seed: Seed | None = None,
        viewer: int | None = None,
    ) -> NextPosition:
        """The position after a move, as `viewer` sees it. What the mover cannot see is drawn at random, by `seed`."""
        body = without_none({"position": position, "notation": notation, "seed": seed, "viewer": viewer})
        return await self._core.call(operations.PLAY_IN_POSITION, path={"game": game}, body=body)

    async def official_position(
        self, game: GameSlug, text: str, *, settings: dict[str, str] | None = None
    ) -> OfficialPosition:
        """The position that an official input describes."""
        body = without_none({"text": text, "settings": settings})
        return await self._core.call(operations.READ_POSITION, path={"game": game}, body=body)

    async def read_file(self, game: GameSlug, text: str, *, match: str | None = None) -> FileAnswer:
        """The turns of a file with a game, such as a transcript. `match`: which one, if the file has several."""
        return await self._core.call(operations.READ_FILE, path={"game": game}, query={"match": match}, body=text)

    async def leaderboard(
        self,
        game: GameSlug,
        *,
        kind: PlayerKind | None = None,
        provisional: bool | None = None,
        page_size: int | None = None,
    ) -> AsyncGenerator[LeaderboardEntry, None]:
        """The players by rating, the best first, page by page."""
        query = {"kind": kind, "provisional": provisional, "limit": page_size}
        entries = self._core.pages(operations.LEADERBOARD, "players", "after", query, {"game": game})
        async with aclosing(entries):
            async for entry in entries:
                yield entry

    async def records(
        self,
        game: GameSlug,
        month: str,
        *,
        start: str | None = None,
        end: str | None = None,
        rated: bool | None = None,
        min_rating: int | None = None,
        after: str | None = None,
    ) -> AsyncGenerator[Record, None]:
        """The records of the matches that were created in a month (`2026-11`), oldest first, while they arrive. `start` and
        `end` are days (`2026-11-05`), `after` is the id of a match. A download that breaks off goes on where it was."""
        query = {"month": month, "from": start, "to": end, "rated": rated, "min_rating": min_rating}
        resumption = RecordResumption(after, can_begin_after=True)
        records: AsyncGenerator[Any, None]
        records = self._core.resumed(operations.GET_GAME_RECORDS, resumption, path={"game": game}, query=query)
        async with aclosing(records):
            async for record in records:
                yield record

