//! One id of a request wherever the server works for it: in the lines of the log from the request through the actor of a match and
//! its commit to an engine, and in problems. And the life of matches in the log.

use std::net::SocketAddr;

use http_body_util::Full;
use hyper::Request;
use serde_json::{Value, json};

use crate::client::{TestResponse, TestServer, exchange};
use crate::hosted_programs::source;
use crate::matches::TestCaller;
use crate::programs::compiled;
use crate::server_process::{ServerProcess, until};

/// Sends a request with this id, as the holder of this token.
pub(crate) async fn ask_as(
    server: SocketAddr,
    id: &str,
    token: Option<&str>,
    path: &str,
    body: &Value,
) -> TestResponse {
    let mut request = Request::builder().method("POST").uri(path).header("content-type", "application/json");
    request = request.header("x-request-id", id);
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let body = if body.is_null() { String::new() } else { body.to_string() };
    exchange(server, request.body(Full::new(body.into())).unwrap()).await
}

/// The lines of a log in JSON that have this id.
fn lines_of(log: &[String], id: &str) -> Vec<Value> {
    let lines = log.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["request_id"] == id).collect()
}

/// Waits for a line of this request with this message.
pub(crate) async fn line(server: &ServerProcess, id: &str, message: &str) -> Value {
    let found = async || lines_of(&server.log(), id).into_iter().find(|line| line["message"] == message);
    until(found).await
}

/// A match against an engine, made by a request with the id `make`; its id, and the token of the seat that moves first.
pub(crate) async fn match_with_engine(server: SocketAddr, game: &str) -> (String, String) {
    let seats = json!([{ "kind": "me" }, { "kind": "engine", "think_ms": 20 }]);
    let order = json!({ "game": game, "seats": seats });
    let made = ask_as(server, "make", None, "/v1/matches", &order).await;
    assert_eq!(made.status, 201, "{made:?}");
    let made: Value = serde_json::from_slice(&made.body).unwrap();
    let token = made["seats"][0]["token"].as_str().unwrap().to_owned();
    (made["id"].as_str().unwrap().to_owned(), token)
}

/// Makes the first legal move by a request with the id `move`.
pub(crate) async fn first_move(server: SocketAddr, id: &str, token: &str) {
    let request = Request::builder().uri(format!("/v1/matches/{id}"));
    let request = request.header("authorization", format!("Bearer {token}")).body(Full::default()).unwrap();
    let page = exchange(server, request).await.json();
    let body = json!({ "ply": 0, "move": page["legal_moves"][0]["move"] });
    let moved = ask_as(server, "move", Some(token), &format!("/v1/matches/{id}/moves"), &body).await;
    assert!(moved.status.is_success(), "{moved:?}");
}

#[tokio::test]
async fn id_is_in_the_lines_of_actor_commit_and_engine() {
    let server = ServerProcess::start_with_trace_log(&["--match-log-level=debug"]);
    let (id, token) = match_with_engine(server.address, "ioiwari").await;
    first_move(server.address, &id, &token).await;
    for message in ["created", "begun", "committed"] {
        line(&server, "make", message).await;
    }
    // The answer of the engine is due to the move.
    line(&server, "move", "an engine has decided").await;
    let moves = async || {
        let lines = lines_of(&server.log(), "move");
        let seats: Vec<Value> =
            lines.iter().filter(|line| line["message"] == "moved").map(|line| line["seat"].clone()).collect();
        (seats.len() == 2).then_some((seats, lines))
    };
    let (seats, lines) = until(moves).await;
    assert_eq!(seats, [0, 1]);
    assert!(lines.iter().filter(|line| line["message"] == "committed").count() >= 2, "{lines:#?}");
    let path = format!("/v1/matches/{id}/resign");
    let resigned = ask_as(server.address, "end", Some(&token), &path, &Value::Null).await;
    assert!(resigned.status.is_success(), "{resigned:?}");
    let ended = line(&server, "end", "ended").await;
    assert_eq!((&ended["id"], &ended["target"]), (&json!(id), &json!("match")));
    assert_eq!(ended["how"], "walkover");
    // Nothing of it is for another request.
    assert!(lines_of(&server.log(), "make").iter().all(|line| line["message"] != "moved"));
}

