//! Spectators talk to each other, and no player hears it.

use serde_json::{Value, json};

use super::player;
use crate::client::{DialogueClient, TestServer};
use crate::matches::{SHORT, TestCaller, create, join, me, open};

/// The chat of a match as this caller reads it.
async fn chat(host: &TestServer, who: &TestCaller, path: &str) -> Value {
    who.get(host, &format!("{path}/chat")).await.json()
}

/// The next message of the chat in a stream.
async fn next_message(live: &mut DialogueClient) -> Value {
    loop {
        let frame: Value = serde_json::from_str(&live.hear().await).unwrap();
        if frame["type"] == "chat" {
            return frame["message"].clone();
        }
    }
}

#[tokio::test]
async fn spectators_talk_and_players_do_not_hear_it() {
    let host = TestServer::start(&[]).await;
    let [ann, ben, eve, fay] = [
        player(&host, "ann").await,
        player(&host, "ben").await,
        player(&host, "eve").await,
        player(&host, "fay").await,
    ];
    let anonymous = TestCaller::anonymous();
    let (path, _) = create(&host, &ann, json!({ "game": SHORT, "seats": [me(), open()] })).await;
    join(&host, &ben, &path).await;
    let say = format!("{path}/chat");
    let mut seated = ann.dial(&host, &format!("{path}/live")).await;
    let mut watching = fay.dial(&host, &format!("{path}/live")).await;

    let said = eve.post(&host, &say, json!({ "text": "she should take the other one" })).await.json();
    assert_eq!((&said["n"], &said["player"], said.get("seat")), (&json!(0), &json!("eve"), None), "{said}");
    anonymous.post(&host, &say, json!({ "phrase": "hello" })).await.problem(401, "token_needed");
    let own = ann.post(&host, &say, json!({ "phrase": "good_luck" })).await.json();
    assert_eq!((&own["n"], &own["seat"], own.get("player")), (&json!(1), &json!(0), None), "{own}");

    // Each hears the own room: the first message of the player's stream is the second one of the match.
    assert_eq!(next_message(&mut watching).await, said);
    assert_eq!(next_message(&mut seated).await, own);
    for who in [&eve, &fay, &anonymous] {
        let room = chat(&host, who, &path).await;
        assert_eq!((&room["room"], &room["messages"]), (&json!("spectators"), &json!([said])));
    }
    for who in [&ann, &ben] {
        let room = chat(&host, who, &path).await;
        assert_eq!((&room["room"], &room["messages"]), (&json!("players"), &json!([own])));
    }

    // Only its author deletes it; the end of the match changes nothing.
    fay.send(&host, "DELETE", &format!("{say}/0"), &[], None).await.problem(403, "not_your_message");
    ann.tell(&host, &format!("{path}/resign")).await.json();
    assert_eq!(chat(&host, &ann, &path).await["messages"], json!([own]));
    fay.post(&host, &say, json!({ "phrase": "well_played" })).await.json();
    assert_eq!(eve.send(&host, "DELETE", &format!("{say}/0"), &[], None).await.status, 204);
    let left = chat(&host, &anonymous, &path).await;
    assert_eq!(left["messages"][0]["deleted"], "author", "{left}");
    assert_eq!(left["messages"][1]["player"], "fay", "{left}");

    // Whoever deletes the account leaves no words.
    assert_eq!(fay.send(&host, "DELETE", "/v1/me", &[], None).await.status, 204);
    let left = chat(&host, &anonymous, &path).await;
    assert_eq!(left["messages"][1]["deleted"], "author", "{left}");
    assert!(!left.to_string().contains("fay"), "{left}");
}

#[tokio::test]
async fn spectators_are_limited_and_can_be_reported() {
    let host = TestServer::start(&[]).await;
    let [ann, ben, eve, fay] = [
        player(&host, "ann").await,
        player(&host, "ben").await,
        player(&host, "eve").await,
        player(&host, "fay").await,
    ];
    let (path, _) = create(&host, &ann, json!({ "game": SHORT, "seats": [me(), open()] })).await;
    join(&host, &ben, &path).await;
    let say = format!("{path}/chat");
    for _ in 0..6 {
        eve.post(&host, &say, json!({ "text": "spam" })).await.json();
    }
    eve.post(&host, &say, json!({ "text": "spam" })).await.problem(429, "too_many");
    assert_eq!(fay.post(&host, &say, json!({ "phrase": "hello" })).await.status, 200, "others still talk");
    let report = |who: &TestCaller| {
        let about = json!({ "kind": "chat", "match": path.rsplit('/').next().unwrap(), "n": 5 });
        let order = json!({ "about": about, "reason": "spam" });
        let who = who.clone();
        let host = &host;
        async move { who.post(host, "/v1/reports", order).await }
    };
    report(&fay).await.made();
    report(&ann).await.problem(404, "no_such_message");
}

#[tokio::test]
async fn operator_switches_the_chat_of_spectators_off() {
    let host = TestServer::start(&["--no-spectator-chat"]).await;
    let [ann, ben, eve] =
        [player(&host, "ann").await, player(&host, "ben").await, player(&host, "eve").await];
    let (path, _) = create(&host, &ann, json!({ "game": SHORT, "seats": [me(), open()] })).await;
    join(&host, &ben, &path).await;
    let say = format!("{path}/chat");
    eve.post(&host, &say, json!({ "phrase": "hello" })).await.problem(403, "not_your_seat");
    eve.get(&host, &say).await.problem(403, "not_your_seat");
    TestCaller::anonymous().get(&host, &say).await.problem(401, "token_needed");
    assert_eq!(ann.post(&host, &say, json!({ "phrase": "hello" })).await.status, 200);
}
