//! Nodes and workers of one version are replaced by those of another, one after the other, while people play: nobody loses a move, and
//! every refusal is one after which a client comes back.
//!
//! `KIBITZ_BEFORE` is the program of an earlier version, from which the upgrade begins; without it, today's is replaced by itself.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::{JoinHandle, block_in_place};

use super::network::{FollowedMatch, play};
use super::retrying_client::ask;
use crate::server_process::{ServerProcess, until};
use crate::workers::processes::{NatsServer, WorkerProcess};

/// The matches that are played at a time.
const CLIENTS: usize = 6;

/// The matches that must end in each state of the cluster, so that many more moves are made in it.
const MATCHES: usize = 4;

/// Longer than any of these states lasts, even on a slow machine.
const HANG: Duration = Duration::from_secs(300);

/// What all clients share.
#[derive(Default)]
struct Traffic {
    begun: AtomicUsize,
    ended: AtomicUsize,
    /// Whether no new match begins.
    closing: AtomicBool,
}

impl Traffic {
    /// One match after another, at both nodes.
    async fn play(self: Arc<Self>, nodes: [SocketAddr; 2]) -> Vec<FollowedMatch> {
        let mut played = Vec::new();
        while !self.closing.load(Ordering::Relaxed) {
            let n = self.begun.fetch_add(1, Ordering::Relaxed);
            // Without the longest game, of which only a few moves would fit into a state.
            played.push(play(&nodes, n + n / 19 + 1).await);
            self.ended.fetch_add(1, Ordering::Relaxed);
        }
        played
    }

    /// Waits until so many matches as are enough have ended in the present state.
    async fn goes_on(&self, state: &str) {
        let (from, began) = (self.ended.load(Ordering::Relaxed), Instant::now());
        while self.ended.load(Ordering::Relaxed) < from + MATCHES {
            assert!(began.elapsed() < HANG, "no match ends: {state}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Asks each node for what anyone asks for. Returns how often a node was away or said that it is.
    async fn look(self: Arc<Self>, nodes: [SocketAddr; 2]) -> usize {
        let mut away = 0;
        for n in 0.. {
            if self.closing.load(Ordering::Relaxed) {
                break;
            }
            let node = nodes[n % 2];
            let name = format!("visitor-{n}");
            let answers = [
                ask(node, "GET", "/v1/matches", &[], &Value::Null).await,
                ask(node, "GET", "/v1/games/ioiwari/leaderboard", &[], &Value::Null).await,
                ask(node, "POST", "/v1/players", &[], &json!({ "name": name })).await,
                ask(node, "GET", "/", &[], &Value::Null).await,
            ];
            for answer in answers {
                match answer {
                    Ok(answer) if answer.status == 503 => {
                        assert!(answer.header("retry-after").parse::<u32>().is_ok(), "{answer:?}");
                        away += 1;
                    }
                    Ok(answer) => assert!(answer.status.is_success(), "{answer:?}"),
                    // Refused, or closed before an answer: a client asks the other node.
                    Err(_) => away += 1,
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        away
    }
}

async fn is_served(node: SocketAddr, workers: usize) {
    let line = format!("kibitz_workers {workers}\n");
    until(|| async {
        let metrics = ask(node, "GET", "/metrics", &[], &Value::Null).await.ok()?;
        metrics.text().contains(&line).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_and_workers_are_replaced_one_after_the_other_under_load() {
    let before = std::env::var("KIBITZ_BEFORE").unwrap_or_else(|_| env!("CARGO_BIN_EXE_kibitz").to_owned());
    let url = block_in_place(kibitz_test_support::database);
    let nats = NatsServer::start();
    let workers = nats.flag();
    let flags = ["--threads=1", "--creations-burst=100000", &workers];
    let start = || ServerProcess::start_other_on(before.as_ref(), &url, &flags);
    let mut nodes = block_in_place(|| [start(), start()]);
    let worker = block_in_place(|| WorkerProcess::of_other(&before, &workers, 1));
    let addresses = nodes.each_ref().map(|node| node.address);
    for node in addresses {
        is_served(node, 1).await;
    }
    let traffic = Arc::new(Traffic::default());
    let clients: Vec<JoinHandle<Vec<FollowedMatch>>> =
        (0..CLIENTS).map(|_| tokio::spawn(Arc::clone(&traffic).play(addresses))).collect();
    let visitor = tokio::spawn(Arc::clone(&traffic).look(addresses));

    traffic.goes_on("before the upgrade").await;
    for (n, node) in nodes.iter_mut().enumerate() {
        block_in_place(|| node.upgrade());
        traffic.goes_on(&format!("{} of 2 nodes are replaced", n + 1)).await;
    }
    worker.begin_stop();
    let new = block_in_place(|| WorkerProcess::start_with_usual_log(&workers, 1));
    let mut worker = worker;
    assert_eq!(block_in_place(|| worker.ended()), 0);
    for node in addresses {
        is_served(node, 1).await;
    }
    traffic.goes_on("all is replaced").await;
    traffic.closing.store(true, Ordering::Relaxed);

    let (mut matches, mut returns) = (0, 0);
    for client in clients {
        for played in client.await.unwrap() {
            returns += played.check(&addresses).await;
            matches += 1;
        }
    }
    let away = visitor.await.unwrap();
    println!("{matches} matches, {returns} reconnections, {away} requests to a node that was away");
    assert!(matches >= 4 * MATCHES && returns >= 2, "{matches} matches, {returns} reconnections");
    drop(new);
}
