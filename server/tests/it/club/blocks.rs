//! A player who is blocked has no way to the one who blocks.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::lobby::bot;
use super::player;
use crate::client::TestServer;
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open};
use crate::server_process::until;

async fn block(host: &TestServer, who: &TestCaller, method: &str, name: &str) {
    let path = format!("/v1/me/blocks/{name}");
    assert_eq!(who.send(host, method, &path, &[], None).await.status, 204);
}

fn seat_for(name: &str) -> Value {
    json!({ "game": SHORT, "seats": [me(), { "kind": "player", "name": name }] })
}

#[tokio::test]
async fn blocked_players_and_their_bots_reach_each_other_in_no_way() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    let other = TestServer::on(&database, &[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let robo = bot(&host, &ben, "robo").await;
    // They play already.
    let (path, _) = create(&host, &ann, json!({ "game": SHORT, "seats": [me(), open()] })).await;
    join(&host, &ben, &path).await;
    block(&host, &ann, "PUT", "BEN").await;
    block(&host, &ann, "PUT", "ben").await;
    let list = ann.get(&host, "/v1/me/blocks").await.json();
    assert_eq!(list, json!({ "blocked": ["ben"] }));
    assert_eq!(ben.get(&host, "/v1/me/blocks").await.json(), json!({ "blocked": [] }));

    let challenge = json!({ "game": SHORT });
    for caller in [&ben, &robo] {
        let refused = caller.post(&host, "/v1/players/ann/challenges", challenge.clone()).await;
        refused.names(409, "not_accepted", "ann wants no contact with you");
        let refused = caller.post(&host, "/v1/matches", seat_for("ann")).await;
        refused.names(409, "not_accepted", "ann wants no contact with you");
    }
    let refused = ann.post(&host, "/v1/players/ben/challenges", challenge.clone()).await;
    refused.names(409, "not_accepted", "you have blocked ben");
    let chat = format!("{path}/chat");
    ben.post(&host, &chat, json!({ "phrase": "hello" })).await.problem(409, "not_accepted");
    // The match itself goes on.
    let mv = ann.page(&host, &path).await["legal_moves"][0]["notation"].clone();
    assert_eq!(ann.play(&host, &path, &json!(0), &mv).await.status, 200);
    ann.tell(&host, &format!("{path}/resign")).await.json();
    ben.tell(&host, &format!("{path}/rematch")).await.problem(409, "not_accepted");

    // The other server has learned of it.
    until(|| async {
        let reply = ben.post(&other, "/v1/players/ann/challenges", challenge.clone()).await;
        (reply.status == 409).then_some(())
    })
    .await;
    let wish = json!({ "game": SHORT, "opponents": ["person"], "stay_ms": 1500 });
    let (one, two) =
        tokio::join!(ann.post(&host, "/v1/pool", wish.clone()), ben.post(&other, "/v1/pool", wish.clone()));
    assert_eq!((one.status.as_u16(), two.status.as_u16()), (204, 204), "they are not paired");

    block(&host, &ann, "DELETE", "ben").await;
    until(|| async {
        let reply = ben.post(&other, "/v1/players/ann/challenges", challenge.clone()).await;
        (reply.status == 201).then_some(())
    })
    .await;
    assert_eq!(ben.post(&host, &chat, json!({ "phrase": "hello" })).await.status, 200);
}

#[tokio::test]
async fn blocked_player_takes_no_open_seat_beside_the_one_who_blocks() {
    let host = TestServer::start(&[]).await;
    let [ann, ben, cyd] =
        [player(&host, "ann").await, player(&host, "ben").await, player(&host, "cyd").await];
    let robo = bot(&host, &ben, "robo").await;
    block(&host, &ann, "PUT", "ben").await;
    let open_match = |seats: Vec<Value>| json!({ "game": LONG, "seats": seats });
    let (own, _) = create(&host, &ann, open_match(vec![me(), open(), open()])).await;
    let (without_seat, _) = create(&host, &ann, open_match(vec![open(), open()])).await;
    let (of_another, _) = create(&host, &cyd, open_match(vec![me(), open(), open()])).await;
    join(&host, &ann, &of_another).await;
    for path in [&own, &without_seat, &of_another] {
        for caller in [&ben, &robo] {
            let refused = caller.tell(&host, &format!("{path}/join")).await;
            refused.names(409, "not_accepted", "ann wants no contact with you");
        }
    }
    let (of_ben, _) = create(&host, &ben, open_match(vec![me(), open()])).await;
    ann.tell(&host, &format!("{of_ben}/join")).await.names(409, "not_accepted", "you have blocked ben");
    // Others join, and a seat that ben has already stays his.
    join(&host, &cyd, &own).await;
    join(&host, &TestCaller::anonymous(), &own).await;
    assert_eq!(ben.tell(&host, &format!("{of_ben}/join")).await.status, 200);
    block(&host, &ann, "DELETE", "ben").await;
    join(&host, &ben, &of_another).await;
    assert_eq!(ben.page(&host, &of_another).await["stage"], "running");
}

#[tokio::test]
async fn challenge_is_not_accepted_after_a_block() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let made = ann.post(&host, "/v1/players/ben/challenges", json!({ "game": SHORT })).await.made();
    let accept = format!("/v1/challenges/{}/accept", made["id"].as_str().unwrap());
    block(&host, &ann, "PUT", "ben").await;
    ben.tell(&host, &accept).await.problem(409, "not_accepted");
    block(&host, &ann, "DELETE", "ben").await;
    assert!(ben.tell(&host, &accept).await.json()["match"].is_string());
}

#[tokio::test]
async fn players_cannot_block_themselves_their_bots_or_an_engine() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    bot(&host, &ann, "robo").await;
    for name in ["ann", "robo", "ioiwari:random:1:max"] {
        let reply =
            ann.send(&host, "PUT", &format!("/v1/me/blocks/{}", name.replace(':', "%3A")), &[], None).await;
        reply.problem(403, "not_a_person");
    }
    ann.send(&host, "PUT", "/v1/me/blocks/nobody", &[], None).await.problem(404, "no_such_player");
    TestCaller::anonymous().send(&host, "GET", "/v1/me/blocks", &[], None).await.problem(401, "token_needed");
}
