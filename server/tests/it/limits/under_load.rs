//! One caller does all that it may, at the same time; another one plays against an engine meanwhile.
//!
//! `KIBITZ_LOAD_MOVES=400 cargo test --release -p kibitz --test it under_load -- --nocapture` is the long form: it prints the
//! 99th percentile of the engine's answers, alone and beside the busy caller.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{AddressClient, at};
use crate::client::TestServer;
use crate::matches::{SHORT, TestCaller, choose, me, open, order};

/// A game whose engine searches.
const SEARCHED: &str = "azul";

/// The most matches of one player that are not over, in this test.
const MOST: u64 = 60;

/// A new player at this address.
async fn named(host: &TestServer, source: &'static str, name: &str) -> AddressClient {
    at(source).with(&at(source).post(host, "/v1/players", &json!({ "name": name })).await.made()["token"])
}

/// Plays moves against an engine; how long each took until it was the player's turn again, sorted.
async fn play(host: &TestServer, who: &AddressClient, moves: usize) -> Vec<Duration> {
    let mut took = Vec::new();
    while took.len() < moves {
        let engine = json!({ "kind": "engine", "think_ms": 100 });
        let made = who.post(host, "/v1/matches", &order(SEARCHED, &[me(), engine])).await.made();
        let path = format!("/v1/matches/{}", made["id"].as_str().unwrap());
        let mut began = None;
        loop {
            let page = who.get(host, &path).await.json();
            if page["stage"] == "over" {
                break;
            }
            if page["turn"] != page["you"] {
                tokio::time::sleep(Duration::from_millis(2)).await;
                continue;
            }
            took.extend(began.take().map(|began: Instant| began.elapsed()));
            let mv = choose(&page, 3);
            began = Some(Instant::now());
            let body = json!({ "ply": page["ply"], "notation": mv["notation"] });
            assert_eq!(who.post(host, &format!("{path}/moves"), &body).await.status, 200);
        }
    }
    took.sort_unstable();
    took
}

/// What the busy caller does. Each answer is a success or a refusal with a code of its own; returns how many matches were
/// admitted.
async fn do_everything(host: &TestServer, [ann, ben]: &[AddressClient; 2]) -> usize {
    let ok = |status: u16| {
        assert!(status < 500 || status == 503, "{status}");
        status < 300
    };
    let challenges = join_all((0..20).map(|_| async {
        let mut done = 0;
        for _ in 0..50 {
            let made = ann.post(host, "/v1/players/ben/challenges", &json!({ "game": SHORT })).await;
            if ok(made.status.as_u16()) {
                let path = format!("/v1/challenges/{}/accept", made.made()["id"].as_str().unwrap());
                done += usize::from(ok(ben.post(host, &path, &Value::Null).await.status.as_u16()));
            }
        }
        done
    }));
    let pairings = join_all((0..20).map(|_| async {
        let wish =
            json!({ "game": SEARCHED, "opponents": ["engine"], "others_after_ms": 0, "stay_ms": 5000 });
        let mut done = 0;
        for _ in 0..25 {
            done += usize::from(ok(ben.post(host, "/v1/pool", &wish).await.status.as_u16()));
        }
        done
    }));
    let tournaments = join_all((0..10).map(|_| async {
        let wanted = json!({
            "title": "Busy", "game": SHORT, "format": { "kind": "round_robin" }, "grace_ms": 1000, "max_running": 64,
            "clock": { "initial_ms": 60_000 },
        });
        let made = ann.post(host, "/v1/tournaments", &wanted).await;
        if !ok(made.status.as_u16()) {
            return 0;
        }
        let path = format!("/v1/tournaments/{}", made.made()["id"].as_str().unwrap());
        for who in [ann, ben] {
            who.post(host, &format!("{path}/entries"), &Value::Null).await;
        }
        ann.post(host, &format!("{path}/start"), &Value::Null).await;
        1
    }));
    let sockets = async {
        let made = ann.post(host, "/v1/matches", &order(SHORT, &[me(), open()])).await;
        let id =
            if ok(made.status.as_u16()) { made.made()["id"].as_str().unwrap().to_owned() } else { return 0 };
        let (path, guest) = (format!("/v1/matches/{id}/live"), TestCaller::anonymous());
        let mut held = Vec::new();
        for _ in 0..200 {
            held.extend(guest.try_dial(host, &path).await.ok());
        }
        held.len()
    };
    let (challenges, pairings, ..) = tokio::join!(challenges, pairings, tournaments, sockets);
    challenges.iter().chain(&pairings).sum()
}

/// The moves that the other one makes, alone and beside the busy caller.
fn moves() -> usize {
    std::env::var("KIBITZ_LOAD_MOVES")
        .map_or(25, |moves| moves.parse().expect("KIBITZ_LOAD_MOVES is a number"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn busy_caller_stays_within_the_limits_and_others_play_on() {
    let most = format!("--max-matches-per-player={MOST}");
    let host: &'static TestServer = Box::leak(Box::new(TestServer::start(&[&most]).await));
    let victim = named(host, "127.0.0.9", "victim").await;
    let alone = play(host, &victim, moves()).await;
    let both = [named(host, "127.0.0.2", "ann").await, named(host, "127.0.0.2", "ben").await];
    let done = CancellationToken::new();
    let until = done.clone();
    let busy = tokio::spawn(async move {
        let mut most = 0;
        loop {
            most = most.max(do_everything(host, &both).await);
            if until.is_cancelled() {
                return most;
            }
        }
    });
    let beside = play(host, &victim, moves()).await;
    done.cancel();
    let made = busy.await.unwrap();
    assert!(made as u64 <= 2 * MOST, "{made} matches of two players");
    let running = host.get("/v1/matches?stage=running&limit=100").await.json();
    let of = |name: &str| {
        let is_theirs = |entry: &&Value| entry["seats"].to_string().contains(&format!("\"{name}\""));
        running["matches"].as_array().unwrap().iter().filter(is_theirs).count() as u64
    };
    assert!(of("ann") <= MOST && of("ben") <= MOST, "{} {}", of("ann"), of("ben"));
    let at = |part: f64, all: &[Duration]| all[((all.len() - 1) as f64 * part).round() as usize];
    for (what, part) in [("median", 0.5), ("99th percentile", 0.99)] {
        let (alone, beside) = (at(part, &alone), at(part, &beside));
        let ratio = beside.as_secs_f64() / alone.as_secs_f64();
        println!(
            "an engine's answer, {what}: {alone:.1?} alone, {beside:.1?} beside the busy caller, {ratio:.2} times"
        );
    }
    println!("{made} matches were admitted");
}
