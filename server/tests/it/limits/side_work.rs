//! What requests cost besides engines is bounded: long texts, pictures, moves taken back.

use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::Request;
use serde_json::json;

use super::at;
use crate::client::{TestResponse, TestServer, connect_from, exchange_on};
use crate::matches::{SHORT, me, open, order};

/// A text that a game has to read, from this address.
async fn read(host: &TestServer, source: &str, text: String) -> TestResponse {
    let request = Request::post("/v1/games/azul/official-position").header("content-type", "text/plain");
    exchange_on(connect_from(source, host.address()).await, request.body(Full::new(text.into())).unwrap())
        .await
}

#[tokio::test]
async fn long_texts_use_up_the_time_of_their_address() {
    let host = TestServer::start(&[]).await;
    let lines = |number: usize| "1\n".repeat(number);
    let refused = loop {
        let reply = read(&host, "127.0.0.2", lines(100_000)).await;
        if reply.status != 422 {
            break reply;
        }
    };
    refused.names(429, "too_many", "pictures and long texts");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > 0);
    // A short text is read where it is, and others have their own time.
    assert_eq!(read(&host, "127.0.0.2", lines(9)).await.status, 422);
    assert_eq!(read(&host, "127.0.0.3", lines(2000)).await.status, 422);
}

/// The body is refused by its length, so its content may be anything.
#[tokio::test]
async fn texts_longer_than_their_game_allows_are_refused_unread() {
    let host = TestServer::start(&[]).await;
    for game in host.get("/v1/games").await.json()["games"].as_array().unwrap() {
        let (slug, title) = (game["slug"].as_str().unwrap(), game["title"].as_str().unwrap());
        let [position, dialogue] = ["max_position_bytes", "max_dialogue_bytes"]
            .map(|limit| usize::try_from(game[limit].as_u64().unwrap()).unwrap());
        let path = |route: &str| format!("/v1/games/{slug}/{route}");
        let said = format!("a dialogue of {title} has at most {dialogue} bytes");
        for route in ["official-position", "move"] {
            let text = |bytes: usize| "\n".repeat(bytes - 1) + "x";
            host.post_text(&path(route), &text(dialogue + 1)).await.names(413, "body_too_large", &said);
            assert_ne!(host.post_text(&path(route), &text(dialogue)).await.status, 413, "{slug} {route}");
            // Remarks do not count, but only a transcript has remarks.
            let remarks = "# a remark\n".repeat(60_000);
            let reply = host.post_text(&path(route), &format!("{remarks}< x")).await;
            assert_ne!(reply.status, 413, "{slug} {route}");
            host.post_text(&path(route), &format!("{remarks}x")).await.names(413, "body_too_large", &said);
        }
        let said = format!("position: a position of {title} has at most {position} bytes");
        for (route, rest) in [("move", ""), ("legal-moves", ""), ("next-position", r#", "notation": "1""#)] {
            let body = |bytes: usize| format!("{{\"position\": [{}]{rest}}}", " ".repeat(bytes - 2));
            let route = path(route);
            let post = |bytes| host.send("POST", &route, Some("application/json"), body(bytes));
            post(position + 1).await.names(413, "body_too_large", &said);
            post(position).await.names(422, "bad_position", "position: ");
        }
    }
    let long = "1\n".repeat(500_000);
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        let began = Instant::now();
        host.post_text("/v1/games/azul/official-position", &long).await.problem(413, "body_too_large");
        fastest = fastest.min(began.elapsed());
    }
    assert!(fastest < Duration::from_millis(50), "{fastest:?}");
}

#[tokio::test]
async fn picture_of_a_position_is_drawn_once() {
    let host = TestServer::start(&[]).await;
    let made = at("127.0.0.2").post(&host, "/v1/matches", &order(SHORT, &[me(), open()])).await.made();
    at("127.0.0.3")
        .post(&host, &format!("/v1/matches/{}/join", made["id"].as_str().unwrap()), &json!({}))
        .await;
    let path = format!("/matches/{}/picture.png", made["id"].as_str().unwrap());
    let first = at("127.0.0.2").get(&host, &path).await;
    // Without the cache these use up the address's time.
    for n in 0..200 {
        let again = at("127.0.0.2").get(&host, &format!("{path}?ply={n}")).await;
        assert!(again.status == 200 && again.body == first.body, "{n}");
    }
}
