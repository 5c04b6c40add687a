//! A bot's policy holds wherever a seat is kept for the bot.

use serde_json::{Value, json};

use super::lobby::{bot, control};
use super::{one_move_each, player};
use crate::client::{DialogueClient, TestServer};
use crate::matches::{SHORT, TestCaller, create, join, me};
use crate::server_process::until;

/// A match of the caller in which a seat is kept for the bot.
fn with_robo(more: Value) -> Value {
    let mut order = json!({ "game": SHORT, "seats": [me(), { "kind": "player", "name": "robo" }] });
    order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    order
}

/// A control connection of the bot with this policy, known to the server.
async fn online(host: &TestServer, robo: &TestCaller, policy: Value) -> DialogueClient {
    let (mut wire, _) = control(host, robo).await;
    wire.say(&json!({ "type": "policy", "policy": policy }).to_string()).await;
    until(|| async {
        let list = host.get("/v1/bots").await.json();
        let shown = list["bots"].as_array().unwrap().iter().find(|bot| bot["name"] == "robo")?.clone();
        policy.as_object().unwrap().iter().all(|(name, value)| shown["policy"][name] == *value).then_some(())
    })
    .await;
    wire
}

#[tokio::test]
async fn seat_is_kept_for_a_bot_only_if_it_plays_such_matches() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let robo = bot(&host, &ann, "robo").await;
    let plain = || with_robo(json!({}));
    let rated = || with_robo(json!({ "rated": true, "clock": { "initial_ms": 600_000 } }));
    let refused = async |caller: &TestCaller, order: Value, why: &str| {
        caller.post(&host, "/v1/matches", order).await.names(409, "not_accepted", why);
    };
    refused(&ben, plain(), "robo is offline").await;
    // Its owner may start a program for it later.
    create(&host, &ann, plain()).await;

    let wire = online(&host, &robo, json!({ "games": [SHORT], "from": "owner", "rated": "never" })).await;
    refused(&ben, plain(), "plays only its owner").await;
    refused(&TestCaller::anonymous(), plain(), "players who have a name").await;
    refused(&ann, rated(), "plays only unrated matches").await;
    // The one that its owner has made while it was offline.
    refused(&ann, plain(), "plays 1 matches already").await;
    drop(wire);

    let policy = json!({ "games": [SHORT], "concurrent": 2, "rated": "only" });
    let _wire = online(&host, &robo, policy).await;
    refused(&ben, plain(), "plays only rated matches").await;
    refused(
        &ben,
        json!({ "game": "azul", "seats": [me(), { "kind": "player", "name": "robo" }] }),
        "plays only",
    )
    .await;
    create(&host, &ben, rated()).await;
    until(|| async {
        let full = ben.post(&host, "/v1/matches", rated()).await;
        (full.status == 409).then_some(full)
    })
    .await
    .names(409, "not_accepted", "plays 2 matches already");
}

#[tokio::test]
async fn rematch_with_a_bot_asks_its_policy() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let robo = bot(&host, &ann, "robo").await;
    let policy = |from: &str| json!({ "games": [SHORT], "concurrent": 9, "from": from });
    let wire = online(&host, &robo, policy("anyone")).await;
    let (path, _) = create(&host, &ben, with_robo(json!({}))).await;
    join(&host, &robo, &path).await;
    one_move_each(&host, &path, &[&ben]).await;
    ben.tell(&host, &format!("{path}/resign")).await.json();
    drop(wire);
    let _wire = online(&host, &robo, policy("bots")).await;
    let rematch = format!("{path}/rematch");
    ben.tell(&host, &rematch).await.names(409, "not_accepted", "robo plays only bots");
    // The bot itself may ask, and then its opponent sits down.
    let link = robo.tell(&host, &rematch).await.json();
    assert_eq!(ben.tell(&host, &rematch).await.json()["id"], link["id"]);
}
