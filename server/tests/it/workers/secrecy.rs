//! The messages that pass through NATS while whole matches are played: views of the seats to move, and nothing else of
//! a match.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use engines::game::{Seat, Turn, Viewer};
use futures_util::future::join_all;
use http_body_util::Full;
use hyper::Request;
use serde_json::{Value, json};

use super::processes::{NatsServer, WorkerProcess};
use super::traffic::{NatsMessage, Traffic};
use super::{WORKERS_ONLY, ask, by_itself, by_workers, node, until_workers};
use crate::client::{TestResponse, exchange};

/// A player's name.
const NAME: &str = "canaryplayer";
const PASSWORD: &str = "canary-password";

/// A client that shows a player's token and a match's key, where it has them.
async fn send(
    server: SocketAddr,
    method: &str,
    path: &str,
    [token, key]: [&str; 2],
    body: &Value,
) -> TestResponse {
    let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    if !token.is_empty() {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    if !key.is_empty() {
        request = request.header("match-key", key);
    }
    exchange(server, request.body(Full::new(body.to_string().into())).unwrap()).await
}

#[track_caller]
fn made(reply: &TestResponse) -> Value {
    assert_eq!(reply.status, 201, "{reply:?}");
    serde_json::from_slice(&reply.body).unwrap()
}

/// A match against an engine.
struct PlayedMatch {
    game: &'static str,
    record: Value,
    /// Texts that must not pass through NATS.
    secrets: Vec<String>,
}

/// Plays a private match of this game to its end: the player's moves are the first legal ones.
async fn play(server: SocketAddr, game: &'static str, player: &str) -> PlayedMatch {
    let engine = json!({ "kind": "engine", "nodes": 30, "think_ms": 20_000 });
    let order = json!({ "game": game, "private": true, "seats": [{ "kind": "me" }, engine] });
    let made = made(&send(server, "POST", "/v1/matches", [player, ""], &order).await);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (id, key) = (text(&made["id"]).unwrap(), text(&made["key"]).unwrap());
    let path = format!("/v1/matches/{id}");
    let shown = [player, key.as_str()];
    loop {
        let page = send(server, "GET", &path, shown, &Value::Null).await.json();
        if page["stage"] == "over" {
            break;
        }
        let Some(mv) = page["legal_moves"].as_array().and_then(|moves| moves.first()) else {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            continue;
        };
        let mv = json!({ "ply": page["ply"], "notation": mv["notation"] });
        assert_eq!(send(server, "POST", &format!("{path}/moves"), shown, &mv).await.status, 200);
    }
    let record = send(server, "GET", &format!("{path}/record"), shown, &Value::Null).await.json();
    let secrets =
        [Some(id), Some(key), text(&record["seed"]), text(&record["salt"]), text(&record["commitment"])];
    let secrets = secrets.into_iter().flatten().chain(text(&made["seats"][0]["token"])).collect();
    PlayedMatch { game, record, secrets }
}

/// The views of the seats to move in this match, as JSON.
fn views(table: &PlayedMatch) -> BTreeSet<String> {
    let game = engines::games::find(table.game).unwrap();
    let events = table.record["events"].as_array().unwrap();
    let mut state = game.restore(&events[0]["state"]).unwrap();
    let mut views = BTreeSet::new();
    for event in events.iter().filter(|event| event["type"] == "moved") {
        if let Turn::Of(seat) = state.turn() {
            views.insert(state.view(Viewer::Seat(seat)).to_json().to_string());
        }
        let seat = Seat(event["seat"].as_u64().unwrap() as u8);
        state.play(seat, event["notation"].as_str().unwrap()).unwrap();
    }
    assert_eq!(state.turn(), Turn::Over);
    views
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Checks the form of a message. Returns the game and the position, if it asks for a search.
fn check(message: &NatsMessage) -> Option<(String, String)> {
    let parts: Vec<&str> = message.subject.split('.').collect();
    let random = |key: &str| key.len() == 17 && key[1..].bytes().all(|b| b.is_ascii_hexdigit());
    if let ["kibitz", "runners", _, "announcements"] = parts[..] {
        assert!(message.payload.len() < 32, "{message:?}");
        return None;
    }
    let json = message.json();
    let number = |text: &str| text.parse::<u64>().is_ok();
    match parts[..] {
        ["kibitz", "v2", "workers"] => {
            assert_eq!(keys(&json), ["busy", "engines", "leaving", "threads", "worker"]);
        }
        ["kibitz", "v2", "worker", worker] if random(worker) => {
            let Some(order) = json.get("think") else {
                let short = json.is_null() || keys(&json).len() == 1;
                assert!(short && message.payload.len() < 80, "{json}");
                return None;
            };
            let all = ["engine", "key", "left_us", "limits", "position", "request", "think_us", "updates"];
            assert_eq!(keys(order), all);
            assert_eq!(keys(&order["key"]), ["node", "search"]);
            assert_eq!(keys(&order["engine"]), ["game", "name", "version"]);
            assert_eq!(keys(&order["limits"]), ["candidates", "level", "nodes", "seed"]);
            let game = order["engine"]["game"].as_str().unwrap();
            return Some((game.to_owned(), order["position"].to_string()));
        }
        ["kibitz", "v2", "node", node, search] if random(node) && number(search) => {
            if json == "taken" {
                return None;
            }
            let report = json.get("done").or(json.get("found")).unwrap_or_else(|| panic!("{json}"));
            assert_eq!(keys(report), ["answer", "took_us"]);
            let all = ["candidates", "depth", "engine", "line", "move", "nodes", "notation", "value"];
            assert_eq!(keys(&report["answer"]), all);
        }
        ["kibitz", "v2", "node", node, "ping", worker] if random(node) && random(worker) => {}
        _ => panic!("{message:?}"),
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_views_of_the_seats_to_move_pass_through_nats() {
    let nats = NatsServer::start();
    let traffic = Traffic::record(&nats);
    let _worker = WorkerProcess::start(&nats.flag(), 2);
    let server = node(&nats, &[WORKERS_ONLY]);
    until_workers(&server, 1).await;
    let address = server.address;
    let player = made(&ask(address, "POST", "/v1/players", &json!({ "name": NAME })).await);
    let player = player["token"].as_str().unwrap();
    let played =
        join_all(engines::games::GAMES.iter().map(|game| play(address, game.info().slug, player))).await;
    assert_eq!(by_itself(&server).await, 0);

    let messages = traffic.so_far();
    let mut asked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut count = 0;
    for (game, position) in messages.iter().filter_map(check) {
        asked.entry(game).or_default().insert(position);
        count += 1;
    }
    assert!(by_workers(&server).await >= 50 && count >= 50, "{count} searches");
    for table in &played {
        let asked = asked.remove(table.game).unwrap_or_default();
        let instant = engines::games::find(table.game).unwrap().engines()[0].instant;
        assert_eq!(asked.is_empty(), instant, "only the engine of {} needs no worker", table.game);
        let views = views(table);
        let foreign: Vec<_> = asked.difference(&views).collect();
        assert!(foreign.is_empty(), "{} is no view of a seat to move in {}", foreign[0], table.game);
    }
    assert!(asked.is_empty(), "other games: {asked:?}");
    let mut secrets: Vec<String> = played.into_iter().flat_map(|table| table.secrets).collect();
    assert!(secrets.len() >= 25, "{secrets:?}");
    secrets.extend([player.to_owned(), NAME.to_owned(), "127.0.0.1".to_owned(), address.port().to_string()]);
    for message in &messages {
        let text =
            format!("{} {:?} {}", message.subject, message.reply, String::from_utf8_lossy(&message.payload));
        let found = secrets.iter().find(|secret| secret.len() > 5 && text.contains(*secret));
        assert!(found.is_none(), "{found:?} is in {message:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_of_nats_are_used_and_not_logged() {
    for (flags, credentials) in [
        (&["--user", "ann", "--pass", PASSWORD][..], format!("ann:{PASSWORD}")),
        (&["--auth", PASSWORD], PASSWORD.to_owned()),
    ] {
        let nats = NatsServer::with(flags);
        let workers = format!("--workers=nats://{credentials}@{}", nats.address());
        let worker = WorkerProcess::start(&workers, 1);
        let mut server =
            crate::server_process::ServerProcess::start_with_trace_log(&[&workers, WORKERS_ONLY]);
        until_workers(&server, 1).await;
        let stranger = WorkerProcess::start(&nats.flag(), 1);
        let began = std::time::Instant::now();
        while !stranger.log().iter().any(|line| line.contains("NATS reports an error")) {
            assert!(began.elapsed() < crate::client::HANG, "{:#?}", stranger.log());
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        until_workers(&server, 1).await;
        server.stop();
        for line in [worker.log(), server.log(), stranger.log()].concat() {
            assert!(!line.contains(PASSWORD), "{line}");
        }
    }
}
