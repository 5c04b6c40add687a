//! The permanent ladder from outside: engines play each other on a new server, online bots play any suitable opponent,
//! one node runs it.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::lobby::{bot, control, event};
use super::player;
use crate::client::TestServer;
use crate::matches::{LONG, SHORT, TestCaller};
use crate::server_process::until;

/// Engines think for a millisecond, and a match in which one fails is soon over.
const QUICK: [&str; 3] = ["--ladder=true", "--max-think-ms=1", "--engine-match-ms=20000"];

/// Looks for pairs all the time, and gives bots a match a second. `engines`: whether engines play, too.
fn eager(args: &mut kibitz::process::options::ServeArgs, engines: bool) {
    let ladder = &mut args.lobby.ladder;
    (ladder.every, ladder.pace) = (Duration::from_millis(20), Duration::ZERO);
    (ladder.matches_per_hour, ladder.engines) = (3600, engines);
}

/// A server with such a ladder.
async fn host(engines: bool) -> TestServer {
    TestServer::with(&QUICK, |args| eager(args, engines)).await
}

/// The matches in this stage, the newest first.
async fn matches(host: &TestServer, stage: &str) -> Vec<Value> {
    let list = host.get(&format!("/v1/matches?stage={stage}&limit=100")).await.json();
    list["matches"].as_array().unwrap().clone()
}

#[tokio::test]
async fn engines_play_rated_matches_one_at_a_time_on_a_new_server() {
    let host = host(true).await;
    let finished = until(|| async {
        assert!(matches(&host, "running").await.len() <= 1, "one match at a time");
        let over = matches(&host, "over").await;
        let finished: Vec<Value> = over.into_iter().filter(|entry| entry["result"].is_object()).collect();
        (finished.len() >= 3).then_some(finished)
    })
    .await;
    for entry in &finished {
        assert_eq!(entry["rated"], true, "{entry}");
        let seats = entry["seats"].as_array().unwrap();
        assert!(seats.len() == 2 && seats.iter().all(|seat| seat["kind"] == "engine"), "{entry}");
        assert_ne!(seats[0]["engine"], seats[1]["engine"], "no engine plays itself");
        let game = entry["game"].as_str().unwrap();
        let board = host.get(&format!("/v1/games/{game}/leaderboard?kind=engine")).await.json();
        assert!(board["players"].as_array().unwrap().len() >= 2, "{board}");
    }
    let games: std::collections::BTreeSet<&str> =
        finished.iter().map(|entry| entry["game"].as_str().unwrap()).collect();
    assert!(games.len() >= 2, "the games take turns: {games:?}");
}

#[tokio::test]
async fn ladder_can_be_off() {
    let off = TestServer::with(&["--max-think-ms=1"], |args| eager(args, true)).await;
    let on = host(true).await;
    until(|| async { (!matches(&on, "over").await.is_empty()).then_some(()) }).await;
    let list = off.get("/v1/matches").await.json();
    assert_eq!(list["matches"], json!([]));
}

#[tokio::test]
async fn ladder_goes_on_while_engines_search_for_others() {
    let flags = ["--ladder=true", "--threads=1", "--ladder-share=50", "--max-think-ms=50"];
    let host = TestServer::with(&flags, |args| eager(args, true)).await;
    let fresh = host.post(&format!("/v1/games/{LONG}/positions"), json!({})).await.json();
    // One request after the other has the only thread until the test is over.
    let body = json!({ "position": fresh["position"], "think_ms": 50 });
    let requests = async {
        loop {
            host.post(&format!("/v1/games/{LONG}/move"), body.clone()).await;
        }
    };
    let finished = until(|| async { (!matches(&host, "over").await.is_empty()).then_some(()) });
    tokio::select! {
        () = requests => {}
        () = finished => {}
    }
    let metrics = host.server.metrics();
    for counter in ["kibitz_ladder_thinking_seconds_total{game=", "kibitz_ladder_matches_total{game="] {
        assert!(metrics.lines().any(|line| line.starts_with(counter)), "{counter} is not in\n{metrics}");
    }
}

/// Sends a policy: while the connection is open, the bot is online.
async fn goes_online(host: &TestServer, caller: &TestCaller, policy: Value) -> crate::client::DialogueClient {
    let (mut wire, _) = control(host, caller).await;
    wire.say(&json!({ "type": "policy", "policy": policy }).to_string()).await;
    wire
}

#[tokio::test]
async fn online_bots_are_paired_with_others_who_accept_it() {
    let host = host(false).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let mut wires = Vec::new();
    for (owner, name, policy) in [
        (&ann, "one", json!({ "games": [LONG], "clock_ms": [60_000, 100_000] })),
        (&ann, "sister", json!({ "games": [LONG], "from": "bots" })),
        (&ann, "shy", json!({ "games": [LONG], "ladder": false })),
        (&ann, "friendly", json!({ "games": [LONG], "rated": "never" })),
        (&ann, "slow", json!({ "games": [LONG], "clock_ms": [200_000, 900_000] })),
        (&ann, "other", json!({ "games": [SHORT] })),
    ] {
        let caller = bot(&host, owner, name).await;
        wires.push(goes_online(&host, &caller, policy).await);
    }
    until(|| async {
        let list = host.get("/v1/bots").await.json();
        (list["bots"].as_array().unwrap().len() == 6).then_some(())
    })
    .await;
    // Bots of one owner never meet for ratings.
    assert!(matches(&host, "running").await.is_empty());
    let robo = bot(&host, &ben, "robo").await;
    let policy = json!({ "games": [LONG], "concurrent": 2, "clock_ms": [1_000, 150_000] });
    let mut wire = goes_online(&host, &robo, policy).await;
    let mut met = Vec::new();
    for _ in 0..2 {
        let told = event(&mut wire, "match").await;
        let page = robo.page(&host, told["url"].as_str().unwrap()).await;
        assert_eq!((&page["rated"], &page["stage"]), (&json!(true), &json!("running")));
        let initial_ms = page["clock"]["initial_ms"].as_u64().unwrap();
        assert!(initial_ms <= 150_000, "{page}");
        let names = page["seats"].as_array().unwrap().iter().map(|seat| seat["name"].as_str().unwrap());
        met.extend(names.filter(|name| *name != "robo").map(str::to_owned));
    }
    met.sort_unstable();
    assert_eq!(met, ["one", "sister"], "each of the two that suit, and no more than two at a time");
    assert_eq!(matches(&host, "running").await.len(), 2);
}

