//! Players of all kinds, rated matches, ratings and leaderboards from outside: real servers, real requests, the real
//! `kibitz admin`.

mod blocks;
mod bot_seats;
mod bots;
mod ladder;
pub(crate) mod lobby;
mod pages;
mod rated;
mod rules;
mod spectator_chat;

use std::collections::BTreeMap;

use kibitz::ratings::{Rating, after_match};
use serde_json::{Value, json};

use crate::client::TestServer;
use crate::matches::{SHORT, TestCaller, choose, create, join, me, open};
use crate::server_process::until;

/// A player of this name.
pub(super) async fn player(host: &TestServer, name: &str) -> TestCaller {
    let made = TestCaller::anonymous().post(host, "/v1/players", json!({ "name": name })).await.made();
    TestCaller::with(made["token"].as_str().unwrap())
}

/// A rated match with a long clock.
pub(super) fn rated(game: &str, seats: &[Value]) -> Value {
    json!({ "game": game, "seats": seats, "rated": true, "clock": { "initial_ms": 3_600_000 } })
}

/// An engine that needs no time.
pub(super) fn random_engine() -> Value {
    json!({ "kind": "engine", "engine": "random" })
}

/// Starts a rated match of two players; returns its path.
pub(super) async fn begin(host: &TestServer, players: [&TestCaller; 2]) -> String {
    let (path, _) = create(host, players[0], rated(SHORT, &[me(), open()])).await;
    join(host, players[1], &path).await;
    path
}

/// Lets each of these players make a move, in this order: a result counts only then.
pub(super) async fn one_move_each(host: &TestServer, path: &str, players: &[&TestCaller]) {
    for player in players {
        let page = until(|| async {
            let page = player.page(host, path).await;
            (page["turn"].is_number() && page["turn"] == page["you"]).then_some(page)
        })
        .await;
        let mv = &choose(&page, 0)["notation"];
        assert_eq!(player.play(host, path, &page["ply"], mv).await.status, 200);
    }
}

/// Plays to the end, with other moves for another seed. `hosts`: asked in turn. Returns the page at the end.
pub(super) async fn play_out(hosts: &[&TestServer], path: &str, players: &[&TestCaller], seed: u64) -> Value {
    loop {
        let page = players[0].page(hosts[0], path).await;
        let ply = page["ply"].as_u64().unwrap();
        if page["stage"] == "over" {
            return page;
        }
        // None: an engine is to move.
        let mut moved = false;
        for (n, player) in players.iter().enumerate() {
            let host = hosts[(ply as usize + n) % hosts.len()];
            let page = player.page(host, path).await;
            if page["stage"] == "running" && page["turn"].is_number() && page["turn"] == page["you"] {
                let mv = &choose(&page, page["ply"].as_u64().unwrap() + seed)["notation"];
                let reply = player.play(host, path, &page["ply"], mv).await;
                // The other server may be behind for a moment.
                assert!([200, 409, 412].contains(&reply.status.as_u16()), "{reply:?}");
                moved = true;
                break;
            }
        }
        if !moved {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
}

/// Ratings by the names of players, from records in the order in which the matches ended, independently of the server's
/// results. All are of the same game.
pub(super) fn fold_records(records: &[Value]) -> BTreeMap<String, (Rating, u64)> {
    let mut ratings: BTreeMap<String, (Rating, u64)> = BTreeMap::new();
    for record in records {
        let events = record["events"].as_array().unwrap();
        let created = &events[0];
        assert_eq!(created["rated"], true, "{created}");
        let name = |seat: &Value| match seat["kind"].as_str().unwrap() {
            "engine" => {
                let (engine, level) = (seat["engine"].as_str().unwrap(), seat["level"].as_str().unwrap());
                format!("{}:{engine}:{}:{level}", record["game"].as_str().unwrap(), seat["version"])
            }
            _ => seat["name"].as_str().unwrap_or_default().to_owned(),
        };
        let mut names: Vec<String> = created["seats"].as_array().unwrap().iter().map(name).collect();
        for joined in events.iter().filter(|event| event["type"] == "joined") {
            names[joined["seat"].as_u64().unwrap() as usize] = joined["name"].as_str().unwrap().to_owned();
        }
        let Some(result) = events.last().unwrap()["result"].as_object() else { continue };
        let places: Vec<u8> =
            result["ranks"].as_array().unwrap().iter().map(|place| place.as_u64().unwrap() as u8).collect();
        let known = |name: &String| ratings.get(name).map_or(Rating::NEW, |known| known.0);
        let before: Vec<Rating> = names.iter().map(known).collect();
        for (name, after) in names.into_iter().zip(after_match(&before, &places)) {
            let entry = ratings.entry(name).or_default();
            *entry = (after, entry.1 + 1);
        }
    }
    ratings
}

/// The rating that a server shows.
pub(super) async fn shown(host: &TestServer, name: &str, game: &str) -> Option<(Rating, u64)> {
    let page = host.get(&format!("/v1/players/{name}")).await.json();
    let ratings = page["ratings"].as_array().unwrap();
    let rating = ratings.iter().find(|rating| rating["game"] == game)?;
    let number = |field: &str| rating[field].as_f64().unwrap();
    Some((Rating { mu: number("mu"), sigma: number("sigma") }, rating["played"].as_u64().unwrap()))
}

/// Checks that a shown rating is this one. Numbers in JSON may be read with an error in the last digit.
#[track_caller]
pub(super) fn assert_same(shown: Option<(Rating, u64)>, expected: (Rating, u64)) {
    let (rating, played) = shown.expect("there is a rating");
    assert_eq!(played, expected.1);
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12 * b.abs().max(1.0);
    assert!(
        near(rating.mu, expected.0.mu) && near(rating.sigma, expected.0.sigma),
        "{rating:?} {expected:?}"
    );
}
