//! cargo bench -p kibitz --bench stdio: from a line to its response over a WebSocket, against a bare WebSocket that echoes,
//! in alternating dialogues.

mod common;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::WebSocketUpgrade;
use axum::routing::get;
use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;

const DIALOGUES: usize = 3000;

#[tokio::main]
async fn main() {
    let server = common::server(&[], engines::games::GAMES).await;
    let path = "/v1/games/ioiwari/stdio";
    let sides = [server.address(), bare(path).await];
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..DIALOGUES {
        for (address, times) in sides.iter().zip(&mut times) {
            dialogue(&format!("ws://{address}{path}"), times).await;
        }
    }
    for (name, times) in ["kibitz stdio", "bare echo"].iter().zip(&mut times) {
        times.sort_unstable();
        let [p50, p99] = [0.5, 0.99].map(|q| common::quantile(times, q).as_secs_f64() * 1e6);
        println!("{name}: p50 {p50:.0} us, p99 {p99:.0} us of {} round trips", times.len());
    }
    server.stop().await;
}

/// A dialogue with three responses; the first, which opens it, is not timed.
async fn dialogue(url: &str, times: &mut Vec<Duration>) {
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.expect("the server listens");
    for (i, line) in ["< 4 3 2 4 2 3 2", "< 3", "< 4"].into_iter().enumerate() {
        let began = Instant::now();
        socket.send(Message::text(line)).await.expect("the server reads");
        let answer = socket.next().await.expect("the server answers").expect("the connection is open");
        assert!(answer.is_text(), "{answer:?}");
        if i > 0 {
            times.push(began.elapsed());
        }
    }
    // The peer may have closed first.
    let _ = socket.close(None).await;
}

async fn bare(path: &str) -> SocketAddr {
    let echo = |upgrade: WebSocketUpgrade| async {
        upgrade.on_upgrade(|mut socket| async move {
            while let Some(Ok(message)) = socket.recv().await {
                if socket.send(message).await.is_err() {
                    return;
                }
            }
        })
    };
    let router = Router::new().route(path, get(echo));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
