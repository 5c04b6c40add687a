"""A bot for Splendor that buys whatever it can: kibitz check-bot splendor -- python greedy_splendor.py"""

import kibitz


class Greedy(kibitz.Bot):
    """Buys the card with the greatest number, which is of the highest level; else takes as many chips as it can keep."""

    def choose(self, view: kibitz.View, /) -> kibitz.Move:
        """The move of the greatest value."""
        return max(view.legal_moves(), key=lambda move: self.value(view, move.move))

    def value(self, view: kibitz.View, move: dict[str, object]) -> float:
        """The value of an action."""
        if move["action"] == "buy":
            card = move["card"]
            assert isinstance(card, int)
            return 100.0 + card
        own = view["players"][view.viewer]["chips"]
        if str(move["action"]).startswith("reserve"):
            return 2.4 if sum(own.values()) < 9 else -1.0
        taken = [move["color"]] * 2 if move["action"] == "take_two" else move.get("colors", [])
        returned = move.get("returns", [])
        assert isinstance(taken, list) and isinstance(returned, list)
        # Different colours buy more; few of a colour are worth more than many.
        return float(sum(1 - 0.15 * own[colour] for colour in taken) - 1.2 * len(returned))


if __name__ == "__main__":
    kibitz.run(Greedy("splendor"))
