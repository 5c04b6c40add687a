//! Azul: the outlook, the glance and the table of scores.

pub(crate) mod glance;
pub(crate) mod hard;
mod lesson;
pub(crate) mod measure;
pub(crate) mod outlook;
pub(crate) mod prospect;
pub(crate) mod scores;

use engines::game::Game;
use engines::games::azul::{Azul, Options, State};
use engines::rng::Seed;

/// A new match.
fn deal(seed: u64) -> State {
    Azul::deal(&Options::default(), &Seed::from(seed)).expect("the default options can be dealt")
}

/// Rows of whole numbers as a Rust array, the form in which the engine includes them.
fn rust_rows(rows: impl IntoIterator<Item = Vec<i32>>) -> String {
    let row =
        |row: Vec<i32>| format!("    [{}],\n", row.iter().map(i32::to_string).collect::<Vec<_>>().join(", "));
    format!("[\n{}]\n", rows.into_iter().map(row).collect::<String>())
}
