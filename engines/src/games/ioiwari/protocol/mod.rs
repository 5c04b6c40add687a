//! Ioiwari's official dialogue: the bot is player 1 and reads the seven pits once; then both sides exchange pit
//! numbers. Chooses no moves.

mod distort;
mod player;
mod referee;

pub use distort::distort;
pub use player::PlayerDialogue;
pub use referee::RefereeDialogue;
