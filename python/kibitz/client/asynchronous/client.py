"""The asynchronous client: all operations of a server, by resource."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from types import TracebackType
from typing import TypeVar

from kibitz.client.asynchronous.account import Account
from kibitz.client.asynchronous.core import Core
from kibitz.client.asynchronous.games import Games
from kibitz.client.asynchronous.lobby import Lobby
from kibitz.client.asynchronous.matches import Matches
from kibitz.client.asynchronous.moves import Moves
from kibitz.client.asynchronous.players import Players
from kibitz.client.asynchronous.tournaments import Tournaments
from kibitz.client.asynchronous.transport import AsyncTransport
from kibitz.client.operation import Operation
from kibitz.client.retry import RetryPolicy

T = TypeVar("T")


class AsyncClient:
    """An asynchronous client of one server. Use it in `async with`, or close it with `aclose`.

    `token`: of a player, of a seat, or with a scope; without it the caller is a guest. `key`: of a private match. `timeout_s`:
    how long an answer may take, in seconds; streams have no such limit. `trust`: certificates to trust instead of the
    system's."""

    def __init__(
        self,
        server: str = "http://127.0.0.1:8080",
        *,
        token: str | None = None,
        key: str | None = None,
        retry: RetryPolicy | None = None,
        timeout_s: float = 60.0,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        """Raises ValueError if `server` is no address of HTTP. Connects with the first request."""
        self._use(Core.connect(server, token, key, retry or RetryPolicy(), timeout_s, trust))

    def _use(self, core: Core) -> None:
        self._core = core
        self.games = Games(core)
        self.moves = Moves(core)
        self.matches = Matches(core)
        self.players = Players(core)
        self.me = Account(core)
        self.lobby = Lobby(core)
        self.tournaments = Tournaments(core)

    @property
    def server(self) -> str:
        """The server's address, without a slash at its end."""
        return self._core.base

    @property
    def transport(self) -> AsyncTransport:
        """The connections to the server."""
        return self._core.transport

    def with_token(self, token: str | None, *, key: str | None = None) -> AsyncClient:
        """A client for another caller, such as the holder of a seat, which uses the same connections."""
        core = self._core
        other = AsyncClient.__new__(AsyncClient)
        other._use(Core(core.base, core.transport, core.retry, token, key if key is not None else core.key))
        return other

    async def call(
        self,
        operation: Operation[T],
        *,
        path: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
        body: object = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> T:
        """Any operation of `kibitz.client.operations`, by the names of the API: those for operators, and others without a
        method.

        Raises ApiError for a refusal, and Unreachable if no answer has come after all attempts."""
        return await self._core.call(operation, path=path, query=query, body=body, headers=headers)

    async def aclose(self) -> None:
        """Closes the connections, also those of clients made by `with_token`."""
        await self._core.transport.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
