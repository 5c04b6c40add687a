//! Wrong requests: each gets a problem that names the error and its place, and nothing is lost.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{HANG, TestServer};

const MOVE: &str = "/v1/games/ioiwari/move";

fn start() -> Value {
    json!({ "pits": [4, 3, 2, 4, 2, 3, 2], "banks": [0, 0], "to_move": 0 })
}

fn with(field: &str, value: Value) -> Value {
    json!({ "position": start(), field: value })
}

#[tokio::test]
async fn wrong_paths_methods_and_media_types_are_problems() {
    let host = TestServer::start(&[]).await;
    host.get("/nowhere").await.names(404, "not_found", "/nowhere");
    host.get("/v1/games/").await.problem(404, "not_found");
    host.get("/v1/games/chess").await.names(404, "unknown_game", "ioiwari");
    host.get("/v1/games/%FF").await.problem(404, "unknown_game");
    host.post("/v1/games/chess/move", with("nodes", json!(1))).await.names(404, "unknown_game", "chess");
    let reply = host.get(MOVE).await;
    reply.names(405, "method_not_allowed", "GET");
    assert_eq!(reply.header("allow"), "POST");
    host.send("DELETE", "/v1/games", None, "").await.problem(405, "method_not_allowed");
    host.send("POST", "/docs/", None, "").await.problem(405, "method_not_allowed");
    let form = host.send("POST", MOVE, Some("application/x-www-form-urlencoded"), "a=b").await;
    form.names(415, "unsupported_media_type", "application/x-www-form-urlencoded");
    form.names(415, "unsupported_media_type", "text/plain");
    host.send("POST", MOVE, None, "{}").await.names(415, "unsupported_media_type", "no Content-Type");
    let latin = host.send("POST", MOVE, Some("text/plain; charset=latin1"), "4").await;
    latin.names(415, "unsupported_media_type", "UTF-8");
    host.post_text("/v1/games/ioiwari/legal-moves", "4").await.problem(415, "unsupported_media_type");
}

