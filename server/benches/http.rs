//! cargo bench -p kibitz --bench http: move requests per second with an instant engine, against a bare axum handler with
//! bodies of the same sizes, both in this process, over 64 connections, in alternating rounds.

mod common;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::routing::post;

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 6;
const ROUND: Duration = Duration::from_secs(2);
const PATH: &str = "/v1/games/ioiwari/move";

#[tokio::main]
async fn main() {
    let body = r#"{"position":{"pits":[4,3,2,4,2,3,2],"banks":[0,0],"to_move":0},"seed":7}"#;
    let request: Arc<[u8]> = common::post(PATH, body).into();
    let server = common::server(&[], engines::games::GAMES).await;
    let (status, answer) = {
        let mut client = common::BenchClient::dial(server.address()).await;
        let (status, answer) = client.exchange(&request).await;
        (status, Bytes::copy_from_slice(answer))
    };
    assert_eq!(status, 200, "{answer:?}");
    println!("bodies: {} bytes there, {} back; {CONNECTIONS} connections", body.len(), answer.len());
    let bare = bare(answer).await;
    let (mut sums, mut costs) = ([0.0; 2], [0.0; 2]);
    for round in 0..ROUNDS {
        for side in [round % 2, 1 - round % 2] {
            let before = common::cpu_s();
            let rate = load([server.address(), bare][side], &request).await;
            // Includes the cost of the clients, which run in this process, too.
            let cost = 1e6 * (common::cpu_s() - before) / (rate * ROUND.as_secs_f64());
            sums[side] += rate;
            costs[side] += cost;
            let name = ["kibitz", "bare axum"][side];
            println!("round {round}: {rate:>8.0} requests/s, {cost:.1} us of processor each, {name}");
        }
    }
    println!(
        "kibitz {:.0} requests/s, bare axum {:.0}, ratio {:.2} (by processor time {:.2})",
        sums[0] / ROUNDS as f64,
        sums[1] / ROUNDS as f64,
        sums[0] / sums[1],
        costs[1] / costs[0]
    );
    server.stop().await;
}

/// A handler that reads a body and returns this one.
async fn bare(answer: Bytes) -> SocketAddr {
    let handler = move |_: Bytes| {
        let answer = answer.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], answer) }
    };
    let router = Router::new().route(PATH, post(handler));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Requests per second in one round.
async fn load(address: SocketAddr, request: &Arc<[u8]>) -> f64 {
    let began = Instant::now();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let request = Arc::clone(request);
            tokio::spawn(async move {
                let mut client = common::BenchClient::dial(address).await;
                let mut count = 0u64;
                while began.elapsed() < ROUND {
                    let (status, _) = client.exchange(&request).await;
                    assert_eq!(status, 200);
                    count += 1;
                }
                count
            })
        })
        .collect();
    let mut count = 0;
    for client in clients {
        count += client.await.expect("no client fails");
    }
    count as f64 / began.elapsed().as_secs_f64()
}
