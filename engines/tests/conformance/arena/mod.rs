//! Tests of the arena with real child processes: misbehaving bots, repeatable matches, servers that fail.

mod misbehaving_bots;
mod openings;
mod positions;
mod replay;
mod resume;
mod toy;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use engines::arena::{
    ArenaRecord, Backends, BadPlan, FaultKind, Http, PlanOptions, Post, PostResponse, RunPlan, RunSummary,
    TimeLimits, run,
};
use engines::erased::AnyGame;
use engines::erased::adapter::ErasedGame;
use engines::games::find;
use engines::rng::Seed;
use serde_json::{Value, json};
use toy::{BRIEF, CHATTY, Toy};

static CHATTY_GAME: ErasedGame<Toy<CHATTY>> = ErasedGame::new();
static BRIEF_GAME: ErasedGame<Toy<BRIEF>> = ErasedGame::new();

const MS: Duration = Duration::from_millis(1);

fn sowing() -> &'static dyn AnyGame {
    find("ioiwari").unwrap()
}

fn wanted(game: &dyn AnyGame, players: &[&str], games: u32) -> PlanOptions {
    PlanOptions {
        players: players.iter().map(|p| p.parse().unwrap()).collect(),
        games: Some(games),
        seed: Seed::from(5),
        options: json!({}),
        opening_plies: Some(0),
        positions: Vec::new(),
        limits: TimeLimits::official(game.info()),
        concurrency: 2,
        keep_moves: true,
        keep_details: true,
        log_dir: None,
    }
}

/// Servers only.
fn with(http: &dyn Http) -> Backends<'_> {
    Backends { http, ..Backends::NONE }
}

fn play_with(
    game: &'static dyn AnyGame,
    wanted: PlanOptions,
    backends: Backends,
) -> (Vec<ArenaRecord>, RunSummary) {
    let plan = RunPlan::new(game, wanted).unwrap();
    let mut order = Vec::new();
    let stop = Arc::new(AtomicBool::new(false));
    let records = run(&plan, backends, &stop, |r| order.push(r.game), |_| {});
    assert!(order.is_sorted(), "records come in order: {order:?}");
    let summary = RunSummary::of(&plan, &records);
    (records, summary)
}

fn play(game: &'static dyn AnyGame, wanted: PlanOptions) -> (Vec<ArenaRecord>, RunSummary) {
    play_with(game, wanted, Backends::NONE)
}

#[test]
fn matches_are_equal_under_any_concurrency() {
    let players = ["A=engine:level=easy,nodes=50", "B=engine:name=random,nodes=1"];
    let of = |concurrency| {
        let wanted = PlanOptions { concurrency, ..wanted(sowing(), &players, 40) };
        let (records, _) = play(sowing(), wanted);
        records.iter().map(ArenaRecord::without_times).collect::<Vec<_>>()
    };
    let one = of(1);
    assert_eq!(one, of(4));
    let moves = |i: usize| one[i].moves.clone().unwrap();
    assert!(one.iter().all(|r| !moves(r.game as usize).is_empty()));
    assert_ne!(moves(0), moves(2), "another deal gives another match");
    assert_eq!((one[0].seed, one[0].deal), (one[1].seed, one[1].deal), "both games of a pair have one deal");
    assert_eq!(one[0].seats[0].player, one[1].seats[1].player, "seats are exchanged");
}

#[test]
fn better_player_gets_the_better_score() {
    let (records, summary) = play(sowing(), wanted(sowing(), &["A=engine", "B=engine:name=random"], 60));
    let [a, b] = summary.players.as_slice() else { panic!("two players") };
    assert_eq!((summary.games, summary.deals, a.played, a.wins + a.draws + a.losses), (60, 30, 60, 60));
    assert_eq!((a.wins, a.losses), (b.losses, b.wins));
    let score = a.score.unwrap();
    assert!(score.mean > 0.8 && score.low > 0.5 && score.high <= 1.0, "{score:?}");
    assert!(a.elo.unwrap().low > 0.0 && b.elo.unwrap().high < 0.0);
    assert_eq!(a.seats.iter().map(|s| s.games).collect::<Vec<_>>(), [30, 30]);
    assert_eq!(summary.pairs.unwrap().iter().sum::<usize>(), 30);
    assert_eq!(a.faults.total() + b.faults.total(), 0);
    let decisions: usize = records.iter().flat_map(|r| &r.seats).map(|s| s.times_us.len()).sum();
    assert_eq!(a.decisions + b.decisions, decisions);
    assert!(a.p50_ms <= a.p99_ms && a.p99_ms <= a.max_ms && a.max_ms > 0.0);
    let text = summary.to_string();
    assert!(text.contains("Elo [95%]") && text.contains("deals by what A scored"), "{text}");
}

