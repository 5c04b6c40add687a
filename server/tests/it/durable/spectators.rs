//! The number of spectators of a match is that of all nodes.

use std::net::SocketAddr;

use http_body_util::Full;
use hyper::Request;
use serde_json::json;
use tokio::task::JoinHandle;

use super::follower::{FollowMode, Follower};
use super::silence::two_guests;
use crate::client::exchange;
use crate::server_process::{ServerProcess, until};

/// The number of spectators that `/tv` shows; `None`: it shows no match.
async fn shown(server: SocketAddr) -> Option<u32> {
    let page = exchange(server, Request::get("/tv").body(Full::default()).unwrap()).await;
    let (_, count) = page.text().split_once("data-spectators=\"")?;
    count.split_once('"')?.0.parse().ok()
}

async fn show(servers: &[SocketAddr], count: u32) {
    for server in servers {
        until(|| async { (shown(*server).await == Some(count)).then_some(()) }).await;
    }
}

async fn node(url: &str) -> ServerProcess {
    let url = url.to_owned();
    let start = move || ServerProcess::start_on(&url, &["--threads=1"]);
    tokio::task::spawn_blocking(start).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spectators_of_all_nodes_are_added_up_until_their_node_dies() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let (first, mut second) = (node(&url).await, node(&url).await);
    let [a, b] = [first.address, second.address];
    let (path, tokens) = two_guests(a, json!({ "initial_ms": 3_600_000 })).await;
    let id = path.rsplit('/').next().unwrap();
    let follow = |server, token| -> JoinHandle<Follower> {
        tokio::spawn(Follower::new(&[server], id, token, FollowMode::Live).follow())
    };
    // A player is no spectator. While one is there, the match is worth watching.
    let player = follow(a, Some(&tokens[0]));
    let here = follow(a, None);
    let there = [follow(b, None), follow(b, None)];
    show(&[a, b], 3).await;
    there[0].abort();
    show(&[a, b], 2).await;
    // A node that comes later learns what the others know, without a change.
    let third = node(&url).await;
    let c = third.address;
    show(&[c], 2).await;
    second.kill();
    there[1].abort();
    show(&[a, c], 1).await;
    here.abort();
    show(&[a, c], 0).await;
    player.abort();
}
