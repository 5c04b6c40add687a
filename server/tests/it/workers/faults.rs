//! Workers, nodes and NATS that are killed, frozen or replaced in the middle of searches.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::processes::{NatsServer, WorkerProcess};
use super::traffic::Traffic;
use super::{WORKERS_ONLY, ask, by_itself, by_workers, metric, node, position, until_metric, until_workers};
use crate::client::{HANG, LONG, LONG_THINKING, TestResponse};

const PATH: &str = "/v1/games/azul/move";

/// Answers come before their deadline, except that this machine may be slow.
const SLOW_MACHINE: Duration = Duration::from_secs(10);

pub(super) async fn think(
    server: SocketAddr,
    position: &Value,
    think_ms: u64,
    deadline_ms: u64,
) -> TestResponse {
    let request = json!({ "position": position, "think_ms": think_ms, "deadline_ms": deadline_ms });
    ask(server, "POST", PATH, &request).await
}

/// Checks that a search was answered, or refused with the time after which to try again. Returns whether it was answered.
#[track_caller]
pub(super) fn answered(reply: &TestResponse) -> bool {
    if reply.status == 200 {
        assert!(!reply.json()["notation"].is_null(), "{reply:?}");
        return true;
    }
    let problem = reply.problem(503, "busy");
    assert!(problem["retry_after_ms"].is_u64(), "{problem}");
    assert!(reply.header("retry-after").parse::<u64>().is_ok(), "{reply:?}");
    false
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_worker_loses_no_search() {
    // Two and a half for each thread of the workers.
    const SEARCHES: usize = 40;
    const DEADLINE: Duration = Duration::from_secs(20);
    for flags in [&[WORKERS_ONLY][..], &["--threads=2"]] {
        let nats = NatsServer::start();
        let [killed, _other] = [(); 2].map(|()| WorkerProcess::start(&nats.flag(), 8));
        let server = node(&nats, flags);
        until_workers(&server, 2).await;
        let position = position(server.address, "azul", 1, 4).await;
        let searches = join_all((0..SEARCHES).map(async |_| {
            let began = Instant::now();
            let reply = think(server.address, &position, 1500, DEADLINE.as_millis() as u64).await;
            (reply, began.elapsed())
        }));
        let kill = async {
            until_metric(server.address, "kibitz_pool_running{lane=\"worker_long\"}", |n| n >= 16).await;
            tokio::time::sleep(Duration::from_millis(300)).await;
            killed.kill();
        };
        let (replies, ()) = tokio::join!(searches, kill);
        assert_eq!(replies.len(), SEARCHES);
        let late = replies.iter().find(|(_, took)| *took > DEADLINE + SLOW_MACHINE);
        assert!(late.is_none(), "{late:?}");
        let count = replies.iter().filter(|(reply, _)| answered(reply)).count();
        assert!(count >= 20, "{count} answers");
        let retries = metric(server.address, "kibitz_worker_retries_total").await;
        assert!((4..=SEARCHES as u64).contains(&retries), "{retries} searches were on the killed worker");
        until_workers(&server, 1).await;
        assert_eq!(by_workers(&server).await + by_itself(&server).await, count as u64);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frozen_worker_is_replaced() {
    let nats = NatsServer::start();
    let frozen = WorkerProcess::start(&nats.flag(), 1);
    let server = node(&nats, &[WORKERS_ONLY]);
    until_workers(&server, 1).await;
    let position = position(server.address, "azul", 1, 4).await;
    let search = think(server.address, &position, 2000, 60_000);
    let freeze = async {
        until_metric(server.address, "kibitz_pool_running{lane=\"worker_long\"}", |n| n == 1).await;
        frozen.freeze();
        WorkerProcess::start(&nats.flag(), 1)
    };
    let (reply, _other) = tokio::join!(search, freeze);
    assert!(answered(&reply), "the other worker had time: {reply:?}");
    assert_eq!(metric(server.address, "kibitz_worker_retries_total").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_that_ends_makes_short_searches_and_hands_long_ones_back() {
    let nats = NatsServer::start();
    let mut ending = WorkerProcess::start(&nats.flag(), 2);
    let server = node(&nats, &[WORKERS_ONLY]);
    until_workers(&server, 1).await;
    let position = position(server.address, "azul", 1, 4).await;
    let short = think(server.address, &position, 2000, 4000);
    let long = think(server.address, &position, 3000, 120_000);
    let replace = async {
        until_metric(server.address, "kibitz_pool_running{lane=\"worker_long\"}", |n| n == 2).await;
        let next = WorkerProcess::start(&nats.flag(), 2);
        until_workers(&server, 2).await;
        ending.begin_stop();
        next
    };
    let (short, long, _next) = tokio::join!(short, long, replace);
    assert!(answered(&short) && answered(&long), "{short:?} {long:?}");
    assert_eq!(ending.ended(), 0, "{:#?}", ending.log());
    assert_eq!(
        metric(server.address, "kibitz_worker_retries_total").await,
        1,
        "the long one was handed back"
    );
    until_workers(&server, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_nats_searches_run_here_or_are_refused() {
    let mut nats = NatsServer::start();
    let _worker = WorkerProcess::start(&nats.flag(), 2);
    let [mixed, strict] = [node(&nats, &[]), node(&nats, &[WORKERS_ONLY])];
    let position = position(mixed.address, "azul", 1, 4).await;
    for round in 1..=2 {
        for server in [&mixed, &strict] {
            until_workers(server, 1).await;
            // It returns to the workers by itself. On a busy machine a worker may be silent for so long that it counts as lost.
            let began = Instant::now();
            while by_workers(server).await < round {
                assert!(began.elapsed() < HANG, "no worker decides");
                think(server.address, &position, 200, 60_000).await;
            }
        }
        if round == 2 {
            break;
        }
        // Two searches are running on the worker when NATS dies.
        let repeated = by_itself(&mixed).await;
        let [here, refused] = [&mixed, &strict].map(|s| think(s.address, &position, 1500, 30_000));
        let kill = async {
            for server in [&mixed, &strict] {
                until_metric(server.address, "kibitz_pool_running{lane=\"worker_long\"}", |n| n == 1).await;
            }
            nats.kill();
        };
        let (here, refused, ()) = tokio::join!(here, refused, kill);
        assert!(answered(&here), "it is repeated here: {here:?}");
        assert!(!answered(&refused), "this server runs no engines");
        assert_eq!(by_itself(&mixed).await, repeated + 1);
        // New ones.
        assert!(answered(&think(mixed.address, &position, 200, 60_000).await));
        assert!(!answered(&think(strict.address, &position, 200, 60_000).await));
        for server in [&mixed, &strict] {
            assert_eq!(ask(server.address, "GET", "/readyz", &Value::Null).await.status, 200);
        }
        nats.begin();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn search_of_a_client_that_disconnects_ends_on_the_worker() {
    let nats = NatsServer::start();
    let _worker = WorkerProcess::start(&nats.flag(), 2);
    let traffic = Traffic::record(&nats);
    let server = node(&nats, &[WORKERS_ONLY, LONG_THINKING]);
    until_workers(&server, 1).await;
    let position = position(server.address, "azul", 1, 4).await;
    for path in [PATH, "/v1/games/azul/analysis"] {
        let request = json!({ "position": position, "think_ms": LONG });
        tokio::select! {
            reply = ask(server.address, "POST", path, &request) => panic!("{reply:?}"),
            () = until_metric(server.address, "kibitz_pool_running{lane=\"worker_long\"}", |n| n == 1) => {}
        }
        // The client is gone.
        traffic.until_idle().await;
        until_metric(server.address, "kibitz_pool_running{lane=\"worker_long\"}", |n| n == 0).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn search_of_a_killed_node_ends_by_its_deadline() {
    let nats = NatsServer::start();
    let _worker = WorkerProcess::start(&nats.flag(), 2);
    let traffic = Traffic::record(&nats);
    let mut server = node(&nats, &[WORKERS_ONLY]);
    until_workers(&server, 1).await;
    let (address, position) = (server.address, position(server.address, "azul", 1, 4).await);
    let search = tokio::spawn(async move {
        let request = json!({ "position": position, "think_ms": 3000 });
        // The server is killed meanwhile.
        let request = hyper::Request::builder()
            .method("POST")
            .uri(PATH)
            .header("content-type", "application/json")
            .header("host", "test")
            .body(http_body_util::Full::new(hyper::body::Bytes::from(request.to_string())))
            .unwrap();
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let io = hyper_util::rt::TokioIo::new(stream);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        tokio::spawn(connection);
        sender.send_request(request).await.is_err()
    });
    until_metric(server.address, "kibitz_pool_running{lane=\"worker_long\"}", |n| n == 1).await;
    server.kill();
    assert!(search.await.unwrap());
    traffic.until_idle().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_with_another_engine_version_is_not_asked() {
    let nats = NatsServer::start();
    let mut traffic = Traffic::record(&nats);
    let _worker = WorkerProcess::start(&nats.flag(), 2);
    let announced = |m: &super::traffic::NatsMessage| m.subject.ends_with(".workers");
    traffic.until(0, "an announcement", announced).await;
    let real = traffic.so_far().into_iter().find(announced).unwrap();
    let server = node(&nats, &[WORKERS_ONLY]);
    until_workers(&server, 1).await;
    let mut other = real.json();
    other["worker"] = json!("w-other");
    other["engines"][0]["version"] = json!(99);
    traffic.send(&real.subject, &other);
    let began = Instant::now();
    while !server.log().iter().any(|line| line.contains("other engine versions") && line.contains("w-other"))
    {
        assert!(began.elapsed() < HANG);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(metric(server.address, "kibitz_workers").await, 1);
    let position = position(server.address, "azul", 1, 4).await;
    for _ in 0..3 {
        assert!(answered(&think(server.address, &position, 100, 60_000).await));
    }
    assert!(!traffic.so_far().iter().any(|m| m.subject.ends_with(".w-other")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_that_stops_gets_the_decision_so_far() {
    let nats = NatsServer::start();
    let _worker = WorkerProcess::start(&nats.flag(), 1);
    let mut server = node(&nats, &[WORKERS_ONLY, LONG_THINKING]);
    until_workers(&server, 1).await;
    let (address, position) = (server.address, position(server.address, "azul", 1, 4).await);
    let search = tokio::spawn(async move { think(address, &position, LONG, LONG).await });
    until_metric(address, "kibitz_pool_running{lane=\"worker_long\"}", |n| n == 1).await;
    // The search has begun on the worker as well.
    tokio::time::sleep(Duration::from_millis(200)).await;
    tokio::task::spawn_blocking(move || server.stop()).await.unwrap();
    assert!(answered(&search.await.unwrap()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosted_match_goes_on_when_its_worker_is_killed() {
    let nats = NatsServer::start();
    let first = WorkerProcess::start(&nats.flag(), 1);
    let server = node(&nats, &[WORKERS_ONLY]);
    until_workers(&server, 1).await;
    let engine = json!({ "kind": "engine", "engine": "splendor", "think_ms": 150 });
    let order = json!({ "game": "splendor", "seats": [engine, engine] });
    let made = ask(server.address, "POST", "/v1/matches", &order).await;
    assert_eq!(made.status, 201, "{made:?}");
    let made: Value = serde_json::from_slice(&made.body).unwrap();
    let path = made["url"].as_str().unwrap();
    let page = async || ask(server.address, "GET", path, &Value::Null).await.json();
    let until_ply = async |ply: u64| {
        let began = Instant::now();
        while page().await["ply"].as_u64().unwrap() < ply {
            assert!(began.elapsed() < HANG);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    until_ply(3).await;
    first.kill();
    until_workers(&server, 0).await;
    let _second = WorkerProcess::start(&nats.flag(), 1);
    until_ply(page().await["ply"].as_u64().unwrap() + 3).await;
    assert_eq!(page().await["stage"], "running", "nobody has committed a foul or left");
    assert_eq!(by_itself(&server).await, 0);
}
