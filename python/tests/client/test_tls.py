"""Servers behind TLS, whose certificates the client must trust."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from typing import Any

import pytest
import trustme
from bots import FirstBot
from servers import Proxy, Server

from kibitz.client import AsyncClient, Client, RetryPolicy, Unreachable
from kibitz.online import join, play_async

# A certificate that is not trusted is an error at once.
PERSISTENT = RetryPolicy(attempts=None)


@pytest.fixture
def trust() -> Iterator[tuple[ssl.SSLContext, ssl.SSLContext]]:
    """The contexts of a server and of a client that trusts it."""
    authority = trustme.CA()
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(served)
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    yield served, trusted


@pytest.fixture
def secure(server: Server, trust: tuple[ssl.SSLContext, ssl.SSLContext]) -> Iterator[Proxy]:
    proxy = Proxy(server.port, trust[0])
    yield proxy
    proxy.close()


def test_unknown_certificate_is_not_trusted(secure: Proxy) -> None:
    with Client(secure.url, retry=PERSISTENT) as client, pytest.raises(Unreachable, match=r"(?i)certificate"):
        client.games.list()

    async def work() -> None:
        async with AsyncClient(secure.url, retry=PERSISTENT) as client:
            with pytest.raises(Unreachable, match=r"(?i)certificate"):
                await client.games.list()
        with pytest.raises(Unreachable, match=r"(?i)certificate"):
            await play_async(FirstBot(), secure.url, "kbp_any", games="ioiwari")

    asyncio.run(work())


def test_trusted_certificate_opens_requests_streams_and_bots(
    guest: Client, secure: Proxy, trust: tuple[ssl.SSLContext, ssl.SSLContext]
) -> None:
    trusted = trust[1]
    engine: Any = {"kind": "engine", "level": "easy", "think_ms": 5}
    with Client(secure.url, trust=trusted) as client:
        match = client.matches.create("ioiwari", [{"kind": "open"}, engine])
        assert join(FirstBot(), f"{secure.url}{match['url']}", trust=trusted) is not None
        assert list(client.matches.follow(match["id"], since=0))[-1]["type"] == "ended"
        owner = client.with_token(client.players.create("secure")["token"])
        bot = owner.me.create_bot("securebot")

        async def work() -> None:
            playing = asyncio.ensure_future(
                play_async(FirstBot(), secure.url, bot["token"], games="ioiwari", trust=trusted)
            )
            while "securebot" not in [one["name"] for one in await asyncio.to_thread(guest.players.online_bots)]:
                await asyncio.sleep(0.02)
            playing.cancel()
            await asyncio.wait([playing])

        asyncio.run(work())
