//! What each version of a hosted bot has achieved: real programs, rated and other matches, across a restart.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::client::{HANG, TestServer};
use crate::hosted_matches::record;
use crate::hosted_programs::{Owner, source};
use crate::programs::{compiled, written};

/// The programs of the bot `robo`, by what its owner reads.
async fn programs(host: &TestServer, owner: &Owner) -> Vec<Value> {
    let list = owner.person.get(host, "/v1/me/bots/robo/programs").await.json();
    list["programs"].as_array().unwrap().clone()
}

/// Plays a match of robo and dodo; returns its id and its record.
async fn play(host: &TestServer, ann: &Owner, rated: bool) -> (String, Value) {
    let seats = json!([{ "kind": "player", "name": "robo" }, { "kind": "player", "name": "dodo" }]);
    let order =
        json!({ "game": "ioiwari", "seats": seats, "rated": rated, "clock": { "initial_ms": 60_000 } });
    let begun = async {
        // Until both are online, it is refused.
        loop {
            let answer = ann.person.post(host, "/v1/matches", order.clone()).await;
            if answer.status != 409 {
                return answer.made()["id"].as_str().unwrap().to_owned();
            }
            let problem: Value = serde_json::from_slice(&answer.body).unwrap();
            assert_eq!(problem["code"], "not_accepted", "{answer:?}");
            sleep(Duration::from_millis(20)).await;
        }
    };
    let id = timeout(HANG, begun).await.expect("both bots come online");
    let record = record(host, &id).await;
    (id, record)
}

/// What these matches say of a program of robo, which has the first seat. `rating`: after the last rated one.
fn expected(number: u64, records: &[Value], rating: &Value) -> Value {
    let own = records.iter().filter(|record| record["events"][0]["seats"][0]["program"]["number"] == number);
    let (mut results, mut mistakes, mut rated) = ([0, 0, 0], 0, 0);
    for record in own {
        let events = record["events"].as_array().unwrap();
        let ranks = &events.last().unwrap()["result"]["ranks"];
        results[match (ranks[0].as_u64().unwrap(), ranks[1].as_u64().unwrap()) {
            (1, 1) => 1,
            (1, _) => 0,
            _ => 2,
        }] += 1;
        mistakes += events.iter().filter(|event| event["type"] == "fouled" && event["seat"] == 0).count();
        rated += u64::from(events[0]["rated"] == true);
    }
    let rating = (rated > 0)
        .then(|| json!({ "played": rated, "points": rating["points"], "margin": rating["margin"] }));
    let [won, drawn, lost] = results;
    json!({ "won": won, "drawn": drawn, "lost": lost, "mistakes": mistakes, "rating": rating })
}

/// A program that gives a wrong answer in its second turn.
fn careless(folder: &Path) -> Vec<u8> {
    let text = fs::read_to_string(source("ioiwari.c")).unwrap();
    let wrong = text.replace(
        "int pit = best(pits);",
        "static int n; if (++n == 2) { puts(\"9\"); } int pit = best(pits);",
    );
    assert_ne!(wrong, text);
    fs::read(written(folder, "careless", &wrong)).unwrap()
}

#[tokio::test]
async fn version_has_the_results_of_the_matches_that_it_played() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    let (ann, bob) = (Owner::new(&host, "ann", "robo").await, Owner::new(&host, "bob", "dodo").await);
    let good = fs::read(compiled(folder.path(), &source("ioiwari.c"))).unwrap();
    for (owner, bot) in [(&ann, "robo"), (&bob, "dodo")] {
        assert_eq!(owner.put(&host, bot, "game=ioiwari", &good).await.status, 201);
        assert_eq!(owner.checked(&host, bot, 1).await["state"], "active");
    }
    assert_eq!(programs(&host, &ann).await[0]["results"], expected(1, &[], &Value::Null));
    // The first version, the second one, and the first one again; the rating after each match.
    let (mut records, mut ratings, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for (version, rated) in [(1, true), (1, false), (2, true), (2, true), (1, true), (1, false)] {
        if version == 2 && records.len() == 2 {
            assert_eq!(ann.put(&host, "robo", "game=ioiwari", &careless(folder.path())).await.status, 201);
            assert_eq!(ann.checked(&host, "robo", 2).await["state"], "active");
        } else if version == 1 && records.len() == 4 {
            let again = json!({ "state": "active" });
            let again = ann.send(&host, "PATCH", "/v1/me/bots/robo/programs/1", Some(again)).await;
            assert_eq!(again.json()["state"], "active");
        }
        let (id, record) = play(&host, &ann, rated).await;
        records.push(record);
        ratings.push(ann.person.get(&host, "/v1/players/robo").await.json()["ratings"][0].clone());
        ids.push(id);
    }
    let (first, second) = (expected(1, &records, &ratings[4]), expected(2, &records, &ratings[3]));
    assert_eq!((&first["rating"]["played"], &second["rating"]["played"]), (&json!(2), &json!(2)));
    assert!(second["mistakes"].as_u64().unwrap() >= 2 && first["mistakes"] == 0, "{second}");
    let listed = programs(&host, &ann).await;
    assert_eq!((&listed[0]["results"], &listed[1]["results"]), (&second, &first));
    // What the matches themselves say of the rating.
    for (version, last) in [(&first, &ids[4]), (&second, &ids[3])] {
        let change = host.get(&format!("/v1/matches/{last}/ratings")).await.json();
        assert_eq!(change["seats"][0]["change"]["after"], version["rating"]["points"], "{change}");
    }
    host.stop().await;

    let host = TestServer::on(&database, &[]).await;
    let listed = programs(&host, &ann).await;
    assert_eq!((&listed[0]["results"], &listed[1]["results"]), (&second, &first), "after a restart");
    // A version takes its results along; the same module is then a version without any.
    assert_eq!(ann.send(&host, "DELETE", "/v1/me/bots/robo/programs/2", None).await.status, 204);
    let listed = programs(&host, &ann).await;
    assert_eq!((listed.len(), &listed[0]["results"]), (1, &first));
    let again = ann.put(&host, "robo", "game=ioiwari&activate=false", &careless(folder.path())).await;
    assert_eq!(again.status, 201);
    let third = ann.checked(&host, "robo", 3).await;
    assert_eq!(third["results"], expected(3, &records, &Value::Null));
    let (_, record) = play(&host, &ann, false).await;
    records.push(record);
    let listed = programs(&host, &ann).await;
    assert_eq!(listed[1]["results"], expected(1, &records, &ratings[4]));
    host.stop().await;
}
