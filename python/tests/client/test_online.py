"""Bots online, on real servers that are killed and behind a proxy that cuts connections."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from bots import FailingBot, FirstBot, IllegalBot, StopBot
from servers import Proxy, Server

from kibitz.client import ApiError, AsyncClient, Client
from kibitz.errors import Error
from kibitz.online import BotSource, join, join_async, play, play_async

ENGINE: Any = {"kind": "engine", "level": "easy", "think_ms": 5}


class BotAccount:
    """A bot with its owner, on one server."""

    def __init__(self, guest: Client) -> None:
        owner = guest.players.create(f"o{secrets.token_hex(5)}")
        self.owner = guest.with_token(owner["token"])
        made = self.owner.me.create_bot(f"b{secrets.token_hex(5)}")
        self.name, self.token = made["name"], made["token"]

    def match(self, game: Any = "ioiwari", seat: int = 0) -> str:
        """A match of the bot against an engine."""
        seats = [ENGINE, ENGINE]
        seats[seat] = {"kind": "player", "name": self.name}
        return self.owner.matches.create(game, seats)["id"]


@pytest.fixture
def account(guest: Client) -> BotAccount:
    return BotAccount(guest)


async def until(what: Callable[[], Any]) -> Any:
    """Waits until a request to the server finds what it should. pytest ends a test that waits in vain."""
    while not (found := await asyncio.to_thread(what)):
        await asyncio.sleep(0.02)
    return found


def online(account: BotAccount) -> Callable[[], bool]:
    return lambda: any(bot["name"] == account.name for bot in account.owner.players.online_bots())


def idle(account: BotAccount) -> Callable[[], bool]:
    """Whether the server knows that the bot is online and plays no match, so that it gives it another one."""
    return lambda: any(
        bot["name"] == account.name and bot["playing"] == 0 for bot in account.owner.players.online_bots()
    )


def over(client: Client, *ids: str) -> Callable[[], bool]:
    return lambda: all(client.matches.get(id)["stage"] == "over" for id in ids)


def while_online(
    account: BotAccount, url: str, bot: BotSource, work: Callable[[], Awaitable[None]], **options: Any
) -> None:
    """Does something while the bot is online."""

    async def run() -> None:
        playing = asyncio.ensure_future(play_async(bot, url, account.token, **{"games": "ioiwari", **options}))
        working = asyncio.ensure_future(until_online_then(work))
        await asyncio.wait([playing, working], return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            working.cancel()
            playing.result()
        working.result()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing

    async def until_online_then(work: Callable[[], Awaitable[None]]) -> None:
        await until(online(account))
        await work()

    asyncio.run(run())


@pytest.mark.parametrize("game", ["azul", "buraco", "ioiwari", "septica", "splendor"])
def test_guest_joins_and_plays_a_whole_match(guest: Client, game: Any) -> None:
    made = guest.matches.create(game, [{"kind": "open"}, ENGINE], clock={"initial_ms": 600_000, "increment_ms": 1000})
    bot = FirstBot()
    result = join(bot, f"{guest.server}{made['url']}", name="Guest of a test")
    page = guest.matches.get(made["id"])
    assert page["stage"] == "over" and page["result"] == result and result is not None
    assert bot.seen > 0 and len(bot.seconds) == bot.seen and all(0 < seconds < 60 for seconds in bot.seconds)
    assert page["seats"][0]["name"] == "Guest of a test"


def test_holder_of_a_seat_goes_on_in_a_private_match(guest: Client) -> None:
    made = guest.matches.create("ioiwari", [{"kind": "me", "name": "Ana"}, ENGINE], private=True)
    url, token = f"{guest.server}/matches/{made['id']}", made["seats"][0]["token"]
    result = join(FirstBot(), url, token=token, key=made["key"])
    assert result is not None and result["ranks"]
    assert join(FirstBot(), url, token=token, key=made["key"]) == result


def test_match_without_a_seat_is_refused(guest: Client) -> None:
    made = guest.matches.create("azul", [ENGINE, {"kind": "me", "name": "Ana"}])
    with pytest.raises(ApiError) as full:
        join(FirstBot(), f"{guest.server}{made['url']}")
    assert full.value.code in ("no_open_seat", "started")
    with pytest.raises(Error, match="URL of a match"):
        join(FirstBot(), f"{guest.server}/games/azul")
    with pytest.raises(Error, match="choose"):
        join(lambda: "no bot", f"{guest.server}{made['url']}")  # type: ignore[arg-type, return-value]


def test_bot_plays_what_is_kept_for_it_and_accepts_challenges(guest: Client, account: BotAccount) -> None:
    bot = FirstBot()

    async def work() -> None:
        # The contest gives a bot one seat of this game; a bot that sees views can hold the other one, too.
        for seat in (0, 1):
            id = await asyncio.to_thread(account.match, "ioiwari", seat)
            await until(over(guest, id))
            assert guest.matches.get(id)["result"] is not None
            await until(idle(account))
        other = guest.with_token(guest.players.create(f"o{secrets.token_hex(5)}")["token"])
        challenge = other.players.challenge(account.name, "ioiwari", seat=0, clock={"initial_ms": 60_000})["id"]
        match = await until(lambda: other.lobby.challenge(challenge)["match"])
        assert await join_async(FirstBot(), f"{guest.server}/v1/matches/{match}", token=other._core.token) is not None

    while_online(account, guest.server, bot, work, opponents="anyone")
    assert bot.seen > 6


def test_policy_is_declared(guest: Client, account: BotAccount) -> None:
    async def work() -> None:
        bot = next(one for one in guest.players.online_bots() if one["name"] == account.name)
        policy = bot["policy"]
        assert policy["games"] == ["azul", "ioiwari"] and policy["concurrent"] == 3
        assert policy["rated"] == "never" and policy.get("clock_ms") == [1000, 60_000]
        assert policy["from"] == "owner" and not policy["ladder"] and not policy["unlimited"]

    options: Any = {"games": ["azul", "ioiwari"], "concurrent": 3, "rated": "never", "clock_ms": (1000, 60_000)}
    while_online(
        account, guest.server, FirstBot, work, **options, opponents="owner", ladder=False, unlimited=False
    )


def test_bot_plays_several_matches_at_once_and_no_more(guest: Client, account: BotAccount) -> None:
    made: list[StopBot] = []

    def source() -> StopBot:
        made.append(StopBot())
        return made[-1]

    # While the bot is offline, its owner can keep more seats for it than it plays at a time.
    ids = [account.match() for _ in range(3)]

    async def work() -> None:
        await until(lambda: len(made) == 2 and all(bot.reached.is_set() for bot in made))
        other = guest.with_token(guest.players.create(f"o{secrets.token_hex(5)}")["token"])
        challenge = other.players.challenge(account.name, "ioiwari")["id"]
        declined = await until(lambda: other.lobby.challenge(challenge)["stage"] == "declined")
        assert declined and len(made) == 2
        for bot in made:
            bot.go_on.set()
        await until(lambda: len(made) == 3 and made[2].reached.is_set())
        made[2].go_on.set()
        await until(over(guest, *ids))

    while_online(account, guest.server, source, work, concurrent=2)
    assert len(made) == 3


def test_failing_bot_resigns_its_match_and_no_other(
    guest: Client, account: BotAccount, caplog: pytest.LogCaptureFixture
) -> None:
    bots: list[Any] = [FailingBot(), FirstBot(0.005), IllegalBot()]
    sources = iter(bots)

    async def work() -> None:
        ids = []
        for index in range(3):
            ids.append(await asyncio.to_thread(account.match))
            await until(lambda index=index: index == 2 or bots[index].seen)  # type: ignore[misc]
        await until(over(guest, *ids))
        reasons = [[event["type"] for event in guest.matches.record(id)["events"]] for id in ids]
        assert ["went_out" in reason for reason in reasons] == [True, False, True]

    with caplog.at_level(logging.INFO, "kibitz.online"):
        while_online(account, guest.server, lambda: next(sources), work, concurrent=3)
    assert "the bot has failed; it resigns" in caplog.text and "ZeroDivisionError" in caplog.text
    assert "is refused" in caplog.text


def test_match_goes_on_after_the_server_was_killed(own_server: Server) -> None:
    with Client(own_server.url) as guest:
        account = BotAccount(guest)
        bot = StopBot()

        async def work() -> None:
            id = await asyncio.to_thread(account.match)
            await until(bot.reached.is_set)
            own_server.kill()
            # The bot decides while the server is away.
            bot.go_on.set()
            await asyncio.to_thread(own_server.start)
            await until(over(guest, id))
            events = guest.matches.record(id)["events"]
            assert "resumed" in [event["type"] for event in events] or own_server.starts == 2
            assert events[-1]["type"] == "ended" and events[-1]["result"] is not None
            # It is online again, and plays the next match.
            await until(idle(account))
            await until(over(guest, await asyncio.to_thread(account.match)))

        while_online(account, own_server.url, bot, work)


def test_match_goes_on_after_all_connections_were_cut(guest: Client, account: BotAccount, proxy: Proxy) -> None:
    bot = FirstBot(0.02)

    async def work() -> None:
        id = await asyncio.to_thread(account.match, "septica", 1)
        cuts = 0
        while not over(guest, id)():
            cuts += proxy.cut()
            await asyncio.sleep(0.15)
        assert cuts > 2 and guest.matches.get(id)["result"] is not None
        fouls = [event for event in guest.matches.record(id)["events"] if event["type"] in ("fouled", "went_out")]
        assert fouls == []

    while_online(account, proxy.url, bot, work, games="septica")


def test_wrong_token_game_and_options_are_refused(guest: Client, account: BotAccount) -> None:
    with pytest.raises(ApiError) as wrong:
        play(FirstBot(), guest.server, "kbp_wrong", games="ioiwari")
    assert wrong.value.code == "bad_token"
    with pytest.raises(ApiError) as person:
        play(FirstBot(), guest.server, account.owner._core.token or "", games="ioiwari")
    assert person.value.code == "not_a_bot"
    with pytest.raises(Error) as unknown:
        play(FirstBot(), guest.server, account.token, games="chess")  # type: ignore[arg-type]
    assert unknown.value.code == "unknown_game"
    with pytest.raises(Error, match="which games"):
        play(FirstBot(), guest.server, account.token)
    with pytest.raises(Error, match="concurrent"):
        play(FirstBot(), guest.server, account.token, games="azul", concurrent=0)


def test_newer_program_takes_over(guest: Client, account: BotAccount) -> None:
    async def run() -> None:
        older = asyncio.ensure_future(play_async(FirstBot(), guest.server, account.token, games="ioiwari"))
        await until(online(account))
        newer = asyncio.ensure_future(play_async(FirstBot(), guest.server, account.token, games="azul"))
        try:
            with pytest.raises(Error) as taken:
                await older
            assert taken.value.code == "taken_over"
        finally:
            newer.cancel()
            await asyncio.wait([newer])

    asyncio.run(run())


PROGRAM = """
import logging, sys
from bots import FirstBot
from kibitz.online import play
logging.basicConfig(level=logging.INFO, format="%(message)s")
play(FirstBot(0.05), sys.argv[1], sys.argv[2], games="ioiwari")
print("stopped")
"""


@pytest.mark.parametrize("caught", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_the_program_and_keeps_the_seat(guest: Client, account: BotAccount, caught: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", PROGRAM, guest.server, account.token]

    async def run() -> None:
        program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        await until(online(account))
        id = await asyncio.to_thread(account.match)
        await until(lambda: guest.matches.get(id)["ply"] > 0)
        program.send_signal(caught)
        output, notes = await asyncio.to_thread(program.communicate)
        assert program.returncode == 0 and output == "stopped\n" and "Traceback" not in notes, notes
        assert f"plays match {id}" in notes
        page = guest.matches.get(id)
        if page["stage"] != "over":
            result = await join_async(FirstBot(), f"{guest.server}/v1/matches/{id}", token=account.token)
            assert result is not None

    asyncio.run(run())


def test_client_without_an_event_loop_of_its_own_can_be_awaited(server: Server) -> None:
    async def run() -> None:
        async with AsyncClient(server.url) as client:
            made = await client.matches.create("azul", [{"kind": "open"}, ENGINE])
            assert await join_async(FirstBot, f"{server.url}{made['url']}") is not None

    asyncio.run(run())
