//! The exact solution of a position in which all cards are known, the deck's order too: alpha-beta with a table of the
//! positions between tricks.

use super::position::{DECK, NONE, Position};
use crate::search::Search;

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    /// Bounds of the points that seat 0 takes from here on.
    low: i8,
    high: i8,
}

/// The solver of one deal after another.
pub struct Solver {
    table: Vec<Entry>,
    deal: u64,
    deck: [u8; DECK],
}

impl Solver {
    /// A solver with an empty table of so many entries, a power of two.
    pub fn new(entries: usize) -> Self {
        Self { table: vec![Entry::default(); entries], deal: 0, deck: [0; DECK] }
    }

    /// Begins another deal; what was found about the last one is forgotten.
    pub fn begin(&mut self, deck: &[u8; DECK]) {
        self.deal += 1;
        self.deck = *deck;
    }

    /// The points seat 0 takes from here on when both play their best, all cards open: exact if between `alpha` and
    /// `beta`, else a bound on that side. `None`: the search was stopped. A node is a position.
    pub fn points(
        &mut self,
        p: &Position,
        mut alpha: i8,
        mut beta: i8,
        search: &mut Search<'_>,
    ) -> Option<i8> {
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
        let slot = if p.led == NONE { Some(self.slot(p)) } else { None };
        let (mut low, mut high) = (0, open);
        if let Some((at, key)) = slot {
            let entry = self.table[at];
            if entry.key == key {
                (low, high) = (entry.low, entry.high);
                if low >= beta || low == high {
                    return Some(low);
                }
                if high <= alpha {
                    return Some(high);
                }
                alpha = alpha.max(low);
                beta = beta.min(high);
            }
        }
        let (cards, may_stop) = p.moves();
        let first = p.mover() == 0;
        let (window_low, window_high) = (alpha, beta);
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
        if let Some((at, key)) = slot {
            // Outside of the window a value is a bound on its own side only.
            if best > window_low {
                low = low.max(best);
            }
            if best < window_high {
                high = high.min(best);
            }
            self.table[at] = Entry { key, low, high };
        }
        Some(best)
    }

    /// Where a position between tricks is kept, and its key, 64 bits of hash.
    fn slot(&self, p: &Position) -> (usize, u64) {
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
