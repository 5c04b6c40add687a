//! A WebSocket to a match with wrong, strange and silent peers: the connection stays open wherever possible.

use std::time::Duration;

use futures_util::SinkExt;
use kibitz::limits::timeouts::ConnectionTimeouts;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::{SHORT, TestCaller, choose, two_guests};
use crate::client::{DialogueClient, TestServer};

/// The next message that is an answer.
async fn answer(peer: &mut DialogueClient) -> Value {
    loop {
        let shown: Value = serde_json::from_str(&peer.hear().await).unwrap();
        if shown["type"] == "done" || shown["type"] == "refused" {
            return shown;
        }
    }
}

async fn refusal(peer: &mut DialogueClient, message: &str) -> (Value, String, u64) {
    peer.say(message).await;
    let shown = answer(peer).await;
    assert_eq!(shown["type"], "refused", "{shown}");
    let problem = &shown["problem"];
    (shown["id"].clone(), problem["code"].as_str().unwrap().to_owned(), problem["status"].as_u64().unwrap())
}

#[tokio::test]
async fn refusals_cost_nothing() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, SHORT).await;
    let mut peer = guests[0].dial(&host, &format!("{path}/live")).await;
    let page: Value = serde_json::from_str(&peer.hear().await).unwrap();
    assert_eq!((&page["type"], &page["you"]), (&json!("match"), &json!(0)));
    let mut other = guests[1].dial(&host, &format!("{path}/live")).await;
    for (message, id, code, status) in [
        ("what?", Value::Null, "bad_json", 400),
        ("[]", Value::Null, "bad_field", 422),
        ("{\"id\": 7}", json!(7), "bad_field", 422),
        ("{\"type\": \"dance\", \"id\": \"a\"}", json!("a"), "bad_field", 422),
        ("{\"type\": \"resign\", \"id\": 1, \"ply\": 1}", json!(1), "bad_field", 422),
        ("{\"type\": \"move\", \"notation\": \"1\", \"id\": [2]}", json!([2]), "ply_needed", 428),
        ("{\"type\": \"move\", \"ply\": 0, \"id\": 3}", json!(3), "bad_field", 422),
        ("{\"type\": \"move\", \"ply\": 0, \"notation\": \"9\", \"id\": 4}", json!(4), "bad_move", 422),
        ("{\"type\": \"move\", \"ply\": 0, \"move\": {\"pit\": \"x\"}}", Value::Null, "bad_move", 422),
        ("{\"type\": \"move\", \"ply\": 5, \"notation\": \"1\"}", Value::Null, "stale_ply", 412),
    ] {
        let (named, said, of) = refusal(&mut peer, message).await;
        assert_eq!((named, &*said, of), (id, code, status), "{message}");
    }
    let theirs = "{\"type\": \"move\", \"ply\": 0, \"notation\": \"1\"}";
    assert_eq!(refusal(&mut other, theirs).await.1, "not_your_turn");
    let mut watching = TestCaller::anonymous().dial(&host, &format!("{path}/live")).await;
    assert_eq!(refusal(&mut watching, theirs).await.1, "token_needed");
    // The refusal of a stale move has the current page.
    peer.say("{\"type\": \"move\", \"ply\": 5, \"notation\": \"1\"}").await;
    let stale = answer(&mut peer).await;
    assert_eq!((&stale["problem"]["ply"], &stale["problem"]["match"]["you"]), (&json!(0), &json!(0)));
    // And now a good one, twice: both are answered with the same event, which all watchers see too.
    let mv = &choose(&page, 0)["notation"];
    let good = json!({ "type": "move", "ply": 0, "notation": mv, "id": "good" }).to_string();
    let mut done = Vec::new();
    for _ in 0..2 {
        peer.say(&good).await;
        done.push(answer(&mut peer).await);
    }
    assert_eq!(done[0], done[1]);
    assert_eq!((&done[0]["type"], &done[0]["id"]), (&json!("done"), &json!("good")));
    assert_eq!((&done[0]["frame"]["type"], &done[0]["frame"]["notation"]), (&json!("moved"), mv));
    assert!(host.counts("kibitz_live_acts_total{code=\"\"} 2"));
    assert!(host.counts("kibitz_live_acts_total{code=\"not_your_turn\"} 1"));
}

