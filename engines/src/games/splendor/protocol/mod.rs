//! Splendor's official dialogue, both sides, and the referee's saved game: the bot reads a whole position and prints one
//! action. Chooses no actions.

mod header;
mod player;
mod recovery;
mod saved_game;

#[cfg(test)]
pub use player::write_input;
pub use player::{Bot, Judge};
pub use recovery::distort;
pub use saved_game::FORMAT;
