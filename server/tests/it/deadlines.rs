//! Promises about time. What is compared are counts and order, so that a slow machine fails no test.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

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
