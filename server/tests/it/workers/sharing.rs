//! Engine time of workers is divided fairly between callers, and between nodes.

use serde_json::json;

use super::processes::{NatsServer, WorkerProcess};
use super::traffic::{NatsMessage, Traffic};
use super::{WORKERS_ONLY, ask_from, by_workers, node, position, until_metric, until_workers};
use crate::client::{LONG, LONG_THINKING};

const PATH: &str = "/v1/games/azul/move";
const RUNNING: &str = "kibitz_pool_running{lane=\"worker_long\"}";
const SUSPENDED: &str = "kibitz_pool_suspended{lane=\"worker_long\"}";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn caller_with_long_searches_leaves_others_their_share() {
    let nats = NatsServer::start();
    let _worker = WorkerProcess::start(&nats.flag(), 1);
    let server = node(&nats, &[WORKERS_ONLY, LONG_THINKING]);
    until_workers(&server, 1).await;
    let traffic = Traffic::record(&nats);
    let position = position(server.address, "azul", 1, 4).await;
    let long = json!({ "position": position, "think_ms": LONG });
    let short = json!({ "position": position, "think_ms": 400, "deadline_ms": 60_000 });
    let short = async {
        until_metric(server.address, RUNNING, |n| n == 1).await;
        let reply = ask_from("127.0.0.3", server.address, "POST", PATH, &short).await;
        let elapsed = reply.json()["elapsed_ms"].as_f64().unwrap();
        assert!(elapsed >= 390.0, "it had its whole time: {elapsed} ms");
        until_metric(server.address, RUNNING, |n| n == 1).await;
        until_metric(server.address, SUSPENDED, |n| n == 0).await;
    };
    tokio::select! {
        reply = ask_from("127.0.0.2", server.address, "POST", PATH, &long) => panic!("{reply:?}"),
        () = short => {}
    }
    let orders = |kind: &str| {
        let of_kind = |m: &&NatsMessage| m.subject.contains(".worker.") && !m.json()[kind].is_null();
        traffic.so_far().iter().filter(of_kind).count()
    };
    assert!(orders("suspend") >= 1 && orders("resume") >= 1, "the long one waited on the worker");
    traffic.until_idle().await;
    assert!(orders("cancel") >= 1, "its client is gone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_share_a_worker() {
    let nats = NatsServer::start();
    let _worker = WorkerProcess::start(&nats.flag(), 2);
    let [first, second] = [(); 2].map(|()| node(&nats, &[WORKERS_ONLY, LONG_THINKING]));
    for server in [&first, &second] {
        until_workers(server, 1).await;
    }
    let position = position(first.address, "azul", 1, 4).await;
    let long = json!({ "position": position, "think_ms": LONG });
    let short = json!({ "position": position, "think_ms": 400, "deadline_ms": 60_000 });
    let all = async {
        until_metric(first.address, RUNNING, |n| n == 2).await;
        // The first node has all threads; it leaves half of them to the second.
        let one = ask_from("127.0.0.3", second.address, "POST", PATH, &short);
        let shrunk = until_metric(first.address, RUNNING, |n| n == 1);
        let (reply, ()) = tokio::join!(one, shrunk);
        assert!(reply.json()["elapsed_ms"].as_f64().unwrap() >= 390.0, "{reply:?}");
        assert_eq!(by_workers(&second).await, 1);
        until_metric(first.address, RUNNING, |n| n == 2).await;
    };
    let [a, b] =
        ["127.0.0.2", "127.0.0.4"].map(|source| ask_from(source, first.address, "POST", PATH, &long));
    tokio::select! {
        reply = a => panic!("{reply:?}"),
        reply = b => panic!("{reply:?}"),
        () = all => {}
    }
}
