//! Promises about time. What is compared are counts and order, so that a slow machine fails no test.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{HANG, Host, Reply};

const MOVE: &str = "/v1/games/snail/move";

fn request(more: Value) -> Value {
    let mut request = json!({
        "position": { "pits": [4, 3, 2, 4, 2, 3, 2], "banks": [0, 0], "to_move": 0 },
    });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request
}

#[tokio::test]
async fn slow_searches_do_not_delay_instant_answers() {
    let host = Host::start(&["--threads=2"]).await;
    let long = || host.post(MOVE, request(json!({ "think_ms": 30_000 })));
    let instant = async {
        host.until("kibitz_pool_running{lane=\"long\"} 2").await;
        for _ in 0..50 {
            host.post(MOVE, request(json!({ "engine": "quick" }))).await.json();
            host.post("/v1/games/ioiwari/move", request(json!({}))).await.json();
        }
        assert!(host.counts("kibitz_pool_running{lane=\"long\"} 2"), "both still think");
    };
    // The searches are dropped, and cancelled, when the instant ones are done.
    tokio::select! {
        _ = async { tokio::join!(long(), long()) } => panic!("thirty seconds have passed"),
        () = instant => {}
    }
    host.until("kibitz_pool_cancelled_total{lane=\"long\"} 2").await;
}

#[tokio::test]
async fn four_callers_are_answered_in_time_or_refused_at_once() {
    let host = Host::start(&["--threads=2"]).await;
    let ask = async || -> (Duration, Reply) {
        let began = Instant::now();
        let reply = host.post(MOVE, request(json!({ "think_ms": 3000 }))).await;
        (began.elapsed(), reply)
    };
    let replies = tokio::join!(ask(), ask(), ask(), ask());
    let replies: [_; 4] = replies.into();
    let (answered, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|(_, reply)| reply.status == 200);
    assert_eq!((answered.len(), refused.len()), (2, 2));
    let first = answered.iter().map(|(took, _)| *took).min().unwrap();
    for (took, reply) in refused {
        let problem = reply.problem(503, "busy");
        let ms = problem["retry_after_ms"].as_u64().unwrap();
        assert!((1..=3000).contains(&ms), "{problem}");
        assert_eq!(reply.header("retry-after"), ms.div_ceil(1000).to_string());
        assert!(*took < first, "refused before the first answer");
    }
    for (_, reply) in answered {
        let answer = reply.json();
        let spent = answer["queued_ms"].as_f64().unwrap() + answer["elapsed_ms"].as_f64().unwrap();
        assert!(spent >= 2000.0, "{answer}");
        // 50 ms are promised; a machine that is busy otherwise may take its time.
        assert!(spent <= 5000.0, "{answer}");
    }
}

#[tokio::test]
async fn who_has_time_is_queued() {
    let host = Host::start(&["--threads=1"]).await;
    let ask = || host.post(MOVE, request(json!({ "think_ms": 200, "deadline_ms": 20_000 })));
    let replies = tokio::join!(ask(), ask(), ask());
    let mut queued: Vec<f64> =
        <[Reply; 3]>::from(replies).iter().map(|r| r.json()["queued_ms"].as_f64().unwrap()).collect();
    queued.sort_by(f64::total_cmp);
    assert!(queued[2] >= 300.0, "one waited for both others: {queued:?}");
}

#[tokio::test]
async fn a_counted_search_is_not_taken_for_a_long_one() {
    let host = Host::start(&["--threads=1"]).await;
    // By their time limits they would have to wait for one another for half a minute each.
    let ask = || host.post("/v1/games/ioiwari/move", request(json!({ "nodes": 100 })));
    for reply in <[Reply; 4]>::from(tokio::join!(ask(), ask(), ask(), ask())) {
        reply.json();
    }
}

#[tokio::test]
async fn a_caller_who_has_gone_stops_the_search() {
    let host = Host::start(&["--threads=1"]).await;
    {
        let ask = host.post(MOVE, request(json!({ "think_ms": 30_000 })));
        tokio::select! {
            reply = ask => panic!("{reply:?}"),
            () = host.until("kibitz_pool_running{lane=\"long\"} 1") => {}
        }
    }
    host.until("kibitz_pool_running{lane=\"long\"} 0").await;
    assert!(host.counts("kibitz_pool_cancelled_total{lane=\"long\"} 1"));
}

#[tokio::test]
async fn a_dialogue_waits_for_a_free_engine() {
    let host = Host::start(&["--threads=1", "--queue=1"]).await;
    let path = "/v1/games/snail/stdio?think_ms=300";
    let mut peers = Vec::new();
    for _ in 0..4 {
        let mut peer = host.dial(path).await;
        peer.say("< 4 3 2 4 2 3 2").await;
        peers.push(peer);
    }
    for peer in &mut peers {
        assert_eq!(peer.hear().await, "> 2", "the queue was full, but nobody had to go");
    }
}

#[tokio::test]
async fn a_dialogue_that_cannot_wait_is_told_to_come_later() {
    let host = Host::start(&["--threads=1"]).await;
    let mut first = host.dial("/v1/games/snail/stdio?think_ms=30000").await;
    first.say("< 4 3 2 4 2 3 2").await;
    host.until("kibitz_pool_running{lane=\"long\"} 1").await;
    // The other lane is held too: there, a last short thought would be tried.
    let mut deaf = host.dial("/v1/games/snail/stdio?think_ms=50&engine=deaf").await;
    deaf.say("< 4 3 2 4 2 3 2").await;
    host.until("kibitz_pool_running{lane=\"quick\"} 1").await;
    let mut second = host.dial("/v1/games/snail/stdio?think_ms=300&deadline_ms=400").await;
    second.say("< 4 3 2 4 2 3 2").await;
    assert!(second.hear().await.starts_with("# error: "));
    let closed = tokio::time::timeout(HANG / 2, second.closed()).await.unwrap();
    assert_eq!(closed.0, 1013);
}

