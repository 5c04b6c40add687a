//! A short check of strength: fixed deals and node budgets, so the outcome is the same everywhere.

use crate::games::find;
use crate::search_kit::strength::score;

#[test]
fn engine_beats_its_baselines() {
    let game = find("buraco").unwrap();
    for (name, games, least) in [
        ("greedy", 60, 0.65),
        ("simple3", 40, 0.7),
        ("simple3_stock", 20, 0.8),
        ("simple3_plain", 20, 0.9),
        ("simple2", 10, 0.9),
        ("drawer", 10, 1.0),
    ] {
        let score = score(game, "engine:nodes=4000", &format!("engine:name={name}"), games);
        assert!(score >= least, "{score} against {name}");
    }
}

#[test]
fn levels_are_steps() {
    let game = find("buraco").unwrap();
    // Few matches of hard against easy scatter widely: 0.6 in these first 30, 0.83 in 80 others.
    for (above, below, games) in [("max", "medium", 30), ("hard", "easy", 80)] {
        let player = |level| format!("engine:level={level},nodes=4000");
        let score = score(game, &player(above), &player(below), games);
        assert!(score >= 0.65, "{score}: {above} against {below}");
    }
}
