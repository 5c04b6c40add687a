# Written by scripts/client-types from asynchronous/lobby.py: change that file.
"""How players meet: who is online, challenges, and quick pairing."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

from kibitz.client import operations
from kibitz.client.synchronous.core import Core
from kibitz.client.request import without_none
from kibitz.client.resume import StateResumption
from kibitz.types import (
    ChallengeShown,
    ClockSpec,
    GameSlug,
    LobbyShown,
    MatchLink,
    PlayerKind,
)


class Lobby:
    """The operations by which players meet: `client.lobby`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def get(self) -> LobbyShown:
        """Who is online, and for which matches players wait."""
        return self._core.call(operations.GET_LOBBY)

    def follow(self) -> Generator[LobbyShown, None, None]:
        """The lobby now, and whenever it changes. It has no end."""
        states: Generator[Any, None, None] = self._core.resumed(operations.FOLLOW_LOBBY, StateResumption())
        with closing(states):
            for state in states:
                yield state

    def pair(
        self,
        game: GameSlug,
        *,
        clock: ClockSpec | None = None,
        rated: bool | None = None,
        opponents: Sequence[PlayerKind] | None = None,
        others_after_ms: int | None = None,
        stay_ms: int | None = None,
    ) -> MatchLink | None:
        """Waits for an opponent. `None`: there was none within `stay_ms`, which must be shorter than the client's timeout."""
        fields = {"game": game, "clock": clock, "rated": rated, "opponents": opponents}
        body = without_none({**fields, "others_after_ms": others_after_ms, "stay_ms": stay_ms})
        return self._core.call(operations.GET_PAIRED, body=body)

    def challenge(self, id: str) -> ChallengeShown:
        """A challenge of the caller's, made or received."""
        return self._core.call(operations.GET_CHALLENGE, path={"id": id})

    def accept(self, id: str) -> ChallengeShown:
        """Accepts a challenge; the answer has the id of the match."""
        return self._core.call(operations.ACCEPT_CHALLENGE, path={"id": id})

    def decline(self, id: str, *, reason: str | None = None) -> ChallengeShown:
        """Declines a challenge."""
        body = without_none({"reason": reason})
        return self._core.call(operations.DECLINE_CHALLENGE, path={"id": id}, body=body)

    def withdraw(self, id: str) -> ChallengeShown:
        """Withdraws a challenge of the caller's."""
        return self._core.call(operations.WITHDRAW_CHALLENGE, path={"id": id})

    def delete_reason(self, id: str) -> None:
        """Deletes the reason that the caller gave for declining."""
        self._core.call(operations.DELETE_REASON, path={"id": id})
