//! What requests cost besides engines is bounded: long texts, pictures, moves taken back.

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
    read(&host, "127.0.0.2", lines(300_000)).await.names(413, "body_too_large", "no transcript of a match");
    let refused = loop {
        let reply = read(&host, "127.0.0.2", lines(250_000)).await;
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
