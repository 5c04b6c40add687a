"""Views, moves and options of Buraco. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.base import (
    Seat,
    Viewer,
)

__all__ = [
    "BuracoCard",
    "BuracoCards",
    "BuracoMeld",
    "BuracoMeldRules",
    "BuracoMove",
    "BuracoMoveDiscard",
    "BuracoMoveGetDiscard",
    "BuracoMoveGetStock",
    "BuracoMoveMeldJoin",
    "BuracoMoveMeldNew",
    "BuracoOptions",
    "BuracoView",
]


BuracoCard: TypeAlias = str
"""A card: its rank, then its suit, as in `10♥`."""


BuracoCards: TypeAlias = list[BuracoCard]
"""Cards without an order. They are stored sorted, so that equal sets compare equal."""


BuracoMeld: TypeAlias = list[BuracoCard]
"""A meld on the table: a sequence of one suit in order, with the wild 2 at its place."""


BuracoMeldRules: TypeAlias = Literal["referee", "written"]
"""How a match checks melds and joins. All other rules are the same in both. - `referee`: As the contest's referee,
which also accepts an ace of another suit, a wild 2 below a low ace, and a join of no cards. - `written`: As the
contest's text says: all cards of a meld but a wild 2 are of one suit, no wild 2 lies below a low ace, and a join
adds a card or more."""


class BuracoMoveDiscard(TypedDict):
    """Puts a card of the hand on the pile, which ends the turn."""

    discard: dict[str, Any]


class BuracoMoveGetDiscard(TypedDict):
    """Forms a new meld of the pile's top card and cards of the hand, and takes the rest of the pile into the hand."""

    get_discard: dict[str, Any]


BuracoMoveGetStock: TypeAlias = Literal["get_stock"]
"""Draws the next card of the stock. Ends the match if the stock is empty."""


class BuracoMoveMeldJoin(TypedDict):
    """Adds cards of the hand to an own meld."""

    meld_join: dict[str, Any]


class BuracoMoveMeldNew(TypedDict):
    """Forms a new meld of cards of the hand."""

    meld_new: dict[str, Any]


BuracoMove: TypeAlias = BuracoMoveGetStock | BuracoMoveGetDiscard | BuracoMoveMeldNew | BuracoMoveMeldJoin | BuracoMoveDiscard
"""One command of a turn. A turn is a draw, any number of melds and joins, and a discard, all by the same seat."""


class BuracoOptions(TypedDict):
    """Options of a deal."""

    meld_rules: NotRequired[BuracoMeldRules]
    """How melds and joins are checked. Absent: as the contest's referee does, which is what a bot from outside
    expects. Matches that people begin on the pages have the written rules."""

    starter: NotRequired[int | None]
    """The seat that starts, 0 or 1; drawn from the seed if absent."""


class BuracoView(TypedDict):
    """A position as one seat, or a spectator, sees it."""

    drawn: bool
    """Whether the seat to move has drawn in this turn."""

    exhausted: NotRequired[bool]
    """Whether a seat drew from the empty stock, which ends the match. False if absent. Default: `false`."""

    hand: NotRequired[list[BuracoCard]]
    """The viewer's hand in the order in which its cards arrived, because the final count of a hand of seven or more
    depends on it. Empty for a spectator. Default: `[]`."""

    hand_sizes: list[int]
    """Number of cards in each seat's hand. Stock, pile, melds and hands together have 104 cards."""

    known: NotRequired[list[list[BuracoCard]]]
    """Cards of each seat's hand that both seats know: taken from the pile and not played since. Empty if absent.
    Default: `[[],[]]`."""

    meld_rules: NotRequired[BuracoMeldRules]
    """How melds and joins are checked. As the contest's referee does if absent."""

    melds: list[list[BuracoMeld]]
    """Each seat's melds in order of creation. The cards of a meld are in sequence, with a wild 2 at its place."""

    pile: list[BuracoCard]
    """The discard pile, oldest card first; the last card is its top. Both seats have seen all of it."""

    stock: int
    """Number of cards left in the stock."""

    to_move: Seat
    """The seat to move; in a finished match, the seat that moved last."""

    viewer: NotRequired[Viewer | None]
    """The viewer; the seat to move if absent."""
