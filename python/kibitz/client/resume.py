"""How each kind of stream goes on after a cut. Pure: it sees values and says what to ask for next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from kibitz.client.errors import ApiError, Unreachable


@dataclass(frozen=True, slots=True)
class ResumeParameters:
    """What the next request says so that the stream goes on where it was."""

    query: dict[str, object] = field(default_factory=dict)
    headers: dict[str, str | None] = field(default_factory=dict)


class Resumption(ABC):
    """The place that a stream has reached."""

    over: bool = False
    """Whether the stream has reached its end, so that nothing more can come."""

    @abstractmethod
    def parameters(self) -> ResumeParameters:
        """What to ask for so that the stream goes on here."""

    @abstractmethod
    def is_new(self, value: Any) -> bool:
        """Takes the next value; whether the caller has not seen it.

        Raises ApiError or Unreachable if the value says that the stream ends here."""

    @abstractmethod
    def ends(self) -> None:
        """The connection has ended as it should. Raises Unreachable if more must come."""

    @abstractmethod
    def begins(self) -> None:
        """A connection is about to begin."""


class EventResumption(Resumption):
    """Of a stream of numbered events, which begins with a page: a match or a tournament. The page comes once; a later
    connection begins with another one, whose changes come as events too. Clocks, presence and chat have no number: those of the
    time between two connections are lost."""

    def __init__(self, since: int | None, last_types: frozenset[str], last_stages: frozenset[str]) -> None:
        self.since = since
        self.last_types = last_types
        self.last_stages = last_stages
        self.seq = since
        self.resumed = False
        self.page_due = True
        self.page_is_last = False

    def parameters(self) -> ResumeParameters:
        if not self.resumed:
            return ResumeParameters(query={} if self.since is None else {"since": self.since})
        return ResumeParameters(headers={"last-event-id": str(self.seq)})

    def begins(self) -> None:
        self.page_due = True

    def is_new(self, value: Any) -> bool:
        if self.page_due:
            self.page_due = False
            self.page_is_last = value["stage"] in self.last_stages
            first = not self.resumed
            if first:
                # With `since`, the events after it follow the page.
                self.seq = value["seq"] if self.since is None else self.since
            self.resumed = True
            return first
        if value["type"] == "closed":
            raise closed(value)
        seq = value.get("seq")
        if seq is None:
            return True
        if self.seq is not None and seq <= self.seq:
            return False
        self.seq = seq
        self.over = value["type"] in self.last_types
        return True

    def ends(self) -> None:
        # A connection that brings nothing is the status 204: there are no events after this one.
        if not (self.page_due or self.page_is_last):
            raise Unreachable("the stream has ended before its last event")
        self.over = True


class StateResumption(Resumption):
    """Of a stream that tells the whole state whenever it begins: the lobby, and what concerns a player. It has no end."""

    def parameters(self) -> ResumeParameters:
        return ResumeParameters()

    def begins(self) -> None:
        pass  # Every connection begins with the whole state.

    def is_new(self, value: Any) -> bool:
        if value.get("type") == "closed":
            raise closed(value)
        return True

    def ends(self) -> None:
        raise Unreachable("the server has ended the stream")


class RecordResumption(Resumption):
    """Of a download of records. `after`: whether the server can begin after a record; otherwise the download begins again,
    and those that the caller has are skipped."""

    def __init__(self, after: str | None, can_begin_after: bool) -> None:
        self.after = after
        self.can_begin_after = can_begin_after
        self.seen = 0
        self.skip = 0

    def parameters(self) -> ResumeParameters:
        if self.can_begin_after and self.after is not None:
            return ResumeParameters(query={"after": self.after})
        return ResumeParameters()

    def begins(self) -> None:
        self.skip = 0 if self.can_begin_after else self.seen

    def is_new(self, value: Any) -> bool:
        if self.skip:
            self.skip -= 1
            return False
        self.seen += 1
        self.after = value["id"] if self.can_begin_after else None
        return True

    def ends(self) -> None:
        self.over = True


# The reasons for the end of a stream after which the same request can succeed.
TEMPORARY_ENDS = frozenset({"too_slow", "stopping", "internal", "store_unavailable"})


def closed(frame: Any) -> ApiError | Unreachable:
    """The error for the frame that ends a stream early."""
    if frame["code"] in TEMPORARY_ENDS:
        return Unreachable(f"the server has ended the stream ({frame['code']}): {frame['detail']}")
    status = 403 if frame["code"] == "banned" else 401
    problem = {"type": "about:blank", "title": "The stream has ended", "status": status}
    return ApiError({**problem, "code": frame["code"], "detail": frame["detail"]})  # type: ignore[typeddict-item]
