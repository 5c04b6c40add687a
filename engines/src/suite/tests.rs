//! Suites: what is read, how answers are graded and compared. The suites of the games are checked with their default engines.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::arena::{AskedPlayer, Backends, PlayerAnswer, PlayerSpec, PositionAnswer, TimeLimits};
use crate::erased::{AnyGame, FinishedMatch, FinishedMove};
use crate::game::{Process, Seat, Turn, Viewer};
use crate::games::GAMES;
use crate::judge::{LocalJudgeHost, MatchToJudge, judge};
use crate::rng::{Rng, Seed};

/// The beginning of a random match.
fn random_match(game: &dyn AnyGame, plies: u32) -> FinishedMatch {
    let options = game.options_for(2).unwrap_or_else(|| json!({}));
    let mut table = game.deal(&options, &Seed::from(4)).unwrap();
    let dealt = table.state_json();
    let mut rng = Rng::new(&Seed::from(5));
    let mut moves = Vec::new();
    while let Turn::Of(seat) = table.turn()
        && table.ply() < plies
    {
        let legal = table.view(Viewer::Seat(seat)).legal_moves();
        let notation = rng.pick(&legal).unwrap().notation.clone();
        table.play(seat, &notation).unwrap();
        moves.push(FinishedMove { seat, notation, mistake: None, remarks: Vec::new() });
    }
    FinishedMatch { dealt, moves, names: vec!["ana".to_owned(), "bob".to_owned()] }
}

fn lines(positions: &[SuitePosition]) -> String {
    positions.iter().map(|one| serde_json::to_string(one).unwrap() + "\n").collect()
}

/// An answer with this move.
fn played(notation: &str) -> PlayerAnswer {
    PlayerAnswer {
        answer: PositionAnswer::Move(notation.to_owned()),
        taken: Duration::ZERO,
        stderr: String::new(),
    }
}

#[test]
fn costly_decisions_become_positions_that_are_read_again() {
    for game in GAMES {
        let played = random_match(*game, 40);
        let finished = MatchToJudge { played, seed: Seed::from(6), end: None };
        let analysis = judge(*game, &finished, 600, &mut LocalJudgeHost(|_| {})).unwrap();
        let positions = costly_positions(*game, &finished.played, &analysis, "m", |_| true).unwrap();
        assert!(!positions.is_empty(), "{}: random moves lose something", game.info().slug);
        let cases = read_suite(&lines(&positions)).unwrap_or_else(|e| panic!("{}: {e}", game.info().slug));
        for (case, position) in cases.iter().zip(&positions) {
            assert_eq!(case.entry, *position);
            assert_eq!(position.history.is_some(), game.info().process == Process::PerMatch);
            assert_eq!(position.losses.len(), 2);
            assert_eq!(position.losses[case.best().unwrap()], 0.0);
            assert!(!position.phase.is_empty() && !position.kind.is_empty());
        }
        let two =
            costly_positions(*game, &finished.played, &analysis, "m", |one| one.seat == Seat(0)).unwrap();
        assert!(two.iter().all(|one| one.source.starts_with("seat 0 (ana) played ")));
    }
}

/// A position of the game with seven numbers, whose engine is exact.
fn seven() -> Value {
    let game = GAMES.iter().find(|game| game.info().perfect_information).unwrap();
    let table = game.deal(&json!({}), &Seed::from(1)).unwrap();
    json!({"game": game.info().slug, "name": "one", "position": table.view(Viewer::Seat(Seat(0))).to_json(), "bad": ["1"]})
}

#[test]
fn answers_are_graded_by_the_suite_and_by_the_judge() {
    let mut line = seven();
    line["losses"] = json!({"3": 0.25, " 2": 0.01});
    line["good"] = json!(["4"]);
    let case = SuiteCase::new(serde_json::from_value(line.clone()).unwrap()).unwrap();
    assert_eq!(case.best(), Some("2"), "the least loss, spelled as the protocol spells it");
    let graded = |case: &SuiteCase, notation: &str| grade(case, played(notation), 100).unwrap();
    for (notation, loss, is_solved) in [("3", 0.25, false), ("2", 0.01, true), ("4", 0.0, true)] {
        let outcome = CaseOutcome::Answered { notation: notation.to_owned(), loss, is_solved };
        assert_eq!(graded(&case, notation).outcome, outcome);
    }
    // Without a known best move the judge compares with the engine's own, which is exact here.
    for list in ["losses", "good"] {
        line.as_object_mut().unwrap().remove(list);
    }
    let case = SuiteCase::new(serde_json::from_value(line).unwrap()).unwrap();
    let all: Vec<CaseResult> = (1..=7).map(|pit| graded(&case, &pit.to_string())).collect();
    assert!(!all[0].is_solved(), "it is a bad move, whatever it loses");
    assert!(all[1..].iter().any(CaseResult::is_solved), "{all:?}");
    assert!(all.iter().any(|one| one.loss() > Some(0.2)), "{all:?}");
}

