//! Buraco's official dialogue, both sides. Chooses no moves.

mod distort;
mod observed;
mod player;
mod referee;

pub use distort::distort;
pub use player::PlayerDialogue;
pub use referee::RefereeDialogue;
