"""Clients of a kibitz server: `Client` and `AsyncClient`, with typed answers, streams that go on after a cut, and retries."""

from __future__ import annotations

from kibitz.errors import MissingPackage

try:
    import aiohttp as _aiohttp  # noqa: F401
    import typing_extensions as _typing_extensions  # noqa: F401
    import urllib3 as _urllib3  # noqa: F401
except ModuleNotFoundError as error:
    raise MissingPackage(error.name or "aiohttp", "client") from error

from kibitz.client import operations
from kibitz.client.asynchronous.client import AsyncClient
from kibitz.client.errors import ApiError, NotFound, StalePly, Unreachable
from kibitz.client.operation import Operation
from kibitz.client.options import SearchOptions
from kibitz.client.retry import RetryPolicy
from kibitz.client.synchronous.client import Client

__all__ = [
    "ApiError",
    "AsyncClient",
    "Client",
    "NotFound",
    "Operation",
    "RetryPolicy",
    "SearchOptions",
    "StalePly",
    "Unreachable",
    "operations",
]
