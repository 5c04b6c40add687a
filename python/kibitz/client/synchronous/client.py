# Written by scripts/client-types from asynchronous/client.py: change that file.
"""The synchronous client: all operations of a server, by resource."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from types import TracebackType
from typing import TypeVar

from kibitz.client.synchronous.account import Account
from kibitz.client.synchronous.core import Core
from kibitz.client.synchronous.games import Games
from kibitz.client.synchronous.lobby import Lobby
from kibitz.client.synchronous.matches import Matches
from kibitz.client.synchronous.moves import Moves
from kibitz.client.synchronous.players import Players
from kibitz.client.synchronous.tournaments import Tournaments
from kibitz.client.synchronous.transport import Transport
from kibitz.client.operation import Operation
from kibitz.client.retry import RetryPolicy

T = TypeVar("T")


class Client:
    """An synchronous client of one server. Use it in `async with`, or close it with `close`.

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
    def transport(self) -> Transport:
        """The connections to the server."""
        return self._core.transport

    def with_token(self, token: str | None, *, key: str | None = None) -> Client:
        """A client for another caller, such as the holder of a seat, which uses the same connections."""
        core = self._core
        other = Client.__new__(Client)
        other._use(Core(core.base, core.transport, core.retry, token, key if key is not None else core.key))
        return other

    def call(
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
        return self._core.call(operation, path=path, query=query, body=body, headers=headers)

    def close(self) -> None:
        """Closes the connections, also those of clients made by `with_token`."""
        self._core.transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
