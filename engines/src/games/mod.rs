//! The registry of games: one `pub mod` and one entry in [`GAMES`] per game. No other file lists the games.

pub mod azul;
pub mod buraco;
pub mod ioiwari;
pub mod septica;
pub mod splendor;

use crate::erased::AnyGame;
use crate::erased::adapter::ErasedGame;

/// Every game that the program knows, in the order of lists.
pub static GAMES: &[&dyn AnyGame] = &[
    &ErasedGame::<azul::Azul>::new(),
    &ErasedGame::<buraco::Buraco>::new(),
    &ErasedGame::<ioiwari::Ioiwari>::new(),
    &ErasedGame::<septica::Septica>::new(),
    &ErasedGame::<splendor::Splendor>::new(),
];

/// The game with this short name.
pub fn find(slug: &str) -> Option<&'static dyn AnyGame> {
    GAMES.iter().copied().find(|g| g.info().slug == slug)
}

/// The short name of the game that documentation uses in examples, because its positions are the shortest.
pub const EXAMPLE: &str = "ioiwari";
