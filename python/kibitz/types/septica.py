"""Views, moves and options of Septica. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.base import (
    Seat,
    Viewer,
)

__all__ = [
    "SepticaDraws",
    "SepticaMove",
    "SepticaMoveCard",
    "SepticaMoveStop",
    "SepticaOptions",
    "SepticaRank",
    "SepticaShortDeck",
    "SepticaView",
]


SepticaDraws: TypeAlias = Literal["split", "player"]
"""The value of equal points. - `split`: The seats share the first place. - `player`: Seat 1, the contest's player,
wins, as in the contest."""


SepticaRank: TypeAlias = int
"""A card's rank, 7 to 14; suits do not matter."""


class SepticaMoveCard(TypedDict):
    """Plays a card of this rank."""

    card: SepticaRank


SepticaMoveStop: TypeAlias = Literal["stop"]
"""The leader stops after a cut, so the other seat takes the trick."""


SepticaMove: TypeAlias = SepticaMoveCard | SepticaMoveStop
"""One decision."""


SepticaShortDeck: TypeAlias = Literal["winner_alternates", "winner_fills_first", "computer_alternates", "computer_fills_first"]
"""How the last cards are dealt when the deck cannot fill both hands. The statement leaves it open. With the two
alternating ways both hands stay equal, with the other two they may differ. - `winner_alternates`: One card each
in turn, beginning with the seat that took the trick: the usual way among people. - `winner_fills_first`: The seat
that took the trick fills its hand first, then the other. - `computer_alternates`: One card each in turn,
beginning with seat 0, the contest's computer. - `computer_fills_first`: Seat 0, the contest's computer, fills its
hand first, then the other."""


class SepticaOptions(TypedDict):
    """Options of a deal."""

    draws: NotRequired[SepticaDraws]
    """The value of equal points. Default: `"split"`."""

    short_deck: NotRequired[SepticaShortDeck]
    """How the last cards are dealt when the deck cannot fill both hands. Default: `"winner_alternates"`."""


class SepticaView(TypedDict):
    """A position as one viewer sees it."""

    deck: int
    """Number of cards in the deck, 0 to 24, always even."""

    draws: NotRequired[SepticaDraws]
    """The value of equal points; `split` if absent. Default: `"split"`."""

    hand: list[SepticaRank]
    """The viewer's cards, in any order; empty for a spectator."""

    hands: list[int]
    """Number of cards in each hand, at most 4. `hand` has as many cards as its seat's number here."""

    leader: Seat
    """The seat that leads the trick."""

    past: NotRequired[list[list[SepticaRank]]]
    """The finished tricks in order, each in order of play. They show how the other seat plays. Optional: without
    them the engine knows less about the other hand."""

    taken: list[list[SepticaRank]]
    """The cards that each seat has taken, in any order. There are 32 cards in all."""

    trick: list[SepticaRank]
    """The trick so far, in order of play, the leader's card first; empty before the lead. A finished trick is not
    shown, because its cards are taken."""

    viewer: NotRequired[Viewer | None]
    """The viewer; if absent, the seat to move, or a spectator when the match is over."""
