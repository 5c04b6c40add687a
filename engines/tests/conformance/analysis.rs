//! Tests of analysis: reports during a search are legal and do not change the decision.

use engines::erased::Position;
use engines::game::{Turn, Viewer};
use engines::games::GAMES;
use engines::rng::Seed;
use engines::search::{Host, Level, Limits, Patient};
use serde_json::json;

/// A host that always asks for reports.
struct AlwaysReporting;

impl Host for AlwaysReporting {
    fn go_on(&self) -> bool {
        true
    }

    fn is_curious(&self) -> bool {
        true
    }
}

/// Nodes of a decision.
const NODES: u64 = 4_000;

/// Whether the engine used all its nodes, and whether it reported anything.
fn watch(position: &dyn Position, engine: &str, level: Level) -> (bool, bool) {
    let limits = Limits { nodes: Some(NODES), level, seed: Seed::from(3), candidates: 3 };
    let legal = position.legal_moves();
    let (mut nodes, mut reported) = (0, false);
    let watched = position.analyse(Some(engine), limits.clone(), &AlwaysReporting, &mut |answer| {
        reported = true;
        assert!(answer.nodes >= nodes && answer.candidates.len() <= 3, "{answer:?}");
        nodes = answer.nodes;
        let plays = |notation: &str| legal.iter().any(|mv| mv.notation == notation);
        assert!(plays(&answer.mv.notation), "{answer:?}");
        assert!(answer.line.first().is_none_or(|mv| mv.notation == answer.mv.notation), "{answer:?}");
        assert!((0.0..=1.0).contains(&answer.value), "{answer:?}");
    });
    assert_eq!(watched, position.think(Some(engine), limits, &Patient), "{engine} {level}");
    (watched.is_ok_and(|answer| answer.nodes >= NODES), reported)
}

#[test]
fn reports_do_not_change_the_decision() {
    for game in GAMES {
        let mut table = game.deal(&json!({}), &Seed::from(8)).unwrap();
        for ply in 0..6 {
            let Turn::Of(seat) = table.turn() else { break };
            let position = table.view(Viewer::Seat(seat));
            for engine in game.engines() {
                for level in [Level::Easy, Level::Max] {
                    let (searched, reported) = watch(position.as_ref(), &engine.name, level);
                    let name = format!("{} of {}", engine.name, game.info().slug);
                    // Baselines need not report.
                    let best = engine.name == game.info().slug;
                    assert!(reported || !searched || !best, "{name} searches without a report");
                }
            }
            let moves = position.legal_moves();
            let notation = moves[ply * 7 % moves.len()].notation.clone();
            table.play(seat, &notation).unwrap();
        }
    }
}
