"""HTTP for the synchronous client, by urllib3. It sends one request once and does not know what it means."""

from __future__ import annotations

import ssl
from collections.abc import Generator

import urllib3

from kibitz.client.errors import Unreachable, refusal
from kibitz.client.request import LineSplitter, Request

FAILURES = (urllib3.exceptions.HTTPError, OSError)
# The number of idle connections that stay open.
IDLE_CONNECTIONS = 16
READ_BYTES = 1 << 16


class Transport:
    """Connections to one server, which stay open between requests. Threads may share it."""

    def __init__(self, base: str, timeout_s: float, trust: ssl.SSLContext | None) -> None:
        self.base = base
        self.timeout_s = timeout_s
        self._path = urllib3.util.parse_url(base).path or ""
        # A pool without TLS takes no certificates.
        options = {"ssl_context": trust} if trust is not None and base.startswith("https:") else {}
        self._pool = urllib3.connectionpool.connection_from_url(base, maxsize=IDLE_CONNECTIONS, **options)

    def send(self, request: Request) -> tuple[bytes, str]:
        """The body and the media type of the answer.

        Raises ApiError for a refusal and Unreachable if there is no whole answer."""
        try:
            response = self._pool.urlopen(
                request.method,
                self._path + request.target,
                body=request.body,
                headers={"accept-encoding": request.compression, **request.headers},
                timeout=self.timeout_s,
                retries=False,
                redirect=False,
            )
        except FAILURES as error:
            raise self._unreachable(error) from error
        if not 200 <= response.status < 300:
            raise refusal(response.status, response.data, response.headers.get("retry-after"))
        return response.data, response.headers.get("content-type", "")

    def lines(self, request: Request, silence_s: float) -> Generator[bytes, None, None]:
        """The lines of the answer as they arrive, empty ones included. Ends with the answer.

        Raises ApiError for a refusal and Unreachable if the answer breaks off, or nothing arrives for `silence_s`."""
        splitter = LineSplitter()
        try:
            response = self._pool.urlopen(
                request.method,
                self._path + request.target,
                body=request.body,
                headers={"accept-encoding": request.compression, **request.headers},
                timeout=urllib3.Timeout(connect=self.timeout_s, read=silence_s),
                retries=False,
                redirect=False,
                preload_content=False,
            )
        except FAILURES as error:
            raise self._unreachable(error) from error
        try:
            if not 200 <= response.status < 300:
                raise refusal(response.status, response.read(), response.headers.get("retry-after"))
            for part in response.stream(READ_BYTES, decode_content=True):
                yield from splitter.lines(part)
            response.release_conn()
        except FAILURES as error:
            raise Unreachable(f"{self.base} has broken off the stream: {error}") from error
        finally:
            # A connection whose answer was not read to its end cannot be used again.
            response.close()

    def _unreachable(self, error: Exception) -> Unreachable:
        """The exception for a request without an answer."""
        distrust = any(isinstance(cause, ssl.SSLCertVerificationError) for cause in (error, *error.args))
        return Unreachable(f"{self.base} does not answer: {error}", permanent=distrust)

    def close(self) -> None:
        """Closes all connections."""
        self._pool.close()
