//! Streams of a match, as one viewer opens them: every kind there is, kept as text until the last event has come.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::client::{DialogueClient, HANG};

/// An open answer to a request for events.
pub(super) struct OpenStream {
    body: Incoming,
    connection: JoinHandle<hyper::Result<()>>,
    /// The separator of two frames.
    between: &'static str,
    read: Vec<u8>,
}

impl OpenStream {
    /// Opens one. The server has taken its place among the listeners when this returns.
    pub(super) async fn open(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        let connection = tokio::spawn(connection);
        let mut request = Request::get(path).header("host", address.to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let reply = sender.send_request(request.body(Full::<Bytes>::default()).unwrap()).await.unwrap();
        if reply.status() != 200 {
            panic!("{path}: {:?}", reply.into_body().collect().await.map(|body| body.to_bytes()));
        }
        let between = match reply.headers()["content-type"].to_str().unwrap() {
            "text/event-stream" => "\n\n",
            "application/x-ndjson" => "\n",
            other => panic!("{other}"),
        };
        Self { body: reply.into_body(), connection, between, read: Vec::new() }
    }

    /// All frames up to this event, as they were written; signs of life, which depend on the time, are left out.
    pub(super) async fn upto(mut self, seq: u64) -> String {
        let read = async {
            loop {
                // Parts of a stream may end anywhere, in the middle of a letter too.
                let text = str::from_utf8(&self.read).unwrap_or("");
                let frames: Vec<&str> = text.split_terminator(self.between).collect();
                if text.ends_with(self.between) && frames.iter().any(|frame| shows(frame, seq)) {
                    let said = |frame: &&&str| !frame.is_empty() && **frame != ": ";
                    return frames
                        .iter()
                        .filter(said)
                        .map(|frame| format!("{frame}{}", self.between))
                        .collect();
                }
                let part = self.body.frame().await.expect("the event comes before the end").unwrap();
                self.read.extend_from_slice(part.data_ref().unwrap());
            }
        };
        let read = tokio::time::timeout(HANG, read).await.expect("the event comes");
        self.connection.abort();
        read
    }
}

/// Whether this is the frame of this event.
fn shows(frame: &str, seq: u64) -> bool {
    let json = frame.lines().last().unwrap_or("");
    let json: Option<Value> = serde_json::from_str(json.strip_prefix("data: ").unwrap_or(json)).ok();
    json.is_some_and(|json| json["seq"] == seq && json["type"] != "match")
}

/// Opens a WebSocket with these headers.
pub(super) async fn dial(
    address: SocketAddr,
    path: &str,
    headers: &[(&'static str, String)],
) -> DialogueClient {
    let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
    // Else every refusal would have an id of its own, and no two would be equal.
    request.headers_mut().insert("x-request-id", HeaderValue::from_static("the-same-every-time"));
    for (name, value) in headers {
        request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
    }
    let (socket, _) = connect_async(request).await.unwrap();
    DialogueClient { socket }
}

/// The next message of a WebSocket of a match that is no event.
pub(super) async fn answer(peer: &mut DialogueClient, heard: &mut String) -> Value {
    loop {
        let text = peer.hear().await;
        heard.push_str(&text);
        heard.push('\n');
        let json: Value = serde_json::from_str(&text).unwrap();
        if ["done", "refused"].iter().any(|kind| json["type"] == *kind) {
            return json;
        }
    }
}

/// All messages of a WebSocket up to this event, a line each.
pub(super) async fn frames(peer: &mut DialogueClient, mut heard: String, seq: u64) -> String {
    while !heard.lines().any(|frame| shows(frame, seq)) {
        heard += &peer.hear().await;
        heard.push('\n');
    }
    heard
}

/// Waits until the peer has closed and drops the connection.
pub(super) async fn hang_up(mut peer: DialogueClient) {
    // The peer may be gone already; ignore the error.
    let _ = peer.socket.close(None).await;
    while let Some(Ok(_)) = peer.socket.next().await {}
}

/// Opens a WebSocket with these subprotocols, says these things and something binary, and closes; returns everything
/// that was heard.
pub(super) async fn converse(address: SocketAddr, path: &str, offer: &str, says: &[String]) -> String {
    let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
    // Else every refusal would have an id of its own, and no two would be equal.
    request.headers_mut().insert("x-request-id", HeaderValue::from_static("the-same-every-time"));
    if !offer.is_empty() {
        request.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_str(offer).unwrap());
    }
    let talk = async {
        let mut socket = match connect_async(request).await {
            Ok((socket, reply)) => {
                // A browser would hang up if another one was chosen.
                assert!(
                    reply.headers().get("sec-websocket-protocol").is_none_or(|chosen| chosen == "kibitz")
                );
                socket
            }
            Err(Error::Http(reply)) => {
                let body = reply.body().as_deref().map(String::from_utf8_lossy);
                return format!("{} {:?} {}", reply.status(), reply.headers(), body.unwrap_or_default());
            }
            // A client that offers only unknown subprotocols gets none, and the library closes it.
            Err(other) => return other.to_string(),
        };
        let binary = Message::binary(says.concat().into_bytes());
        for message in says.iter().map(Message::text).chain([binary, Message::Close(None)]) {
            // The server may have closed already.
            let _ = socket.send(message).await;
        }
        let mut heard = String::new();
        while let Some(Ok(message)) = socket.next().await {
            heard += &format!("{message:?}\n");
            if let Message::Text(text) = &message {
                heard += text;
            }
        }
        heard
    };
    tokio::time::timeout(HANG, talk).await.expect("the server ends it")
}