#[tokio::test]
async fn bodies_that_are_not_json_are_problems() {
    let host = TestServer::start(&[]).await;
    let send = |body: Vec<u8>| host.send("POST", MOVE, Some("application/json"), body);
    send(b"{\"position\":\n  {,}}".to_vec()).await.names(400, "bad_json", "line 2 column 4");
    send(b"{\"position\":".to_vec()).await.names(400, "bad_json", "line 1 column 12");
    send(Vec::new()).await.names(400, "bad_json", "line 1 column 0");
    send(b"{\"position\": 1e999}".to_vec()).await.problem(400, "bad_json");
    let nested = |depth: usize| format!("{{\"position\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
    send(nested(200).into_bytes()).await.names(400, "bad_json", "position: recursion");
    send(nested(100_000).into_bytes()).await.names(413, "body_too_large", "position");
    let deep = format!("{{\"position\": {}", "[".repeat(100_000));
    send(deep.into_bytes()).await.names(400, "bad_json", "line 1");
    send(b"{\"position\": \"\xff\xfe\"}".to_vec()).await.names(400, "not_utf8", "byte 14");
    let text = host.send("POST", MOVE, Some("text/plain"), &b"4 3\n\xc3\x28"[..]).await;
    text.names(400, "not_utf8", "byte 4");
}

#[tokio::test]
async fn wrong_fields_are_problems() {
    let host = TestServer::start(&[]).await;
    let day = 86_400_000;
    for (request, code, part) in [
        (json!({}), "bad_field", "position"),
        (json!([]), "bad_field", "object"),
        (json!([start(), 5]), "bad_field", "object"),
        (json!(7), "bad_field", "object"),
        (with("thinkms", json!(5)), "bad_field", "thinkms"),
        (with("think_ms", json!(-1)), "bad_field", "think_ms"),
        (with("think_ms", json!("500")), "bad_field", "think_ms"),
        (with("think_ms", json!(day)), "think_too_long", "30000"),
        (with("think_ms", json!(u64::MAX)), "think_too_long", "30000"),
        (with("nodes", json!(1.5)), "bad_field", "nodes"),
        (with("level", json!("best")), "bad_field", "level: "),
        (with("candidates", json!(70_000)), "bad_field", "candidates"),
        (with("engine", json!("stockfish")), "unknown_engine", "ioiwari, sensible, random"),
        (with("seed", json!("xyz")), "bad_field", "64 hexadecimal digits"),
        (with("seed", json!(-1)), "bad_field", "seed"),
        (json!({ "position": {} }), "bad_position", "pits"),
        (json!({ "position": null }), "bad_position", "position"),
        (
            json!({ "position": { "pits": [4, 3, 2, 4, 2, 3], "banks": [0, 0], "to_move": 0 } }),
            "bad_position",
            "pits",
        ),
        (
            json!({ "position": { "pits": [4, 3, 2, 4, 2, 3, 1], "banks": [0, 0], "to_move": 0 } }),
            "bad_position",
            "20",
        ),
        (
            json!({ "position": { "pits": [0, 0, 0, 0, 0, 0, 0], "banks": [11, 9], "to_move": 0 } }),
            "position_finished",
            "over",
        ),
    ] {
        host.post(MOVE, request).await.names(422, code, part);
    }
    let mut other = start();
    other["viewer"] = json!({ "seat": 1 });
    host.post(MOVE, json!({ "position": other })).await.names(422, "not_to_move", "seat 0");
    host.post(&format!("{MOVE}?think_ms=5"), with("nodes", json!(1))).await.names(
        400,
        "bad_query",
        "think_ms",
    );
    let deadline = with("deadline_ms", json!(u64::MAX));
    assert_eq!(host.post(MOVE, deadline).await.status, 200, "who can wait for ever may");
    let positions = "/v1/games/ioiwari/positions";
    host.post(positions, json!({ "options": { "pits": [0, 0] } })).await.names(422, "bad_options", "pits");
    host.post(positions, json!({ "options": { "seats": 9 } })).await.names(422, "bad_options", "seats");
    host.post(positions, json!({ "plies": 1_000_000 })).await.names(422, "bad_field", "plies");
    host.post(positions, json!({ "plys": 1 })).await.names(422, "bad_field", "plys");
    let legal = "/v1/games/ioiwari/legal-moves";
    host.post(legal, json!({ "position": 5 })).await.problem(422, "bad_position");
    let many = json!({ "position": start(), "notations": vec!["2"; 101] });
    host.post(legal, many).await.names(422, "bad_field", "notations");
    host.post(legal, json!({ "position": start(), "notations": "2" })).await.names(
        422,
        "bad_field",
        "notations",
    );
}

#[tokio::test]
async fn wrong_dialogues_and_queries_are_problems() {
    let host = TestServer::start(&[]).await;
    for (text, part) in [
        ("is anybody there?\n", "entry 1"),
        ("< 4 3 2 4 2 3 2\n> 9\n", "entry 2"),
        ("< 4 3 2 4 2 3 2\nnonsense\n", "line 2"),
        ("> 2\n", "nothing was to be said"),
    ] {
        host.post_text(MOVE, text).await.names(422, "bad_dialogue", part);
    }
    for (query, code, part) in [
        ("think_ms=fast", "bad_query", "think_ms"),
        ("think_ms=-5", "bad_query", "think_ms"),
        ("nodes=1&nodes=2", "bad_query", "nodes"),
        ("level=best", "bad_query", "easy, medium, hard or max"),
        ("seed=xyz", "bad_query", "seed"),
        ("silence_ms=", "bad_query", "silence_ms"),
        ("variant=7", "bad_query", "variant"),
    ] {
        host.post_text(&format!("{MOVE}?{query}"), "").await.names(400, code, part);
        let refused = host.try_dial(&format!("/v1/games/ioiwari/stdio?{query}")).await.err().unwrap();
        assert!(refused.to_string().contains("400"), "{refused}");
    }
    host.post_text(&format!("{MOVE}?think_ms=86400000"), "").await.names(422, "think_too_long", "30000");
    host.post_text(&format!("{MOVE}?engine=x"), "").await.names(422, "unknown_engine", "random");
}

#[tokio::test]
async fn large_bodies_are_problems() {
    let host = TestServer::start(&[]).await;
    let large = vec![b' '; 2 << 20];
    host.send("POST", MOVE, Some("application/json"), large).await.names(413, "body_too_large", "1048576");
    let host = TestServer::start(&["--max-body=100"]).await;
    host.post_text(MOVE, &"# x\n".repeat(26)).await.names(413, "body_too_large", "100 bytes");
    assert_eq!(host.post_text(MOVE, &"# x\n".repeat(25)).await.status, 200);
}

#[tokio::test]
async fn panics_are_problems_without_details() {
    let host = TestServer::start(&[]).await;
    let request = json!({ "position": start(), "engine": "panics" });
    for _ in 0..3 {
        let problem = host.post("/v1/games/slow/move", request.clone()).await.problem(500, "engine_failed");
        assert!(!problem.to_string().contains("secret"));
    }
    assert!(host.counts("kibitz_engine_panics_total 3"));
    host.post_text("/v1/games/slow/move", "< panic\n").await.problem(500, "internal");
    host.post("/v1/games/slow/move", json!({ "position": start(), "engine": "quick" })).await.json();
}

#[tokio::test]
async fn half_a_request_costs_nothing() {
    let host = TestServer::start(&[]).await;
    let mut stream = TcpStream::connect(host.address()).await.unwrap();
    let half = format!(
        "POST {MOVE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{{"
    );
    stream.write_all(half.as_bytes()).await.unwrap();
    drop(stream);
    // The HTTP library answers bytes that are no request.
    let mut stream = TcpStream::connect(host.address()).await.unwrap();
    stream.write_all(b"\x16\x03\x01 what\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    tokio::time::timeout(HANG, read).await.unwrap().unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 400"), "{:?}", String::from_utf8_lossy(&answer));
    assert_eq!(host.get("/healthz").await.status, 200);
}
