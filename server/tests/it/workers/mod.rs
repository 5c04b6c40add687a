//! Workers: real servers and workers around a real NATS server.

mod decisions;
mod faults;
pub(crate) mod processes;
mod programs;
mod request_ids;
mod secrecy;
mod sharing;
mod traffic;
mod trust;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::Request;
use serde_json::{Value, json};

use self::processes::NatsServer;
use crate::client::{HANG, TestResponse, connect_from, exchange_on};
use crate::server_process::ServerProcess;

/// The setting that leaves all searches to workers.
const WORKERS_ONLY: &str = "--local-engines=false";

/// Starts a server that uses workers.
fn node(nats: &NatsServer, flags: &[&str]) -> ServerProcess {
    let workers = nats.flag();
    ServerProcess::start(&[&[workers.as_str()], flags].concat())
}

/// Sends a request from this loopback address: to the server, each is another caller.
async fn ask_from(source: &str, server: SocketAddr, method: &str, path: &str, body: &Value) -> TestResponse {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    exchange_on(connect_from(source, server).await, request.body(Full::new(body.into())).unwrap()).await
}

async fn ask(server: SocketAddr, method: &str, path: &str, body: &Value) -> TestResponse {
    ask_from("127.0.0.1", server, method, path, body).await
}

/// A position of this game after some moves.
async fn position(server: SocketAddr, game: &str, seed: u64, plies: u64) -> Value {
    let order = json!({ "seed": seed, "plies": plies });
    ask(server, "POST", &format!("/v1/games/{game}/positions"), &order).await.json()["position"].clone()
}

/// The value of a metric. `name`: its name and labels.
async fn metric(server: SocketAddr, name: &str) -> u64 {
    let metrics = ask(server, "GET", "/metrics", &Value::Null).await;
    let value = metrics.text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.map_or(0, |value| value.parse().unwrap())
}

/// Waits until a metric has a value that is right.
async fn until_metric(server: SocketAddr, name: &str, right: impl Fn(u64) -> bool) {
    let began = Instant::now();
    loop {
        let now = metric(server, name).await;
        if right(now) {
            return;
        }
        assert!(began.elapsed() < HANG, "{name} stays at {now}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until the server knows this many workers.
async fn until_workers(server: &ServerProcess, count: u64) {
    until_metric(server.address, "kibitz_workers", |known| known == count).await;
}

/// The number of searches that workers have decided.
async fn by_workers(server: &ServerProcess) -> u64 {
    metric(server.address, "kibitz_worker_searches_total{ran=\"worker\"}").await
}

/// The number of searches that were given to the server's own threads.
async fn by_itself(server: &ServerProcess) -> u64 {
    metric(server.address, "kibitz_worker_searches_total{ran=\"local\"}").await
}
