//! cargo bench -p kibitz --bench workers: the time that a worker adds to a request, beyond thinking time and in
//! comparison with the server's own threads. Starts a private NATS server and a worker process, and asks two servers of
//! this process alternately for the same decisions: one with and one without the worker.

mod common;
#[path = "../tests/it/workers/processes.rs"]
mod processes;

use std::time::{Duration, Instant};

use processes::{NatsServer, WorkerProcess};
use serde_json::Value;

/// Decisions of each server.
const DECISIONS: usize = 3000;

/// Decisions that are made before measuring begins.
const WARM_UP: usize = 200;

/// Games, and node budgets that take some milliseconds.
const CASES: [(&str, u64); 2] = [("azul", 100), ("septica", 100)];

/// The time of a request without the engine's, in milliseconds.
async fn ask(client: &mut common::BenchClient, request: &[u8]) -> (f64, f64) {
    let began = Instant::now();
    let (status, answer) = client.exchange(request).await;
    let took = began.elapsed().as_secs_f64() * 1e3;
    let answer: Value = serde_json::from_slice(answer).expect("answers are JSON");
    assert_eq!(status, 200, "{answer}");
    let thought = answer["elapsed_ms"].as_f64().expect("answers tell their time");
    (took - thought, thought)
}

#[tokio::main]
async fn main() {
    let nats = NatsServer::start();
    let _worker = WorkerProcess::start_with_usual_log(&nats.flag(), 2);
    let workers = nats.flag();
    let remote =
        common::server(&["--threads=2", "--local-engines=false", &workers], engines::games::GAMES).await;
    let local = common::server(&["--threads=2"], engines::games::GAMES).await;
    while !remote.metrics().contains("kibitz_workers 1") {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for (game, nodes) in CASES {
        let fresh = common::post(&format!("/v1/games/{game}/positions"), r#"{"seed":1,"plies":4}"#);
        let mut client = common::BenchClient::dial(local.address()).await;
        let (_, fresh) = client.exchange(&fresh).await;
        let fresh: Value = serde_json::from_slice(fresh).expect("answers are JSON");
        let position = &fresh["position"];
        let body = format!(r#"{{"position":{position},"nodes":{nodes},"seed":1,"think_ms":1000}}"#);
        let request = common::post(&format!("/v1/games/{game}/move"), &body);
        let servers = [("local threads", &local), ("worker", &remote)];
        let mut clients = Vec::new();
        for (_, server) in servers {
            clients.push((common::BenchClient::dial(server.address()).await, Vec::new(), Vec::new()));
        }
        for n in 0..WARM_UP + DECISIONS {
            for (client, added, thought) in &mut clients {
                let (beyond, thinking) = ask(client, &request).await;
                if n >= WARM_UP {
                    added.push(beyond);
                    thought.push(thinking);
                }
            }
        }
        println!("{game}, {nodes} nodes, {DECISIONS} requests to each, one after the other:");
        let mut middle = Vec::new();
        for ((name, _), (_, mut added, mut thought)) in servers.into_iter().zip(clients) {
            added.sort_unstable_by(f64::total_cmp);
            thought.sort_unstable_by(f64::total_cmp);
            let [p50, p99] = [0.5, 0.99].map(|q| common::quantile(&added, q));
            let thinking = common::quantile(&thought, 0.5);
            println!(
                "  {name}: beyond thinking p50 {p50:.3} ms, p99 {p99:.3} ms; thinking p50 {thinking:.3} ms"
            );
            middle.push((p50, p99));
        }
        let [(p50, p99), (remote_p50, remote_p99)] = middle[..] else { unreachable!("two servers") };
        println!("  the worker adds: p50 {:.3} ms, p99 {:.3} ms", remote_p50 - p50, remote_p99 - p99);
    }
    remote.stop().await;
    local.stop().await;
}
