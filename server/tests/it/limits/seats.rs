//! How many matches one address may have created, and how many seats it may have taken.

use serde_json::{Value, json};

use super::{AddressClient, at};
use crate::client::TestServer;
use crate::matches::{LONG, SHORT, me, open, order};

/// Creates a match as this client; returns its path, and the answer to the client.
async fn create(host: &TestServer, client: &AddressClient, game: &str, seats: &[Value]) -> (String, Value) {
    let made = client.post(host, "/v1/matches", &order(game, seats)).await.made();
    (made["url"].as_str().unwrap().to_owned(), made)
}

#[tokio::test]
async fn seats_of_open_matches_are_bounded() {
    let host = TestServer::start(&["--max-waiting-seats-per-address=2"]).await;
    let (hog, other) = (at("127.0.0.2"), at("127.0.0.3"));
    let mut joins = Vec::new();
    for _ in 0..3 {
        let (path, _) = create(&host, &other, LONG, &[me(), open(), open()]).await;
        joins.push(format!("{path}/join"));
    }
    let key = [("idempotency-key", "the-key-of-a-join")];
    let first = hog.send(&host, "POST", &joins[0], &key, &json!({})).await.json();
    let second = hog.tell(&host, &joins[1]).await.json();
    let refused = hog.tell(&host, &joins[2]).await;
    refused.names(429, "too_many", "--max-waiting-seats-per-address");
    // A name adds nothing, and a retry takes nothing.
    let player = hog.post(&host, "/v1/players", &json!({ "name": "Ann" })).await.made();
    hog.with(&player["token"]).tell(&host, &joins[2]).await.problem(429, "too_many");
    assert_eq!(hog.send(&host, "POST", &joins[0], &key, &json!({})).await.json(), first);
    let again = hog.with(&second["seats"][0]["token"]).tell(&host, &joins[1]).await.json();
    assert_eq!(again["seats"][0]["seat"], second["seats"][0]["seat"]);
    // Other errors keep their own codes.
    hog.tell(&host, &joins[0].replace("/join", "0/join")).await.problem(404, "no_such_match");
    // A match that begins frees the place, as does a seat that is left.
    other.tell(&host, &joins[0]).await.json();
    hog.tell(&host, &joins[2]).await.json();
    let (path, _) = create(&host, &other, LONG, &[me(), open(), open()]).await;
    hog.tell(&host, &format!("{path}/join")).await.problem(429, "too_many");
    let leave = joins[1].replace("/join", "/leave");
    hog.with(&second["seats"][0]["token"]).tell(&host, &leave).await.json();
    hog.tell(&host, &format!("{path}/join")).await.json();
    // A seat that begins its match at once frees its place at once.
    for _ in 0..3 {
        let (path, _) = create(&host, &hog, SHORT, &[me(), open()]).await;
        at("127.0.0.4").tell(&host, &format!("{path}/join")).await.json();
    }
}

#[tokio::test]
async fn seats_of_unfinished_matches_are_bounded() {
    let host = TestServer::start(&["--max-seats-per-address=2"]).await;
    let (hog, other) = (at("127.0.0.2"), at("127.0.0.3"));
    let mut matches = Vec::new();
    for _ in 0..3 {
        matches.push(create(&host, &other, SHORT, &[me(), open()]).await);
    }
    for (path, _) in &matches[..2] {
        hog.tell(&host, &format!("{path}/join")).await.json();
    }
    let last = format!("{}/join", matches[2].0);
    hog.tell(&host, &last).await.names(429, "too_many", "--max-seats-per-address");
    // The end of a match gives the seat back, for every kind of end.
    let (path, made) = &matches[0];
    other.with(&made["seats"][0]["token"]).tell(&host, &format!("{path}/resign")).await.json();
    hog.tell(&host, &last).await.json();
}

#[tokio::test]
async fn unfinished_matches_of_one_address_are_bounded() {
    let host = TestServer::start(&["--max-matches-per-address=2"]).await;
    let (hog, other) = (at("127.0.0.2"), at("127.0.0.3"));
    let wanted = order(SHORT, &[me(), open()]);
    let (path, made) = create(&host, &hog, SHORT, &[me(), open()]).await;
    create(&host, &hog, SHORT, &[me(), open()]).await;
    let player = hog.post(&host, "/v1/players", &json!({ "name": "Ann" })).await.made();
    for client in [&hog, &hog.with(&player["token"])] {
        client.post(&host, "/v1/matches", &wanted).await.names(429, "too_many", "--max-matches-per-address");
    }
    create(&host, &other, SHORT, &[me(), open()]).await;
    // A refused creation takes no place.
    hog.with(&made["seats"][0]["token"]).tell(&host, &format!("{path}/abort")).await.json();
    hog.post(&host, "/v1/matches", &order("chess", &[me()])).await.problem(404, "unknown_game");
    create(&host, &hog, SHORT, &[me(), open()]).await;
}