#[test]
fn records_survive_json() {
    let (records, _) = play(sowing(), wanted(sowing(), &["A=engine", "B=engine:name=random"], 2));
    for record in records {
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<ArenaRecord>(&text).unwrap(), record);
    }
}

#[test]
fn impossible_plan_is_refused_with_a_reason() {
    let refused = |players: &[&str], options: Value| match RunPlan::new(
        sowing(),
        PlanOptions { options, ..wanted(sowing(), players, 2) },
    ) {
        Err(BadPlan(text)) => text,
        Ok(_) => panic!("{players:?} was accepted"),
    };
    assert!(refused(&["A=cmd:x", "B=cmd:y"], json!({})).contains("only seat 0"));
    assert!(refused(&["A=engine", "A=engine"], json!({})).contains("two players"));
    assert!(refused(&["A=engine:name=unknown", "B=engine"], json!({})).contains("unknown"));
    assert!(refused(&["A=engine", "B=engine"], json!({"pits": 3})).contains("pits"));
    let uneven = RunPlan::new(sowing(), wanted(sowing(), &["A=cmd:x", "B=engine"], 2)).unwrap();
    assert!(uneven.notes()[0].contains("SEATS NOT EXCHANGED"), "{:?}", uneven.notes());
    assert_eq!((uneven.fixture(0).seats, uneven.fixture(1).deal), (vec![0, 1], 1));
    let odd = RunPlan::new(sowing(), wanted(sowing(), &["A=engine", "B=engine"], 3)).unwrap();
    assert!(odd.notes()[0].contains("no multiple of 2"), "{:?}", odd.notes());
}