/// A client at another address.
fn address(n: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, n).into()
}

/// A search of half a minute; with time to wait for its turn, too, or without.
fn half_a_minute(patient: bool) -> Value {
    let deadline = patient.then_some(json!(3_600_000));
    request(json!({ "think_ms": 30_000, "deadline_ms": deadline }))
}

/// Does `other` while one address asks for all of this; fails when any of that is answered before.
async fn meanwhile<T>(host: &Host, asked: Vec<Value>, other: impl Future<Output = T>) -> T {
    let asked = asked.into_iter().map(|body| host.post_from(address(2), MOVE, body));
    tokio::select! {
        biased;
        done = other => done,
        (reply, ..) = futures_util::future::select_all(asked.map(Box::pin)) => panic!("{reply:?}"),
    }
}

#[tokio::test]
async fn another_address_is_answered_while_one_fills_the_server() {
    let host = Host::start(&["--threads=2"]).await;
    for patient in [0, 4] {
        let asked = (0..2 + patient).map(|n| half_a_minute(n >= 2)).collect();
        let other = async {
            host.until("kibitz_pool_running{lane=\"long\"} 2").await;
            host.until(&format!("kibitz_pool_queue{{lane=\"long\"}} {patient}")).await;
            for _ in 0..3 {
                let short = request(json!({ "think_ms": 500, "deadline_ms": 20_000 }));
                let answer = host.post_from(address(3), MOVE, short).await.json();
                assert!(answer["elapsed_ms"].as_f64().unwrap() >= 450.0, "{answer}");
            }
            assert!(host.counts(&format!("kibitz_pool_queue{{lane=\"long\"}} {patient}")));
            assert!(host.counts("kibitz_pool_running{lane=\"long\"} 2"), "both still think");
        };
        meanwhile(&host, asked, other).await;
        host.until("kibitz_pool_running{lane=\"long\"} 0").await;
    }
    assert!(host.counts("kibitz_pool_refused_total{lane=\"long\"} 0"));
}

#[tokio::test]
async fn quick_requests_of_one_address_do_not_delay_those_of_another() {
    let host = Host::start(&["--threads=2"]).await;
    let quick = request(json!({ "think_ms": 100, "deadline_ms": 3_600_000 }));
    let crowd = join_all((0..64).map(|_| host.post_from(address(2), MOVE, quick.clone())));
    let other = async {
        host.reaches("kibitz_pool_queue{lane=\"quick\"} ", 30).await;
        let answer = host.post_from(address(3), MOVE, quick.clone()).await.json();
        host.reaches("kibitz_pool_queue{lane=\"quick\"} ", 1).await;
        answer
    };
    let (replies, answer) = tokio::join!(crowd, other);
    replies.iter().for_each(|reply| drop(reply.json()));
    let last = replies.iter().map(|reply| reply.json()["queued_ms"].as_f64().unwrap()).fold(0.0, f64::max);
    assert!(answer["queued_ms"].as_f64().unwrap() < last / 4.0, "{answer} and {last}");
}

fn seats(think_ms: u64, first: Value) -> Value {
    let engine = json!({ "kind": "engine", "engine": "patient", "think_ms": think_ms });
    json!({ "game": "snail", "seats": [engine, first] })
}

#[tokio::test]
async fn hosted_engine_moves_while_one_address_fills_the_server() {
    let host = Host::start(&["--threads=2"]).await;
    let other = async {
        host.until("kibitz_pool_running{lane=\"long\"} 2").await;
        let made = host.post_from(address(3), "/v1/matches", seats(300, json!({ "kind": "me" }))).await;
        let made: Value = serde_json::from_slice(&made.body).unwrap();
        while host.get(made["url"].as_str().unwrap()).await.json()["ply"] == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    meanwhile(&host, (0..6).map(|n| half_a_minute(n >= 2)).collect(), other).await;
}

/// A match between engines that think for half a minute.
async fn between_engines(host: &Host, n: u8) -> Reply {
    let engine = json!({ "kind": "engine", "engine": "patient", "think_ms": 30_000 });
    host.post_from(address(n), "/v1/matches", seats(30_000, engine)).await
}

#[tokio::test]
async fn matches_between_engines_come_last_and_are_few() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = Host::on(&database, &["--threads=2"]).await;
    for _ in 0..4 {
        assert_eq!(between_engines(&host, 2).await.status, 201);
    }
    between_engines(&host, 2).await.names(429, "too_many", "4 matches between engines");
    host.until("kibitz_pool_running{lane=\"long\"} 2").await;
    for _ in 0..2 {
        let short = request(json!({ "think_ms": 500, "deadline_ms": 20_000 }));
        host.post_from(address(3), MOVE, short).await.json();
    }
    assert_eq!(between_engines(&host, 3).await.status, 201, "another address has its own");
    host.server.stop().await;

    // They go on after a restart, and count as before.
    let host = Host::on(&database, &["--threads=2"]).await;
    host.until("kibitz_live_matches{game=\"snail\",stage=\"running\"} 5").await;
    between_engines(&host, 2).await.problem(429, "too_many");
    host.server.stop().await;

    // The time that they may last counts from the beginning.
    let host = Host::on(&database, &["--threads=2", "--engine-match-ms=1"]).await;
    host.until("kibitz_matches_ended_total{game=\"snail\",how=\"abandoned\"} 5").await;
    assert_eq!(between_engines(&host, 2).await.status, 201, "there is room again");
}
