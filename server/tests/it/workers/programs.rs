//! Programs of hosted bots on workers: they decide as on the server's own machine, whatever happens to the workers.

use std::fs;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::time::sleep;

use crate::client::{HANG, TestServer};
use crate::hosted_matches::{begin, decisions, matches_of_each_game, played, record, server, two_bots};
use crate::hosted_programs::source;
use crate::programs::compiled;
use crate::workers::processes::{NatsServer, WorkerProcess};
use crate::workers::traffic::Traffic;

/// A line in the log of a worker that runs programs.
const RUNS: &str = "a process runs the programs of bots for a node";

fn runs_programs(worker: &WorkerProcess) -> bool {
    worker.log().iter().any(|line| line.contains(RUNS))
}

async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !done().await {
        assert!(began.elapsed() < HANG, "{what}");
        sleep(Duration::from_millis(5)).await;
    }
}

/// Whether a match is over, or else has at least this many moves.
async fn is_over_or_at(host: &TestServer, id: &str, ply: u64) -> bool {
    let page = host.get(&format!("/v1/matches/{id}")).await.json();
    page["stage"] == "over" || page["ply"].as_u64().unwrap() >= ply
}

/// Plays matches on the server's machine, and the same ones on workers, which are killed, stopped and frozen one after the other
/// during the first match: every decision and its fuel are the same. `flags`: the settings by which a server and its workers find NATS.
async fn decides_the_same_on_workers(game: &str, flags: [&str; 2]) -> Secrets {
    let folder = TempDir::new().unwrap();
    let module = fs::read(compiled(folder.path(), &source(&format!("{game}.c")))).unwrap();
    let alone = server(&[]).await;
    let ann = two_bots(&alone, game, &module).await;
    let expected = played(&alone, game, &ann, 1..=matches_of_each_game()).await;
    drop(alone);

    let [of_server, of_worker] = flags;
    let mut worker = WorkerProcess::start(of_worker, 2);
    let host = server(&[of_server]).await;
    let ann = two_bots(&host, game, &module).await;
    let id = begin(&host, &ann, game, 1, &["robo", "other"]).await;
    let quarter = expected[0].len() as u64 / 4;
    let (mut used, mut frozen) = (0, None);
    for (number, end) in ["kill", "stop", "freeze"].into_iter().enumerate() {
        let part = quarter * (number as u64 + 1);
        until("the match goes on", async || is_over_or_at(&host, &id, part).await).await;
        // The node may not have known this worker yet when it lost the one before: then the match ends on the node.
        let runs = async || runs_programs(&worker) || is_over_or_at(&host, &id, u64::MAX).await;
        until("the worker runs programs, or the match is over", runs).await;
        used += u32::from(runs_programs(&worker));
        let next = WorkerProcess::start(of_worker, 2);
        match end {
            "stop" => {
                worker.begin_stop();
                assert_eq!(worker.ended(), 0);
            }
            "kill" => worker.kill(),
            _ => {
                worker.freeze();
                frozen = Some(worker);
            }
        }
        worker = next;
    }
    assert!(used > 0, "no worker ran programs");
    let mut again = vec![decisions(&record(&host, &id).await)];
    again.extend(played(&host, game, &ann, 2..=matches_of_each_game()).await);
    assert_eq!(expected, again);
    drop(frozen);
    Secrets { id, token: ann.token }
}

/// What no worker may learn.
struct Secrets {
    id: String,
    token: String,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn splendor_programs_decide_the_same_on_workers() {
    let nats = NatsServer::start();
    let traffic = Traffic::record(&nats);
    let Secrets { id, token } = decides_the_same_on_workers("splendor", [&nats.flag(), &nats.flag()]).await;
    let messages = traffic.so_far();
    assert!(messages.len() > 100);
    for message in messages {
        let text = format!("{} {}", message.subject, String::from_utf8_lossy(&message.payload));
        assert!(!text.contains(&id) && !text.contains(&token), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ioiwari_programs_decide_the_same_on_workers() {
    let nats = NatsServer::with_passwords();
    let flag = |user| format!("--workers=nats://{user}:{user}-secret@{}", nats.address());
    // A measurement plays the other games too.
    let others = ["azul", "buraco", "septica"];
    for game in ["ioiwari"].into_iter().chain(others.into_iter().filter(|_| matches_of_each_game() > 1)) {
        decides_the_same_on_workers(game, [&flag("node"), &flag("worker")]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_that_runs_no_programs_is_not_used() {
    let folder = TempDir::new().unwrap();
    let module = fs::read(compiled(folder.path(), &source("ioiwari.c"))).unwrap();
    let nats = NatsServer::start();
    let worker = WorkerProcess::with(&nats.flag(), 1, &["--hosted-bots=false"]);
    let host = server(&[&nats.flag()]).await;
    let ann = two_bots(&host, "ioiwari", &module).await;
    assert!(played(&host, "ioiwari", &ann, 1..=1).await[0].len() > 4);
    assert!(!runs_programs(&worker));
}
