//! Tests of openings and of copies: deals that are all the same differ after openings, and matches that repeat prove nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engines::arena::{
    ArenaRecord, Backends, BadPlan, EarlierGames, PlanOptions, RunPlan, RunSummary, resume, run,
};
use engines::erased::AnyGame;
use engines::erased::adapter::ErasedGame;
use engines::game::Turn;
use serde_json::{Value, json};

use super::toy::{OPEN, SILENT, Toy};
use super::{CHATTY_GAME, play, sowing};

static OPEN_GAME: ErasedGame<Toy<OPEN>> = ErasedGame::new();
static SILENT_GAME: ErasedGame<Toy<SILENT>> = ErasedGame::new();

const STEADY: [&str; 2] = ["A=engine:name=most", "B=engine:name=least"];

const USUAL: [&str; 2] = ["A=engine", "B=engine"];

/// A game of the registry with the same deal for every seed.
fn one_start() -> Value {
    json!({"pits": [3, 3, 3, 3, 3, 3, 2]})
}

/// The settings of a run with the usual openings.
fn wanted(game: &dyn AnyGame, players: &[&str], games: u32) -> PlanOptions {
    PlanOptions { opening_plies: None, ..super::wanted(game, players, games) }
}

fn sowing_from_one_start(opening_plies: Option<u32>, games: u32) -> PlanOptions {
    let players = ["A=engine:nodes=50", "B=engine:level=medium,nodes=20"];
    PlanOptions { options: one_start(), opening_plies, ..wanted(sowing(), &players, games) }
}

