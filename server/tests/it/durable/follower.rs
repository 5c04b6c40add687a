//! Clients that follow a match and reconnect after every fault: each event must reach them exactly once and in order. One
//! of them plays, too.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use engines::rng::Rng;
use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::retrying_client::{Acknowledged, insist};

/// The way in which a match is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FollowMode {
    /// As browsers' `EventSource` does it, with `Last-Event-ID`.
    Sse,
    /// Lines of JSON, with `since`.
    Ndjson,
    /// A WebSocket, with `since`.
    Live,
}

/// The reason why a connection broke; the client reconnects.
type Broken = Box<dyn std::error::Error + Send + Sync>;

/// A client that follows a match.
pub(super) struct Follower {
    /// The servers; the next one after each reconnection.
    servers: Vec<SocketAddr>,
    id: String,
    token: Option<String>,
    pub how: FollowMode,
    /// The last event that is known.
    last: Option<u64>,
    /// The last event that is wanted; `None`: that which ends the match.
    until: Option<u64>,
    /// Each event as it was received.
    pub seen: Vec<Value>,
    /// When each of them was received.
    pub arrived: Vec<Instant>,
    /// The number of reconnections.
    pub returns: usize,
    over: bool,
}

impl Follower {
    pub(super) fn new(servers: &[SocketAddr], id: &str, token: Option<&str>, how: FollowMode) -> Self {
        let token = token.map(str::to_owned);
        let (servers, id) = (servers.to_vec(), id.to_owned());
        Self {
            servers,
            id,
            token,
            how,
            last: None,
            until: None,
            seen: Vec::new(),
            arrived: Vec::new(),
            returns: 0,
            over: false,
        }
    }

    /// From this event on.
    pub(super) fn since(self, seq: u64) -> Self {
        Self { last: Some(seq), ..self }
    }

    /// Up to this event.
    pub(super) fn until(self, seq: u64) -> Self {
        Self { until: Some(seq), ..self }
    }

    /// The last event it knows of.
    pub(super) fn last(&self) -> u64 {
        self.last.expect("it knows of one")
    }

