//! THE REGISTRY: one `pub mod` and one line in [`GAMES`] a game. Nothing else lists the games.

pub mod azul;
pub mod buraco;
pub mod ioiwari;
pub mod septica;
pub mod splendor;

use crate::any::AnyGame;
use crate::door::Door;

/// All games.
pub static GAMES: &[&dyn AnyGame] = &[
    &Door::<azul::Azul>::new(),
    &Door::<buraco::Buraco>::new(),
    &Door::<ioiwari::Ioiwari>::new(),
    &Door::<septica::Septica>::new(),
    &Door::<splendor::Splendor>::new(),
];

/// The game of this name.
pub fn find(slug: &str) -> Option<&'static dyn AnyGame> {
    GAMES.iter().copied().find(|g| g.info().slug == slug)
}

/// The short name of the game that examples in documentation use: the one with the shortest positions.
pub const EXAMPLE: &str = "ioiwari";
