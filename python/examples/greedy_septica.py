"""A bot for Septica that cuts for points: kibitz check-bot septica -- python greedy_septica.py"""

import kibitz

SEVEN = 7
POINTS = (10, 14)


class Greedy(kibitz.Bot):
    """Cuts when tens and aces lie in the trick, and gives away neither them nor sevens otherwise."""

    def choose(self, view: kibitz.View, /) -> kibitz.Move:
        """The move of the greatest value."""
        return max(view.legal_moves(), key=lambda move: self.value(view, move.notation))

    def value(self, view: kibitz.View, notation: str) -> float:
        """The value of a card; ``0`` ends the trick."""
        card, trick, hand = int(notation), view["trick"], view["hand"]
        prize = sum(rank in POINTS for rank in trick)
        if card == 0:
            return 0.5
        cost = 3.0 * (card == SEVEN) + 1.0 * (card in POINTS)
        if not trick:
            # A rank that is held more often can go on with the cut.
            return float(hand.count(card)) - 2.0 * (card in POINTS) - cost
        cuts = card in (SEVEN, trick[0])
        return (4.0 * prize - cost if cuts else -5.0 * (card in POINTS) * (1 + prize)) - cost


if __name__ == "__main__":
    kibitz.run(Greedy("septica"))
