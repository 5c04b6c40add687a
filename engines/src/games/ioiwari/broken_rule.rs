//! The rule that an illegal move of Ioiwari breaks, in words.

use super::View;
use super::rules::{Move, PITS};

/// See [`crate::game::Game::broken_rule`].
pub(super) fn broken_rule(view: &View, mv: &Move) -> Option<String> {
    let pit = mv.pit;
    match usize::from(pit).checked_sub(1).and_then(|index| view.state().pits.get(index)) {
        None => Some(format!("there is no pit {pit}: pits are 1 to {PITS}")),
        Some(0) => Some(format!("pit {pit} is empty")),
        Some(_) => None,
    }
}
