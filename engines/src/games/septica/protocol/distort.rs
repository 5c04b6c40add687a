//! Lines of a lenient referee, for tests: a card that the opponent cannot hold, or that does not cut.

use super::super::rules::{Rank, State};
use crate::game::Seat;
use crate::protocol::Lines;
use crate::rng::Rng;

/// Changes the card that the bot in `seat` must answer. The bot's legal answers do not depend on that card.
pub(crate) fn distort(state: &State, seat: Seat, lines: &mut Lines, rng: &mut Rng) {
    let answers = state.leader != seat && !state.trick.len().is_multiple_of(2);
    if let Some(last) = lines.last_mut()
        && answers
        && rng.below(2) == 0
    {
        *last = Rank::from_index(rng.below(8)).to_string();
    }
}
