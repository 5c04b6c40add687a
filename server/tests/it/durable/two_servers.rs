//! Two servers on one database: clients may use either, and one of them may die at any moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engines::rng::{Rng, Seed};
use serde_json::{Value, json};

use super::follower::{FollowMode, Follower, SocketPlayer};
use super::network::{assert_told_all, listed};
use super::record_checks::{assert_true, assert_verified};
use super::retrying_client::PlayedMatch;
use super::simultaneous_requests;
use crate::server_process::ServerProcess;

const CLIENTS: usize = 8;
const MATCHES: usize = 24;

fn order(n: usize) -> Value {
    let game = ["splendor", "azul", "septica", "ioiwari", "ioiwari", "ioiwari"][n % 6];
    let second = match n % 3 {
        0 => json!({ "kind": "engine", "level": "easy", "think_ms": 10, "nodes": 100 }),
        _ => json!({ "kind": "me", "name": "second" }),
    };
    let clock = json!({ "initial_ms": 3_600_000, "increment_ms": 1000 });
    json!({ "game": game, "seats": [{ "kind": "me", "name": "first" }, second], "clock": clock })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_on_one_database_act_as_one_and_one_may_die() {
    let first = ServerProcess::start(&["--threads=1"]);
    let second = first.beside();
    let mut services = [first, second];
    let [one, other] = [services[0].address, services[1].address];
    let made = Arc::new(AtomicUsize::new(0));
    let next = Arc::new(AtomicUsize::new(0));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (made, next) = (Arc::clone(&made), Arc::clone(&next));
            tokio::spawn(async move {
                let mut played = Vec::new();
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= MATCHES {
                        return played;
                    }
                    // Some ask both servers in turn, some prefer one and use the other only if it fails.
                    let servers = if n % 2 == 0 { [one, other] } else { [other, one] };
                    let key = format!("the two servers' match {n}");
                    let mut table = PlayedMatch::create(&servers, &order(n), &key).await;
                    let watch = |servers, seat: Option<usize>, how| {
                        let token = seat.and_then(|seat| table.tokens[seat].as_deref());
                        (seat, tokio::spawn(Follower::new(servers, &table.id, token, how).follow()))
                    };
                    let followers = [
                        watch(&[one, other], None, FollowMode::Sse),
                        watch(&[other, one], None, FollowMode::Live),
                        watch(&[other], Some(0), FollowMode::Ndjson),
                        watch(&[one], None, FollowMode::Ndjson),
                    ];
                    let mut picks = Rng::new(&Seed::from(n as u64));
                    if n % 4 == 1 {
                        // One seat at each server.
                        let players = table.tokens.iter().enumerate().filter_map(|(seat, token)| {
                            let servers = if seat == 0 { [one, other] } else { [other, one] };
                            let (token, rng) = (token.as_ref()?, Rng::new(&picks.seed()));
                            Some(tokio::spawn(
                                SocketPlayer::new(&servers, &table.id, seat as u64, token, rng).play(),
                            ))
                        });
                        for player in players.collect::<Vec<_>>() {
                            table.acknowledged.extend(player.await.unwrap().acknowledged);
                            made.fetch_add(20, Ordering::Relaxed);
                        }
                    } else {
                        while table.step(picks.next_u64()).await {
                            made.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    played.push((table, followers));
                }
            })
        })
        .collect();

    // Each dies once, and comes back when the other has gone on alone for a while.
    for (n, service) in services.iter_mut().enumerate() {
        let reach = async |enough: usize| {
            while made.load(Ordering::Relaxed) < enough && !clients.iter().all(|client| client.is_finished())
            {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        reach(100 + 250 * n).await;
        service.kill();
        reach(200 + 250 * n).await;
        service.begin();
    }

    let mut played = Vec::new();
    for client in clients {
        played.extend(client.await.unwrap());
    }
    // On a busy machine a server may stand still while it is the only one.
    let stalled = services.iter().any(|service| service.has_stalled());
    let mut matches = 0;
    for (table, followers) in played {
        let record = table.record().await;
        assert_true(&table, &record);
        assert_verified(&record);
        let resumed = record["events"].as_array().unwrap().iter().any(|event| event["type"] == "resumed");
        assert!(stalled || !resumed, "one server was always running: {}", table.id);
        for (seat, follower) in followers {
            assert_told_all(&table, seat, &follower.await.unwrap(), &record).await;
        }
        matches += 1;
    }
    assert_eq!((matches, listed(one).await, listed(other).await), (MATCHES, MATCHES, MATCHES));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn request_sent_to_two_servers_at_once_takes_effect_once() {
    let one = ServerProcess::start(&["--threads=1"]);
    let other = one.beside();
    let servers = [one.address, other.address];
    simultaneous_requests::creations(&servers).await;
    simultaneous_requests::joins(&servers).await;
    simultaneous_requests::same_moves(&servers, 20).await;
    simultaneous_requests::rival_moves(&servers).await;
    simultaneous_requests::ends(&servers).await;
}
