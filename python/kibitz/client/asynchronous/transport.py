"""HTTP for the asynchronous client, by aiohttp. It sends one request once and does not know what it means."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator

import aiohttp
from yarl import URL

from kibitz.client.errors import Unreachable, refusal
from kibitz.client.request import LineSplitter, Request

FAILURES = (aiohttp.ClientError, OSError, asyncio.TimeoutError)


class AsyncTransport:
    """Connections to one server, which stay open between requests."""

    def __init__(self, base: str, timeout_s: float, trust: ssl.SSLContext | None) -> None:
        self.base = base
        self.timeout_s = timeout_s
        self._trust = trust
        self._session: aiohttp.ClientSession | None = None

    def session(self) -> aiohttp.ClientSession:
        """The session with the connections. It belongs to the running event loop."""
        if self._session is None:
            # Responses are waited for at many streams at a time, so the number of connections has no limit.
            connector = aiohttp.TCPConnector(limit=0, ssl=self._trust or True)
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    def url(self, target: str) -> URL:
        """The URL of a target, which is encoded already."""
        return URL(self.base + target, encoded=True)

    async def send(self, request: Request) -> tuple[bytes, str]:
        """The body and the media type of the answer.

        Raises ApiError for a refusal and Unreachable if there is no whole answer."""
        timeout = aiohttp.ClientTimeout(total=self.timeout_s)
        try:
            async with self.session().request(
                request.method,
                self.url(request.target),
                data=request.body,
                headers={"accept-encoding": request.compression, **request.headers},
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                body = await response.read()
        except FAILURES as error:
            raise self._unreachable("does not answer", error) from error
        if not 200 <= response.status < 300:
            raise refusal(response.status, body, response.headers.get("retry-after"))
        return body, response.headers.get("content-type", "")

    async def lines(self, request: Request, silence_s: float) -> AsyncGenerator[bytes, None]:
        """The lines of the answer as they arrive, empty ones included. Ends with the answer.

        Raises ApiError for a refusal and Unreachable if the answer breaks off, or nothing arrives for `silence_s`."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self.timeout_s, sock_read=silence_s)
        splitter = LineSplitter()
        try:
            async with self.session().request(
                request.method,
                self.url(request.target),
                data=request.body,
                headers={"accept-encoding": request.compression, **request.headers},
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                if not 200 <= response.status < 300:
                    raise refusal(response.status, await response.read(), response.headers.get("retry-after"))
                async for part in response.content.iter_any():
                    for line in splitter.lines(part):
                        yield line
        except FAILURES as error:
            raise self._unreachable("has broken off the stream", error) from error

    def _unreachable(self, what: str, error: Exception) -> Unreachable:
        """The exception for a request without a whole answer."""
        distrust = isinstance(error, aiohttp.ClientConnectorCertificateError)
        # Some errors have no text.
        return Unreachable(f"{self.base} {what}: {str(error) or type(error).__name__}", permanent=distrust)

    async def aclose(self) -> None:
        """Closes all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None
