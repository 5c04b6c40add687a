"""When to send a request again, and after which pause. Pure: it neither waits nor sends."""

from __future__ import annotations

import random
from dataclasses import dataclass

from kibitz.client.errors import ApiError, Unreachable

# Statuses with which a later attempt may succeed.
TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long the client tries. Only requests that may be repeated are sent again."""

    attempts: int | None = 8
    """The most attempts, the first one included; `None`: without a limit."""

    shortest_s: float = 0.05
    """The mean of the first pause, in seconds. Pauses double."""

    longest_s: float = 5.0
    """The mean of the longest pause, in seconds."""

    longest_wait_s: float = 30.0
    """The longest pause that the server may ask for, in seconds. If it asks for more, the error is raised."""

    def __post_init__(self) -> None:
        if self.attempts is not None and self.attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {self.attempts}")
        if not 0 <= self.shortest_s <= self.longest_s:
            raise ValueError("shortest_s must be at least 0 and at most longest_s")


@dataclass(slots=True)
class Retries:
    """The attempts of one request."""

    policy: RetryPolicy
    failed: int = 0

    def pause(self, error: ApiError | Unreachable) -> float | None:
        """The seconds to wait before the next attempt; `None`: the error is final."""
        self.failed += 1
        if self.policy.attempts is not None and self.failed >= self.policy.attempts:
            return None
        wanted = None
        if isinstance(error, ApiError):
            if error.status not in TEMPORARY:
                return None
            wanted = error.retry_after_s
        elif error.permanent:
            return None
        if wanted is not None:
            # A little later than the server asks: other clients wait for the same moment.
            return wanted * random.uniform(1.0, 1.1) if wanted <= self.policy.longest_wait_s else None
        mean = min(self.policy.shortest_s * 2.0 ** min(self.failed - 1, 30), self.policy.longest_s)
        return mean * random.uniform(0.5, 1.5)

    def succeeded(self) -> None:
        """Begins again with the shortest pause."""
        self.failed = 0
