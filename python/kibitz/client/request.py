"""Builds HTTP requests from operations, and reads answers. Pure: it sends nothing."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from kibitz.client.operation import Operation

T = TypeVar("T")

LINES = "application/x-ndjson"
"""The media type of streams and downloads: one JSON value on each line."""

ANY_TEXT = "*/*"
"""The media type of an answer that is a text to the caller, whatever the server calls it."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request that is ready to be sent, any number of times."""

    method: str
    target: str
    """The path below the server's address, with the query."""
    headers: dict[str, str]
    body: bytes | None
    repeatable: bool
    compression: str
    """The value of `Accept-Encoding`. Downloads shrink to a fifth; a single answer is parsed before it could be unpacked."""


def base_of(server: str) -> str:
    """The address of a server without a slash at its end.

    Raises ValueError if it is no address of HTTP."""
    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"the server's address must be like http://127.0.0.1:8080, not {server!r}")
    return server.rstrip("/")


def build(
    operation: Operation[Any],
    *,
    path: Mapping[str, object],
    query: Mapping[str, object],
    body: object,
    headers: Mapping[str, str | None],
) -> Request:
    """The request of an operation. Values that are `None` are left out. A `str` or `bytes` as the body is sent as it is,
    everything else as JSON."""
    target = operation.path.format_map({name: quote(str(value), safe="") for name, value in path.items()})
    pairs = {name: word(value) for name, value in query.items() if value is not None}
    if pairs:
        target += "?" + urlencode(pairs)
    sent = {name: value for name, value in headers.items() if value is not None}
    if operation.media:
        sent.setdefault("accept", operation.media)
    if operation.keyed:
        sent.setdefault("idempotency-key", secrets.token_urlsafe(24))
    data: bytes | None = None
    if isinstance(body, bytes):
        data = body
        sent.setdefault("content-type", "application/octet-stream")
    elif isinstance(body, str):
        data = body.encode()
        sent.setdefault("content-type", "text/plain")
    elif body is not None:
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        sent["content-type"] = "application/json"
    compression = "gzip" if operation.media == LINES else "identity"
    return Request(operation.method, target, sent, data, operation.repeatable, compression)


def word(value: object) -> str:
    """A value in a query: `True` is `true`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def without_none(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields that have a value, as the body of a request."""
    return {name: value for name, value in fields.items() if value is not None}


def decode(operation: Operation[T], body: bytes, media: str) -> T:
    """The answer of a success. `media`: the type of the body, as the server names it."""
    answer: Any
    if not operation.media or not body:
        answer = None
    elif operation.media == ANY_TEXT:
        answer = body.decode()
    elif media.startswith("application/json"):
        answer = json.loads(body)
    elif media.startswith(("text/", "application/openmetrics-text")):
        answer = body.decode()
    else:
        answer = body
    return answer  # type: ignore[no-any-return]


class LineSplitter:
    """Cuts a stream of bytes into lines. What follows the last line break waits for more."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def lines(self, part: bytes) -> list[bytes]:
        """The lines that the next part completes, without their line breaks."""
        head, found, tail = part.rpartition(b"\n")
        if not found:
            self._parts.append(part)
            return []
        whole = b"".join([*self._parts, head])
        self._parts = [tail] if tail else []
        return whole.split(b"\n")
