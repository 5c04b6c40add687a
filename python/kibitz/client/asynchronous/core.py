"""Sends operations of the API: retries, streams that go on after a cut, and lists of several pages. It must not know what
an operation means; the resources beside it do."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, TypeVar

from kibitz.client.asynchronous.transport import AsyncTransport
from kibitz.client.errors import ApiError, Unreachable
from kibitz.client.operation import Operation
from kibitz.client.request import base_of, build, decode
from kibitz.client.resume import Resumption
from kibitz.client.retry import Retries, RetryPolicy

T = TypeVar("T")

log = logging.getLogger("kibitz.client")

# The server sends an empty line every 10 s on a stream that has nothing to say.
STREAM_SILENCE_S = 35.0


class Core:
    """A server, a token, and the rules by which requests are repeated."""

    def __init__(
        self,
        base: str,
        transport: AsyncTransport,
        retry: RetryPolicy,
        token: str | None,
        key: str | None,
    ) -> None:
        self.base = base
        self.transport = transport
        self.retry = retry
        self.token = token
        self.key = key

    @classmethod
    def connect(
        cls,
        server: str,
        token: str | None,
        key: str | None,
        retry: RetryPolicy,
        timeout_s: float,
        trust: ssl.SSLContext | None,
    ) -> Core:
        """The core for a server. It connects with the first request.

        Raises ValueError if `server` is no address of HTTP."""
        base = base_of(server)
        return cls(base, AsyncTransport(base, timeout_s, trust), retry, token, key)

    def headers(self, more: Mapping[str, str | None]) -> dict[str, str | None]:
        """The headers of a request: those of the caller's rights, and more."""
        bearer = None if self.token is None else f"Bearer {self.token}"
        return {"authorization": bearer, "match-key": self.key, **more}

    async def call(
        self,
        operation: Operation[T],
        *,
        path: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
        body: object = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> T:
        """The answer of an operation. `path` and `query` have its parameters by their names; those that are `None` are left
        out. A `str` or `bytes` as the body is sent as it is, everything else as JSON.

        Raises ApiError for a refusal, and Unreachable if no answer has come after all attempts."""
        sent = self.headers(headers or {})
        request = build(operation, path=path or {}, query=query or {}, body=body, headers=sent)
        retries = Retries(self.retry)
        while True:
            try:
                answer, media = await self.transport.send(request)
            except (ApiError, Unreachable) as error:
                pause = retries.pause(error) if request.repeatable else None
                if pause is None:
                    raise
                self._note(error, retries)
                await asyncio.sleep(pause)
            else:
                return decode(operation, answer, media)

    async def lines(
        self,
        operation: Operation[T],
        *,
        path: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
        body: object = None,
    ) -> AsyncGenerator[T, None]:
        """The JSON values of one stream, without a second attempt. For streams that cannot go on after a cut."""
        request = build(operation, path=path or {}, query=query or {}, body=body, headers=self.headers({}))
        async with aclosing(self.transport.lines(request, STREAM_SILENCE_S)) as lines:
            async for line in lines:
                if line:
                    yield json.loads(line)

    async def resumed(
        self,
        operation: Operation[T],
        resumption: Resumption,
        *,
        path: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
    ) -> AsyncGenerator[T, None]:
        """The JSON values of a stream that goes on after a cut where it was: no value is lost, and none comes twice.

        Raises ApiError for a refusal, and Unreachable if the stream does not go on after all attempts."""
        retries = Retries(self.retry)
        while not resumption.over:
            known = resumption.parameters()
            sent = self.headers(known.headers)
            asked = {**(query or {}), **known.query}
            request = build(operation, path=path or {}, query=asked, body=None, headers=sent)
            resumption.begins()
            try:
                async with aclosing(self.transport.lines(request, STREAM_SILENCE_S)) as lines:
                    async for line in lines:
                        if not line:
                            continue
                        value: Any = json.loads(line)
                        if resumption.is_new(value):
                            retries.succeeded()
                            yield value
                resumption.ends()
            except (ApiError, Unreachable) as error:
                pause = retries.pause(error)
                if pause is None:
                    raise
                self._note(error, retries)
                await asyncio.sleep(pause)

    def _note(self, error: ApiError | Unreachable, retries: Retries) -> None:
        """Logs that a request is sent again; less and less often while the server is away."""
        if retries.failed & (retries.failed - 1) == 0:
            log.info("%s; attempt %d follows", error.detail, retries.failed + 1)

    async def pages(
        self,
        operation: Operation[Any],
        entries: str,
        cursor: str,
        query: Mapping[str, object],
        path: Mapping[str, object] | None = None,
    ) -> AsyncGenerator[Any, None]:
        """The entries of a list, page by page. `entries`: the field of the answer that has them; `cursor`: the parameter that
        takes the answer's `next`."""
        asked = dict(query)
        while True:
            page = await self.call(operation, path=path, query=asked)
            for entry in page[entries]:
                yield entry
            if page.get("next") is None:
                return
            asked[cursor] = page["next"]
