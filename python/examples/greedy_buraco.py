"""A bot for Buraco that melds whatever it can: kibitz check-bot buraco -- python greedy_buraco.py"""

import kibitz

POINTS = {"A": 15, **dict.fromkeys("34567", 5)}


class Greedy(kibitz.Bot):
    """Melds as many cards as possible at once, and discards the card that costs most and helps least."""

    def choose(self, view: kibitz.View, /) -> kibitz.Move:
        """The move of the greatest value."""
        return max(view.legal_moves(), key=lambda move: self.value(view, move.notation.split()))

    def value(self, view: kibitz.View, words: list[str]) -> float:
        """The value of a command, given as its words."""
        command, *rest = words
        if command == "GET_STOCK":
            return 100.0
        cards = [word for word in rest if word[-1] in "♥♦♣♠"]
        twos = sum(card.startswith("2") for card in cards)
        if command != "DISCARD":
            # A meld that uses no two keeps it for later.
            return 200.0 + 10 * len(cards) - 15 * twos
        return self.discard_value(cards[0], view["hand"])

    def discard_value(self, card: str, hand: list[str]) -> float:
        """High for a card that costs points in the hand and has no neighbours there."""
        ranks = ["A", *map(str, range(2, 11)), "J", "Q", "K", "A"]
        rank, suit = card[:-1], card[-1]
        if rank == "2":
            return -100.0
        place = ranks.index(rank)
        near = {f"{ranks[i]}{suit}" for i in range(max(place - 2, 0), min(place + 3, len(ranks)))} - {card}
        return POINTS.get(rank, 10) - 8.0 * sum(other in near for other in hand)


if __name__ == "__main__":
    kibitz.run(Greedy("buraco"))
