//! Tests of resumed runs and of runs ended by a sequential test: the result equals that of an uninterrupted run.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engines::arena::{
    ArenaRecord, Backends, EarlierGames, Hypothesis, PlanOptions, RunPlan, RunSummary, Sprt, resume, run,
};
use engines::rng::Seed;
use serde_json::{Value, json};

use super::{CHATTY_GAME, play, sowing, wanted};

const PLAYERS: [&str; 2] = ["A=engine:level=medium,nodes=50", "B=engine:name=random,nodes=1"];

fn plan(games: u32) -> RunPlan {
    RunPlan::new(sowing(), wanted(sowing(), &PLAYERS, games)).unwrap()
}

fn tested(games: u32, concurrency: usize, elo: &str) -> RunPlan {
    let plan =
        RunPlan::new(sowing(), PlanOptions { concurrency, ..wanted(sowing(), &PLAYERS, games) }).unwrap();
    plan.with_sprt(elo.parse::<Sprt>().unwrap()).unwrap()
}

fn go() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

fn all(plan: &RunPlan) -> Vec<ArenaRecord> {
    run(plan, Backends::NONE, &go(), |_| {}, |_| {})
}

fn same(a: &[ArenaRecord], b: &[ArenaRecord]) -> bool {
    a.iter().map(ArenaRecord::without_times).eq(b.iter().map(ArenaRecord::without_times))
}

fn file(plan: &RunPlan, records: &[ArenaRecord]) -> String {
    let mut text = format!("{}\n", json!({ "settings": plan.to_json() }));
    for record in records {
        writeln!(text, "{}", json!({ "record": record })).unwrap();
    }
    text
}

/// Resumes a run from this file; returns the records and the number of matches played now.
fn resume_from(plan: &RunPlan, text: &[u8]) -> (Vec<ArenaRecord>, usize) {
    let kept = EarlierGames::read(plan, text).unwrap();
    let mut played = Vec::new();
    let records = resume(plan, kept.records, Backends::NONE, &go(), |r| played.push(r.game), |_| {});
    assert!(played.is_sorted(), "{played:?}");
    (records, played.len())
}

fn refused(plan: &RunPlan, text: &str) -> String {
    EarlierGames::read(plan, text.as_bytes()).expect_err("it is refused").to_string()
}

#[test]
fn file_cut_off_anywhere_is_resumed_to_the_same_end() {
    let plan = plan(30);
    let whole = all(&plan);
    let text = file(&plan, &whole);
    let lines = |n: usize| text[..n].matches('\n').count().saturating_sub(1);
    for cut in (0..=text.len()).step_by(211).chain([text.len()]) {
        let kept = EarlierGames::read(&plan, &text.as_bytes()[..cut]).unwrap();
        assert_eq!(kept.records, whole[..lines(cut)], "cut at {cut}");
        assert!(
            kept.length <= cut as u64 && text.as_bytes()[..kept.length as usize].ends_with(b"\n")
                || cut < 900
        );
    }
    for cut in [0, 5, text.len() / 3, text.len() / 2, text.len() - 1, text.len()] {
        let (records, played) = resume_from(&plan, &text.as_bytes()[..cut]);
        assert!(same(&records, &whole), "cut at {cut}");
        assert_eq!(played, whole.len() - lines(cut), "only missing matches are played");
        let calibration =
            |records: &[ArenaRecord]| RunSummary::of(&plan, records).players[0].calibration.clone();
        assert!(calibration(&whole).is_some_and(|c| c == calibration(&records).unwrap()), "values are kept");
    }
    let summary = format!("{text}{}\n", json!({ "summary": RunSummary::of(&plan, &whole) }));
    let kept = EarlierGames::read(&plan, summary.as_bytes()).unwrap();
    assert_eq!(kept.length, text.len() as u64, "a summary is written again");
    let garbage = [text.as_bytes(), b"{\"record\":{\"game\xff\0\0"].concat();
    assert_eq!(resume_from(&plan, &garbage).1, 0);
}

