//! The server is killed again and again during many matches: no acknowledged event is lost or repeated, no clock ran
//! while it was down, and every match comes to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engines::rng::{Rng, Seed};
use serde_json::{Value, json};

use super::record_checks::{assert_true, assert_verified};
use super::retrying_client::PlayedMatch;
use crate::server_process::{ServerProcess, now_ms};

const CLIENTS: usize = 32;

/// Matches for each time that the server is killed. Most moves of more matches would be made while nothing fails.
const MATCHES_PER_CRASH: usize = 27;

/// How often the server is killed: 3 times, or as often as `KIBITZ_CRASHES` says.
fn crashes() -> usize {
    std::env::var("KIBITZ_CRASHES").map_or(3, |text| text.parse().expect("KIBITZ_CRASHES is a number"))
}

/// The order of the n-th match: all games, mostly short ones; every third against an engine.
fn order(n: usize) -> Value {
    let game = match n % 20 {
        0 => "buraco",
        1 | 2 => "splendor",
        3 | 4 => "azul",
        5..=8 => "septica",
        _ => "ioiwari",
    };
    let engine = json!({ "kind": "engine", "level": "easy", "think_ms": 20, "nodes": 200 });
    let second = if n.is_multiple_of(3) { engine } else { json!({ "kind": "me", "name": "second" }) };
    let clock = json!({ "initial_ms": 3_600_000, "increment_ms": 1000 });
    json!({ "game": game, "seats": [{ "kind": "me", "name": "first" }, second], "clock": clock })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_server_costs_no_player_a_move_or_a_second() {
    let matches = MATCHES_PER_CRASH * crashes();
    let mut service = ServerProcess::start(&["--threads=2"]);
    let address = service.address;
    let made = Arc::new(AtomicUsize::new(0));
    let next = Arc::new(AtomicUsize::new(0));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (made, next) = (Arc::clone(&made), Arc::clone(&next));
            tokio::spawn(async move {
                let mut played = Vec::new();
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= matches {
                        return played;
                    }
                    let mut table = PlayedMatch::create(
                        &[address],
                        &order(n),
                        &format!("the-match-{n}-of-the-crash-test"),
                    )
                    .await;
                    let mut picks = Rng::new(&Seed::from(n as u64));
                    while table.step(picks.next_u64()).await {
                        made.fetch_add(1, Ordering::Relaxed);
                    }
                    played.push(table);
                }
            })
        })
        .collect();

    // Down for longer than any rounding, at moments that depend on what has been played and on chance.
    let mut chance = Rng::new(&Seed::from(now_ms() as u64));
    let mut downs = Vec::new();
    for n in 0..crashes() {
        let enough = 150 + n * 200 + chance.below(100);
        while made.load(Ordering::Relaxed) < enough && !clients.iter().all(|c| c.is_finished()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_micros(chance.below(20_000) as u64)).await;
        let killed = now_ms();
        service.kill();
        tokio::time::sleep(Duration::from_millis(300)).await;
        let back = now_ms();
        service.begin();
        downs.push((killed, back));
    }

    let mut played = Vec::new();
    for client in clients {
        played.extend(client.await.unwrap());
    }
    assert_eq!(played.len(), matches);
    let mut running = vec![0; downs.len()];
    for table in &played {
        let record = table.record().await;
        assert_true(table, &record);
        assert_verified(&record);
        assert_free_of_charge(table, &record, &downs, &mut running);
    }
    assert!(
        running.iter().all(|matches| *matches > 0),
        "nothing was running when it was killed: {running:?}"
    );
}

/// Checks the times of a match, and counts it wherever it was running when the server was killed.
fn assert_free_of_charge(table: &PlayedMatch, record: &Value, downs: &[(i64, i64)], running: &mut [usize]) {
    let events = record["events"].as_array().unwrap();
    let at = |event: &Value| event["at_ms"].as_i64().unwrap();
    let start = events.iter().position(|e| e["type"] == "started").unwrap();
    for two in events[start..].windows(2) {
        for ((killed, back), running) in downs.iter().zip(&mut *running) {
            if at(&two[0]) <= *killed && at(&two[1]) >= *back {
                *running += 1;
                assert_eq!(two[1]["type"], "resumed", "{} at {}", table.id, two[1]["seq"]);
                assert!(two[1]["away_ms"].as_i64().unwrap() >= back - killed, "{}", two[1]);
            }
        }
    }
    let sum = |field: &str| -> i64 { events.iter().filter_map(|e| e.pointer(field)?.as_i64()).sum() };
    let charged = sum("/times/think_us") / 1000 + sum("/away_ms");
    assert!(
        charged <= at(events.last().unwrap()) - at(&events[start]) + 1,
        "a player was charged for downtime"
    );
}