    /// Follows the match to its end.
    pub(super) async fn follow(mut self) -> Self {
        loop {
            let server = self.servers[self.returns % self.servers.len()];
            // It reconnects after every fault.
            let _: Result<(), Broken> = match self.how {
                FollowMode::Sse | FollowMode::Ndjson => self.read(server).await,
                FollowMode::Live => self.watch(server).await,
            };
            if self.over {
                return self;
            }
            self.returns += 1;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Takes a frame; returns whether it was the last.
    fn take(&mut self, frame: Value) -> bool {
        let seq = frame["seq"].as_u64();
        match frame["type"].as_str().expect("every frame has a type") {
            "match" => {
                let now = seq.expect("the page has the place of the last event");
                assert!(self.last.is_none_or(|last| last <= now), "the match has gone back: {frame}");
                if self.how != FollowMode::Sse && self.last.is_none() {
                    self.last = Some(now);
                }
                self.over = frame["stage"] == "over" && self.last.is_none_or(|last| last == now)
                    || self.last.is_some() && self.last == self.until;
            }
            // A message about clocks is no event and has no number.
            "clock" | "presence" => assert!(seq.is_none(), "{frame}"),
            "closed" => assert!(frame["code"] != "internal", "{frame}"),
            kind => {
                let next = self.last.map(|last| last + 1);
                assert!(next.is_none() || seq == next, "{next:?} is next, not {frame} ({:?})", self.how);
                self.last = seq;
                self.over = kind == "ended" || seq == self.until;
                self.seen.push(frame);
                self.arrived.push(Instant::now());
            }
        }
        self.over
    }

    /// One answer of the events' stream, to its end.
    async fn read(&mut self, server: SocketAddr) -> Result<(), Broken> {
        let mut path = format!("/v1/matches/{}/events", self.id);
        let mut request = Request::builder().header("host", server.to_string());
        match (self.how, self.last) {
            (FollowMode::Ndjson, last) => {
                request = request.header("accept", "application/x-ndjson");
                if let Some(last) = last {
                    path += &format!("?since={last}");
                }
            }
            (_, Some(last)) => request = request.header("last-event-id", last),
            (_, None) => {}
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let request = request.uri(path).body(Empty::<Bytes>::new())?;
        let stream = TcpStream::connect(server).await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let _connection = tokio_util::task::AbortOnDropHandle::new(tokio::spawn(connection));
        let reply = sender.send_request(request).await?;
        if reply.status() == 204 && self.how == FollowMode::Sse {
            assert!(self.last.is_some(), "the stream is empty, but this follower has not received the end");
            self.over = true;
            return Ok(());
        }
        if reply.status() == 503 {
            return Ok(());
        }
        assert_eq!(reply.status(), 200, "{} at {:?}", self.id, self.last);
        let mut body = reply.into_body();
        let mut text = Vec::new();
        let end: &[u8] = if self.how == FollowMode::Sse { b"\n\n" } else { b"\n" };
        let mut last_words = false;
        while let Some(part) = body.frame().await {
            text.extend_from_slice(&part?.into_data().unwrap_or_default());
            while let Some(at) = text.windows(end.len()).position(|bytes| bytes == end) {
                let part = text.drain(..at + end.len()).collect::<Vec<_>>();
                let part = str::from_utf8(&part)?.trim_end();
                let Some((id, frame)) = self.parse(part) else { continue };
                last_words = frame["type"] == "closed";
                let over = self.take(frame);
                if let Some(id) = id {
                    assert!(self.last.is_none_or(|last| last == id), "{id} is not {:?}", self.last);
                    self.last = Some(id);
                }
                if over {
                    return Ok(());
                }
            }
        }
        assert!(last_words, "the stream ended and did not say why: {} at {:?}", self.id, self.last);
        Ok(())
    }

    /// The id and the frame of an event; `None`: a heartbeat.
    fn parse(&self, part: &str) -> Option<(Option<u64>, Value)> {
        let read = |json: &str| serde_json::from_str(json).expect("a frame is JSON");
        if self.how == FollowMode::Ndjson {
            return (!part.is_empty()).then(|| (None, read(part)));
        }
        let field = |name: &str| part.lines().find_map(|line| line.strip_prefix(name));
        let frame: Value = read(field("data: ")?);
        assert_eq!(field("event: "), frame["type"].as_str());
        let id = field("id: ").map(|id| id.parse().expect("an id is a number"));
        assert!(id.is_none() || frame["seq"].as_u64() == id, "{part}");
        Some((id, frame))
    }

    /// One WebSocket, to its end.
    async fn watch(&mut self, server: SocketAddr) -> Result<(), Broken> {
        let mut socket = dial(server, &self.id, self.token.as_deref(), self.last).await?;
        while let Some(message) = socket.next().await {
            match message? {
                Message::Text(_) if self.over => panic!("nothing comes after the end"),
                Message::Text(text) => drop(self.take(serde_json::from_str(&text)?)),
                Message::Close(frame) => {
                    let code = frame.expect("the server says why").code;
                    let codes: &[u16] = if self.over { &[1000] } else { &[1001, 1013, 4408] };
                    assert!(codes.contains(&code.into()), "{code}");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A WebSocket to a match.
pub(super) async fn dial(
    server: SocketAddr,
    id: &str,
    token: Option<&str>,
    since: Option<u64>,
) -> Result<WebSocketStream<TcpStream>, Broken> {
    let since = since.map_or(String::new(), |seq| format!("?since={seq}"));
    let mut request = format!("ws://{server}/v1/matches/{id}/live{since}").into_client_request()?;
    if let Some(token) = token {
        request.headers_mut().insert("authorization", format!("Bearer {token}").parse()?);
    }
    let stream = TcpStream::connect(server).await?;
    Ok(tokio_tungstenite::client_async(request, stream).await?.0)
}

/// A client that plays over a WebSocket and sends each move until it is acknowledged.
pub(super) struct SocketPlayer {
    follower: Follower,
    seat: u64,
    rng: Rng,
    /// The message to send.
    wish: Option<(u64, String)>,
    /// The move that was sent and not acknowledged yet.
    open: Option<(u64, String)>,
    /// The earliest ply for its next move: replayed events show old turns too.
    next: u64,
    pub acknowledged: Vec<Acknowledged>,
}

impl SocketPlayer {
    pub(super) fn new(servers: &[SocketAddr], id: &str, seat: u64, token: &str, rng: Rng) -> Self {
        let follower = Follower::new(servers, id, Some(token), FollowMode::Live);
        Self { follower, seat, rng, wish: None, open: None, next: 0, acknowledged: Vec::new() }
    }

    /// Plays the match to its end.
    pub(super) async fn play(mut self) -> Self {
        loop {
            let server = self.follower.servers[self.follower.returns % self.follower.servers.len()];
            // It reconnects after every fault.
            let _ = self.sit(server).await;
            if self.follower.over {
                self.ask_again(server).await;
                return self;
            }
            self.follower.returns += 1;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// One WebSocket, to its end.
    async fn sit(&mut self, server: SocketAddr) -> Result<(), Broken> {
        let Follower { id, token, last, .. } = &self.follower;
        let mut socket = dial(server, id, token.as_deref(), *last).await?;
        if let Some((ply, notation)) = &self.open {
            say(&mut socket, *ply, notation).await?;
        }
        while let Some(message) = socket.next().await {
            let Message::Text(text) = message? else { continue };
            let frame: Value = serde_json::from_str(&text)?;
            match frame["type"].as_str() {
                Some("done") => {
                    assert_eq!(frame["id"], frame["frame"]["ply"].to_string(), "{frame}");
                    self.done(&frame["frame"]);
                }
                Some("refused") => {
                    let code = &frame["problem"]["code"];
                    assert!(["store_unavailable", "stopping"].iter().any(|c| code == c), "{frame}");
                    return Ok(());
                }
                _ => {
                    let ply = match frame["type"].as_str() {
                        Some("match") => frame["ply"].as_u64().unwrap(),
                        _ => frame["ply"].as_u64().map_or(0, |ply| ply + 1),
                    };
                    let turn = frame["turn"] == self.seat && ply >= self.next;
                    let moves = frame["legal_moves"].as_array().filter(|_| turn);
                    if let Some(choice) = moves.and_then(|moves| self.rng.pick(moves)) {
                        self.wish = Some((ply, choice["notation"].as_str().unwrap().to_owned()));
                        self.next = ply + 1;
                    }
                    self.follower.take(frame);
                }
            }
            if self.open.is_none()
                && let Some((ply, notation)) = self.wish.take()
            {
                self.open = Some((ply, notation.clone()));
                say(&mut socket, ply, &notation).await?;
            }
        }
        Ok(())
    }

    fn done(&mut self, frame: &Value) {
        let (ply, notation) = self.open.take().expect("something was sent");
        assert_eq!((&frame["ply"], &frame["notation"]), (&ply.into(), &notation.clone().into()));
        assert_eq!(frame["seat"], self.seat);
        let seq = frame["seq"].as_u64().unwrap();
        self.acknowledged.push(Acknowledged { ply, seat: self.seat, seq, notation });
    }

    /// Asks over HTTP for the answer to the last move, if the match was over before it arrived: a WebSocket carries
    /// nothing after the end.
    async fn ask_again(&mut self, server: SocketAddr) {
        let Some((ply, notation)) = &self.open else { return };
        let Follower { id, token, .. } = &self.follower;
        let bearer = format!("Bearer {}", token.as_deref().unwrap());
        let body = json!({ "ply": ply, "notation": notation });
        let path = format!("/v1/matches/{id}/moves");
        let frame = insist(server, "POST", &path, &[("authorization", &bearer)], &body).await.json();
        self.done(&frame);
    }
}

async fn say(socket: &mut WebSocketStream<TcpStream>, ply: u64, notation: &str) -> Result<(), Broken> {
    let order = json!({ "type": "move", "ply": ply, "notation": notation, "id": ply.to_string() });
    Ok(socket.send(Message::text(order.to_string())).await?)
}
