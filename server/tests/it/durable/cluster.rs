//! Several nodes on one PostgreSQL database: clients use any of them, and one of them fails. See `chaos` for more that fails.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use engines::rng::{Rng, Seed};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use super::follower::{FollowMode, Follower};
use super::network::{assert_told_all, listed};
use super::record_checks::{assert_true, assert_verified};
use super::retrying_client::{PlayedMatch, ask};
use super::simultaneous_requests;
use crate::server_process::{ServerProcess, until};

fn clock() -> Value {
    json!({ "initial_ms": 3_600_000, "increment_ms": 1000 })
}

async fn nodes(url: String, count: usize, flags: &'static [&'static str]) -> Vec<ServerProcess> {
    let start = move || (0..count).map(|_| ServerProcess::start_on(&url, flags)).collect();
    tokio::task::spawn_blocking(start).await.unwrap()
}

async fn page(server: SocketAddr, id: &str, token: Option<&str>) -> Value {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let headers: Vec<_> = bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
    ask(server, "GET", &format!("/v1/matches/{id}"), &headers, &Value::Null).await.unwrap().json()
}

/// Each match is created on the first node, joined on the second, moved on the third, and watched on the fourth. Each
/// answer shows everything that any node acknowledged before it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_node_answers_any_request() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let services = nodes(url, 4, &["--threads=1"]).await;
    let [a, b, c, d] = [0, 1, 2, 3].map(|n| services[n].address);
    for (game, seed) in [("splendor", 1), ("azul", 2), ("ioiwari", 3)] {
        let seats = json!([{ "kind": "me", "name": "first" }, { "kind": "open" }]);
        let order = json!({ "game": game, "seats": seats, "clock": clock() });
        let mut table = PlayedMatch::create(&[a], &order, &format!("made on the first {game}")).await;
        table.servers = vec![b];
        table.join(&format!("joined on the second {game}")).await;
        let watcher = tokio::spawn(Follower::new(&[d], &table.id, None, FollowMode::Sse).follow());
        let mut rng = Rng::new(&Seed::from(seed));
        let mut ply = 0;
        loop {
            // A move that one node has acknowledged is on every other node's page at once.
            let reader = [a, b, c, d][rng.below(4)];
            let shown = page(reader, &table.id, None).await;
            assert_eq!(shown["ply"], ply, "{shown}");
            table.servers = vec![[c, a, b, d][(ply % 4) as usize]];
            if !table.step(rng.next_u64() | 1).await {
                break;
            }
            ply = table.acknowledged.len() as u64;
        }
        let record = table.record().await;
        assert_true(&table, &record);
        assert_verified(&record);
        table.servers = vec![a, b, c, d];
        assert_told_all(&table, None, &watcher.await.unwrap(), &record).await;
    }
    // A player who registers on one node plays on another.
    let made = ask(a, "POST", "/v1/players", &[], &json!({ "name": "ann" })).await.unwrap();
    let made: Value = serde_json::from_slice(&made.body).unwrap();
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let me = ask(d, "GET", "/v1/me", &[("authorization", &bearer)], &Value::Null).await.unwrap().json();
    assert_eq!(me["name"], "ann");
    let mut names = BTreeSet::new();
    for server in [a, b, c, d, a] {
        assert_eq!(listed(server).await, 3);
        for path in ["/healthz", "/nowhere"] {
            let answer = ask(server, "GET", path, &[], &Value::Null).await.unwrap();
            names.insert(answer.headers["x-kibitz-node"].to_str().unwrap().to_owned());
        }
        let metrics = ask(server, "GET", "/metrics", &[], &Value::Null).await.unwrap();
        assert!(
            names.iter().any(|name| metrics.text().contains(&format!("kibitz_node{{node=\"{name}\"}} 1")))
        );
    }
    assert_eq!(names.len(), 4, "each node has a name of its own: {names:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn request_sent_to_several_nodes_at_once_takes_effect_once() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let services = nodes(url, 3, &["--threads=1"]).await;
    let servers: Vec<_> = services.iter().map(|service| service.address).collect();
    simultaneous_requests::creations(&servers).await;
    simultaneous_requests::joins(&servers).await;
    simultaneous_requests::same_moves(&servers, 20).await;
    simultaneous_requests::rival_moves(&servers).await;
    simultaneous_requests::ends(&servers).await;
}

