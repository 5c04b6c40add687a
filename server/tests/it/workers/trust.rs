//! What a node believes of what comes through NATS, and whom NATS lets in.

use std::time::Duration;

use serde_json::{Value, json};

use super::faults::{answered, think};
use super::processes::{NatsServer, WorkerProcess};
use super::traffic::Traffic;
use super::{WORKERS_ONLY, by_itself, by_workers, metric, node, position, until_workers};
use crate::server_process::ServerProcess;

/// A program that announces itself as a worker with all engines and more threads than any machine has, for half a minute. It
/// answers an order with `report`; `None`: with silence.
fn rogue(nats: &NatsServer, report: Option<Value>) {
    let of_game = |game: &&'static dyn engines::erased::AnyGame| {
        let slug = game.info().slug;
        let searching = game.engines().into_iter().filter(|engine| !engine.instant);
        let named =
            searching.map(|engine| json!({ "game": slug, "name": engine.name, "version": engine.version }));
        named.collect::<Vec<_>>()
    };
    let engines: Vec<Value> = engines::games::GAMES.iter().flat_map(of_game).collect();
    let announcement =
        json!({ "worker": "w0000", "threads": 10_000, "engines": engines, "busy": {}, "leaving": false });
    let mut traffic = Traffic::record(nats);
    std::thread::spawn(move || {
        let mut heard = 0;
        for _ in 0..600 {
            traffic.send("kibitz.v2.workers", &announcement);
            std::thread::sleep(Duration::from_millis(50));
            let messages = traffic.so_far();
            let orders = messages.iter().filter(|message| message.subject == "kibitz.v2.worker.w0000");
            for order in orders.skip(heard) {
                heard += 1;
                if let (Some(reply), Some(report)) = (&order.reply, &report) {
                    traffic.send(reply, report);
                }
            }
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_that_lies_or_keeps_silent_is_not_used() {
    let done = |mv: &Value, value: f64| {
        let answer = json!({ "notation": mv["notation"], "move": mv["move"], "value": value, "candidates": [],
            "line": [], "nodes": 1, "depth": 1, "engine": "none" });
        json!({ "done": { "answer": answer, "took_us": 1 } })
    };
    for lie in ["an illegal move", "a value that is none", "silence"] {
        let nats = NatsServer::start();
        let server = node(&nats, &["--threads=1"]);
        let position = position(server.address, "azul", 1, 4).await;
        let game = engines::games::GAMES.iter().find(|game| game.info().slug == "azul").unwrap();
        let legal = serde_json::to_value(game.position(&position).unwrap().legal_moves()).unwrap();
        let moves = legal.as_array().unwrap();
        rogue(
            &nats,
            match lie {
                "an illegal move" => Some(done(&json!({ "notation": "9 z 9", "move": {} }), 0.5)),
                "a value that is none" => Some(done(&moves[0], 99.0)),
                _ => None,
            },
        );
        until_workers(&server, 1).await;
        for _ in 0..3 {
            let reply = think(server.address, &position, 400, 20_000).await;
            assert!(answered(&reply), "{lie}: {reply:?}");
            let (move_made, value) = (&reply.json()["notation"], reply.json()["value"].as_f64().unwrap());
            assert!(moves.iter().any(|mv| mv["notation"] == *move_made), "{lie}: {move_made}");
            assert!((0.0..=1.0).contains(&value), "{lie}: {value}");
        }
        assert_eq!((by_workers(&server).await, by_itself(&server).await), (0, 3), "{lie}");
        until_workers(&server, 0).await;
    }
}

/// The project's file for NATS lets nodes and workers do their work, and refuses all others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nats_lets_each_do_what_it_needs() {
    let nats = NatsServer::with_passwords();
    let [as_node, as_worker] =
        ["node:node-secret", "worker:worker-secret"].map(|user| format!("nats://{user}@{}", nats.address()));
    let _worker = WorkerProcess::start(&format!("--workers={as_worker}"), 1);
    let server = ServerProcess::start(&[&format!("--workers={as_node}"), WORKERS_ONLY]);
    until_workers(&server, 1).await;
    let position = position(server.address, "azul", 1, 4).await;
    let reply = think(server.address, &position, 300, 20_000).await;
    assert!(answered(&reply), "{reply:?}");
    assert_eq!(by_workers(&server).await, 1);
    // With the password of a worker no announcement is heard; without one every connection is refused.
    for wrong in [as_worker, nats.url()] {
        let stranger = ServerProcess::start(&[&format!("--workers={wrong}"), "--threads=1"]);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(metric(stranger.address, "kibitz_workers").await, 0, "{wrong}");
        let reply = think(stranger.address, &position, 100, 20_000).await;
        assert!(answered(&reply), "it searches by itself: {reply:?}");
    }
}
