//! Heartbeats, readers that do not keep up or do not read at all, limits, and the end of the server.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use kibitz::limits::timeouts::ConnectionTimeouts;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

use super::{EventStream, LONG, SHORT, TestCaller, create, me, open, order, play_until, two_guests};
use crate::client::TestServer;

#[tokio::test]
async fn quiet_streams_send_heartbeats() {
    let timeouts =
        ConnectionTimeouts { heartbeat: Duration::from_millis(20), ..ConnectionTimeouts::default() };
    let host = TestServer::with_timeouts(&[], timeouts).await;
    let (path, _) = create(&host, &TestCaller::anonymous(), order(SHORT, &[me(), open()])).await;
    let anonymous = TestCaller::anonymous();
    let events = format!("{path}/events");
    for mut stream in [
        EventStream::sse(&host, &anonymous, &events, &[]).await,
        EventStream::ndjson(&host, &anonymous, &events).await,
    ] {
        assert_eq!(stream.next().await.unwrap().kind, "match");
        stream.beat(3).await;
    }
    let mut peer = anonymous.dial(&host, &format!("{path}/live")).await;
    peer.hear().await;
    for _ in 0..3 {
        let message = peer.socket.next().await.unwrap().unwrap();
        assert!(matches!(message, Message::Ping(_)), "{message:?}");
    }
    host.until("kibitz_streams{kind=\"sse\"} 0").await;
    host.until("kibitz_streams{kind=\"ndjson\"} 0").await;
}

