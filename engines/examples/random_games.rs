//! Random matches a second in one thread, for each game: the loop that the Python package's `play_batch` runs, without Python.
//! `cargo run --release -p engines --example random_games [SECONDS [GAME...]]`

use std::time::{Duration, Instant};

use engines::erased::AnyGame;
use engines::games::GAMES;
use engines::rng::{Rng, Seed};
use serde_json::json;

/// The same stream of a deal's seed as in `python/src/batch.rs`, so that the matches are the same.
const MOVES: u64 = 1 << 58;

/// Matches a second, played for at least this long.
fn rate(game: &dyn AnyGame, time: Duration) -> f64 {
    let (seed, began, mut played) = (Seed::from(1), Instant::now(), 0_u64);
    while began.elapsed() < time {
        let deal = Rng::stream(&seed, played).seed();
        let mut table = game.deal(&json!({}), &deal).expect("the usual options are valid");
        let mut rng = Rng::stream(&deal, MOVES);
        while table.play_random(&mut rng) {}
        assert!(table.outcome().is_some(), "a match without a turn is over");
        played += 1;
    }
    played as f64 / began.elapsed().as_secs_f64()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let named: Vec<String> = arguments.collect();
    let is_wanted = |slug: &str| named.is_empty() || named.iter().any(|name| name == slug);
    for game in GAMES.iter().filter(|game| is_wanted(game.info().slug)) {
        println!("{:10}{:12.0}", game.info().slug, rate(*game, Duration::from_secs_f64(seconds)));
    }
}
