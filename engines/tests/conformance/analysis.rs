//! Tests of analysis: reports during a search are legal and do not change the decision.

use std::time::Instant;

use engines::erased::Position;
use engines::game::{Turn, Viewer};
use engines::games;
use engines::rng::Seed;
use engines::search::{Host, Level, Limits, Patient};
use serde_json::json;

use crate::games_under_test;

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
    for game in games_under_test() {
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

/// Buraco accepts hands of any size. Without a limit on time nothing cuts the enumeration of its plans short, so it has to be
/// cheap for every hand.
#[test]
fn one_node_of_buraco_is_cheap_with_any_hand() {
    let ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
    let text = |card: usize| format!("{}{}", ranks[card / 2 % 13], ["♥", "♦", "♣", "♠"][card / 26]);
    let meld = |n: usize| [0, 1, 2].map(|i| (n / 8 * 13 + n % 4 * 3 + 2 + i) * 2 + n / 4 % 2);
    // The time for an ordinary hand, which is the first.
    let mut usual = None;
    for (size, melds) in [(12, 0), (30, 0), (60, 0), (100, 0), (25, 24), (50, 16), (76, 8)] {
        let melded: Vec<usize> = (0..melds).flat_map(meld).collect();
        let mut rest = (0..104).filter(|card| !melded.contains(card));
        let hand: Vec<String> = rest.by_ref().take(size).map(text).collect();
        let pile: Vec<String> = rest.take(1).map(text).collect();
        let own: Vec<[String; 3]> = (0..melds).map(|n| meld(n).map(text)).collect();
        let json = json!({
            "drawn": true, "hand": hand, "hand_sizes": [3, size], "melds": [[], own], "pile": pile,
            "stock": 104 - size - 3 * melds - 4, "to_move": 1,
        });
        let position = games::find("buraco").unwrap().position(&json).unwrap();
        let one = || {
            let began = Instant::now();
            position.think(None, Limits { nodes: Some(1), ..Limits::default() }, &Patient).unwrap();
            began.elapsed()
        };
        // Other programs may delay single runs.
        let fastest = (0..5).map(|_| one()).min().unwrap();
        println!("{size} cards and {melds} melds: {fastest:?}");
        let most = *usual.get_or_insert(fastest) * 20;
        assert!(
            fastest <= most,
            "{size} cards and {melds} melds: {fastest:?}, an ordinary hand a twentieth of {most:?}"
        );
    }
}
