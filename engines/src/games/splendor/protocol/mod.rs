//! Splendor's official dialogue, both sides, and the referee's saved game. The bot reads a whole position and prints one
//! action. Chooses no actions.

mod distort;
mod header;
mod input;
mod player;
mod recovery;
mod referee;
mod repair;
mod saved_game;

pub(super) use distort::distort;
#[cfg(test)]
pub(super) use input::write_input;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;
pub(super) use saved_game::FORMAT;
