//! Tests of runs that begin their matches with positions: pairs with the same draw, files of positions, programs.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engines::arena::{
    Backends, EarlierGames, PlanOptions, RunPlan, RunSummary, read_positions, read_run, resume, run,
};
use engines::erased::{AnyGame, StartPosition};
use engines::game::{Turn, Viewer};
use engines::games::find;
use engines::rng::{Rng, Seed};
use serde_json::{Value, json};

use super::sowing;
use crate::games_under_test;

const PLAYERS: [&str; 2] = ["A=engine:name=random", "B=engine:name=random"];

/// The view of the seat to move after this many random moves.
fn view(game: &dyn AnyGame, seed: u64, plies: u32) -> Value {
    let mut table = game.deal(&json!({}), &Seed::from(seed)).unwrap();
    let mut rng = Rng::new(&Seed::from(seed));
    loop {
        let Turn::Of(seat) = table.turn() else { panic!("the match is over after {} moves", table.ply()) };
        if table.ply() == plies {
            return table.view(Viewer::Seat(seat)).to_json();
        }
        let moves = table.view(Viewer::Seat(seat)).legal_moves();
        table.play(seat, &rng.pick(&moves).unwrap().notation).unwrap();
    }
}

fn wanted(game: &dyn AnyGame, players: &[&str], text: &str) -> PlanOptions {
    let positions = read_positions(game, text).unwrap();
    PlanOptions { games: None, positions, opening_plies: None, ..super::wanted(game, players, 2) }
}

fn refused(game: &'static dyn AnyGame, wanted: PlanOptions) -> String {
    RunPlan::new(game, wanted).err().expect("no such run is possible").0
}

#[test]
fn each_position_is_played_with_seats_exchanged_on_one_draw() {
    for game in games_under_test() {
        let lines = [view(game, 1, 2), json!({ "position": view(game, 2, 3), "name": "a suite's entry" })];
        let text = lines.map(|line| line.to_string()).join("\n\n");
        let plan = RunPlan::new(game, wanted(game, &PLAYERS, &text)).unwrap();
        assert_eq!((plan.games(), plan.positions(), plan.notes().len()), (4, 2, 0), "{:?}", plan.notes());
        let six = PlanOptions { games: Some(6), ..wanted(game, &PLAYERS, &text) };
        let plan = RunPlan::new(game, six).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let records = run(&plan, Backends::NONE, &stop, |_| {}, |_| {});
        let summary = RunSummary::of(&plan, &records);
        assert_eq!((summary.games, summary.voided.len()), (6, 0));
        let starts: Vec<&str> = records.iter().map(|r| r.start_hash.as_deref().unwrap()).collect();
        assert!(starts.chunks(2).all(|pair| pair[0] == pair[1]), "a pair has one draw: {starts:?}");
        assert!(records.chunks(2).all(|pair| pair[0].seats[0].player == pair[1].seats[1].player));
        assert_ne!(starts[0], starts[2], "another position");
        // The third deal begins with the first position again, with another draw of what it hides.
        assert_eq!(starts[0] == starts[4], game.info().perfect_information, "{}", game.info().slug);
        // The file has all that a replay or a continued run needs.
        let mut file = json!({ "settings": plan.to_json() }).to_string() + "\n";
        for record in &records {
            file += &(json!({ "record": record }).to_string() + "\n");
        }
        let replayed = read_run(&file).unwrap();
        assert_eq!(replayed.matches.len(), 6);
        let earlier = EarlierGames::read(&plan, file.as_bytes()).unwrap();
        assert_eq!(
            resume(&plan, earlier.records, Backends::NONE, &stop, |_| panic!("none is missing"), |_| {}),
            records
        );
        let other = PlanOptions { games: Some(6), ..wanted(game, &PLAYERS, &lines_without_last(&text)) };
        let other = RunPlan::new(game, other).unwrap();
        let why = EarlierGames::read(&other, file.as_bytes()).unwrap_err().to_string();
        assert!(why.contains("other positions"), "{why}");
    }
}

fn lines_without_last(text: &str) -> String {
    text.rsplit_once("\n\n").unwrap().0.to_owned()
}

#[test]
fn bad_position_is_named_with_its_line() {
    let game = sowing();
    let good = view(game, 1, 2).to_string();
    let error = |text: &str| read_positions(game, text).unwrap_err().to_string();
    assert!(error(&format!("{good}\n\n{{\"pits\": 3}}")).starts_with("line 3, column 1: "));
    assert!(error(&format!("{good}\n{{\"pits\": [")).starts_with("line 2, column "));
    assert!(error(&format!("{good}\n7")).contains("line 2, column 1: a position is an object or a text"));
    let over = json!({ "pits": [0, 0, 0, 0, 0, 0, 0], "banks": [12, 8], "to_move": 0 });
    let told = error(&format!("{good}\n{over}"));
    assert!(told.contains("line 2") && told.contains("over in this position"), "{told}");
    assert!(error("4 3 2").contains("too early"));
    assert_eq!(read_positions(game, "\n").unwrap_err().line, 2, "an empty file has no position");
    let both = format!("{good}\n\"4 3 2 4 2 3 2\"");
    assert!(matches!(
        read_positions(game, &both).unwrap()[..],
        [StartPosition::View { .. }, StartPosition::View { .. }]
    ));
    let one = read_positions(
        find("buraco").unwrap(),
        include_str!("../../../src/games/buraco/golden/files/start.in"),
    );
    assert!(matches!(one.unwrap()[..], [StartPosition::Table { .. }]));
}

#[test]
fn program_plays_only_positions_that_its_dialogue_tells() {
    let later = view(sowing(), 1, 2).to_string();
    let text = format!("\"4 3 2 4 2 3 2\"\n{later}");
    let told = refused(sowing(), wanted(sowing(), &["Bot=cmd:x", "E=engine"], &text));
    assert!(told.starts_with("position 2: seat 0: ") && told.contains("cannot tell a bot"), "{told}");
    let honest = "Bot=cmd:sh tests/bots/sower.sh honest";
    let plan = RunPlan::new(sowing(), wanted(sowing(), &[honest, "E=engine"], "4 3 2 4 2 3 2")).unwrap();
    let records = run(&plan, Backends::NONE, &Arc::new(AtomicBool::new(false)), |_| {}, |_| {});
    assert!(records.iter().all(|r| r.void.is_none() && r.faults.is_empty()), "{records:?}");
    let opening = PlanOptions { opening_plies: Some(2), ..wanted(sowing(), &PLAYERS, &later) };
    assert!(refused(sowing(), opening).contains("not with both"));
    let four = find("splendor").unwrap();
    let table = four.deal(&json!({ "players": 4 }), &Seed::from(1)).unwrap();
    let text =
        format!("{}\n{}", view(four, 1, 1), table.view(Viewer::Seat(engines::game::Seat(0))).to_json());
    assert!(refused(four, wanted(four, &PLAYERS, &text)).starts_with("position 2: it has 4 seats"));
}
