//! Random draws of the hidden cards of a view, consistent with what the seat knows of them.

use super::super::View;
use super::super::rules::Card;
use super::position::FastPosition;
use crate::game::{Turn, View as _};
use crate::rng::Rng;

/// The number of draws among which the likeliest is chosen.
const DRAWS: u32 = 4;

/// The hidden cards of a view.
#[derive(Clone)]
pub(super) struct Hidden {
    pub base: FastPosition,
    /// Cards that may be anywhere.
    cards: Vec<u8>,
    /// Cards that the other hand is known to hold.
    known: Vec<u8>,
    /// Number of unknown cards in the other hand.
    unknown: usize,
}

impl Hidden {
    pub(super) fn of(view: &View) -> Option<Self> {
        let Turn::Of(me) = view.turn() else { return None };
        let open = view.open();
        let known: Vec<u8> = open.known(me.other()).iter().map(|c| c.index() as u8).collect();
        let unseen = view.unseen();
        let cards =
            Card::all().flat_map(|c| std::iter::repeat_n(c.index() as u8, usize::from(unseen[c.index()])));
        let unknown = usize::from(open.hand_size(me.other())) - known.len();
        Some(Self {
            base: FastPosition::new(open, me.index(), view.hand()),
            cards: cards.collect(),
            known,
            unknown,
        })
    }

    /// Draws the hidden cards. Of a few draws it takes the one whose other hand has the fewest cards to lay down, since few
    /// players keep cards that they can lay down.
    pub(super) fn draw(&mut self, rng: &mut Rng) -> FastPosition {
        let mut best: Option<(u32, FastPosition)> = None;
        for _ in 0..DRAWS {
            rng.shuffle(&mut self.cards);
            let mut pos = self.base;
            let (hand, stock) = self.cards.split_at(self.unknown);
            pos.fill(hand.iter().chain(&self.known).copied(), stock);
            let idle = pos.idle(1 - pos.me);
            if best.as_ref().is_none_or(|(least, _)| idle < *least) {
                best = Some((idle, pos));
            }
            if idle == 0 {
                break;
            }
        }
        best.map_or(self.base, |(_, pos)| pos)
    }
}
