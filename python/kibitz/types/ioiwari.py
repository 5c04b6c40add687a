"""Views, moves and options of Ioiwari. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing_extensions import NotRequired, TypedDict

from kibitz.types.base import (
    Seat,
    Viewer,
)

__all__ = [
    "IoiwariMove",
    "IoiwariOptions",
    "IoiwariView",
]


class IoiwariMove(TypedDict):
    """A move: sows the beads of one pit."""

    pit: int
    """The pit's number, 1 to 7."""


class IoiwariOptions(TypedDict):
    """Options of a deal."""

    pits: NotRequired[list[int] | None]
    """Beads in each pit at the start, 2 to 4, 20 in all; drawn from the seed if absent."""


class IoiwariView(TypedDict):
    """A position as one viewer sees it."""

    banks: list[int]
    """Beads in each seat's bank; with the pits 20 in all."""

    pits: list[int]
    """Beads in each pit, clockwise, 0 to 5."""

    to_move: Seat
    """The seat to move."""

    viewer: NotRequired[Viewer | None]
    """The viewer; the seat to move if absent."""
