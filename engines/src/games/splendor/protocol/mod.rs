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

pub use distort::distort;
#[cfg(test)]
pub use input::write_input;
pub use player::PlayerDialogue;
pub use referee::RefereeDialogue;
pub use saved_game::FORMAT;