#[tokio::test]
async fn bots_of_people_who_blocked_each_other_never_meet() {
    let host = host(false).await;
    let mut wires = Vec::new();
    let owners = [player(&host, "ann").await, player(&host, "ben").await, player(&host, "cyd").await];
    assert_eq!(owners[1].send(&host, "PUT", "/v1/me/blocks/ann", &[], None).await.status, 204);
    for (owner, name) in owners.iter().zip(["one", "two", "three"]) {
        let caller = bot(&host, owner, name).await;
        wires.push(goes_online(&host, &caller, json!({ "games": [LONG], "concurrent": 2 })).await);
    }
    let pairs = async || {
        let running = matches(&host, "running").await;
        let names = |entry: &Value| {
            let seats = entry["seats"].as_array().unwrap().iter();
            let mut names: Vec<String> =
                seats.map(|seat| seat["name"].as_str().unwrap().to_owned()).collect();
            names.sort_unstable();
            names.join(" ")
        };
        let mut pairs: Vec<String> = running.iter().map(names).collect();
        pairs.sort_unstable();
        pairs
    };
    until(|| async { (pairs().await.len() >= 2).then_some(()) }).await;
    // The ladder looks for pairs many times in this time, and both have room for another match.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(pairs().await, ["one three", "three two"]);
    assert_eq!(owners[1].send(&host, "DELETE", "/v1/me/blocks/ann", &[], None).await.status, 204);
    until(|| async { (pairs().await == ["one three", "one two", "three two"]).then_some(()) }).await;
}

#[tokio::test]
async fn bot_without_an_opponent_plays_an_engine_after_its_check() {
    let host = host(true).await;
    let ann = player(&host, "ann").await;
    let robo = bot(&host, &ann, "robo").await;
    let mut wire = goes_online(&host, &robo, json!({ "games": [LONG] })).await;
    // A check match from each seat of a table of two, and one at each larger table.
    let most = engines::games::find(LONG).unwrap().info().max_seats;
    let checks = std::iter::repeat_n("check", usize::from(most));
    for kind in checks.chain(["rated"]) {
        let told = event(&mut wire, "match").await;
        let url = told["url"].as_str().unwrap();
        let page = robo.page(&host, url).await;
        assert_eq!((&page["ladder"], &page["rated"]), (&json!(kind), &json!(kind == "rated")), "{page}");
        let seats = page["seats"].as_array().unwrap();
        let kinds: Vec<&Value> = seats.iter().map(|seat| &seat["kind"]).collect();
        assert!(kinds.contains(&&json!("engine")) && kinds.contains(&&json!("player")), "{page}");
        if kind == "check" {
            play_once_and_resign(&host, &robo, url).await;
        }
    }
}

/// Makes a legal move at the first turn, and resigns.
async fn play_once_and_resign(host: &TestServer, caller: &TestCaller, url: &str) {
    let (ply, notation) = until(|| async {
        let page = caller.page(host, url).await;
        let mv = page["legal_moves"].as_array()?.first()?["notation"].clone();
        Some((page["ply"].clone(), mv))
    })
    .await;
    caller.play(host, url, &ply, &notation).await.json();
    caller.tell(host, &format!("{url}/resign")).await.json();
}

#[tokio::test]
async fn bot_has_no_more_matches_an_hour_than_stated() {
    let host = TestServer::with(&["--ladder=true"], |args| {
        eager(args, true);
        args.lobby.ladder.matches_per_hour = 1;
    })
    .await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let mut wires = Vec::new();
    for (owner, name) in [(&ann, "one"), (&ben, "two")] {
        let caller = bot(&host, owner, name).await;
        wires.push(goes_online(&host, &caller, json!({ "games": [LONG], "concurrent": 8 })).await);
    }
    let with_bots = async || {
        let running = matches(&host, "running").await;
        let seats = running.iter().flat_map(|entry| entry["seats"].as_array().unwrap());
        seats.filter(|seat| seat["kind"] == "player").count()
    };
    until(|| async { (with_bots().await == 2).then_some(()) }).await;
    // The ladder looks for pairs many times in this time, and both have room for more.
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(with_bots().await, 2, "each bot in one match");
}

#[tokio::test]
async fn one_of_two_servers_runs_the_ladder_and_the_other_takes_it_over() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let quick = |args: &mut kibitz::process::options::ServeArgs| eager(args, true);
    let first = TestServer::on_with(&database, &QUICK, quick).await;
    let second = TestServer::on_with(&database, &QUICK, quick).await;
    let finished = async |host: &TestServer, enough: usize| {
        until(|| async {
            assert!(matches(host, "running").await.len() <= 1, "only one of them begins matches");
            let over = matches(host, "over").await.len();
            (over >= enough).then_some(over)
        })
        .await
    };
    let before = finished(&second, 2).await;
    first.server.stop().await;
    // A match of the stopped server may still be running beside the first one of the other.
    until(|| async { (matches(&second, "over").await.len() >= before + 3).then_some(()) }).await;
}
