//! Phases and kinds of decisions in Ioiwari, by which mistakes are counted.

use super::View;
use super::rules::{Move, sow};
use crate::label::DecisionLabel;

/// The phase follows from the beads in the pits: 20 at the start.
pub(super) fn label(view: &View, mv: &Move) -> DecisionLabel {
    let mut pits = view.state().pits;
    let phase = match pits.iter().sum::<u8>() {
        14.. => "opening",
        7..=13 => "middle",
        _ => "ending",
    };
    let [_, given] = sow(&mut pits, usize::from(mv.pit) - 1);
    DecisionLabel { phase, kind: if given == 0 { "capture" } else { "gift" } }
}
