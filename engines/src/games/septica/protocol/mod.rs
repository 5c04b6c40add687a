//! Septica's official dialogue: the player's side and the contest's computer's side. Lines in, lines out.

mod bot;
mod judge;
mod zero;

pub use bot::Bot;
pub use judge::Judge;
