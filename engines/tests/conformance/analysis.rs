//! Whoever is watched while thinking decides as if alone, and says nothing that the rules forbid.

use engines::erased::Position;
use engines::game::{Turn, Viewer};
use engines::games::GAMES;
use engines::rng::Seed;
use engines::search::{Host, Level, Limits, Patient};
use serde_json::json;

/// Wants to know all the time.
struct Curious;

impl Host for Curious {
    fn go_on(&self) -> bool {
        true
    }

    fn is_curious(&self) -> bool {
        true
    }
}

/// Nodes of a decision.
const NODES: u64 = 4_000;

/// Whether it used up its nodes, and whether it told what it had found.
fn watch(position: &dyn Position, engine: &str, level: Level) -> (bool, bool) {
    let limits = Limits { nodes: Some(NODES), level, seed: Seed::from(3), candidates: 3 };
    let legal = position.legal_moves();
    let (mut nodes, mut told) = (0, false);
    let watched = position.analyse(Some(engine), limits.clone(), &Curious, &mut |answer| {
        told = true;
        assert!(answer.nodes >= nodes && answer.candidates.len() <= 3, "{answer:?}");
        nodes = answer.nodes;
        let plays = |notation: &str| legal.iter().any(|mv| mv.notation == notation);
        assert!(plays(&answer.mv.notation), "{answer:?}");
        assert!(answer.line.first().is_none_or(|mv| mv.notation == answer.mv.notation), "{answer:?}");
        assert!((0.0..=1.0).contains(&answer.value), "{answer:?}");
    });
    assert_eq!(watched, position.think(Some(engine), limits, &Patient), "{engine} {level}");
    (watched.is_ok_and(|answer| answer.nodes >= NODES), told)
}

#[test]
fn who_is_watched_decides_as_if_alone() {
    for game in GAMES {
        let mut table = game.deal(&json!({}), &Seed::from(8)).unwrap();
        for ply in 0..6 {
            let Turn::Of(seat) = table.turn() else { break };
            let position = table.view(Viewer::Seat(seat));
            for engine in game.engines() {
                for level in [Level::Easy, Level::Max] {
                    let (searched, told) = watch(position.as_ref(), &engine.name, level);
                    let name = format!("{} of {}", engine.name, game.info().slug);
                    // Of those that are only measured against it is not asked.
                    let best = engine.name == game.info().slug;
                    assert!(told || !searched || !best, "{name} searches and does not tell what it finds");
                }
            }
            let moves = position.legal_moves();
            let notation = moves[ply * 7 % moves.len()].notation.clone();
            table.play(seat, &notation).unwrap();
        }
    }
}
