"""Types that the games have in common. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict


__all__ = [
    "Seat",
    "Viewer",
    "ViewerSeat",
    "ViewerSpectator",
]


Seat: TypeAlias = int
"""A place at the table, counted from 0 in the order of play of the first round."""


class ViewerSeat(TypedDict):
    """One seat: sees the public parts and its own."""

    seat: Seat


ViewerSpectator: TypeAlias = Literal["spectator"]
"""A spectator: sees the public parts."""


Viewer: TypeAlias = ViewerSeat | ViewerSpectator
"""The viewer of a match: one seat, or a spectator, who sees only what all seats see."""
