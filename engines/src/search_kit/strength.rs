//! For the games' tests: the score of a player against another on fixed deals. Under node budgets it is the same number on
//! every machine, so that the tests find a loss of strength and do not depend on the machine's speed.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use crate::arena::{Backends, PlanOptions, RunPlan, RunSummary, TimeLimits, run};
use crate::erased::AnyGame;

/// The mean score of `a`, 0 to 1, in `games` matches against `b`, two on each deal with the seats exchanged. Players are
/// written as for the arena: `engine:level=hard,nodes=1000`.
///
/// # Panics
/// If there can be no such matches, or a player made a mistake.
pub fn score(game: &'static dyn AnyGame, a: &str, b: &str, games: u32) -> f64 {
    let player = |name: &str, spec: &str| {
        format!("{name}={spec}").parse().expect("the player is written as for the arena")
    };
    let wanted = PlanOptions {
        players: vec![player("a", a), player("b", b)],
        games: Some(games),
        seed: 1.into(),
        options: json!({}),
        opening_plies: None,
        positions: Vec::new(),
        limits: TimeLimits { per_move: None, per_match: None },
        concurrency: 1,
        keep_moves: false,
        keep_details: false,
        log_dir: None,
    };
    let plan = RunPlan::new(game, wanted).expect("the two players fit the game");
    let stop = Arc::new(AtomicBool::new(false));
    let records = run(&plan, Backends::NONE, &stop, |_| {}, |_| {});
    let summary = RunSummary::of(&plan, &records);
    let [a, b] = &summary.players[..] else { panic!("there are two players") };
    assert_eq!((a.faults.total(), b.faults.total()), (0, 0), "{a:?}\n{b:?}");
    assert_eq!(a.played, games as usize, "every match counts");
    a.score.expect("matches were played").mean
}
