//! Take-away's dialogue: the bot reads its seat and the number of counters; then both sides exchange moves.

use super::TakeAway;
use super::rules::{MOST, State};
use crate::game::Seat;
use crate::perfect_information::Alternating;

impl Alternating for TakeAway {
    const MOST: u8 = MOST;

    fn numbers(start: &State) -> Vec<u8> {
        vec![start.counters]
    }

    fn start(numbers: &[u8]) -> Option<State> {
        Some(State { counters: *numbers.first()?, to_move: Seat(0) })
    }

    fn pass(state: &mut State) {
        state.to_move = state.to_move.other();
    }
}
