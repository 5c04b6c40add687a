//! Azul: the round-end network, the move prior and the table of scores.

pub(crate) mod hard;
mod lesson;
pub(crate) mod measure;
pub(crate) mod mid_round_net;
pub(crate) mod move_prior;
pub(crate) mod round_end_net;
pub(crate) mod scores;

use engines::game::Game;
use engines::games::azul::{Azul, Move, Options, State};
use engines::rng::Seed;
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::puct::PuctEdge;

/// A new match.
fn deal(seed: u64) -> State {
    Azul::deal(&Options::default(), &Seed::from(seed)).expect("the default options can be dealt")
}

/// One of the root's moves, each with the probability of its share of the visits; `None` without visits.
fn by_visits<'a>(edges: &'a [PuctEdge<Move>], rng: &mut FastRng) -> Option<&'a PuctEdge<Move>> {
    let visits: u32 = edges.iter().map(|edge| edge.visits).sum();
    let mut at = if visits > 0 { rng.below(visits as usize) as u32 } else { return None };
    edges.iter().find(|edge| {
        let here = at < edge.visits;
        at = at.saturating_sub(edge.visits);
        here
    })
}

/// Rows of whole numbers as a Rust array, the form in which the engine includes them.
fn rust_rows(rows: impl IntoIterator<Item = Vec<i32>>) -> String {
    let row =
        |row: Vec<i32>| format!("    [{}],\n", row.iter().map(i32::to_string).collect::<Vec<_>>().join(", "));
    format!("[\n{}]\n", rows.into_iter().map(row).collect::<String>())
}
