"""Views, moves and options of Splendor. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.base import (
    Seat,
    Viewer,
)

__all__ = [
    "SplendorChips",
    "SplendorColor",
    "SplendorColors",
    "SplendorLevel",
    "SplendorMove",
    "SplendorMoveBuy",
    "SplendorMoveReserve",
    "SplendorMoveReserveTop",
    "SplendorMoveTake",
    "SplendorMoveTakeTwo",
    "SplendorMoveVoid",
    "SplendorOptions",
    "SplendorPlayer",
    "SplendorView",
]


class SplendorChips(TypedDict):
    """Chips by colour."""

    black: int
    """Colour 4."""

    blue: int
    """Colour 2."""

    gold: int
    """Gold, the joker."""

    green: int
    """Colour 1."""

    red: int
    """Colour 0 of the official protocol."""

    white: int
    """Colour 3."""


SplendorColor: TypeAlias = Literal["red", "green", "blue", "white", "black"]
"""A colour of cards and chips. Its number in the official protocol is its index here, from 0. - `red`: 0. - `green`:
1. - `blue`: 2. - `white`: 3. - `black`: 4."""


SplendorColors: TypeAlias = list[SplendorColor]
"""At most three chips of the five colours, without an order."""


class SplendorLevel(TypedDict):
    """The cards of one level on the table."""

    deck: int
    """Number of face-down cards."""

    face_up: list[int]
    """Ids of the face-up cards by slot; 0 for an empty slot, once the deck is empty."""


class SplendorMoveBuy(TypedDict):
    """Buy a face-up card or one of the own reserved ones. Text: `4 id`."""

    action: Literal["buy"]

    card: int
    """The card's id."""


class SplendorMoveReserve(TypedDict):
    """Reserve a face-up card. Text: `3 id returns..`."""

    action: Literal["reserve"]

    card: int
    """The card's id."""

    returns: NotRequired[SplendorColors]
    """The colour returned, if any. Default: `[]`."""


class SplendorMoveReserveTop(TypedDict):
    """Reserve the top card of a deck, unseen by the others. Text: `3 -level returns..`."""

    action: Literal["reserve_top"]

    level: int
    """The deck's level, 1 to 3."""

    returns: NotRequired[SplendorColors]
    """The colour returned, if any. Default: `[]`."""


class SplendorMoveTake(TypedDict):
    """Take up to three chips of different colours; no chip is an explicit pass. Text: `1 k c1..ck returns..`."""

    action: Literal["take"]

    colors: SplendorColors
    """The colours taken, each once."""

    returns: NotRequired[SplendorColors]
    """The colours returned. Default: `[]`."""


class SplendorMoveTakeTwo(TypedDict):
    """Take two chips of one colour. Text: `2 c returns..`."""

    action: Literal["take_two"]

    color: SplendorColor
    """The colour taken."""

    returns: NotRequired[SplendorColors]
    """The colours returned. Default: `[]`."""


class SplendorMoveVoid(TypedDict):
    """A void action: the turn passes and nothing else happens. It differs from an explicit pass only while a noble
    is due, because an explicit pass brings the noble. Text: `0`, which the official protocol does not have."""

    action: Literal["void"]


SplendorMove: TypeAlias = SplendorMoveTake | SplendorMoveTakeTwo | SplendorMoveReserve | SplendorMoveReserveTop | SplendorMoveBuy | SplendorMoveVoid
"""One action. `returns` are the colours given back if the player would have more than ten chips."""


class SplendorOptions(TypedDict):
    """Options of a deal."""

    players: NotRequired[int]
    """Number of players, 1 to 4; 2 if absent. Default: `2`."""


class SplendorPlayer(TypedDict):
    """The chips, cards and nobles of one player."""

    cards: list[int]
    """Ids of the bought cards, in order of purchase."""

    chips: SplendorChips
    """Chips, at most ten."""

    nobles: list[int]
    """Ids of the received nobles."""

    reserved: list[int]
    """Reserved cards in order, at most three: the id, or -1, -2 or -3 for a card of that level that the owner
    reserved from the deck and the viewer does not know. A player knows its own cards."""


class SplendorView(TypedDict):
    """A position as one viewer sees it."""

    chips: SplendorChips
    """Chips in the bank."""

    levels: list[SplendorLevel]
    """The cards on the table: levels 1, 2 and 3."""

    nobles: list[int]
    """Nobles on the table, in order. The first one whose needs a player meets goes to that player."""

    players: list[SplendorPlayer]
    """The players in seat order, 1 to 4."""

    round: int
    """Complete rounds played, at most 100."""

    to_move: Seat
    """The seat to move; 0 in a finished match."""

    viewer: NotRequired[Viewer | None]
    """The viewer; the seat to move if absent."""
