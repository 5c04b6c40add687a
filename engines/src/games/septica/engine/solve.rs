//! The exact solution of a position in which all cards are known, even the order of the deck: alpha-beta with a table
//! of the positions between tricks.

use super::position::{DECK, NONE, OpenPosition};
use crate::search::Search;

#[derive(Clone, Copy, Default)]
struct Bounds {
    key: u64,
    /// Bounds of the points that seat 0 takes from here on.
    low: i8,
    high: i8,
}

/// A solver, for one deal after another.
pub struct TrickSolver {
    table: Vec<Bounds>,
    deal: u64,
    deck: [u8; DECK],
}

impl TrickSolver {
    /// A solver whose empty table has this many entries, a power of two.
    pub fn new(entries: usize) -> Self {
        Self { table: vec![Bounds::default(); entries], deal: 0, deck: [0; DECK] }
    }

    /// Begins another deal and forgets the last one.
    pub fn begin(&mut self, deck: &[u8; DECK]) {
        self.deal += 1;
        self.deck = *deck;
    }

    /// The points that seat 0 takes from here on when both seats play their best with all cards open: exact if between
    /// `alpha` and `beta`, else a bound on that side. `None`: the search was stopped. A node is a position.
    pub fn points(&mut self, p: &OpenPosition, alpha: i8, beta: i8, search: &mut Search<'_>) -> Option<i8> {
        if !search.tick() {
            return None;
        }
        let open = p.open_points() as i8;
        if p.over() {
            return Some(if p.held[0] > 0 { open } else { 0 });
        }
        if alpha >= open {
            return Some(open);
        }
        if beta <= 0 {
            return Some(0);
        }
        // Only positions between tricks are in the table.
        if p.led != NONE {
            return self.best_move(p, alpha, beta, search);
        }
        let (at, key) = self.slot(p);
        let known = self.table[at];
        let (mut low, mut high) = (0, open);
        if known.key == key {
            (low, high) = (known.low, known.high);
            if low >= beta || low == high {
                return Some(low);
            }
            if high <= alpha {
                return Some(high);
            }
        }
        let (alpha, beta) = (alpha.max(low), beta.min(high));
        let best = self.best_move(p, alpha, beta, search)?;
        // A value outside of the window is only a bound.
        if best > alpha {
            low = low.max(best);
        }
        if best < beta {
            high = high.min(best);
        }
        self.table[at] = Bounds { key, low, high };
        Some(best)
    }

    /// The best value for the mover over all moves of a position that is not over, within the window.
    fn best_move(
        &mut self,
        p: &OpenPosition,
        mut alpha: i8,
        mut beta: i8,
        search: &mut Search<'_>,
    ) -> Option<i8> {
        let (cards, may_stop) = p.moves();
        let first = p.mover() == 0;
        let mut best = if first { -1 } else { 99 };
        for rank in cards.chain(may_stop.then_some(NONE)) {
            let mut next = *p;
            next.play(rank, &self.deck);
            let gain = (next.won[0] - p.won[0]) as i8;
            let value = gain + self.points(&next, alpha - gain, beta - gain, search)?;
            if first {
                best = best.max(value);
                alpha = alpha.max(best);
            } else {
                best = best.min(value);
                beta = beta.min(best);
            }
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }

    /// The place in the table of a position between tricks, and its key: 64 bits of hash.
    fn slot(&self, p: &OpenPosition) -> (usize, u64) {
        let hash = |x: u64| {
            let x = (x ^ x >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            x ^ x >> 29
        };
        let hands = u64::from(p.hands[0]) << 32 | u64::from(p.hands[1]);
        let rest = self.deal << 6 | u64::from(p.left) << 1 | u64::from(p.leader);
        let key = hash(hands.wrapping_add(hash(rest)));
        (key as usize & (self.table.len() - 1), key)
    }
}