#[tokio::test]
async fn moves_sent_at_once_are_made_in_turn() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, SHORT).await;
    let mut peer = guests[0].dial(&host, &format!("{path}/live")).await;
    let page: Value = serde_json::from_str(&peer.hear().await).unwrap();
    let mv = &choose(&page, 0)["notation"];
    for id in 0..20 {
        let message = json!({ "type": "move", "ply": 0, "notation": mv, "id": id }).to_string();
        peer.socket.feed(Message::text(message)).await.unwrap();
    }
    peer.say("{\"type\": \"resign\", \"id\": 20}").await;
    for id in 0..21 {
        let done = answer(&mut peer).await;
        assert_eq!((&done["type"], &done["id"]), (&json!("done"), &json!(id)), "{done}");
    }
    assert_eq!(peer.closed().await, (1000, "the match is over".to_owned()));
}

#[tokio::test]
async fn invalid_messages_close_the_socket() {
    let host = TestServer::start(&[]).await;
    let (path, _) = two_guests(&host, SHORT).await;
    let dial = async || {
        let mut peer = TestCaller::anonymous().dial(&host, &format!("{path}/live")).await;
        peer.hear().await;
        peer
    };
    let mut binary = dial().await;
    binary.socket.send(Message::binary(vec![1])).await.unwrap();
    assert_eq!(binary.closed().await.0, 1003);
    let mut large = dial().await;
    let _ = large.socket.send(Message::text("x".repeat((64 << 10) + 1))).await;
    assert_eq!(large.closed().await.0, 4413);
    let mut full = dial().await;
    full.say(&"x".repeat(64 << 10)).await;
    assert_eq!(answer(&mut full).await["problem"]["code"], "bad_json");
    // One good message among the bad ones, and counting begins again.
    let mut babbling = dial().await;
    for n in 0..198 {
        if n == 99 {
            babbling.say("{\"type\": \"resign\"}").await;
            assert_eq!(answer(&mut babbling).await["problem"]["code"], "token_needed");
        }
        assert_eq!(refusal(&mut babbling, "bla").await.1, "bad_json");
    }
    babbling.say("bla").await;
    assert_eq!(answer(&mut babbling).await["type"], "refused");
    assert_eq!(babbling.closed().await.0, 4400);
    host.until("kibitz_streams{kind=\"live\"} 1").await;
    drop(full);
    host.until("kibitz_streams{kind=\"live\"} 0").await;
}

#[tokio::test]
async fn what_cannot_be_opened_is_a_problem() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, SHORT).await;
    let live = format!("{path}/live");
    guests[0].get(&host, &live).await.problem(426, "upgrade_required");
    let garbled = TestCaller::with("kbs_x");
    for (caller, path, status) in [
        (&garbled, &live, "401"),
        (&guests[0], &format!("{live}?since=99"), "400"),
        (&guests[0], &format!("{live}?token=kbs_x"), "400"),
        (&guests[0], &live.replace(&path[12..14], "zz"), "404"),
    ] {
        let refused = caller.try_dial(&host, path).await.err().unwrap().to_string();
        assert!(refused.contains(status), "{path}: {refused}");
    }
}

#[tokio::test]
async fn silent_sockets_are_pinged_and_closed() {
    let (heartbeat, gone_after) = (Duration::from_millis(50), Duration::from_secs(2));
    let host = TestServer::with_timeouts(
        &[],
        ConnectionTimeouts { heartbeat, gone_after, ..ConnectionTimeouts::default() },
    )
    .await;
    let (path, _) = two_guests(&host, SHORT).await;
    // A peer that reads answers pings automatically and stays connected without sending anything.
    let mut well = TestCaller::anonymous().dial(&host, &format!("{path}/live")).await;
    well.hear().await;
    let silent = TestCaller::anonymous().dial(&host, &format!("{path}/live")).await;
    let reading = async {
        loop {
            let message = futures_util::StreamExt::next(&mut well.socket).await.unwrap().unwrap();
            assert!(matches!(message, Message::Ping(_)), "{message:?}");
        }
    };
    tokio::select! {
        () = host.until("kibitz_streams{kind=\"live\"} 1") => {}
        () = reading => {}
    }
    drop(silent);
}
