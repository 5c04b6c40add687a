//! Phases and kinds of decisions in Septica, by which mistakes are counted.

use super::View;
use super::rules::{Move, Rank};
use crate::label::DecisionLabel;

/// The phase follows from the deck: 24 cards at the start.
pub(super) fn label(view: &View, mv: &Move) -> DecisionLabel {
    let phase = match view.open.deck {
        13.. => "opening",
        1..=12 => "middle",
        0 => "ending",
    };
    let kind = match (mv, view.open.trick.first()) {
        (Move::Stop, _) => "stop",
        (Move::Card(Rank::SEVEN), _) => "seven",
        (Move::Card(_), None) => "lead",
        (Move::Card(card), Some(led)) if card == led => "cut",
        (Move::Card(_), Some(_)) => "discard",
    };
    DecisionLabel { phase, kind }
}