#[test]
fn players_take_every_seat_of_a_table_for_four() {
    let wanted = PlanOptions {
        options: json!({"players": 4}),
        ..wanted(&BRIEF_GAME, &["A=engine", "B=engine", "C=engine"], 24)
    };
    let (_, summary) = play(&BRIEF_GAME, wanted);
    assert_eq!((summary.games, summary.deals), (24, 2));
    let shares: f64 = summary.players.iter().map(|p| p.score.unwrap().mean).sum();
    assert!((shares - 1.0).abs() < 1e-9, "the shares of a table add up to its games");
    for player in &summary.players {
        assert!((player.fair - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(player.seats.iter().map(|s| s.games).collect::<Vec<_>>(), [8; 4]);
    }
    assert!(summary.to_string().contains("fair share"));
}

#[test]
fn engine_that_overruns_or_panics_loses() {
    let limits = TimeLimits { per_move: Some(250 * MS), per_match: None };
    let fouls = |name: &str| {
        let players = [format!("A=engine:name={name}"), "B=engine:name=random".to_owned()];
        let players: Vec<&str> = players.iter().map(String::as_str).collect();
        let (records, summary) =
            play(&CHATTY_GAME, PlanOptions { limits, ..wanted(&CHATTY_GAME, &players, 2) });
        assert_eq!((summary.players[0].losses, summary.players[1].wins), (2, 2), "{name}");
        records[0].faults[0].kind
    };
    assert_eq!(fouls("sleeps"), FaultKind::Time);
    assert_eq!(fouls("panics"), FaultKind::Crash);
}

#[test]
fn match_clock_runs_out_over_the_match() {
    let limits = TimeLimits { per_move: None, per_match: Some(1200 * MS) };
    let players = ["A=engine:name=sleeps", "B=engine:name=random"];
    let (records, summary) = play(&CHATTY_GAME, PlanOptions { limits, ..wanted(&CHATTY_GAME, &players, 2) });
    for record in &records {
        let fault = &record.faults[0];
        let (last, before) = record.seats[usize::from(fault.seat)].times_us.split_last().unwrap();
        let before: u64 = before.iter().sum();
        assert_eq!(fault.kind, FaultKind::Time);
        assert!(before <= 1_220_000 && before + last > 1_220_000, "{record:?}");
        assert!(before > 0, "it had time for more than one decision");
    }
    assert_eq!(summary.players[0].faults.time, 2);
}

/// A server whose first two requests fail; then it plays legal moves.
struct Flaky(AtomicU32);

impl Http for Flaky {
    fn post(&self, url: &str, body: &Value, _: Duration) -> Post {
        assert!(url == "http://a.test/v1/games/brief/move" && body["seed"].is_u64(), "{url} {body}");
        let reply = |status, body: Value| {
            Post::Answered(PostResponse { status, retry_after: Some(MS), body: body.to_string() })
        };
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => reply(503, json!({})),
            1 => Post::Failed("hung up".to_owned()),
            _ => {
                assert_eq!((&body["think_ms"], &body["level"]), (&json!(7), &json!("hard")));
                let left = body["position"]["pile"]["left"].as_u64().unwrap();
                reply(200, json!({"notation": format!("take {}", left.min(3)), "nodes": 5}))
            }
        }
    }

    fn answers(&self, _: &str) -> bool {
        true
    }
}

#[test]
fn server_plays_and_its_failures_cost_no_match() {
    let players = ["S=server:http://a.test/,think=7ms,level=hard", "B=engine"];
    let (_, summary) =
        play_with(&BRIEF_GAME, wanted(&BRIEF_GAME, &players, 4), with(&Flaky(AtomicU32::new(0))));
    let server = &summary.players[0];
    assert_eq!((summary.games, server.played, server.faults.total()), (4, 4, 0));
    assert_eq!(server.nodes, Some(5 * server.decisions as u64));
}

/// A server that answers no move in time. `alive` decides whether it answers other requests.
struct Silent {
    alive: bool,
}

impl Http for Silent {
    fn post(&self, _: &str, _: &Value, _: Duration) -> Post {
        Post::TimedOut
    }

    fn answers(&self, url: &str) -> bool {
        assert_eq!(url, "http://a.test");
        self.alive
    }

    fn patience(&self) -> Duration {
        250 * MS
    }
}

#[test]
fn late_server_loses_time_and_dead_one_voids_the_match() {
    let players = ["S=server:http://a.test", "B=engine"];
    let of = |alive| play_with(&BRIEF_GAME, wanted(&BRIEF_GAME, &players, 1), with(&Silent { alive })).1;
    let late = of(true);
    assert!(late.games == 1 && late.players[0].faults.time > 0, "{late}");
    let away = of(false);
    assert_eq!((away.games, away.players[0].faults.total(), away.players[1].wins), (0, 0, 0), "{away}");
    assert!(away.voided.keys().all(|why| why.contains("does not answer")), "{away}");
}

#[test]
fn unreachable_server_voids_the_match() {
    let players = ["S=server:http://a.test", "B=engine"];
    let (_, summary) = play(&BRIEF_GAME, wanted(&BRIEF_GAME, &players, 1));
    assert_eq!((summary.games, summary.players[1].wins, summary.voided.len()), (0, 0, 1));
    assert!(summary.to_string().contains("VOIDED"));
}

#[test]
fn stopped_run_keeps_its_records() {
    let plan = RunPlan::new(
        &CHATTY_GAME,
        PlanOptions { concurrency: 1, ..wanted(&CHATTY_GAME, &["A=engine", "B=engine"], 100_000) },
    )
    .unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let records =
        run(&plan, Backends::NONE, &stop, |_| {}, |ended| stop.store(ended >= 3, Ordering::Relaxed));
    assert!((3..100_000).contains(&records.len()), "{}", records.len());
    assert!(RunSummary::of(&plan, &records).not_played > 0);
}
