//! The rules of rated matches: each refusal names its rule, and nothing is created.

use serde_json::{Value, json};

use super::{begin, player, random_engine, rated};
use crate::client::TestServer;
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open};

#[tokio::test]
async fn match_that_cannot_be_rated_is_refused() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    player(&host, "ben").await;
    let with = |field: &str, value: Value| {
        let mut order = rated(SHORT, &[me(), open()]);
        order[field] = value;
        order
    };
    let patient = json!({ "kind": "engine", "think_ms": 5 });
    let few = json!({ "kind": "engine", "nodes": 5 });
    let engine = |level: &str| json!({ "kind": "engine", "engine": "random", "level": level });
    for (order, status, code, part) in [
        (with("private", json!(true)), 422, "rated_private", "private"),
        (with("clock", Value::Null), 422, "rated_clock", "clock"),
        (with("seed", json!(7)), 422, "rated_seed", "seed"),
        (with("hints", json!(true)), 422, "rated_hints", "hints"),
        (rated(SHORT, &[me(), patient]), 422, "rated_engine", "think_ms"),
        (rated(SHORT, &[me(), few]), 422, "rated_engine", "nodes"),
        (rated(SHORT, &[engine("easy"), engine("max")]), 422, "rated_seats", "engines alone"),
        (rated(LONG, &[me(), engine("easy"), engine("easy")]), 422, "rated_seats", "different"),
        (
            rated(SHORT, &[me(), json!({ "kind": "player", "name": "ioiwari:random:1:max" })]),
            404,
            "no_such_player",
            "",
        ),
        (with("rated", json!("yes")), 422, "bad_field", "rated"),
    ] {
        let text = order.to_string();
        let problem = ann.post(&host, "/v1/matches", order).await.problem(status, code);
        assert!(problem["detail"].as_str().unwrap().contains(part), "{text}: {problem}");
    }
    let guest = TestCaller::anonymous().post(&host, "/v1/matches", rated(SHORT, &[me(), open()])).await;
    guest.problem(403, "rated_guest");
    assert_eq!(host.get("/v1/matches").await.json()["matches"], json!([]), "nothing was created");
    // The rules allow these: two engines of different levels, an open seat, a reserved one. Hints are off.
    let seats = [me(), engine("easy"), engine("max"), json!({ "kind": "player", "name": "ben" })];
    let (path, _) = create(&host, &ann, rated(LONG, &seats)).await;
    let page = ann.page(&host, &path).await;
    assert_eq!((&page["rated"], &page["hints"]), (&json!(true), &json!(false)));
    let (path, _) = create(&host, &ann, rated(SHORT, &[me(), random_engine()])).await;
    assert_eq!(ann.page(&host, &path).await["hints"], false);
}

#[tokio::test]
async fn guests_and_the_same_person_get_no_seat() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let bot = async |owner: &TestCaller, name: &str| {
        let made = owner.post(&host, "/v1/me/bots", json!({ "name": name })).await.made();
        TestCaller::with(made["token"].as_str().unwrap())
    };
    let (first, second, bens) =
        (bot(&ann, "robo1").await, bot(&ann, "robo2").await, bot(&ben, "benbot").await);
    let (path, _) = create(&host, &first, rated(SHORT, &[me(), open()])).await;
    let seat = format!("{path}/join");
    TestCaller::anonymous().tell(&host, &seat).await.names(403, "rated_guest", "player's token");
    ann.tell(&host, &seat).await.names(403, "rated_owners", "same person");
    second.tell(&host, &seat).await.problem(403, "rated_owners");
    assert_eq!(ann.page(&host, &path).await["stage"], "open");
    join(&host, &bens, &path).await;
    assert_eq!(ann.page(&host, &path).await["stage"], "running");
    for (caller, opponent) in [(&ann, "robo1"), (&first, "ann"), (&first, "robo2")] {
        let seats = [me(), json!({ "kind": "player", "name": opponent })];
        caller.post(&host, "/v1/matches", rated(SHORT, &seats)).await.problem(403, "rated_owners");
        // Without ratings they may play.
        create(&host, caller, json!({ "game": SHORT, "seats": seats })).await;
    }
}

#[tokio::test]
async fn pair_begins_a_limited_number_of_rated_matches_a_day() {
    let host = TestServer::start(&["--max-rated-per-pair=2"]).await;
    let (ann, ben, cyd) =
        (player(&host, "ann").await, player(&host, "ben").await, player(&host, "cyd").await);
    let made = ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let robo = TestCaller::with(made["token"].as_str().unwrap());
    let first = begin(&host, [&ann, &ben]).await;
    begin(&host, [&ben, &robo]).await;
    // The third of these two owners does not begin; the seat stays open for others.
    let (path, _) = create(&host, &ann, rated(SHORT, &[me(), open()])).await;
    let refused = ben.tell(&host, &format!("{path}/join")).await;
    refused.names(429, "rated_limit", "--max-rated-per-pair");
    assert!(refused.problem(429, "rated_limit")["retry_after_ms"].as_u64().unwrap() <= 24 * 3_600_000);
    assert_eq!(ann.page(&host, &path).await["stage"], "open");
    join(&host, &cyd, &path).await;
    // Nor does the rematch, which begins when its last seat is taken.
    ann.tell(&host, &format!("{first}/resign")).await.json();
    let rematch = ann.tell(&host, &format!("{first}/rematch")).await.json();
    ben.tell(&host, &format!("{first}/rematch")).await.json();
    assert_eq!(ann.page(&host, rematch["url"].as_str().unwrap()).await["stage"], "open");
    // A match without ratings is always possible.
    let order = json!({ "game": SHORT, "seats": [me(), open()] });
    let (path, _) = create(&host, &ann, order).await;
    join(&host, &ben, &path).await;
    // So it is with a match that would begin at once.
    let engine = rated(SHORT, &[me(), random_engine()]);
    for _ in 0..2 {
        create(&host, &cyd, engine.clone()).await;
    }
    cyd.post(&host, "/v1/matches", engine).await.problem(429, "rated_limit");
}
