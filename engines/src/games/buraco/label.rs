//! Phases and kinds of decisions in Buraco, by which mistakes are counted.

use super::View;
use super::rules::Move;
use crate::label::DecisionLabel;

/// The phase follows from the stock: 81 cards at the start.
pub(super) fn label(view: &View, mv: &Move) -> DecisionLabel {
    let phase = match view.open().stock() {
        54.. => "opening",
        27..=53 => "middle",
        _ => "ending",
    };
    let kind = match mv {
        Move::GetStock => "stock",
        Move::GetDiscard { .. } => "pile",
        Move::MeldNew { .. } | Move::MeldJoin { .. } => "meld",
        Move::Discard { .. } => "discard",
    };
    DecisionLabel { phase, kind }
}
