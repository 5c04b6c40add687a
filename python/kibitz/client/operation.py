"""The type of the rows of the table of operations (`kibitz.client.operations`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Operation(Generic[T]):
    """An operation of the API whose answer has the type `T`; of a stream, `T` is the type of one line."""

    id: str
    """Its `operationId` in /openapi.json."""

    method: str
    """The HTTP method, in capitals."""

    path: str
    """The path, with names of parameters in braces: `/v1/matches/{id}`."""

    media: str
    """The media type of the answer that the client asks for; empty if a success has no body."""

    repeatable: bool
    """Whether the request may be sent again when its answer was lost."""

    keyed: bool
    """Whether it takes an `Idempotency-Key`, without which it must not be repeated."""
