//! THE REGISTRY: one `pub mod` and one line in [`GAMES`] a game. Nothing else lists the games.

pub mod buraco;
pub mod ioiwari;

use crate::any::{AnyGame, Door};

/// All games.
pub static GAMES: &[&dyn AnyGame] = &[
    &Door::<ioiwari::Ioiwari>::new(), //
    &Door::<buraco::Buraco>::new(),
];

/// The game of this name.
pub fn find(slug: &str) -> Option<&'static dyn AnyGame> {
    GAMES.iter().copied().find(|g| g.info().slug == slug)
}
