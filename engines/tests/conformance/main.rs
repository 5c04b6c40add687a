//! Tests for every registered game, for the layers of the code, and for the arena with real programs.

#![allow(clippy::unwrap_used)] // a failing test shows what is wrong

use engines::erased::AnyGame;

/// The games under test: all, or the one that the environment variable `KIBITZ_TEST_GAME` names.
fn games_under_test() -> Vec<&'static dyn AnyGame> {
    match std::env::var("KIBITZ_TEST_GAME") {
        Ok(slug) => vec![engines::games::find(&slug).unwrap_or_else(|| panic!("no game is called {slug:?}"))],
        Err(_) => engines::games::GAMES.to_vec(),
    }
}

mod analysis;
mod arena;
mod encodings;
mod golden;
mod labels;
mod layers;
mod lessons;
mod pictures;
mod positions;
mod registry;
mod sessions;
mod tables;
