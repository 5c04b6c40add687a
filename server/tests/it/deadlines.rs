//! Promises about time. The tests compare counts and order, so that none fails on a slow machine.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{LONG, LONG_THINKING, TestResponse, TestServer};

const MOVE: &str = "/v1/games/slow/move";

/// A deadline that leaves time to wait for several long searches, in milliseconds.
const LATE: u64 = 3_600_000;

fn request(more: Value) -> Value {
    let mut request = json!({
        "position": { "pits": [4, 3, 2, 4, 2, 3, 2], "banks": [0, 0], "to_move": 0 },
    });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request
}

#[tokio::test]
async fn slow_searches_do_not_delay_instant_answers() {
    let host = TestServer::start(&["--threads=2", LONG_THINKING]).await;
    let long = || host.post(MOVE, request(json!({ "think_ms": LONG })));
    let instant = async {
        host.until("kibitz_pool_running{lane=\"long\"} 2").await;
        for _ in 0..50 {
            host.post(MOVE, request(json!({ "engine": "quick" }))).await.json();
            host.post("/v1/games/ioiwari/move", request(json!({}))).await.json();
        }
        assert!(host.counts("kibitz_pool_running{lane=\"long\"} 2"), "both still think");
    };
    // The long searches are dropped, and so cancelled, when the instant ones are done.
    tokio::select! {
        _ = async { tokio::join!(long(), long()) } => panic!("the long searches are over"),
        () = instant => {}
    }
    host.until("kibitz_pool_cancelled_total{lane=\"long\"} 2").await;
}

#[tokio::test]
async fn requests_beyond_the_threads_are_refused_while_the_others_think() {
    let host = TestServer::start(&["--threads=2", LONG_THINKING]).await;
    let long = || host.post(MOVE, request(json!({ "think_ms": LONG })));
    let others = async {
        host.until("kibitz_pool_running{lane=\"long\"} 2").await;
        for _ in 0..2 {
            let reply = host.post(MOVE, request(json!({ "think_ms": 3000 }))).await;
            let problem = reply.problem(503, "busy");
            let ms = problem["retry_after_ms"].as_u64().unwrap();
            assert!((1..=LONG).contains(&ms), "{problem}");
            assert_eq!(reply.header("retry-after"), ms.div_ceil(1000).to_string());
        }
        assert!(host.counts("kibitz_pool_running{lane=\"long\"} 2"), "refused before the first answer");
    };
    tokio::select! {
        _ = async { tokio::join!(long(), long()) } => panic!("the long searches are over"),
        () = others => {}
    }
}

/// The test's engine goes on until its time is up, so an answer shows that the server stopped it.
#[tokio::test]
async fn search_uses_its_thinking_time_and_ends() {
    let host = TestServer::start(&["--threads=1"]).await;
    let answer = host.post(MOVE, request(json!({ "think_ms": 3000 }))).await.json();
    let spent = answer["queued_ms"].as_f64().unwrap() + answer["elapsed_ms"].as_f64().unwrap();
    assert!(spent >= 2000.0, "{answer}");
}

#[tokio::test]
async fn requests_with_late_deadlines_are_queued() {
    let host = TestServer::start(&["--threads=1"]).await;
    let ask = || host.post(MOVE, request(json!({ "think_ms": 200, "deadline_ms": LATE })));
    let replies = tokio::join!(ask(), ask(), ask());
    let mut queued: Vec<f64> =
        <[TestResponse; 3]>::from(replies).iter().map(|r| r.json()["queued_ms"].as_f64().unwrap()).collect();
    queued.sort_by(f64::total_cmp);
    assert!(queued[2] >= 300.0, "one waited for both others: {queued:?}");
}

#[tokio::test]
async fn search_with_a_node_limit_does_not_count_as_long() {
    let host = TestServer::start(&["--threads=1"]).await;
    // By their time limits each would have to wait half a minute for the one before it.
    let ask = || host.post("/v1/games/ioiwari/move", request(json!({ "nodes": 100 })));
    for reply in <[TestResponse; 4]>::from(tokio::join!(ask(), ask(), ask(), ask())) {
        reply.json();
    }
}

#[tokio::test]
async fn search_stops_when_its_caller_disconnects() {
    let host = TestServer::start(&["--threads=1", LONG_THINKING]).await;
    {
        let ask = host.post(MOVE, request(json!({ "think_ms": LONG })));
        tokio::select! {
            reply = ask => panic!("{reply:?}"),
            () = host.until("kibitz_pool_running{lane=\"long\"} 1") => {}
        }
    }
    host.until("kibitz_pool_running{lane=\"long\"} 0").await;
    assert!(host.counts("kibitz_pool_cancelled_total{lane=\"long\"} 1"));
}

#[tokio::test]
async fn dialogue_waits_for_a_free_engine() {
    let host = TestServer::start(&["--threads=1", "--queue=1"]).await;
    let path = "/v1/games/slow/stdio?think_ms=300";
    let mut peers = Vec::new();
    for _ in 0..4 {
        let mut peer = host.dial(path).await;
        peer.say("< 4 3 2 4 2 3 2").await;
        peers.push(peer);
    }
    for peer in &mut peers {
        assert_eq!(peer.hear().await, "> 2", "the queue was full, but no dialogue was refused");
    }
}

