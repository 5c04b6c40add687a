//! Many hosted bots on one machine: the ladder plays all of them evenly, and a person's match with an engine does not notice them.

use std::env;
use std::fs;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::client::{HANG, TestServer};
use crate::hosted_programs::{Owner, source};
use crate::matches::TestCaller;
use crate::programs::written;

/// A number from the environment, for measurements.
fn number(name: &str, usual: u64) -> u64 {
    env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// How long an engine's moves took in a match of this caller, from the caller's move to the engine's, in microseconds, sorted.
async fn delays(host: &TestServer, caller: &TestCaller, matches: u64) -> Vec<u64> {
    let mut delays = Vec::new();
    for seed in 1..=matches {
        let seats = json!([{ "kind": "me" }, { "kind": "engine", "think_ms": 50 }]);
        let order = json!({ "game": "azul", "seats": seats, "seed": seed });
        let made = caller.post(host, "/v1/matches", order).await.made();
        let path = format!("/v1/matches/{}", made["id"].as_str().unwrap());
        loop {
            let page = caller.page(host, &path).await;
            if page["stage"] == "over" {
                break;
            }
            if page["turn"] == 0 {
                let mv = json!({ "ply": page["ply"], "notation": page["legal_moves"][0]["notation"] });
                caller.post(host, &format!("{path}/moves"), mv).await;
            } else {
                sleep(Duration::from_millis(5)).await;
            }
        }
        let record = host.get(&format!("{path}/record")).await.json();
        let by_engine = |event: &&Value| event["type"] == "moved" && event["seat"] == 1;
        let took = |event: &Value| {
            event["times"]["queue_us"].as_u64().unwrap() + event["times"]["think_us"].as_u64().unwrap()
        };
        delays.extend(record["events"].as_array().unwrap().iter().filter(by_engine).map(took));
    }
    delays.sort_unstable();
    delays
}

fn p99(sorted: &[u64]) -> u64 {
    sorted[(sorted.len() * 99 / 100).min(sorted.len() - 1)]
}

/// Without the environment: a few bots, and only the evenness is checked, since a slow machine must not fail the test. A measurement:
/// `KIBITZ_SHARE_BOTS=200 KIBITZ_SHARE_SECONDS=600 cargo test --release -p kibitz --test it hosted_share -- --nocapture`.
#[tokio::test]
async fn ladder_plays_all_hosted_bots_evenly() {
    let bots = number("KIBITZ_SHARE_BOTS", 6);
    let folder = TempDir::new().unwrap();
    // Each of its decisions takes some hundredths of a second.
    let text = fs::read_to_string(source("ioiwari.c")).unwrap();
    let slow = "({ for (volatile long n = 0; n < 1000000; n++) {} gain > most; })";
    let module = fs::read(written(folder.path(), "slow", &text.replace("gain > most", slow))).unwrap();
    let per_hour = number("KIBITZ_SHARE_PER_HOUR", 3600).to_string();
    let host = TestServer::start(&[
        "--ladder=true",
        &format!("--ladder-matches-per-hour={per_hour}"),
        "--max-matches-per-address=5000",
        "--creations-per-minute=60000",
        "--creations-burst=60000",
        "--player-creations-per-minute=60000",
        "--player-creations-burst=60000",
        "--max-rated-per-pair=10000",
    ])
    .await;
    let person = host.post("/v1/players", json!({ "name": "person" })).await.made();
    let person = TestCaller::with(person["token"].as_str().unwrap());
    let measured = number("KIBITZ_SHARE_PERSON_MATCHES", 1);
    let quiet = delays(&host, &person, measured).await;

    let (host, module) = (&host, &module);
    let owners = stream::iter(0..bots).map(|n| async move {
        let (owner, bot) = (format!("owner{n}"), format!("robo{n}"));
        let owner = Owner::new(host, &owner, &bot).await;
        assert_eq!(owner.put(host, &bot, "game=ioiwari", module).await.status, 201);
        (owner, bot)
    });
    let owners: Vec<(Owner, String)> = owners.buffered(4).collect().await;
    for (owner, bot) in &owners {
        let program = owner.checked(host, bot, 1).await;
        assert_eq!(program["state"], "active", "{program}");
    }
    let seconds = number("KIBITZ_SHARE_SECONDS", 0);
    let busy = if seconds > 0 { delays(host, &person, measured).await } else { quiet.clone() };
    let ends = Instant::now() + Duration::from_secs(seconds);
    // Until the time is up, and each has played at least three matches and about as many as the others. Those whose check took
    // longer begin later, and catch up.
    let evenly = |played: &[u64]| {
        let (least, most) = (*played.iter().min().unwrap(), *played.iter().max().unwrap());
        least >= 3 && most <= 2 * least + 2
    };
    let hang = ends + HANG;
    let played = loop {
        let played: Vec<u64> = stream::iter(&owners).then(|(_, bot)| matches_of(host, bot)).collect().await;
        if Instant::now() >= ends && evenly(&played) {
            break played;
        }
        assert!(Instant::now() < hang, "{played:?}");
        sleep(Duration::from_millis(500)).await;
    };
    let (least, most) = (played.iter().min().unwrap(), played.iter().max().unwrap());
    println!("{bots} bots: {least} to {most} matches each, {} in all", played.iter().sum::<u64>() / 2);
    println!("an engine's answer, p99: {} us alone, {} us beside them", p99(&quiet), p99(&busy));
}

/// The matches of a bot on the ladder that are over, at most 100.
async fn matches_of(host: &TestServer, bot: &str) -> u64 {
    let list = host.get(&format!("/v1/matches?player={bot}&stage=over&limit=100")).await.json();
    let of_ladder = |listed: &&Value| listed["ladder"] == "rated";
    list["matches"].as_array().unwrap().iter().filter(of_ladder).count() as u64
}