/// Uploads a program for the bot `robo` of `ann`; returns her token once it plays.
async fn hosted_bot(server: &ServerProcess, module: Vec<u8>) -> String {
    let made = ask_as(server.address, "x", None, "/v1/players", &json!({ "name": "ann" })).await;
    let token = serde_json::from_slice::<Value>(&made.body).unwrap()["token"].as_str().unwrap().to_owned();
    ask_as(server.address, "x", Some(&token), "/v1/me/bots", &json!({ "name": "robo" })).await.made();
    let bearer = format!("Bearer {token}");
    let request = |method: &str, path: &str| {
        Request::builder().method(method).uri(path).header("authorization", &bearer)
    };
    let upload = request("PUT", "/v1/me/bots/robo/programs?game=ioiwari");
    let upload = upload.header("content-type", "application/wasm").body(Full::new(module.into())).unwrap();
    assert_eq!(exchange(server.address, upload).await.status, 201);
    until(|| async {
        let look = request("GET", "/v1/me/bots/robo/programs/1").body(Full::default()).unwrap();
        (exchange(server.address, look).await.json()["state"] == "active").then_some(())
    })
    .await;
    token
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn id_is_in_the_lines_of_a_programs_turn() {
    let folder = tempfile::tempdir().unwrap();
    let module = std::fs::read(compiled(folder.path(), &source("ioiwari.c"))).unwrap();
    let server = ServerProcess::start_with_trace_log(&["--match-log-level=debug"]);
    let token = hosted_bot(&server, module).await;
    let seats = json!([{ "kind": "me" }, { "kind": "player", "name": "robo" }]);
    let order = json!({ "game": "ioiwari", "seats": seats });
    let made = ask_as(server.address, "make", Some(&token), "/v1/matches", &order).await.made();
    first_move(server.address, made["id"].as_str().unwrap(), &token).await;
    // Its turn is due to the move.
    let ran = line(&server, "move", "a program has run").await;
    assert!(
        ran["fuel"].as_u64() > Some(0) && ran["place"].as_str().unwrap().starts_with("process "),
        "{ran}"
    );
    let moves = async || {
        let lines = lines_of(&server.log(), "move");
        (lines.iter().filter(|line| line["message"] == "moved").count() == 2).then_some(())
    };
    until(moves).await;
}

#[tokio::test]
async fn life_of_matches_has_a_level_of_its_own() {
    for (level, expected) in [("info", &["created", "begun"][..]), ("off", &[])] {
        let mut server = ServerProcess::start(&[&format!("--match-log-level={level}")]);
        match_with_engine(server.address, "ioiwari").await;
        server.stop();
        let lines = server.log().into_iter().filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let life: Vec<String> = lines
            .filter(|line| line["target"] == "match")
            .map(|line| line["message"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(life, expected, "{level}");
    }
}

#[tokio::test]
async fn problems_over_sockets_name_the_message() {
    let host = TestServer::start(&[]).await;
    let (id, token) = match_with_engine(host.address(), "ioiwari").await;
    let mut peer = TestCaller::with(&token).dial(&host, &format!("/v1/matches/{id}/live")).await;
    let mut ids = Vec::new();
    for n in 0..2 {
        peer.say(&json!({ "type": "move", "id": n, "ply": 7, "notation": "1" }).to_string()).await;
        loop {
            let frame: Value = serde_json::from_str(&peer.hear().await).unwrap();
            if let Some(problem) = frame.get("problem") {
                ids.push(problem["request_id"].as_str().unwrap().to_owned());
                break;
            }
        }
    }
    let parts: Vec<(&str, &str)> = ids.iter().map(|id| id.split_once('.').unwrap()).collect();
    assert_eq!(parts[0].0, parts[1].0, "one connection");
    assert_eq!((parts[0].1, parts[1].1), ("1", "2"));
}
