"""A server for all tests of the client, and one for each test that kills it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import Proxy, Server

from kibitz.client import Client


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that all tests share."""
    started = Server(tmp_path_factory.mktemp("server"))
    yield started
    started.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that the test may kill."""
    started = Server(tmp_path)
    yield started
    started.kill()


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    """A proxy before the shared server."""
    started = Proxy(server.port)
    yield started
    started.close()


@pytest.fixture
def guest(server: Server) -> Iterator[Client]:
    """A client without a token."""
    with Client(server.url) as client:
        yield client


@pytest.fixture
def player(guest: Client) -> Client:
    """A client of a new player."""
    return guest.with_token(guest.players.create(f"p{secrets.token_hex(5)}")["token"])
