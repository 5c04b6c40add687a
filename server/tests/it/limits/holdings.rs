//! The limits on what one address may hold at a time: connections, streams and WebSockets, bytes of bodies.

use std::time::Duration;

use futures_util::future::select_all;
use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::{AddressClient, at};
use crate::client::{HANG, TestResponse, TestServer, connect_from, exchange_on};
use crate::matches::{SHORT, me, open, order};
use crate::server_process::ServerProcess;

/// Asks for the games until the server accepts the client again.
async fn until_admitted(host: &TestServer, client: &AddressClient) {
    let admitted = async {
        while client.get(host, "/v1/games").await.status != 200 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(HANG, admitted).await.expect("what was given back is free for others");
}

#[tokio::test]
async fn full_address_leaves_connections_to_others() {
    let host = TestServer::start(&["--max-connections-per-address=3"]).await;
    let (hog, other) = (at("127.0.0.2"), at("127.0.0.3"));
    let mut silent = Vec::new();
    for _ in 0..3 {
        silent.push(connect_from(hog.source, host.address()).await);
    }
    let refused = hog.get(&host, "/v1/games").await;
    refused.names(429, "too_many", "3 open connections, the limit that --max-connections-per-address sets");
    assert_eq!(refused.header("retry-after"), "5");
    assert_eq!(other.get(&host, "/v1/games").await.status, 200);
    host.reaches("kibitz_connections_refused_total{code=\"too_many\"} ", 1).await;
    drop(silent.pop());
    until_admitted(&host, &hog).await;
}

#[tokio::test]
async fn websocket_keeps_its_connection_counted() {
    let host = TestServer::start(&["--max-connections-per-address=1"]).await;
    let hog = at("127.0.0.2");
    let stream = connect_from(hog.source, host.address()).await;
    let url = format!("ws://{}/v1/games/ioiwari/stdio", host.address());
    let (socket, _) = tokio_tungstenite::client_async(url, stream).await.unwrap();
    host.until("kibitz_sockets 1").await;
    hog.get(&host, "/v1/games").await.names(429, "too_many", "--max-connections-per-address");
    drop(socket);
    until_admitted(&host, &hog).await;
}

#[tokio::test]
async fn connections_of_all_addresses_together_are_bounded() {
    let host = TestServer::start(&["--max-connections=4", "--max-connections-per-address=2"]).await;
    let mut silent = Vec::new();
    for source in ["127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.3"] {
        silent.push(connect_from(source, host.address()).await);
    }
    at("127.0.0.4").get(&host, "/v1/games").await.names(503, "overloaded", "--max-connections ");
    drop(silent);
    until_admitted(&host, &at("127.0.0.4")).await;
}

#[tokio::test]
async fn connections_leave_descriptors_to_the_database() {
    let service = ServerProcess::start_after("ulimit -n 192", &[]);
    // This connection is accepted before all others arrive.
    let good = connect_from("127.0.0.9", service.address).await;
    let mut silent = Vec::new();
    for n in 0..300 {
        let source = ["127.0.0.2", "127.0.0.3", "127.0.0.4"][n % 3];
        silent.push(connect_from(source, service.address).await);
    }
    // Connections are accepted in order: when the last one is answered, all others were accepted or refused.
    let mut last = silent.pop().unwrap();
    let mut answer = Vec::new();
    let read = timeout(HANG, last.read_to_end(&mut answer)).await;
    // It may be closed without an answer, when many are refused at the same time.
    assert!(read.is_ok(), "it is neither refused nor served");
    let used = std::fs::read_dir(format!("/proc/{}/fd", service.pid().as_raw_nonzero())).unwrap().count();
    assert!(used <= 192 - 16, "{used} of 192 descriptors are in use");
    let body = Full::new(Bytes::from(order(SHORT, &[me(), open()]).to_string()));
    let request = Request::post("/v1/matches").header("content-type", "application/json").body(body).unwrap();
    exchange_on(good, request).await.made();
}

/// A stream of a match's events that this client keeps open.
async fn follow(
    host: &TestServer,
    client: &AddressClient,
    path: &str,
) -> Result<hyper::body::Incoming, TestResponse> {
    let stream = connect_from(client.source, host.address()).await;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = Request::get(path).header("host", "test").body(Full::new(Bytes::new())).unwrap();
    let (parts, body) = sender.send_request(request).await.unwrap().into_parts();
    if parts.status == 200 {
        return Ok(body);
    }
    let body = body.collect().await.unwrap().to_bytes();
    Err(TestResponse { status: parts.status, headers: parts.headers, body })
}

#[tokio::test]
async fn full_address_leaves_streams_to_others() {
    let host = TestServer::start(&["--max-sockets=4"]).await;
    let limits = &at("127.0.0.3").get(&host, "/v1/games/ioiwari").await.json()["limits"];
    assert_eq!(limits["max_sockets_per_address"], 1, "a quarter");
    let host = TestServer::start(&["--max-sockets=4", "--max-sockets-per-address=2"]).await;
    let (hog, other) = (at("127.0.0.2"), at("127.0.0.3"));
    let made = other.post(&host, "/v1/matches", &order(SHORT, &[me(), open()])).await.made();
    let events = format!("{}/events", made["url"].as_str().unwrap());
    let held = (follow(&host, &hog, &events).await.unwrap(), follow(&host, &hog, &events).await.unwrap());
    let refused = follow(&host, &hog, &events).await.unwrap_err();
    refused.names(429, "too_many", "--max-sockets-per-address");
    // WebSockets count too.
    let stream = connect_from(hog.source, host.address()).await;
    let url = format!("ws://{}/v1/games/ioiwari/stdio", host.address());
    let refused = tokio_tungstenite::client_async(url, stream).await.err().unwrap();
    assert!(refused.to_string().contains("429"), "{refused}");
    drop(follow(&host, &other, &events).await.unwrap());
    drop(held.0);
    host.until("kibitz_streams{kind=\"sse\"} 1").await;
    drop(follow(&host, &hog, &events).await.unwrap());
}

/// Begins to send a body of this size, and sends all but one byte of it.
async fn half_sent(host: &TestServer, client: &AddressClient, size: usize) -> TcpStream {
    let mut stream = connect_from(client.source, host.address()).await;
    let head = format!(
        "POST /v1/games/ioiwari/legal-moves HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n\
         content-length: {size}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; size - 1]).await.unwrap();
    stream
}

#[tokio::test]
async fn half_sent_bodies_of_one_address_are_bounded() {
    let flags = ["--max-body=100000", "--max-body-memory-per-address=250000", "--max-body-memory=1000000"];
    let host = TestServer::start(&flags).await;
    let (hog, other) = (at("127.0.0.2"), at("127.0.0.3"));
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(half_sent(&host, &hog, 100_000).await);
    }
    // One of the three is one too many, and is answered.
    let answers = streams.into_iter().map(|mut stream| {
        Box::pin(async move {
            let mut answer = vec![0; 4096];
            let length = stream.read(&mut answer).await.unwrap();
            (String::from_utf8(answer[..length].to_vec()).unwrap(), stream)
        })
    });
    let ((answer, refused), _, waiting) = timeout(HANG, select_all(answers)).await.expect("one is refused");
    assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
    assert!(answer.contains("\"too_many\"") && answer.contains("--max-body-memory-per-address"), "{answer}");
    let positions = "/v1/games/ioiwari/positions";
    assert_eq!(other.post(&host, positions, &json!({ "plies": 3 })).await.status, 200);
    // Refused and closed connections free their place.
    drop((refused, waiting));
    let large = json!({ "notations": [" ".repeat(90_000)] });
    let sent = async {
        while hog.post(&host, "/v1/games/ioiwari/legal-moves", &large).await.status == 429 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(HANG, sent).await.expect("the bytes are given back");
}

#[tokio::test]
async fn half_sent_messages_of_one_address_are_bounded() {
    let host = TestServer::start(&["--max-body=100000", "--max-body-memory-per-address=1000000"]).await;
    let url = format!("ws://{}/v1/games/ioiwari/stdio", host.address());
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let stream = connect_from("127.0.0.2", host.address()).await;
        let (socket, _) = tokio_tungstenite::client_async(&url, stream).await.unwrap();
        let mut stream = socket.into_inner();
        // A masked frame of text with 500,000 bytes, the last of which never comes (RFC 6455, section 5.2).
        let mut frame = vec![0x81, 0xff];
        frame.extend_from_slice(&500_000_u64.to_be_bytes());
        frame.extend_from_slice(&[0; 4]);
        frame.resize(frame.len() + 499_999, b' ');
        stream.write_all(&frame).await.unwrap();
        sockets.push(stream);
    }
    let closes = sockets.into_iter().map(|mut stream| {
        Box::pin(async move {
            loop {
                let mut head = [0; 2];
                stream.read_exact(&mut head).await.unwrap();
                let mut rest = vec![0; usize::from(head[1])];
                stream.read_exact(&mut rest).await.unwrap();
                // On a slow machine pings come first.
                if head[0] == 0x88 {
                    return rest;
                }
            }
        })
    });
    let (close, ..) = timeout(HANG, select_all(closes)).await.expect("one is closed");
    assert_eq!(u16::from_be_bytes([close[0], close[1]]), 1013);
    let reason = String::from_utf8_lossy(&close[2..]);
    assert!(reason.contains("--max-body-memory-per-address"), "{reason}");
    // Complete messages count only while they are processed.
    let stream = connect_from("127.0.0.3", host.address()).await;
    let (mut socket, _) = tokio_tungstenite::client_async(&url, stream).await.unwrap();
    for _ in 0..20 {
        socket.send(Message::text(format!("# {}", "x".repeat(200_000)))).await.unwrap();
    }
    socket.send(Message::text("< 4 3 2 4 2 3 2\n.")).await.unwrap();
    loop {
        let message = timeout(HANG, socket.next()).await.expect("it answers").unwrap().unwrap();
        if message.to_text().is_ok_and(|text| text.contains("> ")) {
            break;
        }
        assert!(!message.is_close(), "{message:?}");
    }
}

#[tokio::test]
async fn bodies_of_all_addresses_together_are_bounded() {
    let flags = ["--max-body=100000", "--max-body-memory-per-address=150000", "--max-body-memory=150000"];
    let host = TestServer::start(&flags).await;
    let mut streams = Vec::new();
    for source in ["127.0.0.2", "127.0.0.3"] {
        streams.push(half_sent(&host, &at(source), 100_000).await);
    }
    let answers = streams.into_iter().map(|mut stream| {
        Box::pin(async move {
            let mut answer = vec![0; 4096];
            let length = stream.read(&mut answer).await.unwrap();
            String::from_utf8(answer[..length].to_vec()).unwrap()
        })
    });
    let (answer, ..) = timeout(HANG, select_all(answers)).await.expect("one is refused");
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("\"overloaded\"") && answer.contains("--max-body-memory "), "{answer}");
}
