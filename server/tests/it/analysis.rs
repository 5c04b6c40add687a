//! Streamed analysis.

use http_body_util::Full;
use hyper::Request;
use serde_json::{Value, json};

use crate::client::{LONG, LONG_THINKING, TestResponse, TestServer, exchange};

/// A position of this game after some moves, and the moves that may be played there.
async fn position(host: &TestServer, game: &str, plies: u64) -> (Value, Vec<Value>) {
    let order = json!({ "seed": 5, "plies": plies });
    let fresh = host.post(&format!("/v1/games/{game}/positions"), order).await.json();
    let asked = json!({ "position": fresh["position"] });
    let legal = host.post(&format!("/v1/games/{game}/legal-moves"), asked).await.json();
    (fresh["position"].clone(), legal["moves"].as_array().unwrap().clone())
}

fn frames(reply: &TestResponse) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), "application/x-ndjson");
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn analysis_streams_deeper_and_deeper_results() {
    let host = TestServer::start(&[]).await;
    for game in ["azul", "splendor"] {
        let (position, legal) = position(&host, game, 3).await;
        let request = json!({ "position": position, "think_ms": 600, "candidates": 4 });
        let frames = frames(&host.post(&format!("/v1/games/{game}/analysis"), request).await);
        let (done, found) = frames.split_last().unwrap();
        assert_eq!(done["type"], "done");
        assert!(done["queued_ms"].is_number() && !done["seed"].is_null(), "{done}");
        assert!(!found.is_empty(), "{frames:?}");
        let mut before = (0, 0.0);
        for frame in &frames {
            let now = (frame["nodes"].as_u64().unwrap(), frame["elapsed_ms"].as_f64().unwrap());
            assert!(now.0 >= before.0 && now.1 >= before.1, "{frames:?}");
            before = now;
            assert!(legal.iter().any(|mv| mv["notation"] == frame["notation"]), "{frame}");
            let candidates = frame["candidates"].as_array().unwrap();
            assert!((1..=4).contains(&candidates.len()), "{frame}");
            assert_eq!(candidates[0]["notation"], frame["notation"]);
            assert_eq!(frame["line"][0]["notation"], frame["notation"], "{frame}");
        }
        assert!(found.iter().all(|frame| frame["type"] == "found"));
    }
}

#[tokio::test]
async fn last_result_equals_the_answer_of_a_move_request() {
    let host = TestServer::start(&[]).await;
    for game in engines::games::GAMES {
        let slug = game.info().slug;
        let (position, _) = position(&host, slug, 2).await;
        let request = json!({ "position": position, "nodes": 300, "seed": 9, "candidates": 5 });
        let [mut moved, analysed] = [
            host.post(&format!("/v1/games/{slug}/move"), request.clone()).await.json(),
            frames(&host.post(&format!("/v1/games/{slug}/analysis"), request).await).pop().unwrap(),
        ];
        moved["type"] = json!("done");
        for time in ["elapsed_ms", "queued_ms"] {
            moved[time] = analysed[time].clone();
        }
        assert_eq!(analysed, moved, "{slug}");
    }
}

#[tokio::test]
async fn analysis_can_be_read_as_server_sent_events() {
    let host = TestServer::start(&[]).await;
    let (position, _) = position(&host, "ioiwari", 0).await;
    let body = json!({ "position": position }).to_string();
    let request = Request::post("/v1/games/ioiwari/analysis")
        .header("content-type", "application/json")
        .header("accept", "text/event-stream")
        .body(Full::new(body.into()))
        .unwrap();
    let reply = exchange(host.address(), request).await;
    assert_eq!(reply.header("content-type"), "text/event-stream");
    let json = reply.text().strip_prefix("event: done\ndata: ").and_then(|t| t.strip_suffix("\n\n")).unwrap();
    let done: Value = serde_json::from_str(json).unwrap();
    assert_eq!(done["candidates"].as_array().unwrap().len(), 5);
    assert!(done["line"].as_array().unwrap().len() > 1, "a solved game is expected to its end: {done}");
}

#[tokio::test]
async fn analysis_stops_when_its_caller_disconnects() {
    let host = TestServer::start(&["--threads=1", LONG_THINKING]).await;
    let (position, _) = position(&host, "slow", 0).await;
    {
        let ask = host.post("/v1/games/slow/analysis", json!({ "position": position, "think_ms": LONG }));
        tokio::select! {
            reply = ask => panic!("{reply:?}"),
            () = host.until("kibitz_pool_running{lane=\"long\"} 1") => {}
        }
    }
    host.until("kibitz_pool_running{lane=\"long\"} 0").await;
    host.until("kibitz_streams{kind=\"analysis\"} 0").await;
}

#[tokio::test]
async fn failed_analyses_are_problems() {
    let host = TestServer::start(&["--max-think-ms=2000"]).await;
    let (position, _) = position(&host, "slow", 0).await;
    let path = "/v1/games/slow/analysis";
    let failed = json!({ "position": position, "engine": "panics" });
    let failed = frames(&host.post(path, failed).await);
    assert_eq!((failed.len(), &failed[0]["type"]), (1, &json!("failed")));
    assert_eq!(failed[0]["problem"]["code"], "engine_failed");
    host.post(path, json!({})).await.problem(422, "bad_field");
    host.post(path, json!({ "position": {} })).await.problem(422, "bad_position");
    let long = json!({ "position": position, "think_ms": 2001 });
    host.post(path, long).await.problem(422, "think_too_long");
    host.post("/v1/games/chess/analysis", json!({})).await.problem(404, "unknown_game");
    host.post_text(path, "x").await.problem(415, "unsupported_media_type");
}
