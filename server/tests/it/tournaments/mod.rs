//! Tournaments from outside: real servers, real clients, a killed server.

mod course;
mod crash;
mod gauntlet;
mod ladder;
mod rights;
mod sealed;
mod seats;
pub(crate) mod standings;
mod two_servers;
mod window;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::client::{HANG, TestServer};
use crate::matches::{SHORT, TestCaller, choose};

/// The name among players of the engine that needs no time.
pub(super) fn random_engine(game: &str, level: &str) -> String {
    let found = engines::games::GAMES.iter().find(|offer| offer.info().slug == game).unwrap();
    let engine = found.engines().into_iter().find(|engine| engine.name == "random").unwrap();
    format!("{game}:random:{}:{level}", engine.version)
}

/// A request for a tournament with a long clock.
pub(super) fn request(game: &str, format: Value) -> Value {
    json!({ "title": "Test cup", "game": game, "format": format, "clock": { "initial_ms": 3_600_000 } })
}

pub(super) fn round_robin() -> Value {
    json!({ "kind": "round_robin" })
}

/// Creates a tournament; returns its path.
pub(super) async fn create(host: &TestServer, organizer: &TestCaller, request: Value) -> String {
    let reply = organizer.post(host, "/v1/tournaments", request).await;
    let page = reply.made();
    assert_eq!(page["stage"], "registration");
    let path = format!("/v1/tournaments/{}", page["id"].as_str().unwrap());
    assert_eq!(reply.header("location"), path);
    path
}

/// Enters a player by name.
pub(super) async fn enter(host: &TestServer, caller: &TestCaller, path: &str, name: &str) {
    caller.post(host, &format!("{path}/entries"), json!({ "name": name })).await.made();
}

/// Waits until the tournament fits, and returns it.
pub(crate) async fn until(host: &TestServer, path: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let wait = async {
        loop {
            let page = host.get(path).await.json();
            if fits(&page) {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(HANG, wait).await.expect("the tournament goes on")
}

pub(super) async fn until_ended(host: &TestServer, path: &str) -> Value {
    until(host, path, |page| page["stage"] == "ended").await
}

/// A request to a server that may be away: the status and the JSON of its answer.
pub(crate) async fn attempt(
    address: SocketAddr,
    caller: &TestCaller,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Option<(StatusCode, Value)> {
    let mut request = Request::builder().method(method).uri(path).header("host", address.to_string());
    for (name, value) in caller.headers() {
        request = request.header(name, value);
    }
    if body.is_some() {
        request = request.header("content-type", "application/json");
    }
    let body = body.map_or_else(String::new, |body| body.to_string());
    let request = request.body(Full::new(hyper::body::Bytes::from(body))).unwrap();
    let stream = TcpStream::connect(address).await.ok()?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.ok()?;
    let connection = tokio::spawn(connection);
    let reply = sender.send_request(request).await;
    let (parts, body) = reply.ok()?.into_parts();
    let body = body.collect().await.ok()?.to_bytes();
    connection.abort();
    Some((parts.status, serde_json::from_slice(&body).unwrap_or_default()))
}

/// A simple client: joins the matches that wait for it, and makes moves, until `stop` is set. It asks the servers in
/// turn, and survives their restarts.
pub(super) async fn play_all(servers: Vec<SocketAddr>, caller: TestCaller, stop: Arc<AtomicBool>) {
    for address in servers.into_iter().cycle() {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let listed = attempt(address, &caller, "GET", "/v1/me/matches?limit=100", None).await;
        let matches = listed.map(|(_, list)| list["matches"].clone()).unwrap_or_default();
        let unfinished = matches.as_array().into_iter().flatten().filter(|entry| entry["stage"] != "over");
        for entry in unfinished {
            let path = format!("/v1/matches/{}", entry["id"].as_str().unwrap());
            step(address, &caller, &path).await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Joins the match or makes moves in it as long as it is the caller's turn.
async fn step(address: SocketAddr, caller: &TestCaller, path: &str) {
    loop {
        let Some((_, page)) = attempt(address, caller, "GET", path, None).await else { return };
        if page["stage"] == "open" && page["you"].is_null() {
            attempt(address, caller, "POST", &format!("{path}/join"), None).await;
            return;
        }
        if page["stage"] != "running" || page["turn"] != page["you"] {
            return;
        }
        let mv = &choose(&page, page["ply"].as_u64().unwrap())["notation"];
        let mv = json!({ "ply": page["ply"], "notation": mv });
        if attempt(address, caller, "POST", &format!("{path}/moves"), Some(mv)).await.is_none() {
            return;
        }
    }
}

/// The tournament's two engines.
pub(super) async fn enter_engines(host: &TestServer, organizer: &TestCaller, path: &str) {
    for level in ["easy", "hard"] {
        enter(host, organizer, path, &random_engine(SHORT, level)).await;
    }
}
