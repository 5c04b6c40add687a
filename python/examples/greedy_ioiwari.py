"""A bot for Ioiwari that looks two moves ahead: kibitz check-bot ioiwari -- python greedy_ioiwari.py"""

import kibitz


class Greedy(kibitz.Bot):
    """Takes most beads now, less what the opponent can take then. Every seat sees the whole state of this game."""

    def choose(self, view: kibitz.View, /) -> kibitz.Move:
        """The move after which the lead is greatest."""
        start = view.guess(seed=0)
        return max(view.legal_moves(), key=lambda move: self.lead_after(start, move, view["to_move"]))

    def lead_after(self, start: kibitz.Match, move: kibitz.Move, seat: int) -> int:
        """The lead after the move and the opponent's best answer."""
        match = start.copy()
        match.play(move)
        leads = [self.lead(match, seat)]
        for answer in match.legal_moves():
            after = match.copy()
            after.play(answer)
            leads.append(self.lead(after, seat))
        return min(leads)

    def lead(self, match: kibitz.Match, seat: int) -> int:
        """The beads that the seat has more."""
        banks = match.state()["banks"]
        return int(banks[seat] - banks[1 - seat])


if __name__ == "__main__":
    kibitz.run(Greedy("ioiwari"))
