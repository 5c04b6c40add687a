//! How often matches and players may be created.

use std::time::Instant;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};

use super::at;
use crate::client::{TestServer, connect_from};
use crate::matches::{SHORT, me, open, order};

/// Names that one address registers, and matches that each tries to create.
const NAMES: usize = 25;
const EACH: usize = 240;

#[tokio::test]
async fn fresh_names_add_nothing_to_what_an_address_may_create() {
    let host = TestServer::start(&["--creations-per-minute=1", "--max-matches-per-address=10000"]).await;
    let began = Instant::now();
    let wanted = order(SHORT, &[me(), open()]);
    let stream = connect_from("127.0.0.2", host.address()).await;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let mut send = async |path: &str, token: Option<&str>, body: &Value| {
        let mut request =
            Request::post(path).header("host", "test").header("content-type", "application/json");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        sender.ready().await.unwrap();
        let request = request.body(Full::new(Bytes::from(body.to_string()))).unwrap();
        let reply = sender.send_request(request).await.unwrap();
        let status = reply.status().as_u16();
        (status, reply.into_body().collect().await.unwrap().to_bytes())
    };
    let mut made = 0;
    for n in 0..NAMES {
        let (status, body) = send("/v1/players", None, &json!({ "name": format!("name{n}") })).await;
        assert_eq!(status, 201);
        let player: Value = serde_json::from_slice(&body).unwrap();
        for _ in 0..EACH {
            let (status, body) = send("/v1/matches", player["token"].as_str(), &wanted).await;
            assert!([201, 429].contains(&status), "{body:?}");
            made += u64::from(status == 201);
        }
    }
    let earned = began.elapsed().as_secs() / 60 + 1;
    assert!((300..=300 + earned).contains(&made), "{made} of {} were made", NAMES * EACH);
    let refused = at("127.0.0.2").post(&host, "/v1/matches", &wanted).await;
    refused.names(429, "too_many", "--creations-burst");
    at("127.0.0.3").post(&host, "/v1/matches", &wanted).await.made();
}

#[tokio::test]
async fn player_is_bounded_at_all_addresses_together() {
    let host = TestServer::start(&["--creations-per-minute=1", "--player-creations-burst=2"]).await;
    let wanted = order(SHORT, &[me(), open()]);
    let player = at("127.0.0.2").post(&host, "/v1/players", &json!({ "name": "Ann" })).await.made();
    for source in ["127.0.0.2", "127.0.0.3"] {
        at(source).with(&player["token"]).post(&host, "/v1/matches", &wanted).await.made();
    }
    let refused = at("127.0.0.4").with(&player["token"]).post(&host, "/v1/matches", &wanted).await;
    refused.names(429, "too_many", "--player-creations-burst");
    assert!(!refused.header("retry-after").is_empty());
    at("127.0.0.4").post(&host, "/v1/matches", &wanted).await.made();
}

#[tokio::test]
async fn retry_is_not_charged() {
    let host = TestServer::start(&["--creations-per-minute=1", "--creations-burst=2"]).await;
    let client = at("127.0.0.2");
    let wanted = order(SHORT, &[me(), open()]);
    let ann = json!({ "name": "Ann" });
    for (path, body) in [("/v1/matches", &wanted), ("/v1/players", &ann)] {
        let send = async |key: &str, body: &Value| {
            client.send(&host, "POST", path, &[("idempotency-key", key)], body).await
        };
        let first = send("the-first-key-of-all", body).await.made();
        for _ in 0..5 {
            assert_eq!(send("the-first-key-of-all", body).await.made(), first);
        }
        let mut other = body.clone();
        if path == "/v1/players" {
            other["name"] = json!("Ben");
        }
        send("the-second-key-of-all", &other).await.made();
        assert_eq!(send("the-first-key-of-all", body).await.made(), first, "also when nothing is left");
        if path == "/v1/players" {
            other["name"] = json!("Cid");
        }
        send("the-third-key-of-all", &other).await.problem(429, "too_many");
    }
}

#[tokio::test]
async fn rematch_is_charged_once() {
    let host = TestServer::start(&["--creations-per-minute=1", "--creations-burst=2"]).await;
    let client = at("127.0.0.2");
    let made = client.post(&host, "/v1/matches", &order(SHORT, &[me(), me()])).await.made();
    let path = made["url"].as_str().unwrap();
    let seats = [0, 1].map(|seat| client.with(&made["seats"][seat]["token"]));
    seats[0].tell(&host, &format!("{path}/resign")).await.json();
    let rematch = format!("{path}/rematch");
    let first = seats[0].tell(&host, &rematch).await.json();
    for seat in [&seats[1], &seats[0], &seats[1]] {
        assert_eq!(seat.tell(&host, &rematch).await.json(), first, "it is there already");
    }
    client.post(&host, "/v1/matches", &order(SHORT, &[me(), open()])).await.problem(429, "too_many");
}
