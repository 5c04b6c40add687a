//! Clocks: they run without requests and pause while the server is away. Matches that are unloaded.

use std::path::Path;
use std::time::Duration;

use kibitz::domain::MatchId;
use kibitz::error::Code;
use kibitz::matches::event::Event;
use kibitz::matches::request::{NewMatch, NewSeat};
use kibitz::matches::service::Matches;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use super::{Spectator, anonymous, free, in_total, me, order, page, per_move, play, seated, two_guests};
use crate::client::{HANG, TestServer};

const GAME: &str = "ioiwari";
const ASLEEP: &str = "kibitz_live_matches{game=\"ioiwari\",stage=\"running\"} 0";

fn timed(clock: Option<kibitz::matches::clock::ClockSpec>) -> NewMatch {
    NewMatch { clock, ..order(GAME, Vec::new()) }
}

#[tokio::test]
async fn time_runs_out_without_requests() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    // The first player must move in time: a slow machine needs longer moves.
    let mut limit_ms = 300;
    let (id, second) = loop {
        let (id, first, second) = two_guests(matches, timed(per_move(limit_ms))).await;
        if matches.act(&id, &first, play(0, "1")).await.is_ok() {
            break (id, second);
        }
        assert!(limit_ms < 1_000_000, "time ran out in every match");
        limit_ms *= 4;
    };
    let spectator = Spectator::of(matches, &id, anonymous()).await;
    let events = spectator.until_the_end().await;
    // This game is lost by the first foul.
    let kinds: Vec<&str> = events.iter().map(|e| e["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["started", "moved", "fouled", "ended"]);
    let fouled = &events[2];
    assert_eq!(
        (&fouled["seat"], &fouled["kind"], &fouled["instead"]),
        (&json!(1), &json!("time"), &Value::Null)
    );
    assert_eq!(
        fouled["times"]["think_us"],
        limit_ms * 1000,
        "charged what was left, and no time of the host"
    );
    let waited = fouled["at_ms"].as_i64().unwrap() - events[1]["at_ms"].as_i64().unwrap();
    assert!(waited >= i64::try_from(limit_ms).unwrap(), "{waited}");
    assert_eq!(events[3]["result"]["ranks"], json!([1, 2]));
    let late = matches.act(&id, &second, play(1, "1")).await.unwrap_err();
    assert_eq!(late.code(), Code::TimeUp);
}

#[tokio::test]
async fn vanished_players_are_out_and_the_others_go_on() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let wanted =
        NewMatch { seats: vec![me(), me(), me()], clock: per_move(50), ..order("splendor", Vec::new()) };
    let made = matches.create(wanted, anonymous(), None, free()).await.unwrap();
    let events = Spectator::of(matches, &made.id, anonymous()).await.until_the_end().await;
    let count = |kind: &str| events.iter().filter(|e| e["type"] == kind).count();
    // In this game a mistake is a pass: three in a row, and the seat is out; the last one left has won.
    assert_eq!((count("fouled"), count("went_out"), count("moved")), (8, 2, 0));
    assert_eq!(events.last().unwrap()["how"], "walkover");
    assert_eq!(events.last().unwrap()["result"]["ranks"], json!([2, 2, 1]));
}

#[tokio::test]
async fn clock_of_an_unloaded_match_runs_on() {
    let host = TestServer::start(&["--unload-after-ms=1"]).await;
    let matches = host.server.matches();
    let (id, first, second) = two_guests(matches, timed(in_total(3_600_000))).await;
    matches.act(&id, &first, play(0, "1")).await.unwrap();
    host.until(ASLEEP).await;
    let before = page(matches, &id, &second).await;
    assert_eq!((&before["turn"], &before["ply"]), (&json!(1), &json!(1)));
    host.until(ASLEEP).await;
    let again = page(matches, &id, &second).await;
    for same in ["seq", "position", "legal_moves"] {
        assert_eq!(before[same], again[same], "{same}");
    }
    for same in ["left_ms", "running", "since_ms"] {
        assert_eq!(before["clock"][same], again["clock"][same], "{same}");
    }
    sleep(Duration::from_millis(30)).await;
    matches.act(&id, &second, play(1, "2")).await.unwrap();
    let after = page(matches, &id, &second).await;
    let used = 3_600_000 - after["clock"]["left_ms"][1].as_i64().unwrap();
    assert!(used >= 30, "{used}");
    let log: Vec<Value> =
        Spectator::of(matches, &id, anonymous()).await.seen.iter().map(|f| super::json(f)).collect();
    // On a busy machine the test's process may stand still.
    let away = !host.counts("kibitz_freezes_total 0");
    assert!(away || log.iter().all(|e| e["type"] != "resumed"), "the server was never away: {log:?}");
}

