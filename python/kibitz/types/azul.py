"""Views, moves and options of Azul. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.base import (
    Seat,
    Viewer,
)

__all__ = [
    "AzulBoard",
    "AzulColour",
    "AzulLine",
    "AzulMove",
    "AzulOptions",
    "AzulView",
]


AzulColour: TypeAlias = Literal["g", "o", "b", "y", "r"]
"""A tile's colour."""


class AzulLine(TypedDict):
    """A pattern line."""

    colour: NotRequired[AzulColour | None]
    """Their colour; null when it is empty. Default: `null`."""

    count: int
    """Tiles on it."""


class AzulBoard(TypedDict):
    """One player's board."""

    floor: int
    """Length of the floor line, 0 to 7, the marker included."""

    lines: list[AzulLine]
    """The pattern lines from the top; line `l` has room for `l + 1` tiles."""

    score: int
    """Points, never below 0."""

    wall: list[str]
    """The wall's rows from the top, five characters each: the letter of the tile's colour, or `.` for none. A row
    can hold a colour only in its own column: column = (colour + row) mod 5."""


class AzulMove(TypedDict):
    """A move: takes all tiles of a colour from a display or the centre and puts them on a line."""

    colour: AzulColour
    """The colour of the tiles."""

    display: int
    """The source: 0 is the centre, 1 to 5 a factory display."""

    line: int
    """The target: 0 to 4 is a pattern line from the top, which holds one tile more than its number; 5 is the floor."""


AzulOptions: TypeAlias = dict[str, Any]
"""Options of a deal: there are none."""


class AzulView(TypedDict):
    """A position as one viewer sees it."""

    boards: list[AzulBoard]
    """The boards of seats 0 and 1."""

    centre: list[int]
    """Tiles in the centre, number 0 in moves."""

    displays: list[list[int]]
    """The five factory displays, numbers 1 to 5 in moves: 4 tiles each, or none. All empty only when the match is
    over."""

    marker: NotRequired[Seat | None]
    """The seat that holds the starting marker; null while it lies in the centre."""

    to_move: Seat
    """The seat to move; in a finished match, the seat that would have begun the next round."""

    viewer: NotRequired[Viewer | None]
    """The viewer; the seat to move if absent."""
