//! Tournaments at tables of three and four: everyone plays from every seat, and tables are complete.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::standings::assert_follow_from;
use super::{create, enter, random_engine, request, round_robin, until_ended};
use crate::client::TestServer;
use crate::club::player;
use crate::matches::LONG;

/// Plays a tournament of engines with this format at tables of this size; returns the page at the end and the records.
async fn play(host: &TestServer, seats: usize, format: Value, entrants: &[&str]) -> (Value, Vec<Value>) {
    let ann = player(host, &format!("ann{seats}")).await;
    let mut wanted = request(LONG, format);
    (wanted["seats"], wanted["rated"], wanted["max_entrants"]) = (json!(seats), json!(true), json!(8));
    let path = create(host, &ann, wanted).await;
    for (at, level) in entrants.iter().enumerate() {
        if at + 1 == seats {
            ann.tell(host, &format!("{path}/start")).await.problem(409, "too_few_entrants");
        }
        enter(host, &ann, &path, &random_engine(LONG, level)).await;
    }
    ann.tell(host, &format!("{path}/start")).await.json();
    let page = until_ended(host, &path).await;
    let records = host.get(&format!("{path}/records")).await;
    (page, records.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// How often each entrant played from each seat.
fn seatings(page: &Value) -> BTreeMap<(u64, usize), u32> {
    let mut counts = BTreeMap::new();
    for game in page["games"].as_array().unwrap() {
        assert_eq!(game["stage"], "finished", "{game}");
        for (seat, entrant) in game["seats"].as_array().unwrap().iter().enumerate() {
            *counts.entry((entrant.as_u64().unwrap(), seat)).or_default() += 1;
        }
    }
    counts
}

#[tokio::test]
async fn round_robin_for_three_lets_every_group_meet() {
    let host = TestServer::start(&["--engine-matches=8"]).await;
    let (page, records) = play(&host, 3, round_robin(), &["easy", "medium", "hard", "max"]).await;
    // Four groups of three, and three games each.
    assert_eq!((page["games"].as_array().unwrap().len(), records.len()), (12, 12));
    assert_follow_from(&page, &records);
    let counts = seatings(&page);
    assert_eq!(counts.len(), 12, "everyone plays from every seat");
    assert!(counts.values().all(|times| *times == 3), "as often as from any other: {counts:?}");
    let points: f64 =
        page["standings"].as_array().unwrap().iter().map(|line| line["points"].as_f64().unwrap()).sum();
    assert!((points - 18.0).abs() < 1e-9, "each game of three gives 1.5 points: {points}");
}

#[tokio::test]
async fn round_robin_and_swiss_for_four_are_played_to_the_end() {
    let host = TestServer::start(&["--engine-matches=8"]).await;
    let all = ["easy", "medium", "hard", "max"];
    let (page, records) = play(&host, 4, round_robin(), &all).await;
    assert_eq!(records.len(), 4, "one group, and each entrant once in each seat");
    assert_follow_from(&page, &records);
    assert!(seatings(&page).values().all(|times| *times == 1));
    // Of four entrants at tables for three, one has a bye in each round, and never twice.
    let swiss = json!({ "kind": "swiss", "rounds": 2 });
    let (page, records) = play(&host, 3, swiss, &all).await;
    assert_eq!(records.len(), 6);
    let byes = page["byes"].as_array().unwrap();
    assert_eq!(byes.len(), 2);
    assert_ne!(byes[0]["entrant"], byes[1]["entrant"]);
    for line in page["standings"].as_array().unwrap() {
        let of_bye = byes.iter().filter(|bye| bye["entrant"] == line["entrant"]).count();
        assert_eq!(line["games"].as_u64().unwrap() as usize, 6 - 3 * of_bye, "{line}");
    }
}

#[tokio::test]
async fn sampled_round_robin_gives_all_as_many_games_and_opponents() {
    let host = TestServer::start(&["--engine-matches=8"]).await;
    let all = ["easy", "medium", "hard", "max"];
    let format = json!({ "kind": "sampled_round_robin", "games": 6 });
    let (page, records) = play(&host, 3, format, &all).await;
    assert_eq!(records.len(), 8, "four entrants with six games each, three at a table");
    assert_follow_from(&page, &records);
    assert!(seatings(&page).into_values().all(|times| times == 2));
    // 8 tables of 3 pairs, and 6 pairs of entrants.
    assert!(page["crosstable"].as_array().unwrap().iter().all(|cell| cell["games"] == 4), "{page}");
}

#[tokio::test]
async fn hours_become_as_many_games_as_fit_or_are_too_few() {
    let host = TestServer::start(&["--engine-matches=8"]).await;
    let ann = player(&host, "ann").await;
    let games_in = async |clock_ms: u64, at_once: usize| {
        let mut wanted = request(LONG, json!({ "kind": "sampled_round_robin", "hours": 2 }));
        (wanted["clock"], wanted["max_running"]) = (json!({ "initial_ms": clock_ms }), json!(at_once));
        let path = create(&host, &ann, wanted).await;
        for level in ["easy", "medium", "hard", "max"] {
            enter(&host, &ann, &path, &random_engine(LONG, level)).await;
        }
        (path.clone(), ann.tell(&host, &format!("{path}/start")).await)
    };
    // Half an hour for each of two players, two games at a time: four games in two hours, two of each entrant.
    let (_, started) = games_in(1_800_000, 2).await;
    assert_eq!(started.json()["games"].as_array().unwrap().len(), 4);
    let (path, refused) = games_in(3 * 3_600_000, 2).await;
    refused.problem(409, "too_little_time");
    ann.tell(&host, &format!("{path}/abort")).await.json();
}