#[tokio::test]
async fn unloaded_match_is_loaded_when_its_time_runs_out() {
    let host = TestServer::start(&["--unload-after-ms=1"]).await;
    let matches = host.server.matches();
    let (id, ..) = two_guests(matches, timed(per_move(8_000))).await;
    host.until(ASLEEP).await;
    host.until("kibitz_matches_ended_total{game=\"ioiwari\",how=\"played\"} 1").await;
    let over = page(matches, &id, anonymous()).await;
    assert_eq!((&over["result"]["ranks"], &over["ended"]), (&json!([2, 1]), &json!("played")));
}

#[tokio::test]
async fn abandoned_matches_end() {
    let host = TestServer::start(&["--idle-ms=1000", "--unload-after-ms=1"]).await;
    let matches = host.server.matches();
    let open =
        matches.create(order(GAME, vec![me(), NewSeat::Open]), anonymous(), None, free()).await.unwrap();
    assert_eq!(page(matches, &open.id, &seated(&open)).await["idle_ms"], 1000);
    let (running, ..) = two_guests(matches, order(GAME, Vec::new())).await;
    host.until("kibitz_matches_ended_total{game=\"ioiwari\",how=\"abandoned\"} 2").await;
    for id in [&open.id, &running] {
        let over = page(matches, id, anonymous()).await;
        assert_eq!((&over["ended"], &over["result"]), (&json!("abandoned"), &Value::Null));
    }
}

/// The second server's system clock is a day ahead, so it finds a downtime of a day.
#[tokio::test]
async fn downtime_is_charged_to_no_player() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    let (id, first, second) = two_guests(host.server.matches(), timed(in_total(3_600_000))).await;
    host.server.matches().act(&id, &first, play(0, "1")).await.unwrap();
    let left = page(host.server.matches(), &id, &second).await["clock"]["left_ms"].clone();
    host.server.stop().await;

    let ahead = format!("--clock-offset-ms={DAY}");
    let host = TestServer::on(&database, &[&ahead]).await;
    let matches = host.server.matches();
    let back = page(matches, &id, &second).await;
    assert_eq!((&back["clock"]["left_ms"], &back["ply"]), (&left, &json!(1)));
    let answer = matches.act(&id, &second, play(1, "2")).await.unwrap();
    let log: Vec<Value> =
        Spectator::of(matches, &id, anonymous()).await.seen.iter().map(|f| super::json(f)).collect();
    let resumed: Vec<&Value> = log.iter().filter(|e| e["type"] == "resumed").collect();
    assert_eq!(resumed.len(), 1, "{log:?}");
    let away_ms = resumed[0]["away_ms"].as_i64().unwrap();
    assert!(away_ms >= DAY, "{away_ms}");
    let moved = super::json(&answer);
    let between = moved["at_ms"].as_i64().unwrap() - log[1]["at_ms"].as_i64().unwrap();
    let charged = moved["times"]["think_us"].as_i64().unwrap() / 1000;
    assert!(charged <= between - away_ms, "{charged} of {between}, {away_ms} without a server");

    // Each downtime is subtracted once, however many there are.
    host.server.stop().await;
    let host = TestServer::on(&database, &[&ahead]).await;
    let matches = host.server.matches();
    matches.act(&id, &first, play(2, "3")).await.unwrap();
    let again = matches.act(&id, &second, play(1, "2")).await.unwrap();
    assert_eq!(again, answer, "after a restart too, the same move gets the same answer");
    let away: Vec<i64> = kept(matches, &id).await;
    assert!(away.len() <= 2 && away[0] == away_ms, "{away:?}");
    host.server.stop().await;
}

