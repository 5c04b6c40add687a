//! Matches ended by their creators, and guests removed from them.

use serde_json::{Value, json};

use super::player;
use crate::client::TestServer;
use crate::matches::{EventStream, LONG, TestCaller, create, join, me, open, order, quick, two_guests};

fn slow() -> Value {
    json!({ "kind": "engine", "think_ms": 5_000 })
}

#[tokio::test]
async fn match_of_engines_can_be_ended_by_its_creator_at_any_time() {
    let host = TestServer::start(&[]).await;
    let (path, made) = create(&host, &TestCaller::anonymous(), order(LONG, &[slow(), slow()])).await;
    let token = made["maker"].as_str().expect("the creator has no seat, so there is a token for it");
    assert!(token.starts_with("kbc_"), "{made}");
    let cancel = format!("{path}/cancel");
    TestCaller::anonymous().tell(&host, &cancel).await.problem(401, "token_needed");
    player(&host, "stranger").await.tell(&host, &cancel).await.problem(403, "not_your_match");
    let (_, other) = create(&host, &TestCaller::anonymous(), order(LONG, &[slow(), slow()])).await;
    let other = TestCaller::with(other["maker"].as_str().unwrap());
    other.tell(&host, &cancel).await.problem(401, "bad_token");
    let creator = TestCaller::with(token);
    assert_eq!(creator.page(&host, &path).await["stage"], "running");
    let ended = creator.tell(&host, &cancel).await.json();
    assert_eq!((&ended["type"], &ended["how"]), (&json!("ended"), &json!("cancelled")));
    assert_eq!(creator.tell(&host, &cancel).await.json(), ended, "again, the same");
    let page = TestCaller::anonymous().page(&host, &path).await;
    assert_eq!(
        (&page["stage"], &page["ended"], &page["result"]),
        (&json!("over"), &json!("cancelled"), &Value::Null)
    );
    let verdict = TestCaller::anonymous().get(&host, &format!("{path}/record/verify")).await.json();
    assert_eq!(verdict["true"], true, "{verdict}");
    let record = TestCaller::anonymous().get(&host, &format!("{path}/record")).await;
    assert!(!record.text().contains("maker"), "who made it is no part of the record");
}

#[tokio::test]
async fn player_ends_a_match_of_engines_with_the_players_token() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let private = json!({ "game": LONG, "seats": [slow(), slow()], "private": true });
    let (path, made) = create(&host, &ann, private).await;
    assert_eq!(made.get("maker"), None);
    player(&host, "ben").await.tell(&host, &format!("{path}/cancel")).await.problem(404, "no_such_match");
    let ended = ann.tell(&host, &format!("{path}/cancel")).await.json();
    assert_eq!(ended["how"], "cancelled");
}

#[tokio::test]
async fn match_between_people_is_cancelled_only_before_it_begins() {
    let host = TestServer::start(&[]).await;
    let (path, [creator, _]) = two_guests(&host, LONG).await;
    creator.tell(&host, &format!("{path}/cancel")).await.problem(409, "started");
    let (path, made) = create(&host, &TestCaller::anonymous(), order(LONG, &[me(), open()])).await;
    let creator = TestCaller::seated(&made);
    assert_eq!(creator.tell(&host, &format!("{path}/cancel")).await.json()["how"], "cancelled");
    // With a person against an engine, the match is played out or resigned.
    let (path, made) = create(&host, &TestCaller::anonymous(), order(LONG, &[me(), quick()])).await;
    TestCaller::seated(&made).tell(&host, &format!("{path}/cancel")).await.problem(409, "started");
}

#[tokio::test]
async fn repeated_creation_gives_the_same_creator_token() {
    let host = TestServer::start(&[]).await;
    let body = order(LONG, &[slow(), slow()]).to_string();
    let key = [("idempotency-key", "0123456789abcdef-makers")];
    let first =
        TestCaller::anonymous().send(&host, "POST", "/v1/matches", &key, Some(body.clone())).await.made();
    assert!(first["maker"].is_string());
    let again =
        TestCaller::anonymous().send(&host, "POST", "/v1/matches", &key, Some(body.clone())).await.made();
    assert_eq!(again, first);
}

