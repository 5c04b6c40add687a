"""Keeps a bot online: one control connection stays open, on which the server offers challenges and names the bot's matches.
Each match is a task of its own. It must know no game."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from typing import Any

import aiohttp

from kibitz._online.choosing import Bots
from kibitz._online.policy import OnlineOptions
from kibitz._online.seat import PERSISTENT, JoinOptions, SeatPlayer
from kibitz.client import ApiError, AsyncClient, Unreachable
from kibitz.client.asynchronous.transport import AsyncTransport
from kibitz.client.retry import Retries
from kibitz.errors import Error
from kibitz.types import Policy, Result

log = logging.getLogger("kibitz.online")

# A newer program of the same bot has taken over. Coming back would take it away again.
TAKEN_OVER = 4410
# Refusals of the policy after which no other attempt can succeed.
FINAL_REFUSALS = frozenset({"unknown_game", "bad_field", "bad_json", "not_a_bot", "play_scope_needed"})
# The token or the player is gone.
NOT_ALLOWED = 4403
# A challenge waits for this long, in seconds, for a seat that is being freed.
FREED_WITHIN_S = 2.0
# The server pings after 15 s; a peer that is silent for longer is gone.
PING_S = 15.0
LONGEST_MESSAGE = 16 << 20


class OnlineSession:
    """A bot that is online, and its matches."""

    def __init__(self, client: AsyncClient, transport: AsyncTransport, bots: Bots, options: OnlineOptions) -> None:
        self.client = client
        self.transport = transport
        self.bots = bots
        self.options = options
        self.running: dict[str, asyncio.Task[None]] = {}
        # Matches that begin when there is room for them.
        self.waiting: deque[str] = deque()
        # Challenges that were accepted and whose match is not known yet.
        self.accepted: set[str] = set()
        # Challenges that wait for room, by id.
        self.held: dict[str, asyncio.TimerHandle] = {}
        # Matches that cannot go on in this program.
        self.given_up: set[str] = set()
        self.socket: aiohttp.ClientWebSocketResponse[bool] | None = None
        self.sends: set[asyncio.Task[None]] = set()
        self.was_online = False

    async def run(self, token: str) -> None:
        """Stays online until it is cancelled.

        Raises ApiError if the server refuses the token or the policy, Unreachable if its certificate is not trusted, and Error
        with `taken_over` if another program plays for the bot now."""
        policy = self.options.policy(await self.client.games.list())
        retries = Retries(PERSISTENT)
        try:
            while True:
                try:
                    await self._hold(token, policy, retries)
                except Unreachable as error:
                    pause = retries.pause(error)
                    if pause is None:
                        raise
                    if retries.failed == 1:
                        log.info("the connection is lost: %s", error.detail)
                    await asyncio.sleep(pause)
        finally:
            for task in [*self.running.values(), *self.sends]:
                task.cancel()
            await asyncio.gather(*self.running.values(), *self.sends, return_exceptions=True)
            for timer in self.held.values():
                timer.cancel()

    async def _hold(self, token: str, policy: Policy, retries: Retries) -> None:
        """One control connection, until it ends. Raises Unreachable when it ends, and other errors if no other can be had."""
        # A handshake that is refused has no body: this request says why.
        await self.client.me.get()
        url = self.transport.url("/v1/me/live")
        headers = {"authorization": f"Bearer {token}"}
        session = self.transport.session()
        try:
            async with session.ws_connect(
                url, headers=headers, heartbeat=PING_S, max_msg_size=LONGEST_MESSAGE
            ) as socket:
                self.socket = socket
                self._forget_challenges()
                await socket.send_str(json.dumps({"type": "policy", "policy": policy}))
                async for message in socket:
                    if message.type is aiohttp.WSMsgType.TEXT:
                        retries.succeeded()
                        self._handle(json.loads(message.data))
                self._closed(socket)
        except (aiohttp.ClientError, OSError, asyncio.TimeoutError) as error:
            raise Unreachable(f"no control connection to {self.client.server}: {error}") from error
        finally:
            self.socket = None

    def _closed(self, socket: aiohttp.ClientWebSocketResponse[bool]) -> None:
        """Raises the error for the end of a connection."""
        if socket.close_code == TAKEN_OVER:
            raise Error("taken_over", "another program plays for this bot now; only one can run at a time")
        if socket.close_code == NOT_ALLOWED:
            # The next request says why.
            log.info("the token does not hold any more")
        raise Unreachable(f"the control connection was closed ({socket.close_code})")

    def _handle(self, event: Any) -> None:
        kind = event["type"]
        if kind == "policy_set" and not self.was_online:
            self.was_online = True
            log.info("online at %s, plays %s", self.client.server, ", ".join(self.options.games))
        elif kind == "refused":
            problem = event["problem"]
            if problem["code"] in FINAL_REFUSALS:
                raise ApiError(problem)
            log.warning("the server refuses: %s", problem["detail"])
        elif kind == "challenge" and event["role"] == "opponent":
            self._challenged(event)
        elif kind == "challenge_over":
            self.accepted.discard(event["id"])
            self._release(event["id"])
        elif kind == "match" and event["game"] in self.options.games:
            self._begin(event["id"])
        elif kind == "match_over" and event["id"] in self.waiting:
            self.waiting.remove(event["id"])

    def _forget_challenges(self) -> None:
        """On a new connection the server names all open challenges again."""
        self.accepted.clear()
        for id in list(self.held):
            self._release(id)

    def _release(self, id: str) -> None:
        if (timer := self.held.pop(id, None)) is not None:
            timer.cancel()

    def _challenged(self, event: Any) -> None:
        """Accepts a challenge if there is room for its match; otherwise the challenge waits a moment."""
        if event["game"] not in self.options.games:
            self._send({"type": "decline", "id": event["id"], "reason": f"plays only {', '.join(self.options.games)}"})
            return
        loop = asyncio.get_running_loop()
        self.held[event["id"]] = loop.call_later(FREED_WITHIN_S, self._decline, event["id"])
        self._accept_held()

    def _accept_held(self) -> None:
        for id in list(self.held):
            if len(self.running) + len(self.accepted) + len(self.waiting) >= self.options.concurrent:
                return
            self._release(id)
            self.accepted.add(id)
            self._send({"type": "accept", "id": id})

    def _decline(self, id: str) -> None:
        self._release(id)
        reason = f"plays {len(self.running)} of at most {self.options.concurrent} matches now"
        self._send({"type": "decline", "id": id, "reason": reason})

    def _send(self, message: dict[str, str]) -> None:
        """Sends a message. A lost one is no loss: the server names open challenges again on the next connection."""
        socket = self.socket
        if socket is None:
            return

        async def send() -> None:
            try:
                await socket.send_str(json.dumps(message))
            except (aiohttp.ClientError, OSError):
                log.debug("a message was lost with its connection")

        task = asyncio.get_running_loop().create_task(send())
        self.sends.add(task)
        task.add_done_callback(self.sends.discard)

    def _begin(self, id: str) -> None:
        """Plays a match, unless it is being played, or there is no room for it."""
        if id in self.running or id in self.given_up or id in self.waiting:
            return
        if len(self.running) >= self.options.concurrent:
            log.info("match %s waits until another one ends", id)
            self.waiting.append(id)
            return
        log.info("plays match %s", id)
        self.running[id] = asyncio.get_running_loop().create_task(self._play(id))

    async def _play(self, id: str) -> None:
        """One match. What goes wrong in it ends no other one."""
        try:
            result = await SeatPlayer(self.client, id, self.bots, JoinOptions()).run()
            log.info("match %s is over: %s", id, summary(result))
        except asyncio.CancelledError:
            raise
        except Error as error:
            self.given_up.add(id)
            log.warning("match %s cannot go on: %s", id, error)
        except Exception:
            self.given_up.add(id)
            log.exception("match %s cannot go on", id)
        finally:
            self.running.pop(id, None)
            self._fill()

    def _fill(self) -> None:
        """Uses the room that a match has left."""
        while self.waiting and len(self.running) < self.options.concurrent:
            self._begin(self.waiting.popleft())
        self._accept_held()


def summary(result: Result | None) -> str:
    """A result in a few words."""
    if result is None:
        return "no result"
    return f"places {' '.join(map(str, result['ranks']))} ({result['reason']})"