#[tokio::test]
async fn players_have_time_to_reconnect_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    // The restart must come before the second player's time is up: a slow machine needs longer moves.
    let mut limit_ms = 1_000;
    let (id, first, second) = loop {
        let host = TestServer::on(&database, &[]).await;
        let matches = host.server.matches();
        let (id, first, second) = two_guests(matches, timed(per_move(limit_ms))).await;
        let moved = matches.act(&id, &first, play(0, "1")).await;
        host.server.stop().await;
        if moved.is_ok() && fouls(&database, &id).await == 0 {
            break (id, first, second);
        }
        assert!(limit_ms < 30_000, "time ran out in every match");
        limit_ms *= 4;
    };

    let host = TestServer::on(&database, &["--reconnect-grace-ms=60000"]).await;
    let matches = host.server.matches();
    let back = page(matches, &id, &second).await;
    let clock = &back["clock"];
    assert_eq!((&clock["paused"], &clock["running"]), (&json!(true), &json!(1)));
    let now = |page: &Value| page["clock"]["now_ms"].as_i64().unwrap();
    let pause = clock["paused_until_ms"].as_i64().unwrap() - now(&back);
    assert!((0..=60_000).contains(&pause), "{clock}");
    // Until more time has passed than a move may take.
    let again = soon(async || {
        let again = page(matches, &id, &second).await;
        (now(&again) - now(&back) > i64::try_from(limit_ms).unwrap() + 200).then_some(again)
    })
    .await;
    let used = |page: &Value| {
        page["clock"]["now_ms"].as_i64().unwrap() - page["clock"]["since_ms"].as_i64().unwrap()
    };
    assert_eq!(used(&again), used(&back), "the clock is paused");
    let mut spectator = Spectator::after(matches, &id, anonymous(), 2).await;
    assert_eq!(spectator.until("resumed").await["clock"]["paused"], true);
    matches.act(&id, &second, play(1, "2")).await.unwrap();
    let moved = spectator.until("moved").await;
    assert!(moved["times"]["think_us"].as_u64() < Some(limit_ms * 1000), "{moved}");
    // The other player may still have to reconnect, too.
    let next = page(matches, &id, &first).await;
    assert_eq!((&next["clock"]["paused"], &next["clock"]["running"]), (&json!(true), &json!(0)));
    matches.act(&id, &first, play(2, "3")).await.unwrap();
    assert_eq!(spectator.until("moved").await["times"]["think_us"], 0);
    assert_eq!(spectator.clocks[0]["paused"], true, "followers are told of the pause, which is no event");
}

/// A day, in milliseconds.
const DAY: i64 = 86_400_000;

/// How many fouls the log of a match has.
async fn fouls(database: &Path, id: &MatchId) -> usize {
    let host = TestServer::on(database, &["--reconnect-grace-ms=60000"]).await;
    let events = Spectator::of(host.server.matches(), id, anonymous()).await.seen;
    let fouls = events.iter().filter(|event| super::json(event)["type"] == "fouled").count();
    host.server.stop().await;
    fouls
}