#[test]
fn missing_void_and_additional_matches_are_played() {
    let plan = plan(30);
    let whole = all(&plan);
    let mut some: Vec<ArenaRecord> = whole.iter().filter(|r| r.game % 7 != 3).cloned().collect();
    some[20].outcome = None;
    some[20].void = Some("a test's fault".to_owned());
    let (records, played) = resume_from(&plan, file(&plan, &some).as_bytes());
    assert!(same(&records, &whole));
    assert_eq!(played, 30 - some.len() + 1);
    let (more, played) = resume_from(&self::plan(40), file(&plan, &whole).as_bytes());
    assert_eq!((more.len(), played), (40, 10));
    assert!(same(&more, &all(&self::plan(40))));
    let fewer = refused(&self::plan(20), &file(&plan, &whole));
    assert!(fewer.contains("game 20") && fewer.contains("20 games"), "{fewer}");
}

#[test]
fn file_of_another_run_is_refused_with_the_first_difference() {
    let plan = plan(4);
    let text = file(&plan, &all(&plan));
    let other = |players: &[&str], change: &dyn Fn(&mut PlanOptions)| {
        let mut wanted = wanted(sowing(), players, 4);
        change(&mut wanted);
        refused(&RunPlan::new(sowing(), wanted).unwrap(), &text)
    };
    let seed = other(&PLAYERS, &|w| w.seed = Seed::from(6));
    assert!(seed.starts_with("holds another run: seed is ") && seed.lines().count() == 1, "{seed}");
    let spec = other(&[PLAYERS[0], "B=engine:name=random,nodes=2"], &|_| {});
    assert!(spec.contains("spec of player 2 is \"engine:name=random,nodes=1\" there"), "{spec}");
    assert!(other(&[PLAYERS[0], "C=engine:name=random,nodes=1"], &|_| {}).contains("name of player 2"));
    assert!(other(&[PLAYERS[0]], &|_| {}).contains("number of players is 2 there and 1 here"));
    let limits = other(&PLAYERS, &|w| w.limits.per_move = None);
    assert!(limits.contains("limits is"), "{limits}");
    assert!(refused(&tested(4, 1, "0,5"), &text).contains("sprt is null there"));
    let game = RunPlan::new(&CHATTY_GAME, wanted(&CHATTY_GAME, &["A=engine", "B=engine"], 4)).unwrap();
    assert!(refused(&game, &text).contains("game is \"ioiwari\" there"));
    let mut newer = plan.to_json();
    newer["players"][0]["engine"] = json!("ioiwari 0");
    let newer = text.replacen(&plan.to_json().to_string(), &newer.to_string(), 1);
    assert!(refused(&plan, &newer).contains("engine of player 1 is \"ioiwari 0\" there"));
    let concurrent =
        RunPlan::new(sowing(), PlanOptions { concurrency: 7, ..wanted(sowing(), &PLAYERS, 4) }).unwrap();
    assert_eq!(resume_from(&concurrent, text.as_bytes()).1, 0, "concurrency is no difference");
}

#[test]
fn foreign_or_changed_file_is_refused() {
    let plan = plan(4);
    let text = file(&plan, &all(&plan));
    for strange in ["hello", "hello\n", "{}\n", "{\"summary\":{}}\n", "\n"] {
        assert!(refused(&plan, strange).contains("line 1"), "{strange:?}");
    }
    let lines: Vec<&str> = text.lines().collect();
    let broken = [lines[0], &lines[1][..40], lines[2], ""].join("\n");
    assert!(refused(&plan, &broken).contains("line 2"));
    assert!(refused(&plan, &[lines[1], lines[0], ""].join("\n")).contains("line 1"), "settings come first");
    let record = |change: &dyn Fn(&mut Value)| {
        let mut line: Value = serde_json::from_str(lines[2]).unwrap();
        change(&mut line["record"]);
        refused(&plan, &format!("{}\n{line}\n", lines[0]))
    };
    for (key, value) in [("deal", json!(1)), ("seed", json!("7")), ("seats", json!([]))] {
        let text = record(&|r| r[key] = value.clone());
        assert!(text.contains("game 1 is another match"), "{key}: {text}");
    }
    assert!(record(&|r| r["outcome"]["ranks"] = json!([1])).contains("another match"));
}

