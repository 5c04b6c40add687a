//! What a lenient referee could let the computer do, for tests: a card that it cannot hold, or that is no cut.

use super::super::rules::{COMPUTER, Rank, State};
use crate::protocol::Lines;
use crate::rng::Rng;

/// Changes the card that the reader is to answer: any card of its own is legal, whatever that one is.
pub fn distort(state: &State, lines: &mut Lines, rng: &mut Rng) {
    let answers = state.leader == COMPUTER && !state.trick.len().is_multiple_of(2);
    if let Some(last) = lines.last_mut()
        && answers
        && rng.below(2) == 0
    {
        *last = Rank::from_index(rng.below(8)).to_string();
    }
}