fn plan(game: &'static dyn AnyGame, wanted: PlanOptions) -> RunPlan {
    RunPlan::new(game, wanted).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(game: &'static dyn AnyGame, wanted: PlanOptions) -> String {
    match RunPlan::new(game, wanted) {
        Err(BadPlan(text)) => text,
        Ok(_) => panic!("it was accepted"),
    }
}

fn plies(game: &'static dyn AnyGame, players: &[&str], opening_plies: Option<u32>) -> (u32, Vec<String>) {
    let plan = plan(game, PlanOptions { opening_plies, ..wanted(game, players, 2) });
    (plan.opening_plies(), plan.notes().to_vec())
}

#[test]
fn deals_that_are_all_the_same_get_openings() {
    let usual = plan(sowing(), sowing_from_one_start(None, 2)).opening_plies();
    assert!((4..=8).contains(&usual) && usual.is_multiple_of(2), "{usual}");
    assert_eq!(plan(sowing(), wanted(sowing(), &USUAL, 2)).opening_plies(), 0, "these deals differ");
    let (records, summary) = play(sowing(), sowing_from_one_start(None, 200));
    assert!(records.iter().all(|r| r.opening.len() as u32 == usual));
    for pair in records.chunks(2) {
        assert_eq!((&pair[0].opening, &pair[0].start_hash), (&pair[1].opening, &pair[1].start_hash));
    }
    assert!(summary.starts > 80 && summary.starts <= 100, "{}", summary.starts);
}

#[test]
fn games_with_few_deals_get_openings_too() {
    // A pile of 12 to 21; a random match takes about eight moves.
    assert!((2..=4).contains(&plies(&CHATTY_GAME, &USUAL, None).0));
    let (_, notes) = plies(&CHATTY_GAME, &USUAL, Some(0));
    assert!(notes[0].contains("FEW DEALS DIFFER: no opening is played"), "{notes:?}");
    let (none, notes) = plies(&CHATTY_GAME, &["A=cmd:x", "B=engine"], None);
    assert!(none == 0 && notes[0].contains("FEW DEALS DIFFER: the official dialogue"), "{notes:?}");
}

/// The record of a match with an opening is enough to play it again by the rules.
#[test]
fn opening_and_moves_replay_the_match() {
    let (records, _) = play(sowing(), sowing_from_one_start(None, 6));
    for record in records {
        let mut table = sowing().deal(&one_start(), &record.seed).unwrap();
        for notation in record.opening.iter().chain(record.moves.iter().flatten()) {
            let Turn::Of(seat) = table.turn() else { panic!("{record:?}") };
            table.play(seat, notation).unwrap();
        }
        assert_eq!(table.outcome(), record.outcome);
        assert_eq!(record.plies as usize, record.moves.unwrap().len());
    }
}

#[test]
fn openings_have_the_length_that_was_asked_for() {
    let asked = |plies| plan(sowing(), sowing_from_one_start(Some(plies), 2)).opening_plies();
    assert_eq!([asked(0), asked(1), asked(4)], [0, 1, 4]);
    // Also where deals differ by themselves.
    assert_eq!(plies(sowing(), &USUAL, Some(2)).0, 2);
    let text = refused(sowing(), sowing_from_one_start(Some(19), 2));
    assert!(text.contains("19 moves are too long"), "{text}");
}

#[test]
fn opening_that_ends_the_match_is_drawn_again() {
    // A match of this game has 14 moves at least, and most random ones end before the 22nd.
    let (records, summary) =
        play(&OPEN_GAME, PlanOptions { opening_plies: Some(21), ..wanted(&OPEN_GAME, &STEADY, 40) });
    assert_eq!(summary.games, 40);
    assert!(records.iter().all(|r| r.opening.len() == 21 && r.plies > 0));
}

#[test]
fn usual_opening_is_at_most_half_a_match() {
    // A pile has too few different states for the wanted number of starts; a random match takes about 20 moves.
    let (plies, notes) = plies(&OPEN_GAME, &STEADY, None);
    assert!((8..=10).contains(&plies), "{plies}");
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn programs_play_openings_that_their_dialogue_tells() {
    // Takes one bead each time; its first line tells the position.
    let bot = "Bot=cmd:sh -c 'read seat left mover; [ $left -lt 40 ] || exit 1; [ $mover = $seat ] || read other; \
               echo take 1; while read other; do echo take 1; done'";
    let (records, summary) = play(&OPEN_GAME, wanted(&OPEN_GAME, &[bot, "E=engine:name=least"], 4));
    assert_eq!((summary.games, summary.players[0].faults.total()), (4, 0), "{records:?}");
    assert!(records.iter().all(|r| !r.opening.is_empty()));
}

#[test]
fn without_a_dialogue_for_openings_programs_play_none() {
    let players = ["Bot=cmd:x", "E=engine"];
    let (plies, notes) = plies(&SILENT_GAME, &players, None);
    assert_eq!(plies, 0);
    assert!(
        notes[0].contains("EVERY DEAL IS THE SAME MATCH: the official dialogue cannot tell"),
        "{notes:?}"
    );
    let asked = PlanOptions { opening_plies: Some(2), ..wanted(&SILENT_GAME, &players, 2) };
    assert!(refused(&SILENT_GAME, asked).contains("a program in seat 0"));
    assert!(self::plies(&SILENT_GAME, &STEADY, None).0 > 0, "engines need no dialogue");
    // The olympiad's dialogue tells pits of an official start only, and no banks.
    let sower = PlanOptions { options: one_start(), ..wanted(sowing(), &players, 2) };
    assert!(refused(sowing(), PlanOptions { opening_plies: Some(2), ..sower.clone() }).contains("seat 0"));
    assert_eq!(plan(sowing(), sower).opening_plies(), 0);
}

#[test]
fn copies_are_counted_and_prove_nothing() {
    let copies = |games| {
        let wanted = PlanOptions { opening_plies: Some(0), ..wanted(&OPEN_GAME, &STEADY, games) };
        play(&OPEN_GAME, wanted).1
    };
    let (two, many) = (copies(2), copies(400));
    assert_eq!((many.games, many.deals, many.starts, many.different_games), (400, 200, 1, 2));
    for (a, b) in two.players.iter().zip(&many.players) {
        let (a, b) = (a.score.unwrap(), b.score.unwrap());
        assert!((a.low - b.low).abs() < 1e-9 && (a.high - b.high).abs() < 1e-9, "{a:?} and {b:?}");
    }
    assert!(!many.players[0].points.unwrap().high.is_finite(), "one deal has no spread");
    let text = many.to_string();
    assert!(text.contains("400 games on 200 deals (1 different start)"), "{text}");
    assert!(text.contains("WARNING: only 2 games are different; 398 repeat another one"), "{text}");
    assert!(!two.to_string().contains("WARNING"));
    // With openings the same players play different matches.
    let varied = play(&OPEN_GAME, wanted(&OPEN_GAME, &STEADY, 40)).1;
    assert!(varied.different_games > 10 && varied.starts > 5, "{varied}");
}

#[test]
fn sequential_test_does_not_decide_by_copies() {
    let of = |players: &[&str], plies| {
        let wanted = PlanOptions { opening_plies: Some(plies), ..wanted(&OPEN_GAME, players, 400) };
        let plan = plan(&OPEN_GAME, wanted).with_sprt("0,200".parse().unwrap()).unwrap();
        let records = run(&plan, Backends::NONE, &Arc::new(AtomicBool::new(false)), |_| {}, |_| {});
        RunSummary::of(&plan, &records).sprt.unwrap()
    };
    // One of them wins both matches of the only deal.
    let players = ["A=engine:name=least", "B=engine:name=panics"];
    let copies = of(&players, 0);
    assert_eq!((copies.accepted, copies.deals), (None, 200), "{copies}");
    assert!(of(&players, 6).accepted.is_some(), "different deals do decide");
}

#[test]
fn run_with_openings_is_continued() {
    let plan = plan(sowing(), sowing_from_one_start(None, 12));
    let go = Arc::new(AtomicBool::new(false));
    let whole = run(&plan, Backends::NONE, &go, |_| {}, |_| {});
    let file = |records: &[ArenaRecord]| {
        let records = records.iter().map(|r| json!({ "record": r }).to_string());
        [json!({ "settings": plan.to_json() }).to_string()]
            .into_iter()
            .chain(records)
            .collect::<Vec<_>>()
            .join("\n")
            + "\n"
    };
    let kept = EarlierGames::read(&plan, file(&whole[..5]).as_bytes()).unwrap();
    let records = resume(&plan, kept.records, Backends::NONE, &go, |_| {}, |_| {});
    let same = |records: &[ArenaRecord]| records.iter().map(ArenaRecord::without_times).collect::<Vec<_>>();
    assert_eq!(same(&records), same(&whole));
    let refused =
        |plan: &RunPlan, text: &str| EarlierGames::read(plan, text.as_bytes()).unwrap_err().to_string();
    let without = self::plan(sowing(), sowing_from_one_start(Some(0), 12));
    assert!(refused(&without, &file(&whole)).contains("opening_plies is"));
    let mut other = whole.clone();
    other[3].opening.swap(0, 1);
    assert!(refused(&plan, &file(&other)).contains("the opening of game 3 is"));
}

/// Files of earlier builds, which had no openings, say nothing of them.
#[test]
fn file_without_openings_is_continued_without_them() {
    let old = |plan: &RunPlan| {
        let mut settings = plan.to_json();
        settings.as_object_mut().unwrap().remove("opening_plies");
        format!("{}\n", json!({ "settings": settings }))
    };
    let differ = plan(sowing(), wanted(sowing(), &USUAL, 4));
    assert!(EarlierGames::read(&differ, old(&differ).as_bytes()).is_ok());
    let same = plan(&OPEN_GAME, wanted(&OPEN_GAME, &USUAL, 4));
    let refused = EarlierGames::read(&same, old(&same).as_bytes()).unwrap_err().to_string();
    assert!(refused.contains("opening_plies is 0 there and"), "{refused}");
}