#[test]
fn sequential_test_ends_at_the_same_match_under_any_concurrency() {
    let of = |concurrency| {
        let plan = tested(4000, concurrency, "0,60");
        let records = all(&plan);
        let summary = RunSummary::of(&plan, &records);
        (records, summary)
    };
    let (one, summary) = of(1);
    let standing = summary.sprt.unwrap();
    assert_eq!((standing.accepted, summary.not_played), (Some(Hypothesis::H1), 0), "{standing}");
    assert!(one.len() < 4000 && one.len() % 2 == 0 && standing.llr >= standing.upper, "{standing}");
    assert_eq!((standing.deals, summary.pairs.unwrap().iter().sum()), (one.len() as u64 / 2, one.len() / 2));
    let text = summary.to_string();
    assert!(
        text.contains("SPRT of 0 and 60 Elo (alpha 0.05, beta 0.05): LLR +") && text.contains("H1 accepted")
    );
    for concurrency in [2, 5] {
        let (records, other) = of(concurrency);
        assert!(same(&one, &records), "{concurrency} at a time");
        assert_eq!(other.sprt, summary.sprt);
    }
    let equal =
        RunPlan::new(sowing(), wanted(sowing(), &["A=engine:name=random", "B=engine:name=random"], 4000));
    let equal = equal.unwrap().with_sprt("0,80".parse().unwrap()).unwrap();
    assert_eq!(RunSummary::of(&equal, &all(&equal)).sprt.unwrap().accepted, Some(Hypothesis::H0));
    let short = tested(4, 2, "0,5");
    let undecided = RunSummary::of(&short, &all(&short));
    assert_eq!((undecided.sprt.unwrap().accepted, undecided.not_played), (None, 0));
    assert!(undecided.to_string().contains("undecided"));
}

#[test]
fn interrupted_sequential_test_decides_the_same_later() {
    let plan = tested(4000, 3, "0,60");
    let whole = all(&plan);
    let text = file(&plan, &whole);
    let begun = whole[..9].to_vec();
    let counted = RunSummary::of(&plan, &begun);
    assert_eq!((counted.not_played, counted.sprt.unwrap().deals), (4000 - 9, 4));
    assert!(same(&resume_from(&plan, file(&plan, &begun).as_bytes()).0, &whole));
    let holes: Vec<ArenaRecord> = whole.iter().filter(|r| r.game % 5 != 2).cloned().collect();
    let standing = RunSummary::of(&plan, &holes).sprt.unwrap();
    assert_eq!(standing.deals, 1, "the test counts up to the first missing match");
    assert!(same(&resume_from(&plan, file(&plan, &holes).as_bytes()).0, &whole));
    let (records, played) = resume_from(&plan, text.as_bytes());
    assert_eq!((records.len(), played), (whole.len(), 0), "a decided test plays no more matches");
}

#[test]
fn sequential_test_needs_two_players_at_a_table_of_two() {
    let three = wanted(sowing(), &["A=engine", "B=engine", "C=engine"], 6);
    let refused = RunPlan::new(sowing(), three).unwrap().with_sprt("0,5".parse().unwrap()).err().unwrap();
    assert!(refused.0.contains("two players"), "{refused}");
}

#[test]
fn round_robin_pairs_meet_on_the_same_deals() {
    let players =
        ["A=engine:nodes=20", "B=engine:name=random", "C=engine:name=random", "D=engine:name=random"];
    let (records, summary) = play(sowing(), wanted(sowing(), &players, 48));
    assert_eq!((summary.games, summary.deals, summary.versus.len(), summary.pairs), (48, 4, 6, None));
    for v in &summary.versus {
        assert_eq!((v.games, v.wins + v.draws + v.losses, v.pairs.iter().sum()), (8, 8, 4), "{v:?}");
        let met = |r: &&ArenaRecord| {
            let at = |p: usize| r.seats.iter().any(|s| s.player == summary.players[p].name);
            at(v.first) && at(v.second)
        };
        let deals: Vec<u32> = records.iter().filter(met).map(|r| r.deal).collect();
        assert_eq!(deals, [0, 0, 1, 1, 2, 2, 3, 3]);
        let score = v.score.unwrap();
        assert!((score.mean - (v.wins as f64 + 0.5 * v.draws as f64) / 8.0).abs() < 1e-9);
        assert!(score.low < score.high && v.elo.unwrap().low < v.elo.unwrap().high);
    }
    let of_a: usize = summary.versus.iter().filter(|v| v.first == 0).map(|v| v.wins).sum();
    assert_eq!(of_a, summary.players[0].wins);
    assert!(summary.players.iter().all(|p| p.elo.is_some() && p.played == 24));
    let text = summary.to_string();
    assert!(text.contains("against") && text.contains("A - D") && text.contains("C - D"), "{text}");
}
