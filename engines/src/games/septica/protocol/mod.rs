//! Septica's official dialogue, both sides: the player's and that of the contest's computer. Chooses no moves.

mod distort;
mod player;
mod recovery;
mod referee;
mod zero;

pub use distort::distort;
pub use player::PlayerDialogue;
pub use referee::RefereeDialogue;
