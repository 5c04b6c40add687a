"""Hosted matches: create, join, play, follow, and what remains afterwards."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from kibitz.client import operations
from kibitz.client.asynchronous.core import Core
from kibitz.client.operation import Operation
from kibitz.client.request import ANY_TEXT, without_none
from kibitz.client.resume import EventResumption
from kibitz.types import (
    AdmissionAnswer,
    AnalysisStage,
    BotOutput,
    Chat,
    ChatMessage,
    ChatPhrase,
    ClockSpec,
    GameSlug,
    MatchEntry,
    MatchEvent,
    MatchLink,
    MatchPage,
    Move,
    Record,
    Seat,
    SeatDialogueText,
    SeatRequest,
    Stage,
    StreamFrame,
    Verdict,
)

LAST_EVENTS = frozenset({"ended"})
LAST_STAGES = frozenset({"over"})
# The record in another format than JSON of the API: a text, whatever its media type.
SAVED_GAME: Operation[str] = Operation("getRecord", "GET", "/v1/matches/{id}/record", ANY_TEXT, True, False)


class Matches:
    """The operations on matches: `client.matches`. Each takes the id of a match where it is about one."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(
        self,
        *,
        game: GameSlug | None = None,
        stage: Stage | None = None,
        player: str | None = None,
        page_size: int | None = None,
    ) -> AsyncGenerator[MatchEntry, None]:
        """The public matches, newest first, page by page (`page_size`: 1 to 100)."""
        query = {"game": game, "stage": stage, "player": player, "limit": page_size}
        async with aclosing(self._core.pages(operations.LIST_MATCHES, "matches", "before", query)) as entries:
            async for entry in entries:
                yield entry

    async def create(
        self,
        game: GameSlug,
        seats: Sequence[SeatRequest],
        *,
        clock: ClockSpec | None = None,
        rated: bool | None = None,
        private: bool | None = None,
        hints: bool | None = None,
        options: dict[str, Any] | None = None,
        position: object = None,
        seed: str | int | None = None,
        idle_ms: int | None = None,
        idempotency_key: str | None = None,
    ) -> AdmissionAnswer:
        """Creates a match. The answer has the tokens of the caller's seats, which the server shows only once, and the `key` of
        a private match."""
        body = without_none(
            {
                "game": game,
                "seats": seats,
                "clock": clock,
                "rated": rated,
                "private": private,
                "hints": hints,
                "options": options,
                "position": position,
                "seed": seed,
                "idle_ms": idle_ms,
            }
        )
        return await self._core.call(operations.CREATE_MATCH, body=body, headers={"idempotency-key": idempotency_key})

    async def get(self, id: str) -> MatchPage:
        """The match as the caller may see it now."""
        return await self._core.call(operations.GET_MATCH, path={"id": id})

    async def join(
        self,
        id: str,
        *,
        seat: Seat | None = None,
        name: str | None = None,
        bot: bool | None = None,
        mirror: bool | None = None,
        idempotency_key: str | None = None,
    ) -> AdmissionAnswer:
        """Takes a seat: `seat`, else the one that is kept for the caller, else the first open one. `bot` and `mirror` limit it
        to the seats of programs that speak the official protocol."""
        body = without_none({"seat": seat, "name": name, "bot": bot, "mirror": mirror})
        headers = {"idempotency-key": idempotency_key}
        return await self._core.call(operations.JOIN_MATCH, path={"id": id}, body=body, headers=headers)

    async def play(
        self, id: str, ply: int, *, notation: str | None = None, move: Move | None = None
    ) -> MatchEvent:
        """Makes a move, by its notation or as JSON. The same move for the same ply is played once, however often it is sent.

        Raises StalePly if the match has moved on, and ApiError (`illegal_move`) if the rules forbid it."""
        body = without_none({"ply": ply, "notation": notation, "move": move})
        return await self._core.call(operations.PLAY_MOVE, path={"id": id}, body=body)

    async def follow(
        self, id: str, *, since: int | None = None, seat: Seat | None = None
    ) -> AsyncGenerator[StreamFrame, None]:
        """The match as it is now (type `match`), then its events as they happen, until it is over. With `since` the events
        after that `seq` come first. `seat` chooses the view after the end. A lost connection is replaced: no event is lost, and
        none comes twice. Frames of the types `clock`, `presence` and `chat` have no `seq`; those are not repeated."""
        resumption = EventResumption(since, LAST_EVENTS, LAST_STAGES)
        frames = self._core.resumed(operations.FOLLOW_MATCH, resumption, path={"id": id}, query={"seat": seat})
        async with aclosing(frames):
            async for frame in frames:
                yield frame

    async def resign(self, id: str) -> MatchEvent:
        """Gives up: the seat plays no more and comes last."""
        return await self._core.call(operations.RESIGN_MATCH, path={"id": id})

    async def leave(self, id: str) -> MatchEvent:
        """Gives the seat back before the start."""
        return await self._core.call(operations.LEAVE_MATCH, path={"id": id})

    async def abort(self, id: str) -> MatchEvent:
        """Ends the match without a result before the first move."""
        return await self._core.call(operations.ABORT_MATCH, path={"id": id})

    async def cancel(self, id: str) -> MatchEvent:
        """Ends a match of the caller's that has not begun, or in which only engines play."""
        return await self._core.call(operations.CANCEL_MATCH, path={"id": id})

    async def remove(self, id: str, seat: Seat) -> MatchEvent:
        """Opens a seat again, as the creator, before the start. Its player cannot join again."""
        return await self._core.call(operations.REMOVE_FROM_SEAT, path={"id": id, "seat": seat})

    async def take_back(self, id: str, ply: int) -> MatchEvent:
        """Undoes the caller's last move and all after it, against engines alone. `ply`: that of the match now."""
        return await self._core.call(operations.TAKE_BACK, path={"id": id}, body={"ply": ply})

    async def rematch(self, id: str) -> MatchLink:
        """Asks for a match with the same settings; it begins when all players have asked."""
        return await self._core.call(operations.REMATCH, path={"id": id})

    async def record(self, id: str) -> Record:
        """All that has happened in a match that is over."""
        record: Any = await self._core.call(operations.GET_RECORD, path={"id": id})
        return record  # type: ignore[no-any-return]

    async def saved_game(self, id: str, format: str) -> str:
        """A match that is over as a file of one of its game's own formats, which `formats` of the game's page lists."""
        return await self._core.call(SAVED_GAME, path={"id": id}, query={"format": format})

    async def verify(self, id: str, *, programs: bool | None = None) -> Verdict:
        """Whether the record proves a fair match. `programs`: also run hosted programs again."""
        return await self._core.call(operations.VERIFY_RECORD, path={"id": id}, query={"programs": programs})

    async def dialogue(self, id: str, seat: Seat | None = None) -> SeatDialogueText:
        """The official dialogue of a seat; without `seat`, of the caller's."""
        path = {"id": id, "seat": "me" if seat is None else seat}
        return await self._core.call(operations.GET_SEAT_DIALOGUE, path=path)

    async def output(self, id: str, seat: Seat | None = None) -> BotOutput:
        """What the bot in a seat wrote to standard error; without `seat`, in the caller's."""
        path = {"id": id, "seat": "me" if seat is None else seat}
        return await self._core.call(operations.GET_BOT_OUTPUT, path=path)

    async def chat(self, id: str, *, start: int | None = None) -> Chat:
        """The messages of the players, from number `start` on."""
        return await self._core.call(operations.LIST_CHAT, path={"id": id}, query={"from": start})

    async def say(self, id: str, *, text: str | None = None, phrase: ChatPhrase | None = None) -> ChatMessage:
        """Sends a text, or a ready phrase, to the other players."""
        body = without_none({"text": text, "phrase": phrase})
        return await self._core.call(operations.SAY_IN_MATCH, path={"id": id}, body=body)

    async def delete_message(self, id: str, number: int) -> None:
        """Deletes a message of the caller's."""
        await self._core.call(operations.DELETE_MESSAGE, path={"id": id, "n": number})

    async def analysis(self, id: str) -> AnalysisStage:
        """The analysis of a match that is over, as far as it is."""
        return await self._core.call(operations.GET_ANALYSIS, path={"id": id})

    async def analyse(self, id: str) -> AnalysisStage:
        """Asks for the analysis of a match that is over; `analysis` tells when it is done."""
        return await self._core.call(operations.ASK_FOR_ANALYSIS, path={"id": id})

    async def cancel_analysis(self, id: str) -> None:
        """Takes the caller's wish for an analysis back."""
        await self._core.call(operations.CANCEL_ANALYSIS, path={"id": id})
