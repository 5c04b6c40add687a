//! Septica's official dialogue: the player's side and the contest's computer's side. Lines in, lines out.

mod bot;
mod distort;
mod judge;
mod tolerant;
mod zero;

pub use bot::Bot;
pub use distort::distort;
pub use judge::Judge;
