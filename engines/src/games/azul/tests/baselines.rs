//! Tests of the baselines: they search as documented, and the engine and its levels have the documented strength.

use super::*;
use crate::games::azul::engine::alphabeta::{best, secured};
use crate::search::{Limits, Patient, Search};
use crate::search_kit::strength::score;

/// The mover's lead at the end of the round, by trying every move.
fn minimax(position: &Position) -> i16 {
    if position.is_bare() {
        return secured(position);
    }
    let mut moves = Vec::new();
    position.legal(&mut moves);
    let after = |mv: &Move| {
        let mut next = *position;
        next.take(mv);
        -minimax(&next)
    };
    moves.iter().map(after).max().unwrap()
}

/// Compares them on the last moves of rounds in random matches.
#[test]
fn alpha_beta_agrees_with_minimax() {
    let mut seen = 0;
    for seed in 0..12 {
        let mut state = deal(seed);
        let mut rng = Rng::new(&Seed::from(seed));
        while let Turn::Of(_) = state.turn() {
            let position = *state.position();
            let left = position.sources.iter().flatten().filter(|n| **n > 0).count();
            let mut moves = Vec::new();
            position.legal(&mut moves);
            if (2..=3).contains(&left) && moves.len() > 1 {
                let found = best(&position, &mut Search::new(Limits::default(), &Patient));
                assert_eq!(found.lead, minimax(&position), "{position:?}");
                let mut next = position;
                next.take(&found.mv);
                assert_eq!(found.lead, -minimax(&next), "{} in {position:?}", found.mv);
                seen += 1;
            }
            state.play(rng.pick(&moves).unwrap());
        }
    }
    assert!(seen > 50, "{seen}");
}

/// A deeper search beats a greedy player, and more playouts beat fewer.
#[test]
fn baselines_gain_strength_by_search() {
    let score = |a: &str, b: &str, games| score(crate::games::find("azul").unwrap(), a, b, games);
    assert!(score("engine:name=alphabeta,nodes=20000", "engine:name=greedy", 30) >= 0.6);
    assert!(score("engine:name=plain,nodes=1000", "engine:name=plain,nodes=50", 10) >= 0.8);
}

/// A sensible casual player wins about half of the matches against `easy`, and each level is clearly better than the one
/// below.
#[test]
fn levels_have_the_documented_strength() {
    let score = |a: &str, b: &str, games| score(crate::games::find("azul").unwrap(), a, b, games);
    let level = |level: &str| format!("engine:level={level}");
    let casual = score(&level("easy"), "engine:name=casual", 100);
    assert!((0.35..0.65).contains(&casual), "{casual}");
    let max = "engine:nodes=3000".to_owned();
    for (weak, strong) in
        [(level("easy"), level("medium")), (level("medium"), level("hard")), (level("hard"), max)]
    {
        let better = score(&strong, &weak, 20);
        assert!(better >= 0.65, "{strong} against {weak}: {better}");
    }
}

/// The engine beats the baselines at budgets that take a fraction of their time.
#[test]
fn engine_beats_the_baselines() {
    let score = |a: &str, b: &str, games| score(crate::games::find("azul").unwrap(), a, b, games);
    assert!(score("engine:nodes=1000", "engine:name=alphabeta,nodes=20000", 20) >= 0.8);
    assert!(score("engine:nodes=300", "engine:name=plain,nodes=1500", 10) >= 0.9);
}
