//! cargo bench -p kibitz --bench nodes: the time from a move's request at one node until its event reaches a watcher on
//! another node, beside a watcher on the same node, for the same moves. Two servers in this process on a private PostgreSQL
//! server that waits for the disk; clients in the same process.

mod common;

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use kibitz_test_support::PrivatePostgres;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

const MOVES: usize = 3_000;

/// Moves before measuring begins.
const WARM_UP: usize = 100;

/// The pause between two moves: the machine is to be idle.
const PAUSE: Duration = Duration::from_millis(5);

/// An event of a move, and the time at which it arrived.
type MoveArrival = (u64, Instant);

#[tokio::main]
async fn main() {
    let postgres = PrivatePostgres::start_with(&[]);
    let url = postgres.create();
    let flags = ["--threads=1", "--creations-burst=1000000"];
    let here = common::server_on(Path::new(&url), &flags, engines::games::GAMES).await;
    let there = common::server_on(Path::new(&url), &flags, engines::games::GAMES).await;
    let addresses = [here.address(), there.address()];
    let mut client = common::BenchClient::dial(addresses[0]).await;
    // From the request: until its answer, the event on the same node, the event on the other node.
    let mut times: [Vec<Duration>; 3] = Default::default();
    let mut first = 0;
    while times[0].len() < MOVES {
        let taken = play(&mut client, addresses).await;
        if first < WARM_UP {
            first += taken[0].len();
            continue;
        }
        for (times, mut taken) in times.iter_mut().zip(taken) {
            times.append(&mut taken);
        }
    }
    println!("{} moves, one after the other; from the request:", times[0].len());
    let names = ["the answer", "the event on the same node", "the event on the other node"];
    for (name, mut times) in names.into_iter().zip(times) {
        times.sort_unstable();
        let [p50, p99, most] = [0.5, 0.99, 1.0].map(|q| common::quantile(&times, q));
        println!("  {name}: p50 {p50:.2?}, p99 {p99:.2?}, at most {most:.2?}");
    }
    here.stop().await;
    there.stop().await;
}

/// Plays a match at the first node, with a watcher on each.
async fn play(client: &mut common::BenchClient, nodes: [SocketAddr; 2]) -> [Vec<Duration>; 3] {
    let order = r#"{"game":"ioiwari","seats":[{"kind":"me"},{"kind":"me"}]}"#;
    let (status, made) = client.exchange(&common::post("/v1/matches", order)).await;
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(made));
    let made: Value = serde_json::from_slice(made).expect("answers are JSON");
    let path = made["url"].as_str().expect("it has a page").to_owned();
    let token = |seat: u64| made["seats"][seat as usize]["token"].as_str().expect("seats have tokens");
    let mut watchers = Vec::new();
    for node in nodes {
        watchers.push(watch(node, &path).await);
    }
    let mut times: [Vec<Duration>; 3] = Default::default();
    loop {
        let page = with_token(&format!("GET {path}"), token(0), "");
        let mut page = read(client, &page).await;
        let Some(turn) = page["turn"].as_u64() else { return times };
        if turn != 0 {
            page = read(client, &with_token(&format!("GET {path}"), token(turn), "")).await;
        }
        let (ply, notation) =
            (page["ply"].as_u64().expect("pages tell"), &page["legal_moves"][0]["notation"]);
        let body = format!(r#"{{"ply":{ply},"notation":{notation}}}"#);
        let request = with_token(&format!("POST {path}/moves"), token(turn), &body);
        tokio::time::sleep(PAUSE).await;
        let sent = Instant::now();
        let (status, _) = client.exchange(&request).await;
        assert_eq!(status, 200);
        times[0].push(sent.elapsed());
        for (watcher, times) in watchers.iter_mut().zip(&mut times[1..]) {
            let (seen, at) = watcher.recv().await.expect("it watches to the end");
            assert_eq!(seen, ply);
            times.push(at - sent);
        }
    }
}

fn with_token(line: &str, token: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{line} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

async fn read(client: &mut common::BenchClient, request: &[u8]) -> Value {
    let (status, body) = client.exchange(request).await;
    assert_eq!(status, 200);
    serde_json::from_slice(body).expect("answers are JSON")
}

/// Follows a match; returns when the stream has begun.
async fn watch(node: SocketAddr, path: &str) -> mpsc::UnboundedReceiver<MoveArrival> {
    let mut stream = TcpStream::connect(node).await.expect("the server listens");
    let request = format!(
        "GET {path}/events HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nAccept: application/x-ndjson\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("the server reads");
    let mut lines = BufReader::new(stream).lines();
    // The first object is the page.
    while !lines.next_line().await.expect("it can be read").expect("it begins").starts_with('{') {}
    let (sender, seen) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok(Some(line)) = lines.next_line().await {
            let at = Instant::now();
            // Other lines are lengths of chunks, and heartbeats.
            let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
            if event["type"] == "moved"
                && let Some(ply) = event["ply"].as_u64()
                && sender.send((ply, at)).is_err()
            {
                return;
            }
        }
    });
    seen
}
