//! A worker decides as the server itself would.

use engines::game::Turn;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::processes::{NatsServer, WorkerProcess};
use super::{WORKERS_ONLY, ask, by_itself, by_workers, metric, node, position, until_metric, until_workers};
use crate::server_process::ServerProcess;

/// An answer without its times.
fn decision(mut answer: Value) -> Value {
    for time in ["elapsed_ms", "queued_ms"] {
        assert!(answer.as_object_mut().unwrap().remove(time).is_some(), "{answer}");
    }
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seed_and_node_budget_give_the_same_decision_on_a_worker() {
    let nats = NatsServer::start();
    let _worker = WorkerProcess::start(&nats.flag(), 2);
    let (local, remote) = (ServerProcess::start(&[]), node(&nats, &[WORKERS_ONLY]));
    until_workers(&remote, 1).await;
    let mut searches = 0;
    for game in engines::games::GAMES {
        let slug = game.info().slug;
        for (n, plies) in [(1, 0), (2, 3), (3, 9), (4, 16)] {
            let position = position(local.address, slug, n, plies).await;
            if game.position(&position).unwrap().turn() == Turn::Over {
                continue;
            }
            for engine in game.engines() {
                searches += u64::from(!engine.instant);
                for level in ["max", "medium"].into_iter().take(if engine.instant { 1 } else { 2 }) {
                    let request = json!({ "position": position, "engine": engine.name, "level": level,
                        "nodes": 400, "seed": n + 40, "candidates": 5, "think_ms": 30_000, "deadline_ms": 600_000 });
                    let path = format!("/v1/games/{slug}/move");
                    let answers = [local.address, remote.address].map(|a| ask(a, "POST", &path, &request));
                    let [ours, theirs] = <[_; 2]>::try_from(join_all(answers).await).unwrap();
                    let what = format!("{slug}, {} at {level}, after {plies} moves", engine.name);
                    assert_eq!(decision(ours.json()), decision(theirs.json()), "{what}");
                }
            }
        }
    }
    assert!(searches >= 20, "{searches}");
    assert_eq!(by_workers(&remote).await, 2 * searches, "instant engines stay here");
    assert_eq!((by_itself(&remote).await, by_workers(&local).await), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn analysis_streams_the_results_of_a_worker() {
    let nats = NatsServer::start();
    let _worker = WorkerProcess::start(&nats.flag(), 2);
    let remote = node(&nats, &[WORKERS_ONLY]);
    until_workers(&remote, 1).await;
    let position = position(remote.address, "azul", 5, 3).await;
    let request = json!({ "position": position, "think_ms": 1000, "deadline_ms": 60_000, "candidates": 4 });
    let reply = ask(remote.address, "POST", "/v1/games/azul/analysis", &request).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let frames: Vec<Value> = reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (done, found) = frames.split_last().unwrap();
    assert_eq!(done["type"], "done", "{done}");
    assert!(!found.is_empty() && found.iter().all(|frame| frame["type"] == "found"), "{frames:?}");
    let nodes: Vec<u64> = frames.iter().map(|frame| frame["nodes"].as_u64().unwrap()).collect();
    assert!(nodes.is_sorted(), "{nodes:?}");
    assert_eq!(by_workers(&remote).await, 1);
    assert_eq!(metric(remote.address, "kibitz_worker_retries_total").await, 0);
    until_metric(remote.address, "kibitz_worker_slots_free", |free| free == 2).await;
}

#[test]
fn worker_needs_a_url_and_does_not_print_a_wrong_one() {
    let run = |flags: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_kibitz"))
            .args(flags)
            .env_remove("KIBITZ_WORKERS")
            .output()
            .unwrap();
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(run(&["worker"]).contains("--workers <URL>"));
    let wrong = run(&["worker", "--workers", "http://ann:canary-secret@nats"]);
    assert!(wrong.contains("nats://HOST:PORT") && !wrong.contains("canary-secret"), "{wrong}");
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("kibitz.db").display().to_string();
    let alone =
        run(&["serve", "--listen=127.0.0.1:0", "--ladder=false", "--database", &database, WORKERS_ONLY]);
    assert!(alone.contains("--workers"), "{alone}");
}
