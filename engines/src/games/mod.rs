//! The registry: one `pub mod` and one line in [`GAMES`] for each game. Nothing else lists the games.

pub mod azul;
pub mod buraco;
pub mod ioiwari;
pub mod septica;
pub mod splendor;

use crate::erased::AnyGame;
use crate::erased::adapter::ErasedGame;

/// All games.
pub static GAMES: &[&dyn AnyGame] = &[
    &ErasedGame::<azul::Azul>::new(),
    &ErasedGame::<buraco::Buraco>::new(),
    &ErasedGame::<ioiwari::Ioiwari>::new(),
    &ErasedGame::<septica::Septica>::new(),
    &ErasedGame::<splendor::Splendor>::new(),
];

/// The game of this name.
pub fn find(slug: &str) -> Option<&'static dyn AnyGame> {
    GAMES.iter().copied().find(|g| g.info().slug == slug)
}

/// The short name of the game that examples in documentation use: the one with the shortest positions.
pub const EXAMPLE: &str = "ioiwari";
