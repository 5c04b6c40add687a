//! Phases and kinds of decisions in Splendor, by which mistakes are counted.

use super::View;
use super::rules::{Hand, Move};
use crate::label::DecisionLabel;

/// The phase follows from the points of the leading player.
pub(super) fn label(view: &View, mv: &Move) -> DecisionLabel {
    let phase = match view.board().hands.iter().map(Hand::points).max().unwrap_or(0) {
        0..=2 => "opening",
        3..=9 => "middle",
        _ => "ending",
    };
    let kind = match mv {
        Move::Take { colors, .. } if colors.is_empty() => "pass",
        Move::Void => "pass",
        Move::Take { .. } | Move::TakeTwo { .. } => "chips",
        Move::Reserve { .. } | Move::ReserveTop { .. } => "reservation",
        Move::Buy { .. } => "purchase",
    };
    DecisionLabel { phase, kind }
}
