//! The view of a Take-away match: the whole state, since nothing is hidden; its moves and its picture.

use super::TakeAway;
use super::rules::{Move, State, TAKES};
use crate::game::Seat;
use crate::perfect_information::{PublicState, PublicView};

/// A position as one viewer sees it.
pub type View = PublicView<TakeAway>;

impl PublicState<TakeAway> for State {
    fn to_move(&self) -> Seat {
        self.to_move
    }

    fn moves(&self, out: &mut Vec<Move>) {
        out.extend((1..=TAKES.min(self.counters)).map(|take| Move { take }));
    }

    fn picture(&self) -> Option<String> {
        Some(super::picture::picture(self.counters))
    }
}