#[tokio::test]
async fn guest_is_removed_before_the_start_and_the_token_is_dead() {
    let host = TestServer::start(&[]).await;
    let (path, made) = create(&host, &TestCaller::anonymous(), order(LONG, &[me(), open(), open()])).await;
    let creator = TestCaller::seated(&made);
    let joined = join(&host, &TestCaller::anonymous(), &path).await;
    let guest = TestCaller::seated(&joined);
    let remove = |seat: u8| format!("{path}/seats/{seat}/remove");
    guest.tell(&host, &remove(0)).await.problem(403, "not_your_match");
    creator.tell(&host, &remove(0)).await.problem(422, "bad_seats");
    creator.tell(&host, &remove(2)).await.problem(403, "not_your_seat");
    creator.tell(&host, &remove(9)).await.problem(422, "bad_seats");
    creator.tell(&host, &format!("{path}/seats/x/remove")).await.problem(422, "bad_seats");
    let left = creator.tell(&host, &remove(1)).await.json();
    assert_eq!((&left["type"], &left["seat"], &left["removed"]), (&json!("left"), &json!(1), &json!(true)));
    let page = guest.page(&host, &path).await;
    assert_eq!((&page["you"], &page["seats"][1]["kind"]), (&Value::Null, &json!("open")));
    guest.tell(&host, &format!("{path}/resign")).await.problem(403, "not_your_seat");
    // When all seats are taken and the match has begun, no player can be removed.
    for _ in 0..2 {
        join(&host, &TestCaller::anonymous(), &path).await;
    }
    creator.tell(&host, &remove(1)).await.problem(409, "started");
    assert_eq!(creator.page(&host, &path).await["stage"], "running");
}

#[tokio::test]
async fn removed_player_does_not_come_back() {
    let host = TestServer::start(&[]).await;
    let (creator, rude) = (player(&host, "maker").await, player(&host, "rude").await);
    let (path, _) = create(&host, &creator, order("ioiwari", &[me(), open()])).await;
    // A creator without a seat removes as well.
    let (bare, made) = create(&host, &TestCaller::anonymous(), order(LONG, &[open(), open()])).await;
    let without_seat = TestCaller::with(made["maker"].as_str().unwrap());
    join(&host, &rude, &bare).await;
    without_seat.tell(&host, &format!("{bare}/seats/0/remove")).await.json();
    rude.tell(&host, &format!("{bare}/join")).await.problem(403, "removed");
    join(&host, &TestCaller::anonymous(), &bare).await;
    assert_eq!(
        TestCaller::anonymous().page(&host, &bare).await["stage"],
        "open",
        "it did not end when its last seat became free"
    );
    // The record shows what happened.
    without_seat.tell(&host, &format!("{bare}/cancel")).await.json();
    let record = TestCaller::anonymous().get(&host, &format!("{bare}/record")).await.json();
    let removed = json!({ "type": "left", "seat": 0, "removed": true, "seq": 2, "at_ms": record["events"][2]["at_ms"] });
    assert_eq!(record["events"][2], removed);
    let verdict = TestCaller::anonymous().get(&host, &format!("{bare}/record/verify")).await.json();
    assert_eq!(verdict["true"], true, "{verdict}");
    creator.tell(&host, &format!("{path}/cancel")).await.json();
}

#[tokio::test]
async fn spectators_of_a_cancelled_match_hear_its_end() {
    let host = TestServer::start(&[]).await;
    let (path, made) = create(&host, &TestCaller::anonymous(), order(LONG, &[slow(), slow()])).await;
    let events =
        EventStream::ndjson(&host, &TestCaller::anonymous(), &format!("{path}/events")).await.opened();
    TestCaller::with(made["maker"].as_str().unwrap()).tell(&host, &format!("{path}/cancel")).await.json();
    let last = events.all().await.pop().unwrap();
    assert_eq!((last.kind.as_str(), &last.json["how"]), ("ended", &json!("cancelled")));
}
