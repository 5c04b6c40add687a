"""The exceptions of the client: refusals of the server with their stable codes, and a server that does not answer."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from kibitz.errors import Error
from kibitz.types import MatchPage, Problem


class ApiError(Error):
    """The server has refused a request. `code` is stable: /docs/problems of the server lists all codes. `detail` says what is
    wrong in this request."""

    def __init__(self, problem: Problem, retry_after_s: float | None = None) -> None:
        super().__init__(problem["code"], problem["detail"])
        self.problem = problem
        """The whole answer."""
        self.retry_after_s = retry_after_s
        """The seconds after which a retry may succeed, if the server names them."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.problem["status"]

    @property
    def title(self) -> str:
        """A short title, the same for every error of this code."""
        return self.problem["title"]

    @property
    def request_id(self) -> str | None:
        """The id by which the operator finds the request in the server's log."""
        return self.problem.get("request_id")

    def __reduce__(self) -> tuple[type[ApiError], tuple[Problem, float | None]]:
        return type(self), (self.problem, self.retry_after_s)


class NotFound(ApiError):
    """What the request names does not exist, or the caller may not see it (status 404)."""


class StalePly(ApiError):
    """A move came too late: the match has moved on (`stale_ply`), or the time was up (`time_up`)."""

    @property
    def match(self) -> MatchPage | None:
        """The match as it is now."""
        return self.problem.get("match")


class Unreachable(Error):
    """The server gave no answer: it could not be reached, or the connection broke off. The request may have been carried
    out. Its `code` is `unreachable`."""

    def __init__(self, detail: str, permanent: bool = False) -> None:
        super().__init__("unreachable", detail)
        self.permanent = permanent
        """Whether no later attempt can succeed: the server's certificate is not trusted."""

    def __reduce__(self) -> tuple[type[Unreachable], tuple[str, bool]]:
        return type(self), (self.detail, self.permanent)


def refusal(status: int, body: bytes, retry_after: str | None) -> ApiError:
    """The exception for an answer that is no success. An answer that is no problem of the API, such as a proxy's page, gets
    the code `http_STATUS`."""
    problem: Any = None
    with contextlib.suppress(ValueError):
        problem = json.loads(body)
    if not isinstance(problem, dict) or not isinstance(problem.get("code"), str):
        text = body.decode("utf-8", "replace").strip()[:200] or "the answer has no text"
        problem = {"type": "about:blank", "title": f"HTTP status {status}", "status": status, "detail": text}
        problem["code"] = f"http_{status}"
    known: Problem = problem
    kind = {404: NotFound}.get(status, StalePly if known["code"] in ("stale_ply", "time_up") else ApiError)
    return kind(known, seconds(known.get("retry_after_ms"), retry_after))


def seconds(retry_after_ms: int | None, header: str | None) -> float | None:
    """The pause that the server asks for: the problem's is more exact than that of the header."""
    if retry_after_ms is not None:
        return retry_after_ms / 1000
    return float(header) if header is not None and header.isdigit() else None
