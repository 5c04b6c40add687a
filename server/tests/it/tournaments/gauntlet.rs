//! A gauntlet over the API: all play the same deals against fixed opponents, from the contest's seat.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::standings::assert_follow_from;
use super::{create, enter, random_engine, request, until_ended};
use crate::client::TestServer;
use crate::club::player;
use crate::matches::{SHORT, TestCaller};

/// Enters a built-in engine as a fixed opponent.
async fn oppose(host: &TestServer, organizer: &TestCaller, path: &str, name: &str) {
    let entry = json!({ "name": name, "opponent": true });
    organizer.post(host, &format!("{path}/entries"), entry).await.made();
}

fn gauntlet(games: u64) -> Value {
    request(SHORT, json!({ "kind": "gauntlet", "games": games }))
}

#[tokio::test]
async fn entrants_play_the_same_deals_from_the_contests_seat_for_its_points() {
    let host = TestServer::start(&["--engine-matches=8"]).await;
    let ann = player(&host, "ann").await;
    let path = create(&host, &ann, gauntlet(5)).await;
    for level in ["easy", "medium", "hard"] {
        enter(&host, &ann, &path, &random_engine(SHORT, level)).await;
    }
    ann.tell(&host, &format!("{path}/start")).await.problem(409, "too_few_entrants");
    oppose(&host, &ann, &path, &random_engine(SHORT, "max")).await;
    ann.tell(&host, &format!("{path}/start")).await.json();
    ann.post(&host, &format!("{path}/entries"), json!({})).await.problem(409, "tournament_stage");
    let page = until_ended(&host, &path).await;
    let records = host.get(&format!("{path}/records")).await;
    let records: Vec<Value> =
        records.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 15);
    assert_follow_from(&page, &records);
    let mut by_deal: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut points = [0, 0, 0];
    for game in page["games"].as_array().unwrap() {
        let entrant = game["seats"][0].as_u64().unwrap();
        assert_eq!(game["seats"], json!([entrant, 3]), "the bots of the contest have the first seat");
        by_deal.entry(game["deal"].as_u64().unwrap()).or_default().push(entrant);
        points[entrant as usize] += 2 * game["half_wins"][0].as_u64().unwrap();
    }
    assert!(by_deal.len() == 5 && by_deal.values().all(|played| *played == [0, 1, 2]), "{by_deal:?}");
    let standings = page["standings"].as_array().unwrap();
    assert_eq!(standings.len(), 3);
    for line in standings {
        let own = points[line["entrant"].as_u64().unwrap() as usize];
        assert_eq!(
            (line["points"].as_f64(), &line["games"]),
            (Some(own as f64), &json!(5)),
            "4, 2 or 0 for a game"
        );
        assert_eq!(
            (&line["direct"], &line["buchholz"], &line["sonneborn_berger"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
    }
    assert!(standings[0]["ahead"]["mean"].is_number() && standings[2]["ahead"].is_null());
}

#[tokio::test]
async fn bots_enter_a_gauntlet_where_they_cannot_hold_every_seat() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let mut wanted = gauntlet(2);
    wanted["grace_ms"] = json!(1000);
    let path = create(&host, &ann, wanted).await;
    let entry = json!({ "name": "robo", "opponent": true });
    ann.post(&host, &format!("{path}/entries"), entry).await.problem(422, "bad_field");
    enter(&host, &ann, &path, "robo").await;
    oppose(&host, &ann, &path, &random_engine(SHORT, "easy")).await;
    ann.tell(&host, &format!("{path}/start")).await.json();
    // It is not online.
    let page = until_ended(&host, &path).await;
    assert!(page["games"].as_array().unwrap().iter().all(|game| game["forfeited"] == json!([0])), "{page}");
    assert_eq!(page["standings"][0]["points"].as_f64(), Some(0.0));
}

#[tokio::test]
async fn opponents_and_dealings_that_fit_no_gauntlet_are_refused() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let path = create(&host, &ann, request(SHORT, super::round_robin())).await;
    let entry = json!({ "name": random_engine(SHORT, "easy"), "opponent": true });
    ann.post(&host, &format!("{path}/entries"), entry).await.names(422, "bad_field", "gauntlet");
    let mut independent = gauntlet(2);
    independent["dealing"] = json!("independent");
    ann.post(&host, "/v1/tournaments", independent).await.names(422, "bad_field", "dealing");
    let mut deals = gauntlet(2);
    deals["deals"] = json!(3);
    ann.post(&host, "/v1/tournaments", deals).await.names(422, "bad_field", "deals");
    ann.post(&host, "/v1/tournaments", gauntlet(0)).await.names(422, "bad_field", "games");
    ann.post(&host, "/v1/tournaments", gauntlet(20_000)).await.names(422, "bad_field", "20000");
}
