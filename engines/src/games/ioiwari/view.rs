//! The view of an Ioiwari match: the whole state, since nothing is hidden; its moves and its picture.

use super::Ioiwari;
use super::rules::{Move, PITS, State};
use crate::game::{Seat, State as _};
use crate::perfect_information::{PublicState, PublicView};

/// The most values of a position: pits, banks, seat to move and viewer.
pub(super) const MOST_VALUES: usize = PITS + 2 + 2;

/// A position as one viewer sees it.
pub type View = PublicView<Ioiwari>;

impl PublicState<Ioiwari> for State {
    fn to_move(&self) -> Seat {
        self.to_move
    }

    fn moves(&self, out: &mut Vec<Move>) {
        out.extend((1..=PITS as u8).map(|pit| Move { pit }).filter(|mv| self.allows(mv)));
    }

    fn allows(&self, mv: &Move) -> bool {
        matches!(mv.pit, 1..=7) && self.pits[usize::from(mv.pit - 1)] > 0
    }

    /// Each pit that can hold beads after a move of the other seat. A premove names the pit; its beads may be others then.
    fn premoves(&self, _viewer: Seat, out: &mut Vec<Move>) {
        let mut now = Vec::new();
        self.moves(&mut now);
        let after: Vec<Self> = now
            .iter()
            .map(|mv| {
                let mut state = self.clone();
                state.play(mv);
                state
            })
            .collect();
        let pits = (1..=PITS as u8).map(|pit| Move { pit });
        out.extend(pits.filter(|mv| after.iter().any(|state| state.allows(mv))));
    }

    fn picture(&self) -> Option<String> {
        Some(super::picture::picture(&self.pits, self.banks))
    }
}