#[test]
fn wrong_lines_are_refused_with_their_place() {
    let good = seven();
    let changed = |change: fn(&mut Value)| {
        let mut line = good.clone();
        change(&mut line);
        line["name"] = json!("two");
        read_suite(&format!("{good}\n\n{line}\n")).err().map(|e| e.to_string())
    };
    assert_eq!(changed(|_| {}), None);
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 8] = [
        (|line| line["game"] = json!("chess"), "line 3, column 1: game: there is no game \"chess\""),
        (|line| line["position"]["pits"] = json!([1]), "line 3, column 1: position: "),
        (|line| line["bad"] = json!(["9"]), "line 3, column 1: a move: "),
        (|line| line["bad"] = json!([]), "there are no moves"),
        (|line| line["losses"] = json!({"3": 1.5}), "a loss is 0 to 1"),
        (|line| line["moves"] = json!([]), "unknown field `moves`"),
        (
            |line| {
                line["history"] = json!({"start": {"pits": [3, 3, 3, 3, 3, 3, 2], "banks": [0, 0], "to_move": 0}, "moves": []});
            },
            "this match does not lead to the position",
        ),
        (
            |line| {
                line["history"] = json!({"start": line["position"], "moves": ["9"]});
            },
            "history: ",
        ),
    ];
    for (change, part) in cases {
        let error = changed(change).expect(part);
        assert!(error.contains(part), "{part}: {error}");
    }
    let twice = read_suite(&format!("{good}\n{good}\n")).err().unwrap();
    assert!(twice.to_string().contains("\"one\" is the name of line 1, too"), "{twice}");
    assert!(read_suite(" \n").is_err());
}

#[test]
fn scores_and_comparisons_count_pairs() {
    let result = |name: usize, loss: Option<f64>| CaseResult {
        name: name.to_string(),
        outcome: match loss {
            None => CaseOutcome::NotAsked("why".to_owned()),
            Some(loss) => CaseOutcome::Answered { notation: "1".to_owned(), loss, is_solved: loss < SOLVED },
        },
        taken: Duration::from_millis(name as u64),
        stderr: String::new(),
    };
    let all = |losses: &[Option<f64>]| -> Vec<CaseResult> {
        losses.iter().enumerate().map(|(name, loss)| result(name, *loss)).collect()
    };
    let old = all(&[Some(0.0), Some(0.0), None, Some(0.1), Some(0.0), Some(0.02)]);
    let new = all(&[Some(0.3), Some(0.2), Some(0.5), Some(0.4), Some(0.25), Some(0.0)]);
    let score = SuiteScore::of(&old);
    assert_eq!((score.positions, score.solved, score.not_asked, score.faults), (5, 4, 1, 0));
    let share = score.share.unwrap();
    assert!((share.mean - 0.8).abs() < 1e-9 && share.low < 0.8 && share.high > 0.8 && share.high <= 1.0);
    assert!((score.loss.unwrap().mean - 0.024).abs() < 1e-9);
    let compared = SuiteComparison::of(&new, &old);
    assert_eq!(
        (compared.positions, compared.worse.len(), compared.better.as_slice()),
        (5, 4, &["5".to_owned()][..])
    );
    assert!(compared.is_worse(), "{compared:?}");
    assert!(!SuiteComparison::of(&old, &new).is_worse());
    assert!(!SuiteComparison::of(&old, &old).is_worse(), "the same player");
    let none = SuiteScore::of(&all(&[None]));
    assert_eq!((none.share, none.positions), (None, 0));
}

/// The suite of each game in its folder, and the share that its default engine solves with a fixed budget, the same on every machine.
#[test]
fn default_engines_solve_the_suites_of_their_games() {
    for game in GAMES {
        let slug = game.info().slug;
        let file = format!("{}/src/games/{slug}/suite.jsonl", env!("CARGO_MANIFEST_DIR"));
        let cases =
            read_suite(&std::fs::read_to_string(&file).unwrap()).unwrap_or_else(|e| panic!("{file}: {e}"));
        let nodes = game.info().judge_nodes;
        let spec =
            PlayerSpec::Engine { name: None, level: Default::default(), think: None, nodes: Some(nodes) };
        let player = AskedPlayer {
            spec: &spec,
            limits: TimeLimits::default(),
            backends: Backends::NONE,
            stop: Arc::new(AtomicBool::new(false)),
        };
        let results: Vec<CaseResult> = cases
            .iter()
            .map(|case| {
                let view = case.view();
                let answer = case.asked(&*view, Seed::from(11)).ask(&player).unwrap().unwrap();
                grade(case, answer, nodes).unwrap()
            })
            .collect();
        let score = SuiteScore::of(&results);
        println!("{slug}: {} of {} solved, loss {:?}", score.solved, score.positions, score.loss);
        assert!(score.positions >= 12 && score.faults == 0, "{slug}: {score:?}");
        assert!(10 * score.solved >= 8 * score.positions, "{slug}: {score:?} {results:?}");
    }
}
