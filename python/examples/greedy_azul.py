"""A bot for Azul that fills lines and avoids the floor: kibitz check-bot azul -- python greedy_azul.py"""

import kibitz

COLOURS = "gobyr"
FLOOR = 5


class Greedy(kibitz.Bot):
    """Takes the tiles that place most on the wall and waste least."""

    def choose(self, view: kibitz.View, /) -> kibitz.Move:
        """The move of the greatest value."""
        return max(view.legal_moves(), key=lambda move: self.value(view, move.move))

    def value(self, view: kibitz.View, move: dict[str, object]) -> float:
        """Tiles placed, less twice those that fall to the floor; a full line counts by its length."""
        display, colour, line = move["display"], str(move["colour"]), move["line"]
        assert isinstance(display, int) and isinstance(line, int)
        source = view["centre"] if display == 0 else view["displays"][display - 1]
        count = int(source[COLOURS.index(colour)])
        if line == FLOOR:
            return -2.0 * count
        room = line + 1 - int(view["boards"][view.viewer]["lines"][line]["count"])
        wasted = max(count - room, 0)
        left = max(room - count, 0)
        return min(count, room) - 2 * wasted - 0.7 * left + (2 if left == 0 else 0)


if __name__ == "__main__":
    kibitz.run(Greedy("azul"))
