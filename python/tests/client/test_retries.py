"""When requests are sent again, and connections that fall silent."""

from __future__ import annotations

import asyncio
import builtins
import importlib
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from servers import Server

import kibitz.client
from kibitz.client import (
    ApiError,
    AsyncClient,
    Client,
    NotFound,
    RetryPolicy,
    Unreachable,
)
from kibitz.client.asynchronous.transport import AsyncTransport
from kibitz.client.errors import refusal
from kibitz.client.request import Request
from kibitz.client.retry import Retries
from kibitz.client.synchronous.transport import Transport
from kibitz.errors import MissingPackage

GET = Request("GET", "/v1/lobby/events", {}, None, True, "identity")


def refused(status: int, retry_after: str | None = None) -> ApiError:
    return refusal(status, b"", retry_after)


def test_pauses_double_with_jitter_up_to_the_longest() -> None:
    retries = Retries(RetryPolicy(attempts=None, shortest_s=1.0, longest_s=4.0))
    for mean in (1.0, 2.0, 4.0, 4.0):
        pause = retries.pause(Unreachable("away"))
        assert pause is not None and 0.5 * mean <= pause <= 1.5 * mean
    retries.succeeded()
    pause = retries.pause(Unreachable("away"))
    assert pause is not None and pause <= 1.5


def test_only_temporary_refusals_are_repeated_a_bounded_number_of_times() -> None:
    policy = RetryPolicy(attempts=3)
    for status in (408, 425, 429, 500, 502, 503, 504):
        assert Retries(policy).pause(refused(status)) is not None
    for status in (400, 401, 403, 404, 409, 412, 422, 501):
        assert Retries(policy).pause(refused(status)) is None
    retries = Retries(policy)
    assert [retries.pause(refused(503)) is None for _ in range(3)] == [False, False, True]
    with pytest.raises(ValueError, match="attempts"):
        RetryPolicy(attempts=0)
    with pytest.raises(ValueError, match="shortest_s"):
        RetryPolicy(shortest_s=2.0, longest_s=1.0)


def test_pause_that_the_server_asks_for_is_kept_unless_it_is_too_long() -> None:
    pause = Retries(RetryPolicy()).pause(refused(503, "7"))
    assert pause is not None and 7.0 <= pause <= 7.7
    assert Retries(RetryPolicy(longest_wait_s=5.0)).pause(refused(503, "7")) is None


def test_answer_that_is_no_problem_has_a_code_too() -> None:
    error = refusal(502, b"<html>Bad Gateway</html>", None)
    assert (error.code, error.status) == ("http_502", 502) and "Bad Gateway" in error.detail
    assert isinstance(refusal(404, b"{}", None), NotFound)


def test_limit_of_the_server_is_waited_for(tmp_path: Path) -> None:
    server = Server(tmp_path, KIBITZ_CREATIONS_PER_MINUTE="600", KIBITZ_CREATIONS_BURST="1")
    try:
        with Client(server.url, retry=RetryPolicy(attempts=1)) as hasty:
            hasty.players.create("ana")
            with pytest.raises(ApiError, match="too_many") as limit:
                for number in range(100):
                    hasty.players.create(f"hasty{number}")
            assert limit.value.status == 429 and limit.value.retry_after_s is not None
        with Client(server.url) as client:
            assert [client.players.create(f"patient{number}")["name"] for number in range(3)] == [
                "patient0",
                "patient1",
                "patient2",
            ]
    finally:
        server.stop()


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that begins a stream and says nothing more."""
    listener = socket.create_server(("127.0.0.1", 0))
    held: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            held.append(client)
            client.recv(1 << 16)
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n"
            client.sendall(head + b"3\r\n{}\n\r\n")

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    for client in held:
        client.close()


def test_silent_stream_is_given_up(silent: str) -> None:
    lines = Transport(silent, 60.0, None).lines(GET, silence_s=0.2)
    assert next(lines) == b"{}"
    with pytest.raises(Unreachable, match="broken off"):
        next(lines)

    async def work() -> None:
        transport = AsyncTransport(silent, 60.0, None)
        lines = transport.lines(GET, silence_s=0.2)
        assert await anext(lines) == b"{}"
        with pytest.raises(Unreachable, match="broken off"):
            await anext(lines)
        await transport.aclose()

    asyncio.run(work())


def test_answer_that_does_not_end_in_time_is_unreachable(silent: str) -> None:
    once = RetryPolicy(attempts=1)
    with Client(silent, retry=once, timeout_s=0.2) as client, pytest.raises(Unreachable):
        client.games.list()

    async def work() -> None:
        async with AsyncClient(silent, retry=once, timeout_s=0.2) as client:
            with pytest.raises(Unreachable):
                await client.games.list()

    asyncio.run(work())


def test_missing_package_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = builtins.__import__

    def without_urllib3(name: str, *rest: Any) -> Any:
        if name == "urllib3":
            raise ModuleNotFoundError("No module named 'urllib3'", name="urllib3")
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_urllib3)
    monkeypatch.delitem(sys.modules, "urllib3")
    with pytest.raises(MissingPackage, match=r"kibitz\[client\]"):
        importlib.reload(kibitz.client)
    monkeypatch.undo()
    importlib.reload(kibitz.client)
