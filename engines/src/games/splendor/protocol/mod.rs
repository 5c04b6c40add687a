//! Splendor's official dialogue, both sides, and the referee's saved game. The bot reads a whole position and prints one
//! action. Chooses no actions.

mod distort;
mod files;
mod header;
mod input;
mod memory;
mod player;
mod recovery;
mod referee;
mod repair;
mod saved_game;

pub(super) use distort::distort;
pub(super) use files::{INPUT, SAVED_GAME};
#[cfg(test)]
pub(super) use input::write_input;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;
pub(super) use saved_game::FORMAT;

use super::rules::ROUNDS;
use crate::protocol::WORD_BYTES;

/// The most numbers of an action: its kind, three chips and their number, and three returned chips.
const ACTION: usize = 8;

/// The greatest length of a dialogue, in bytes: a position and an action in each round of a match.
pub(super) const MAX_BYTES: usize = ROUNDS as usize * (input::LONGEST + ACTION) * WORD_BYTES;