#[tokio::test]
async fn dialogue_that_cannot_wait_is_refused() {
    let host = TestServer::start(&["--threads=1", LONG_THINKING]).await;
    let mut first = host.dial(&format!("/v1/games/slow/stdio?think_ms={LONG}")).await;
    first.say("< 4 3 2 4 2 3 2").await;
    host.until("kibitz_pool_running{lane=\"long\"} 1").await;
    // The quick lane is busy too: the server would try a last short search there.
    let mut deaf = host.dial("/v1/games/slow/stdio?think_ms=50&engine=deaf").await;
    deaf.say("< 4 3 2 4 2 3 2").await;
    host.until("kibitz_pool_running{lane=\"quick\"} 1").await;
    let mut second = host.dial("/v1/games/slow/stdio?think_ms=300&deadline_ms=400").await;
    second.say("< 4 3 2 4 2 3 2").await;
    assert!(second.hear().await.starts_with("# error: "));
    assert_eq!(second.closed().await.0, 1013);
}

/// A client at another address.
fn address(n: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, n).into()
}

/// A long search. `patient`: its deadline leaves time to wait in the queue.
fn long_search(patient: bool) -> Value {
    let deadline = patient.then_some(json!(LATE));
    request(json!({ "think_ms": LONG, "deadline_ms": deadline }))
}

/// Runs `other` while one address sends all of these requests; fails if one of them is answered first.
async fn meanwhile<T>(host: &TestServer, asked: Vec<Value>, other: impl Future<Output = T>) -> T {
    let asked = asked.into_iter().map(|body| host.post_from(address(2), MOVE, body));
    tokio::select! {
        biased;
        done = other => done,
        (reply, ..) = futures_util::future::select_all(asked.map(Box::pin)) => panic!("{reply:?}"),
    }
}

#[tokio::test]
async fn another_address_is_answered_while_one_fills_the_server() {
    let host = TestServer::start(&["--threads=2", LONG_THINKING]).await;
    for patient in [0, 4] {
        let asked = (0..2 + patient).map(|n| long_search(n >= 2)).collect();
        let other = async {
            host.until("kibitz_pool_running{lane=\"long\"} 2").await;
            host.until(&format!("kibitz_pool_queue{{lane=\"long\"}} {patient}")).await;
            for _ in 0..3 {
                let short = request(json!({ "think_ms": 500, "deadline_ms": LATE }));
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
    let host = TestServer::start(&["--threads=2"]).await;
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
    json!({ "game": "slow", "seats": [engine, first] })
}

#[tokio::test]
async fn hosted_engine_moves_while_one_address_fills_the_server() {
    let host = TestServer::start(&["--threads=2", LONG_THINKING]).await;
    let other = async {
        host.until("kibitz_pool_running{lane=\"long\"} 2").await;
        let made = host.post_from(address(3), "/v1/matches", seats(300, json!({ "kind": "me" }))).await;
        let made: Value = serde_json::from_slice(&made.body).unwrap();
        while host.get(made["url"].as_str().unwrap()).await.json()["ply"] == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    meanwhile(&host, (0..6).map(|n| long_search(n >= 2)).collect(), other).await;
}

/// A match between engines that think for very long.
async fn between_engines(host: &TestServer, n: u8) -> TestResponse {
    let engine = json!({ "kind": "engine", "engine": "patient", "think_ms": LONG });
    host.post_from(address(n), "/v1/matches", seats(LONG, engine)).await
}

#[tokio::test]
async fn matches_between_engines_come_last_and_are_few() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &["--threads=2", LONG_THINKING]).await;
    for _ in 0..4 {
        assert_eq!(between_engines(&host, 2).await.status, 201);
    }
    between_engines(&host, 2).await.names(429, "too_many", "4 matches between engines");
    host.until("kibitz_pool_running{lane=\"long\"} 2").await;
    for _ in 0..2 {
        let short = request(json!({ "think_ms": 500, "deadline_ms": LATE }));
        host.post_from(address(3), MOVE, short).await.json();
    }
    assert_eq!(between_engines(&host, 3).await.status, 201, "another address has a limit of its own");
    host.server.stop().await;

    // After a restart they continue and count as before.
    let host = TestServer::on(&database, &["--threads=2", LONG_THINKING]).await;
    host.until("kibitz_live_matches{game=\"slow\",stage=\"running\"} 5").await;
    between_engines(&host, 2).await.problem(429, "too_many");
    host.server.stop().await;

    // Their longest duration counts from the start of the match.
    let host = TestServer::on(&database, &["--threads=2", "--engine-match-ms=1", LONG_THINKING]).await;
    host.until("kibitz_matches_ended_total{game=\"slow\",how=\"abandoned\"} 5").await;
    assert_eq!(between_engines(&host, 2).await.status, 201, "there is room again");
}