/// The limit is one for all nodes together: each of three alone would allow as many.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creations_are_limited_for_all_nodes_together() {
    const BURST: usize = 30;
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let services = nodes(url, 3, &["--threads=1", "--creations-burst=30", "--creations-per-minute=1"]).await;
    let began = Instant::now();
    let order = json!({ "game": "ioiwari", "seats": [{ "kind": "me" }, { "kind": "open" }] });
    let mut made = 0;
    for n in 0..3 * BURST {
        let answer = ask(services[n % 3].address, "POST", "/v1/matches", &[], &order).await.unwrap();
        match answer.status.as_u16() {
            201 => made += 1,
            _ => {
                let wait = answer.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap();
                assert!((1..=60).contains(&wait), "{wait}");
                answer.problem(429, "too_many");
            }
        }
    }
    let refilled = began.elapsed().as_secs() as usize / 60 + 1;
    assert!((BURST..=BURST + refilled).contains(&made), "{made}");
}

/// An engine's match goes on when the node that moved it dies or is stopped.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn match_goes_on_when_its_node_dies_or_is_stopped() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let mut services = nodes(url, 3, &["--threads=1"]).await;
    // Long thinking time: the match must last.
    let seat = json!({ "kind": "engine", "level": "max", "think_ms": 1000 });
    let order = json!({ "game": "splendor", "seats": [seat, seat], "clock": clock() });
    let table = PlayedMatch::create(&[services[0].address], &order, "engines alone in the cluster").await;
    let ply = async |server, more_than: u64| {
        until(|| async {
            let page = page(server, &table.id, None).await;
            assert_eq!(page["stage"], "running", "the match lasts long enough");
            page["ply"].as_u64().filter(|ply| *ply > more_than)
        })
        .await
    };
    ply(services[0].address, 2).await;
    services[0].kill();
    let (died, before) = (Instant::now(), page(services[1].address, &table.id, None).await["ply"].as_u64());
    ply(services[1].address, before.unwrap()).await;
    let took = died.elapsed();
    println!("a match went on {took:.1?} after its node had died");
    // Six seconds and a move, and time for a slow machine: without another node's help it would never go on.
    assert!(took < Duration::from_secs(60), "{took:?}");

    // One of the two others holds it now. Both are stopped in turn, so the holder is one of them.
    for stopped in [1, 2] {
        let reader = services[3 - stopped].address;
        let before = page(reader, &table.id, None).await;
        kill_process(services[stopped].pid(), Signal::STOP).unwrap();
        let began = Instant::now();
        ply(reader, before["ply"].as_u64().unwrap() + 1).await;
        let took = began.elapsed();
        println!("a match went on {took:.1?} after a node was stopped");
        assert!(took < Duration::from_secs(60), "{took:?}");
        tokio::time::sleep(Duration::from_secs(8).saturating_sub(began.elapsed())).await;
        kill_process(services[stopped].pid(), Signal::CONT).unwrap();
        let now = page(reader, &table.id, None).await["ply"].as_u64().unwrap();
        let seen = ply(services[stopped].address, now.saturating_sub(1)).await;
        assert!(seen >= now, "the node that wakes up sees what happened meanwhile");
    }
    let events = table_events(&[services[1].address, services[2].address], &table.id).await;
    let plies: Vec<u64> =
        events.iter().filter(|e| e["type"] == "moved").map(|e| e["ply"].as_u64().unwrap()).collect();
    assert_eq!(plies, (0..plies.len() as u64).collect::<Vec<_>>(), "each ply once");
    assert!(events.iter().all(|event| event["type"] != "fouled"), "no clock ran out");
}

async fn table_events(servers: &[SocketAddr], id: &str) -> Vec<Value> {
    let seq = page(servers[0], id, None).await["seq"].as_u64().unwrap();
    Follower::new(servers, id, None, FollowMode::Ndjson).since(0).until(seq).follow().await.seen
}
