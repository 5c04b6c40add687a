//! Septica's official dialogue: the player's side and the contest's computer's side. Lines in, lines out.

mod distort;
mod player;
mod recovery;
mod referee;
mod zero;

pub use distort::distort;
pub use player::Bot;
pub use referee::Judge;
