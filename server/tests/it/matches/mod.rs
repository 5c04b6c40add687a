//! Hosted matches from outside: real servers, plain HTTP, streams and WebSockets.

mod hints;
mod people;
mod playing;
mod positions;
mod presence;
mod refusals;
mod resume;
mod seat_takeover;
mod secrets;
mod stream;
mod stream_ends;
mod websocket;

use std::net::SocketAddr;

use http_body_util::Full;
use hyper::{Request, StatusCode};
use serde_json::{Value, json};

use crate::client::{DialogueClient, TestResponse, TestServer, exchange};
pub(crate) use stream::EventStream;

/// A game that is soon over.
pub(crate) const SHORT: &str = "ioiwari";
/// One with some hundred moves.
pub(crate) const LONG: &str = "splendor";

/// A caller with a token, a key, or neither.
#[derive(Clone, Default)]
pub(crate) struct TestCaller {
    /// The token of a seat or of a player.
    pub token: Option<String>,
    /// The key of a private match.
    pub key: Option<String>,
}

impl TestCaller {
    pub(crate) fn anonymous() -> Self {
        Self::default()
    }

    pub(crate) fn with(token: &str) -> Self {
        Self { token: Some(token.to_owned()), key: None }
    }

    /// The holder of the first seat that an answer tells.
    #[track_caller]
    pub(crate) fn seated(admission: &Value) -> Self {
        Self::with(admission["seats"][0]["token"].as_str().unwrap())
    }

    /// The headers that this caller sends with every request.
    pub(crate) fn headers(&self) -> Vec<(&str, String)> {
        let token = self.token.as_ref().map(|token| ("authorization", format!("Bearer {token}")));
        let key = self.key.as_ref().map(|key| ("match-key", key.clone()));
        token.into_iter().chain(key).collect()
    }

    pub(crate) async fn get(&self, host: &TestServer, path: &str) -> TestResponse {
        self.send(host, "GET", path, &[], None).await
    }

    pub(crate) async fn post(&self, host: &TestServer, path: &str, body: Value) -> TestResponse {
        self.send(host, "POST", path, &[], Some(body.to_string())).await
    }

    /// A request with an empty body.
    pub(crate) async fn tell(&self, host: &TestServer, path: &str) -> TestResponse {
        self.send(host, "POST", path, &[], None).await
    }

    pub(crate) async fn send(
        &self,
        host: &TestServer,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<String>,
    ) -> TestResponse {
        self.send_to(host.address(), method, path, headers, body).await
    }

    pub(crate) async fn send_to(
        &self,
        address: SocketAddr,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<String>,
    ) -> TestResponse {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in self.headers() {
            request = request.header(name, value);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        exchange(address, request.body(Full::new(body.unwrap_or_default().into())).unwrap()).await
    }

    /// The match as this caller sees it.
    pub(crate) async fn page(&self, host: &TestServer, path: &str) -> Value {
        self.get(host, path).await.json()
    }

    /// Makes a move, by its notation.
    pub(crate) async fn play(
        &self,
        host: &TestServer,
        path: &str,
        ply: &Value,
        notation: &Value,
    ) -> TestResponse {
        self.post(host, &format!("{path}/moves"), json!({ "ply": ply, "notation": notation })).await
    }

    /// A WebSocket to the match; the subprotocols carry the caller's secrets, as in browsers.
    pub(crate) async fn dial(&self, host: &TestServer, path: &str) -> DialogueClient {
        self.try_dial(host, path).await.unwrap()
    }

    pub(crate) async fn try_dial(
        &self,
        host: &TestServer,
        path: &str,
    ) -> Result<DialogueClient, tokio_tungstenite::tungstenite::Error> {
        self.try_dial_to(host.address(), path).await
    }

    pub(crate) async fn try_dial_to(
        &self,
        address: SocketAddr,
        path: &str,
    ) -> Result<DialogueClient, tokio_tungstenite::tungstenite::Error> {
        use tokio_tungstenite::tungstenite::client::IntoClientRequest;
        let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
        let token = self.token.iter().map(|token| format!(", token.{token}"));
        let key = self.key.iter().map(|key| format!(", key.{key}"));
        let offered: String = std::iter::once("kibitz".to_owned()).chain(token).chain(key).collect();
        request.headers_mut().insert("sec-websocket-protocol", offered.parse().unwrap());
        let (socket, answer) = tokio_tungstenite::connect_async(request).await?;
        assert_eq!(answer.headers()["sec-websocket-protocol"], "kibitz", "no secret is said back");
        Ok(DialogueClient { socket })
    }
}

impl TestResponse {
    /// The body of an answer that something was made.
    #[track_caller]
    pub(crate) fn made(&self) -> Value {
        assert_eq!(self.status, StatusCode::CREATED, "{self:?}");
        let made: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(self.header("cache-control"), "no-store");
        made
    }
}

pub(crate) fn me() -> Value {
    json!({ "kind": "me" })
}

pub(crate) fn open() -> Value {
    json!({ "kind": "open" })
}

/// An engine that needs no time.
pub(crate) fn quick() -> Value {
    json!({ "kind": "engine", "engine": "random" })
}

pub(crate) fn order(game: &str, seats: &[Value]) -> Value {
    json!({ "game": game, "seats": seats, "seed": 7 })
}

/// Makes a match; returns its path and the answer to its creator.
pub(crate) async fn create(host: &TestServer, caller: &TestCaller, order: Value) -> (String, Value) {
    let reply = caller.post(host, "/v1/matches", order).await;
    let admission = reply.made();
    let path = admission["url"].as_str().unwrap().to_owned();
    assert_eq!(reply.header("location"), path);
    assert_eq!(path, format!("/v1/matches/{}", admission["id"].as_str().unwrap()));
    (path, admission)
}

/// Takes a seat.
pub(crate) async fn join(host: &TestServer, caller: &TestCaller, path: &str) -> Value {
    caller.tell(host, &format!("{path}/join")).await.json()
}

/// A match that runs between two guests.
pub(crate) async fn two_guests(host: &TestServer, game: &str) -> (String, [TestCaller; 2]) {
    let (path, made) = create(host, &TestCaller::anonymous(), order(game, &[me(), open()])).await;
    let joined = join(host, &TestCaller::anonymous(), &path).await;
    assert_eq!((&made["seats"][0]["seat"], &joined["seats"][0]["seat"]), (&json!(0), &json!(1)));
    (path, [TestCaller::seated(&made), TestCaller::seated(&joined)])
}

/// One of the legal moves, another at each ply.
pub(crate) fn choose(shown: &Value, ply: u64) -> &Value {
    let moves = shown["legal_moves"].as_array().unwrap();
    assert!(!moves.is_empty(), "{shown}");
    &moves[(ply.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % moves.len()]
}

/// Plays both seats until this many moves are made or the match is over. Returns the last answer.
pub(crate) async fn play_until(host: &TestServer, path: &str, guests: &[TestCaller; 2], plies: u64) -> Value {
    let mut last = Value::Null;
    loop {
        let page = guests[0].page(host, path).await;
        let ply = page["ply"].as_u64().unwrap();
        if page["stage"] == "over" || ply >= plies {
            return last;
        }
        let mover = &guests[page["turn"].as_u64().unwrap() as usize];
        let page = mover.page(host, path).await;
        last = mover.play(host, path, &page["ply"], &choose(&page, ply)["notation"]).await.json();
    }
}