/// Waits until the check returns something.
async fn soon<T>(mut check: impl AsyncFnMut() -> Option<T>) -> T {
    let wait = async {
        loop {
            if let Some(found) = check().await {
                return found;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANG, wait).await.expect("the condition comes true")
}

#[tokio::test]
async fn system_clock_set_back_neither_stops_nor_moves_clocks() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    let (id, first, second) = two_guests(host.server.matches(), timed(in_total(5_000))).await;
    host.server.matches().act(&id, &first, play(0, "1")).await.unwrap();
    let before = page(host.server.matches(), &id, &second).await["clock"].clone();
    host.server.stop().await;

    let set_back = format!("--clock-offset-ms={}", -DAY);
    let host = TestServer::on(&database, &[&set_back, "--reconnect-grace-ms=0"]).await;
    let matches = host.server.matches();
    let after = page(matches, &id, &second).await["clock"].clone();
    let now = |clock: &Value| clock["now_ms"].as_i64().unwrap();
    assert!((0..DAY).contains(&(now(&after) - now(&before))), "{before} {after}");
    assert_eq!(before["left_ms"], after["left_ms"]);
    let events = Spectator::of(matches, &id, anonymous()).await.until_the_end().await;
    let fouled = events.iter().find(|event| event["type"] == "fouled").expect("time runs out");
    assert_eq!(fouled["times"]["think_us"].as_u64(), before["left_ms"][1].as_u64().map(|ms| ms * 1000));
    let times: Vec<_> = events.iter().map(|event| event["at_ms"].as_i64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[tokio::test]
async fn servers_with_different_system_clocks_agree_on_the_time() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    let (id, first, second) = two_guests(host.server.matches(), timed(per_move(3_600_000))).await;
    for offset in [DAY, -DAY] {
        let set = format!("--clock-offset-ms={offset}");
        let other = TestServer::on(&database, &[&set]).await;
        let apart = other.server.matches().now().ms() - host.server.matches().now().ms();
        assert!(apart.abs() < 60_000, "{apart}");
        for matches in [other.server.matches(), host.server.matches(), other.server.matches()] {
            let ply = page(host.server.matches(), &id, anonymous()).await["ply"].as_u64().unwrap();
            let mover = if ply % 2 == 0 { &first } else { &second };
            let notation =
                page(host.server.matches(), &id, mover).await["legal_moves"][0]["notation"].clone();
            let moved =
                super::json(&matches.act(&id, mover, play(ply, notation.as_str().unwrap())).await.unwrap());
            assert!(moved["times"]["think_us"].as_u64() < Some(3_600_000_000), "{moved}");
            soon(async || {
                let known = page(host.server.matches(), &id, anonymous()).await["ply"].as_u64();
                (known > Some(ply)).then_some(())
            })
            .await;
        }
        other.server.stop().await;
    }
    assert_eq!(page(host.server.matches(), &id, anonymous()).await["stage"], "running", "no time ran out");
}

/// All downtimes in the log of a match.
async fn kept(matches: &Matches, id: &MatchId) -> Vec<i64> {
    let events = matches.store().log(id.clone(), 0).await.unwrap();
    let away = |body: &str| match serde_json::from_str(body).unwrap() {
        Event::Resumed { away_ms, .. } => Some(i64::try_from(away_ms).unwrap()),
        _ => None,
    };
    events.iter().filter_map(|event| away(&event.body)).collect()
}

#[tokio::test]
async fn locked_database_pauses_matches_and_reads_go_on() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    let matches = host.server.matches();
    let (idle, ..) = two_guests(matches, timed(in_total(3_600_000))).await;
    let mut of_idle = Spectator::of(matches, &idle, anonymous()).await;
    let other = rusqlite::Connection::open(&database).unwrap();
    // Takes the lock between two writes of the server.
    other.busy_timeout(Duration::ZERO).unwrap();
    let (id, first) = loop {
        let (id, first, _) = two_guests(matches, timed(per_move(2_000))).await;
        while other.execute_batch("BEGIN IMMEDIATE").is_err() {
            sleep(Duration::from_millis(1)).await;
        }
        if page(matches, &id, anonymous()).await["seq"] == 1 {
            break (id, first);
        }
        // The machine was too slow, and the first player's time ran out before the lock.
        other.execute_batch("ROLLBACK").unwrap();
    };
    let mut spectator = Spectator::of(matches, &id, anonymous()).await;
    let refused = matches.act(&id, &first, play(0, "1")).await.unwrap_err();
    assert_eq!(refused.code(), Code::StoreUnavailable, "{refused}");
    assert!(refused.comes_back_after().is_some());
    let meanwhile = page(matches, &id, anonymous()).await;
    assert_eq!((&meanwhile["ply"], &meanwhile["seq"]), (&json!(0), &json!(1)));
    assert_eq!((&meanwhile["clock"]["paused"], &meanwhile["clock"]["running"]), (&json!(true), &json!(0)));
    // A match without moves pauses too, as soon as a write fails.
    soon(async || (page(matches, &idle, anonymous()).await["clock"]["paused"] == true).then_some(())).await;
    assert!(Spectator::of(matches, &id, &first).await.seen.len() == 1);
    host.get("/readyz").await.problem(503, "store_unavailable");
    let refused = matches.create(order(GAME, vec![me(), me()]), anonymous(), None, free()).await.unwrap_err();
    assert_eq!(refused.code(), Code::StoreUnavailable, "{refused}");
    other.execute_batch("ROLLBACK").unwrap();
    // More time has passed than a move may take, and no time ran out.
    let resumed = spectator.until("resumed").await;
    assert!(resumed["away_ms"].as_u64().unwrap() >= 2_000, "{resumed}");
    let told = &spectator.clocks[0];
    assert_eq!(
        (&told["paused"], told.get("paused_until_ms")),
        (&json!(true), None),
        "the end of the pause was unknown"
    );
    assert_eq!(resumed["clock"]["paused"], true, "its player has time to reconnect: {resumed}");
    let until = resumed["clock"]["paused_until_ms"].as_i64().unwrap() - resumed["at_ms"].as_i64().unwrap();
    assert_eq!(Some(until), resumed["grace_ms"].as_i64(), "{resumed}");
    assert_eq!(of_idle.until("resumed").await["clock"]["paused"], true);
    assert_eq!(of_idle.clocks[0]["paused"], true);
    assert!(
        host.counts("kibitz_match_pauses_total 2"),
        "one pause of each match, however often it was tried"
    );
    matches.act(&id, &first, play(0, "1")).await.unwrap();
    assert_eq!(spectator.until("moved").await["ply"], 0);
    assert_eq!(host.get("/readyz").await.status, 200);
}
