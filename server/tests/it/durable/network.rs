//! Matches over a network that cuts, delays, repeats and reorders: no move is lost, none is made twice, and followers get
//! each event exactly once and in order.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engines::rng::{Rng, Seed};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::follower::{FollowMode, Follower, SocketPlayer};
use super::proxy::FaultyProxy;
use super::record_checks::{assert_true, assert_verified};
use super::retrying_client::{PlayedMatch, insist};
use crate::server_process::ServerProcess;

const CLIENTS: usize = 8;
const MATCHES: usize = 40;

/// The order of the n-th match: all games, two to four seats, people and engines, and one match to join.
fn order(n: usize) -> Value {
    let (game, seats) = match n % 20 {
        0 => ("buraco", 2),
        1 => ("splendor", 4),
        2 => ("splendor", 2),
        3 => ("splendor", 3),
        4 => ("azul", 2),
        5..=9 => ("septica", 2),
        _ => ("ioiwari", 2),
    };
    let mut chairs: Vec<_> =
        (0..seats).map(|n| json!({ "kind": "me", "name": format!("guest {n}") })).collect();
    match n % 4 {
        0 => chairs[1] = json!({ "kind": "engine", "level": "easy", "think_ms": 10, "nodes": 100 }),
        1 => chairs[1] = json!({ "kind": "open" }),
        _ => {}
    }
    let clock = json!({ "initial_ms": 3_600_000, "increment_ms": 1000 });
    json!({ "game": game, "seats": chairs, "clock": clock })
}

/// A match that was played, and its followers.
pub(super) struct FollowedMatch {
    table: PlayedMatch,
    followers: Vec<(Option<usize>, JoinHandle<Follower>)>,
}

impl FollowedMatch {
    /// Checks at servers that do not fail any more that nothing was lost or made twice. Returns how often its followers had to come
    /// back.
    pub(super) async fn check(self, servers: &[SocketAddr]) -> usize {
        let Self { mut table, followers } = self;
        table.servers = servers.to_vec();
        let record = table.record().await;
        assert_true(&table, &record);
        assert_verified(&record);
        let mut returns = 0;
        for (seat, follower) in followers {
            let follower = follower.await.unwrap();
            returns += follower.returns;
            assert_told_all(&table, seat, &follower, &record).await;
        }
        returns
    }
}

/// Plays the n-th match at these servers, in turn, while it is followed.
pub(super) async fn play(servers: &[SocketAddr], n: usize) -> FollowedMatch {
    let mut table = PlayedMatch::create(servers, &order(n), &format!("the network test's match {n}")).await;
    let spectators = [
        (None, FollowMode::Sse),
        (None, FollowMode::Live),
        (Some(0), FollowMode::Ndjson),
        (Some(0), FollowMode::Live),
    ];
    let follow = |table: &PlayedMatch, seat: Option<usize>, how| {
        let token = seat.map(|seat| table.tokens[seat].as_deref().unwrap());
        (seat, tokio::spawn(Follower::new(servers, &table.id, token, how).follow()))
    };
    let mut followers: Vec<_> = spectators.into_iter().map(|(seat, how)| follow(&table, seat, how)).collect();
    if n % 4 == 1 {
        table.join(&format!("the network test's guest of match {n}")).await;
        followers.push(follow(&table, Some(1), FollowMode::Sse));
    }
    let mut picks = Rng::new(&Seed::from(n as u64));
    if n.is_multiple_of(3) {
        // Every seat over a WebSocket of its own.
        let players = table.tokens.iter().enumerate().filter_map(|(seat, token)| {
            let (seat, token, rng) = (seat as u64, token.as_ref()?, Rng::new(&picks.seed()));
            Some(tokio::spawn(SocketPlayer::new(servers, &table.id, seat, token, rng).play()))
        });
        for player in players.collect::<Vec<_>>() {
            table.acknowledged.extend(player.await.unwrap().acknowledged);
        }
    } else {
        while table.step(picks.next_u64()).await {}
    }
    FollowedMatch { table, followers }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_network_loses_no_move_and_repeats_none() {
    let service = ServerProcess::start(&["--threads=2", "--creations-burst=100000"]);
    let proxy = FaultyProxy::start(service.address, 3).await;
    let network = proxy.address;
    let next = Arc::new(AtomicUsize::new(0));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let next = Arc::clone(&next);
            tokio::spawn(async move {
                let mut played = Vec::new();
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= MATCHES {
                        return played;
                    }
                    played.push(play(&[network], n).await);
                }
            })
        })
        .collect();
    let mut returns = 0;
    let mut matches = 0;
    for client in clients {
        for played in client.await.unwrap() {
            // From now on the network does not fail, so the record is complete.
            returns += played.check(&[service.address]).await;
            matches += 1;
        }
    }
    assert_eq!(matches, MATCHES);
    assert_eq!(listed(service.address).await, MATCHES, "no match was made twice");
    assert!(returns >= 10, "the followers had to come back only {returns} times");
    proxy.assert_suffered(20);
}

/// The events received during the match are a prefix of those sent after its end.
pub(super) async fn assert_told_all(
    table: &PlayedMatch,
    seat: Option<usize>,
    follower: &Follower,
    record: &Value,
) {
    let token = seat.map(|seat| table.tokens[seat].as_deref().unwrap());
    let after = Follower::new(&table.servers, &table.id, token, FollowMode::Ndjson).since(0).follow().await;
    let end = record["events"].as_array().unwrap().len() as u64 - 1;
    let frames: BTreeMap<u64, &Value> = after.seen.iter().map(|f| (f["seq"].as_u64().unwrap(), f)).collect();
    assert_eq!(frames.keys().copied().collect::<Vec<_>>(), (1..=end).collect::<Vec<_>>());
    assert_eq!(follower.last(), end, "{}", table.id);
    let late = Follower::new(&table.servers, &table.id, token, FollowMode::Sse).follow().await;
    assert_eq!(
        (late.last(), late.seen.len()),
        (end, 0),
        "{}: a follower that connects after the end receives the end only",
        table.id
    );
    for frame in &follower.seen {
        assert_eq!(Some(&frame), frames.get(&frame["seq"].as_u64().unwrap()));
    }
}

/// The number of matches.
pub(super) async fn listed(server: SocketAddr) -> usize {
    let mut count = 0;
    let mut before = String::new();
    loop {
        let path = format!("/v1/matches?limit=17{before}");
        let page = insist(server, "GET", &path, &[], &Value::Null).await.json();
        count += page["matches"].as_array().unwrap().len();
        match page["next"].as_str() {
            Some(next) => before = format!("&before={next}"),
            None => return count,
        }
    }
}