#[tokio::test]
async fn slow_reader_is_closed_and_can_resume() {
    let host = TestServer::with(&[], |args| args.host.behind = 4).await;
    let (path, guests) = two_guests(&host, LONG).await;
    let anonymous = TestCaller::anonymous();
    let events = format!("{path}/events?since=0");
    let mut slow = EventStream::narrow(&host, &anonymous, &events).await.opened();
    let well = EventStream::sse(&host, &anonymous, &events, &[]).await.opened();
    // This client reads no answer, and sends requests until the answers fill all buffers between it and the server.
    let blocked = anonymous.dial(&host, &format!("{path}/live?since=0")).await;
    let (mut asks, mut hears) = blocked.socket.split();
    let asking = tokio::spawn(async move {
        let long = json!({ "type": "resign", "id": "x".repeat(60_000) }).to_string();
        for _ in 0..400 {
            asks.send(Message::text(long.clone())).await.unwrap();
        }
    });
    let played = async {
        host.reaches("kibitz_live_acts_total{code=\"token_needed\"} ", 3).await;
        play_until(&host, &path, &guests, u64::MAX).await
    };
    let (whole, _) = tokio::join!(well.all(), played);
    asking.abort();
    let whole: Vec<Value> = whole.into_iter().skip(1).map(|told| told.json).collect();
    assert_eq!(whole.last().unwrap()["type"], "ended", "others are not held up");
    let mut told = Vec::new();
    while let Some(frame) = slow.next().await {
        told.push(frame);
    }
    let last = told.pop().unwrap();
    assert_eq!((&*last.kind, last.id), ("closed", None));
    assert_eq!(last.json["code"], "too_slow");
    let seq = told.last().unwrap().id.clone().unwrap();
    assert_eq!(last.json["detail"], format!("too slow: come back with since={seq}"));
    let rest =
        EventStream::ndjson(&host, &anonymous, &format!("{path}/events?since={seq}")).await.all().await;
    let seen: Vec<Value> = told.into_iter().chain(rest.into_iter().skip(1)).map(|told| told.json).collect();
    assert_eq!(seen[1..], whole, "nothing was skipped");
    // The socket: the messages that it received, and its end.
    let mut seen = 0;
    let (code, reason) = loop {
        match hears.next().await.unwrap().unwrap() {
            Message::Text(text) => {
                let frame: Value = serde_json::from_str(&text).unwrap();
                if let Some(seq) = frame["seq"].as_u64().filter(|_| frame["type"] != "match") {
                    assert_eq!(seq, seen + 1);
                    seen = seq;
                }
            }
            Message::Close(frame) => {
                let frame = frame.unwrap();
                break (u16::from(frame.code), frame.reason.as_str().to_owned());
            }
            Message::Ping(_) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((code, reason), (4408, format!("too slow: come back with since={seen}")));
}

#[tokio::test]
async fn reader_that_never_reads_is_cut_off() {
    let timeouts =
        ConnectionTimeouts { stalled_after: Duration::from_millis(300), ..ConnectionTimeouts::default() };
    let host = TestServer::with_timeouts(&[], timeouts).await;
    let (path, guests) = two_guests(&host, LONG).await;
    let mut dead =
        EventStream::narrow(&host, &TestCaller::anonymous(), &format!("{path}/events?since=0")).await;
    host.until("kibitz_streams{kind=\"sse\"} 1").await;
    play_until(&host, &path, &guests, u64::MAX).await;
    host.until("kibitz_streams{kind=\"sse\"} 0").await;
    assert!(!dead.ends_in_order().await, "it was cut");
}

#[tokio::test]
async fn silent_and_half_sent_requests_disturb_no_one() {
    let host = TestServer::start(&[]).await;
    let mut strangers = Vec::new();
    for n in 0..300 {
        let mut stranger = TcpStream::connect(host.address()).await.unwrap();
        let said =
            ["", "GET /v1/mat", "POST /v1/matches HTTP/1.1\r\ncontent-length: 100\r\n\r\n{", "\0\0\0\0"];
        stranger.write_all(said[n % said.len()].as_bytes()).await.unwrap();
        strangers.push(stranger);
    }
    let (path, guests) = two_guests(&host, SHORT).await;
    let followed =
        EventStream::sse(&host, &TestCaller::anonymous(), &format!("{path}/events?since=0"), &[]).await;
    let (told, _) = tokio::join!(followed.all(), play_until(&host, &path, &guests, u64::MAX));
    assert_eq!(told.last().unwrap().kind, "ended");
}

#[tokio::test]
async fn number_of_followers_is_limited() {
    let host = TestServer::start(&["--max-sockets=2", "--max-sockets-per-address=2"]).await;
    let (path, _) = create(&host, &TestCaller::anonymous(), order(SHORT, &[me(), open()])).await;
    let anonymous = TestCaller::anonymous();
    let first = EventStream::sse(&host, &anonymous, &format!("{path}/events"), &[]).await.opened();
    let second = anonymous.dial(&host, &format!("{path}/live")).await;
    let refused = anonymous.get(&host, &format!("{path}/events")).await;
    let problem = refused.problem(503, "too_many_sockets");
    assert!(problem["detail"].as_str().unwrap().contains("2 "), "{problem}");
    assert_eq!(refused.header("retry-after"), "5");
    assert!(
        anonymous.try_dial(&host, &format!("{path}/live")).await.err().unwrap().to_string().contains("503")
    );
    drop(first);
    host.until("kibitz_streams{kind=\"sse\"} 0").await;
    let _third = EventStream::ndjson(&host, &anonymous, &format!("{path}/events")).await.opened();
    // A stream that is refused takes no place.
    drop(second);
    host.until("kibitz_streams{kind=\"live\"} 0").await;
    for _ in 0..5 {
        anonymous.get(&host, &format!("{path}/events?since=99")).await.problem(400, "bad_query");
    }
    EventStream::sse(&host, &anonymous, &format!("{path}/events"), &[]).await.opened();
}

#[tokio::test]
async fn streams_announce_the_end_of_the_server() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, SHORT).await;
    let events = format!("{path}/events");
    let streams = [
        EventStream::sse(&host, &guests[0], &events, &[]).await.opened(),
        EventStream::ndjson(&host, &TestCaller::anonymous(), &events).await.opened(),
    ];
    let mut peer = guests[1].dial(&host, &format!("{path}/live")).await;
    peer.hear().await;
    host.server.begin_stop();
    host.get(&events).await.problem(503, "stopping");
    let stopped = tokio::spawn(host.server.stop());
    for stream in streams {
        let told = stream.all().await;
        assert_eq!(told.len(), 2);
        let last = &told[1].json;
        assert_eq!((&last["type"], &last["code"]), (&json!("closed"), &json!("stopping")));
        assert_eq!(
            last["detail"],
            format!("the server is stopping: come back with since={}", told[0].json["seq"])
        );
    }
    assert_eq!(peer.closed().await.0, 1001);
    drop(peer);
    stopped.await.unwrap();
}
