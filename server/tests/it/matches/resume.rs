//! A stream that is resumed misses no event and repeats none.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::{EventStream, LONG, SHORT, TestCaller, create, order, play_until, quick, two_guests};
use crate::client::{DialogueClient, TestServer};

/// A match that is over; its path, and all its events.
async fn finished(host: &TestServer, game: &str) -> (String, Vec<Value>) {
    let (path, _) = create(host, &TestCaller::anonymous(), order(game, &[quick(), quick()])).await;
    let told = EventStream::ndjson(host, &TestCaller::anonymous(), &format!("{path}/events?since=0"))
        .await
        .opened()
        .all()
        .await;
    let events: Vec<Value> = told.into_iter().skip(1).map(|told| told.json).collect();
    assert!((1..).zip(&events).all(|(seq, event)| event["seq"] == seq), "{events:?}");
    (path, events)
}

async fn hear_all(mut peer: DialogueClient) -> Vec<Value> {
    let mut heard = Vec::new();
    loop {
        match peer.next().await {
            Message::Text(text) => heard.push(serde_json::from_str(&text).unwrap()),
            Message::Close(frame) => {
                assert_eq!(u16::from(frame.unwrap().code), 1000);
                return heard;
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn stream_of_a_finished_match_resumes_after_every_event() {
    let host = TestServer::start(&[]).await;
    let anonymous = TestCaller::anonymous();
    let (path, events) = finished(&host, SHORT).await;
    for since in 0..=events.len() {
        let rest = &events[since..];
        let check = |told: Vec<Value>, how: &str| {
            assert_eq!((&told[0]["type"], &told[0]["stage"]), (&json!("match"), &json!("over")));
            assert_eq!(told[1..], *rest, "{how} since {since}");
        };
        let query = format!("{path}/events?since={since}");
        let told = EventStream::ndjson(&host, &anonymous, &query).await.opened().all().await;
        check(told.into_iter().map(|told| told.json).collect(), "lines");
        let told = EventStream::sse(&host, &anonymous, &query, &[]).await.opened().all().await;
        // The page carries an id only where nothing follows it that could be missed.
        let last = events.len().to_string();
        assert_eq!(told[0].id, (since == events.len()).then_some(last));
        for event in &told[1..] {
            assert_eq!(event.id.as_deref(), Some(&*event.json["seq"].to_string()));
        }
        check(told.into_iter().map(|told| told.json).collect(), "events");
        // The header is stronger than the query, as browsers that come back need it.
        let header = [("last-event-id", &*since.to_string())];
        let told = EventStream::sse(&host, &anonymous, &format!("{path}/events?since=0"), &header).await;
        if since < events.len() {
            check(told.opened().all().await.into_iter().map(|told| told.json).collect(), "the header");
        } else {
            assert!(told.head.starts_with("HTTP/1.1 204"), "nothing will ever come: {}", told.head);
        }
        check(hear_all(anonymous.dial(&host, &format!("{path}/live?since={since}")).await).await, "a socket");
    }
    // Without a place, only the present and the future: of a finished match, the present.
    let told = EventStream::sse(&host, &anonymous, &format!("{path}/events"), &[]).await.all().await;
    assert_eq!((told.len(), told[0].id.as_deref()), (1, Some(&*events.len().to_string())));
    let next = events.len() + 1;
    let refused = anonymous.get(&host, &format!("{path}/events?since={next}")).await;
    refused.names(400, "bad_query", "there is no event");
}

/// Browsers would wait for some seconds, while a clock runs.
#[tokio::test]
async fn streams_say_when_to_reconnect() {
    let host = TestServer::start(&[]).await;
    let (path, _) = two_guests(&host, SHORT).await;
    let anonymous = TestCaller::anonymous();
    let mut events = EventStream::sse(&host, &anonymous, &format!("{path}/events"), &[]).await.opened();
    assert_eq!(events.next().await.unwrap().kind, "match");
    assert_eq!(events.retry, Some(500));
    let mut lines = EventStream::ndjson(&host, &anonymous, &format!("{path}/events")).await.opened();
    assert_eq!((lines.next().await.unwrap().kind, lines.retry), ("match".to_owned(), None));
}

#[tokio::test]
async fn stream_of_a_running_match_resumes_after_every_event() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, SHORT).await;
    let whole = EventStream::ndjson(&host, &guests[1], &format!("{path}/events?since=0")).await.opened();
    let mut pieces: Vec<Value> = Vec::new();
    let mut last = 0;
    // One event a connection, each connection cut in the middle of the match.
    'match_goes_on: for ply in 1.. {
        let over = play_until(&host, &path, &guests, ply).await;
        let header = [("last-event-id", &*last.to_string())];
        let mut events =
            EventStream::sse(&host, &guests[1], &format!("{path}/events"), &header).await.opened();
        let page = events.next().await.unwrap();
        while pieces.len() as u64 != page.json["seq"].as_u64().unwrap() {
            let event = events.next().await.unwrap();
            last = event.id.unwrap().parse().unwrap();
            pieces.push(event.json);
            if event.kind == "ended" {
                break 'match_goes_on;
            }
        }
        assert!(!over.is_null());
    }
    let whole: Vec<Value> = whole.all().await.into_iter().skip(1).map(|told| told.json).collect();
    assert_eq!(pieces, whole);
}

#[tokio::test]
async fn stream_joins_past_and_future_events_without_a_gap() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, LONG).await;
    // Many come while the moves are made; each must see every event once.
    let readers = async {
        let mut readers = Vec::new();
        for n in 0..40 {
            let (address, path) = (&host, &path);
            let events = format!("{path}/events?since={}", n % 2);
            readers.push(EventStream::ndjson(address, &guests[n % 2], &events).await.opened());
            tokio::task::yield_now().await;
        }
        readers
    };
    let (readers, _) = tokio::join!(readers, play_until(&host, &path, &guests, 30));
    guests[0].tell(&host, &format!("{path}/resign")).await.json();
    let mut whole = [Vec::new(), Vec::new()];
    for (n, reader) in readers.into_iter().enumerate() {
        let told: Vec<Value> = reader.all().await.into_iter().skip(1).map(|told| told.json).collect();
        let first = n as u64 % 2 + 1;
        assert!((first..).zip(&told).all(|(seq, event)| event["seq"] == seq), "{told:?}");
        assert_eq!(told.last().unwrap()["type"], "ended");
        if whole[n % 2].is_empty() {
            whole[n % 2] = told;
        } else {
            assert_eq!(told, whole[n % 2]);
        }
    }
}
