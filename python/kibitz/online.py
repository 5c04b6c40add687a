"""Bots online: `play` keeps a bot online on a server, where it accepts challenges and plays on the ladder and in tournaments;
`join` plays one match. A bot is anything with `choose(view)`.

What happens is logged to the logger `kibitz.online`; `logging.basicConfig(level=logging.INFO)` shows it."""

from __future__ import annotations

import asyncio
import signal
import ssl
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from kibitz._online.choosing import Bots, BotSource, OnlineBot, PlainView
from kibitz._online.control import OnlineSession
from kibitz._online.policy import OnlineOptions, games_of
from kibitz._online.seat import PERSISTENT, JoinOptions, SeatPlayer
from kibitz.client import AsyncClient
from kibitz.errors import Error
from kibitz.types import GameSlug, PolicyFrom, PolicyRated, Result, Seat

__all__ = ["BotSource", "OnlineBot", "PlainView", "join", "join_async", "play", "play_async"]

T = TypeVar("T")


async def play_async(
    bot: BotSource,
    server: str,
    token: str,
    *,
    games: GameSlug | Sequence[GameSlug] | None = None,
    concurrent: int = 1,
    rated: PolicyRated = "any",
    clock_ms: tuple[int, int] | None = None,
    unlimited: bool = True,
    opponents: PolicyFrom = "anyone",
    ladder: bool = True,
    trust: ssl.SSLContext | None = None,
) -> None:
    """`play` in a running event loop. It ends when it is cancelled; the seats of running matches stay taken."""
    options = OnlineOptions(games_of(bot, games), concurrent, rated, clock_ms, unlimited, opponents, ladder)
    async with AsyncClient(server, token=token, retry=PERSISTENT, trust=trust) as client:
        await OnlineSession(client, client.transport, Bots(bot), options).run(token)


def play(
    bot: BotSource,
    server: str,
    token: str,
    *,
    games: GameSlug | Sequence[GameSlug] | None = None,
    concurrent: int = 1,
    rated: PolicyRated = "any",
    clock_ms: tuple[int, int] | None = None,
    unlimited: bool = True,
    opponents: PolicyFrom = "anyone",
    ladder: bool = True,
    trust: ssl.SSLContext | None = None,
) -> None:
    """Keeps a bot online until SIGINT or SIGTERM arrives. The seats of running matches stay taken: start it again to go on.

    `bot`: a bot, which decides for one match at a time, or its class or a function, which makes a bot for each match. `token`:
    of the bot, or one of the scope `bot:NAME`. `games`: those that it plays; by default the bot's own `game`. `concurrent`: the
    most matches at a time, up to 64. `clock_ms`: the shortest and the longest clock to play with. `unlimited`: whether to play
    without a clock. `ladder`: whether to play on the permanent ladder.

    After a lost connection or a restart of the server it comes back and the matches go on, without a limit of attempts. A bot
    that raises, or chooses an illegal move, resigns that match.

    Raises ApiError if the server refuses the token or the policy, Unreachable if its certificate is not trusted, and Error with
    `taken_over` if another program plays for the bot now."""
    _run(
        play_async(
            bot,
            server,
            token,
            games=games,
            concurrent=concurrent,
            rated=rated,
            clock_ms=clock_ms,
            unlimited=unlimited,
            opponents=opponents,
            ladder=ladder,
            trust=trust,
        )
    )


async def join_async(
    bot: BotSource,
    url: str,
    *,
    token: str | None = None,
    key: str | None = None,
    seat: Seat | None = None,
    name: str | None = None,
    trust: ssl.SSLContext | None = None,
) -> Result | None:
    """`join` in a running event loop. Cancelling it leaves the seat taken."""
    server, id = split_url(url)
    async with AsyncClient(server, token=token, key=key, retry=PERSISTENT, trust=trust) as client:
        return await SeatPlayer(client, id, Bots(bot), JoinOptions(seat, name)).run()


def join(
    bot: BotSource,
    url: str,
    *,
    token: str | None = None,
    key: str | None = None,
    seat: Seat | None = None,
    name: str | None = None,
    trust: ssl.SSLContext | None = None,
) -> Result | None:
    """Plays one seat of one match to its end; the result, if the match has one.

    `url`: of the match, such as `http://127.0.0.1:8080/v1/matches/ID`. `token`: of a player or of a seat; without it the bot
    joins as a guest called `name`. `key`: of a private match. `seat`: the seat to take; by default the one that is kept for the
    player, else the first open one. SIGINT and SIGTERM end it with `None`; the seat stays taken.

    Raises ApiError if the seat cannot be had."""
    return _run(join_async(bot, url, token=token, key=key, seat=seat, name=name, trust=trust))


def split_url(url: str) -> tuple[str, str]:
    """The server's address and the id of the match.

    Raises Error with `bad_value` if it is no URL of a match."""
    path = urlsplit(url).path.rstrip("/")
    head, _, id = path.rpartition("/")
    parts = urlsplit(url)
    for end in ("/v1/matches", "/matches"):
        if id and parts.hostname and head.endswith(end):
            return f"{parts.scheme}://{parts.netloc}{head.removesuffix(end)}", id
    raise Error("bad_value", f"the URL of a match is like http://127.0.0.1:8080/v1/matches/ID, not {url!r}")


def _run(work: Coroutine[Any, Any, T]) -> T | None:
    """Runs until the end of the work, or until a signal cancels it. Signals reach the main thread only: on other threads the
    work goes on until its end."""

    async def run() -> T | None:
        task = asyncio.ensure_future(work)
        stopped = False

        def stop() -> None:
            nonlocal stopped
            stopped = True
            task.cancel()

        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for caught in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(caught, stop)
        try:
            return await task
        except asyncio.CancelledError:
            if not stopped:
                raise
            return None

    return asyncio.run(run())
