"""Plays one seat of one match: takes the seat, follows the match, asks the bot at its turns, and sends its moves. After a lost
connection or a restart of the server the match goes on."""

from __future__ import annotations

import asyncio
import logging
import secrets
from dataclasses import dataclass
from typing import Any

from kibitz._online.choosing import Bots, MatchBot, move_fields, thinking_time, view_of
from kibitz.client import ApiError, AsyncClient, RetryPolicy, StalePly, Unreachable
from kibitz.client.retry import Retries
from kibitz.types import (
    ClockShown,
    GameSlug,
    MatchPage,
    MoveText,
    Position,
    Result,
    Seat,
)

log = logging.getLogger("kibitz.online")

# A bot stays online: it tries again without a limit, however long the server is away.
PERSISTENT = RetryPolicy(attempts=None, shortest_s=0.02, longest_s=2.0)
# Refusals of a move that say that the turn is over, by the clock or by the end of the match.
TOO_LATE = frozenset({"match_over", "not_your_turn"})


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """Which seat to take, if the caller has none yet."""

    seat: Seat | None = None
    name: str | None = None


@dataclass(slots=True)
class OwnTurn:
    """A turn of the bot."""

    ply: int
    position: Position
    legal_moves: list[MoveText]
    clock: ClockShown | None


class SeatPlayer:
    """A seat and the bot that holds it."""

    def __init__(self, client: AsyncClient, id: str, bots: Bots, options: JoinOptions) -> None:
        self.client = client
        self.id = id
        self.options = options
        self.join_key = secrets.token_urlsafe(24)
        self.bot: MatchBot = bots.of_match()
        self.game: GameSlug | None = None
        self.seat: Seat | None = None
        self.ply = 0
        self.decision: asyncio.Task[None] | None = None

    async def run(self) -> Result | None:
        """Plays until the match is over; its result, if it has one.

        Raises ApiError if the seat cannot be had or held. Cancelling leaves the seat taken."""
        page = await self._take_seat()
        if page["stage"] == "over":
            return page["result"]
        self.game = page["game"]
        frames = self.client.matches.follow(self.id)
        try:
            async for frame in frames:
                ended, result = self._follow(frame)
                if ended:
                    return result
        finally:
            self._drop_decision()
            await frames.aclose()
        return (await self.client.matches.get(self.id))["result"]

    async def _take_seat(self) -> MatchPage:
        """Joins, unless the caller has a seat; the match as the holder of the seat sees it."""
        try:
            page = await self.client.matches.get(self.id)
            if page["you"] is not None or page["stage"] == "over":
                self.seat = page["you"]
                return page
        except ApiError as error:
            # The answer to the request to join says why a match cannot be seen.
            if error.status not in (403, 404):
                raise
        try:
            options = self.options
            joined = await self.client.matches.join(
                self.id, seat=options.seat, name=options.name, idempotency_key=self.join_key
            )
        except ApiError as error:
            if error.code != "already_seated":
                raise
        else:
            token = joined["seats"][0].get("token") if joined["seats"] else None
            if token:
                self.client = self.client.with_token(token)
        page = await self.client.matches.get(self.id)
        self.seat = page["you"]
        return page

    def _follow(self, frame: Any) -> tuple[bool, Result | None]:
        """Takes a frame of the stream: whether the match is over for this seat, and the result."""
        kind = frame["type"]
        if kind == "match":
            if frame["stage"] == "over":
                return True, frame["result"]
            self.seat, self.ply = frame["you"], frame["ply"]
            self._begin_turn(frame)
        elif kind == "ended":
            return True, frame["result"]
        elif kind == "left" and frame["seat"] == self.seat:
            log.warning("match %s: the seat was given back", self.id)
            return True, None
        elif kind in ("started", "moved", "fouled", "taken_back"):
            if kind in ("moved", "fouled"):
                # An event names the ply that the move was for. A foul that made no move leaves it as it is.
                moved = kind == "moved" or frame["instead"] is not None
                self.ply = frame["ply"] + 1 if moved else frame["ply"]
            elif kind == "taken_back":
                self.ply = frame["ply"]
            self._begin_turn(frame)
        return False, None

    def _begin_turn(self, frame: Any) -> None:
        """Asks the bot if it is its turn. A decision of an earlier turn is not needed any more."""
        self._drop_decision()
        seat = self.seat
        if seat is None or frame["turn"] != seat:
            return
        turn = OwnTurn(self.ply, frame["position"], frame["legal_moves"], frame["clock"])
        self.decision = asyncio.get_running_loop().create_task(self._decide(turn, seat))

    def _drop_decision(self) -> None:
        if self.decision is not None and not self.decision.done():
            self.decision.cancel()
        self.decision = None

    async def _decide(self, turn: OwnTurn, seat: Seat) -> None:
        """Asks the bot, and plays its move. A bot that raises or breaks the rules loses this match and no other one."""
        try:
            assert self.game is not None, "the game is known before the first frame"
            view = view_of(self.game, turn.position, turn.legal_moves)
            fields = move_fields(await self.bot.choose(view, thinking_time(turn.clock, seat)))
        except Exception:
            log.exception("match %s, ply %d: the bot has failed; it resigns", self.id, turn.ply)
            await self._resign()
            return
        try:
            await self.client.matches.play(self.id, turn.ply, **fields)
        except StalePly as error:
            log.info("match %s, ply %d: %s", self.id, turn.ply, error.detail)
        except ApiError as error:
            if error.code in TOO_LATE:
                return
            log.error("match %s, ply %d: %s is refused (%s); the bot resigns", self.id, turn.ply, fields, error)
            await self._resign()

    async def _resign(self) -> None:
        """Gives up. To resign twice changes nothing, so a lost answer is asked for again."""
        retries = Retries(PERSISTENT)
        while True:
            try:
                await self.client.matches.resign(self.id)
                return
            except Unreachable as error:
                pause = retries.pause(error)
                if pause is None:
                    return
                await asyncio.sleep(pause)
            except ApiError as error:
                log.info("match %s: cannot resign: %s", self.id, error)
                return
