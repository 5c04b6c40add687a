//! A tournament with a window: games are played when both players are there, and are forfeited at its end only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{create, enter, play_all, random_engine, request, round_robin, until, until_ended};
use crate::client::TestServer;
use crate::club::lobby::{bot, control};
use crate::club::player;
use crate::matches::{SHORT, TestCaller};

const HOUR_MS: u64 = 3_600_000;

/// A started tournament of these players, and of engines.
async fn started(host: &TestServer, organizer: &TestCaller, wanted: Value, names: &[&str]) -> String {
    let path = create(host, organizer, wanted).await;
    for name in names {
        enter(host, organizer, &path, name).await;
    }
    organizer.tell(host, &format!("{path}/start")).await.json();
    path
}

fn with_window(format: Value, window_ms: u64) -> Value {
    let mut wanted = request(SHORT, format);
    (wanted["window_ms"], wanted["grace_ms"]) = (json!(window_ms), json!(1000));
    wanted
}

/// The numbers of the games in a stage.
fn games(page: &Value, stage: &str) -> Vec<Value> {
    page["games"].as_array().unwrap().iter().filter(|game| game["stage"] == stage).cloned().collect()
}

/// The events of a tournament that is over.
async fn events(host: &TestServer, path: &str) -> Vec<Value> {
    let accept = [("accept", "application/x-ndjson")];
    let path = format!("{path}/events?since=0");
    let stream = TestCaller::anonymous().send_to(host.address(), "GET", &path, &accept, None).await;
    stream.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn game_begins_when_all_its_players_are_there() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let robo = bot(&host, &ann, "robo").await;
    let late = bot(&host, &ann, "late").await;
    let engine = random_engine(SHORT, "easy");
    let names = ["robo", "late", engine.as_str()];
    // Everyone plays the fixed opponent, so that bots of one owner are no trouble.
    let mut wanted = with_window(json!({ "kind": "gauntlet", "games": 2 }), HOUR_MS);
    wanted["per_entrant"] = json!(2);
    let path = create(&host, &ann, wanted).await;
    for name in &names[..2] {
        enter(&host, &ann, &path, name).await;
    }
    let opponent = json!({ "name": engine, "opponent": true });
    ann.post(&host, &format!("{path}/entries"), opponent).await.made();
    let page = ann.tell(&host, &format!("{path}/start")).await.json();
    let until_ms = page["waits_until_ms"].as_u64().unwrap();
    assert!(until_ms > page["created_ms"].as_u64().unwrap() + HOUR_MS - 1);
    let stop = Arc::new(AtomicBool::new(false));
    let players: Vec<_> = [robo.clone(), late.clone()]
        .into_iter()
        .map(|caller| tokio::spawn(play_all(vec![host.address()], caller, Arc::clone(&stop))))
        .collect();
    let (_wire, _) = control(&host, &robo).await;
    let page = until(&host, &path, |page| games(page, "finished").len() == 2).await;
    for game in games(&page, "finished") {
        assert_eq!(game["seats"], json!([0, 2]));
        assert_eq!(game["forfeited"], json!([]));
    }
    assert_eq!(games(&page, "waiting").len(), 2, "the games of the bot that is away wait");
    let (_wire, _) = control(&host, &late).await;
    let page = until_ended(&host, &path).await;
    assert_eq!(games(&page, "finished").len(), 4);
    stop.store(true, Ordering::Relaxed);
    for player in players {
        player.await.unwrap();
    }
}

#[tokio::test]
async fn games_are_forfeited_at_the_end_of_the_window_only() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let engine = random_engine(SHORT, "easy");
    let path = started(&host, &ann, with_window(round_robin(), 3_000), &["ann", engine.as_str()]).await;
    let page = until_ended(&host, &path).await;
    assert!(games(&page, "finished").iter().all(|game| game["match"].is_null()), "no match began: {page}");
    let events = events(&host, &path).await;
    let at = |kind: &str| -> Vec<u64> {
        let found = events.iter().filter(|event| event["type"] == kind);
        found.map(|event| event["at_ms"].as_u64().unwrap()).collect()
    };
    let (start, ends) = (at("started")[0], at("game_ended"));
    assert_eq!(ends.len(), 2);
    assert!(ends.iter().all(|end| *end >= start + 3_000), "{start}: {ends:?}");
}

/// A player is connected and does not come to the match: the game waits on, and is none of the attempts.
#[tokio::test]
async fn game_to_which_a_player_does_not_come_waits_on() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let engine = random_engine(SHORT, "easy");
    let path = started(&host, &ann, with_window(round_robin(), HOUR_MS), &["ann", engine.as_str()]).await;
    let (_wire, _) = control(&host, &ann).await;
    let page =
        until(&host, &path, |page| games(page, "waiting").len() == 2 && page["seq"].as_u64().unwrap() >= 6)
            .await;
    assert_eq!(games(&page, "finished").len(), 0);
    ann.tell(&host, &format!("{path}/abort")).await.json();
    let events = events(&host, &path).await;
    let voided: Vec<&Value> = events.iter().filter(|event| event["type"] == "game_voided").collect();
    assert!(!voided.is_empty() && voided.iter().all(|event| event["postponed"] == true), "{voided:?}");
}

#[tokio::test]
async fn window_has_limits() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    for wrong in [0, 32 * 24 * HOUR_MS] {
        let reply = ann.post(&host, "/v1/tournaments", with_window(round_robin(), wrong)).await;
        assert!(reply.problem(422, "bad_field")["detail"].as_str().unwrap().contains("window_ms"));
    }
}
