//! A client that does not give up: it sends each request until it is answered, with the same key or ply each time.

use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::service::until;
use crate::client::Reply;

/// A move that the server has acknowledged.
#[derive(Clone, Debug, PartialEq)]
pub struct Acknowledged {
    pub ply: u64,
    pub seat: u64,
    pub seq: u64,
    pub notation: String,
}

/// A match that a client plays, for each seat that it holds.
pub struct Match {
    pub address: SocketAddr,
    pub id: String,
    /// Per seat, its token; none where an engine sits.
    pub tokens: Vec<Option<String>>,
    pub acknowledged: Vec<Acknowledged>,
}

impl Match {
    /// Makes one; `key`: of this request alone.
    pub async fn create(address: SocketAddr, order: &Value, key: &str) -> Self {
        let headers = [("idempotency-key", key)];
        let reply = insist(address, "POST", "/v1/matches", &headers, order).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let made: Value = serde_json::from_slice(&reply.body).unwrap();
        let tokens = vec![None; order["seats"].as_array().unwrap().len()];
        let id = made["id"].as_str().unwrap().to_owned();
        let mut table = Self { address, id, tokens, acknowledged: Vec::new() };
        table.seat(&made);
        table
    }

    /// Takes the first free seat; `key`: of this request alone.
    pub async fn join(&mut self, key: &str) {
        let path = format!("/v1/matches/{}/join", self.id);
        let order = json!({ "name": "somebody" });
        let made = insist(self.address, "POST", &path, &[("idempotency-key", key)], &order).await.json();
        self.seat(&made);
    }

    fn seat(&mut self, made: &Value) {
        for seat in made["seats"].as_array().unwrap() {
            let token = seat["token"].as_str().unwrap().to_owned();
            self.tokens[seat["seat"].as_u64().unwrap() as usize] = Some(token);
        }
    }

    /// The page as this seat sees it.
    pub async fn page(&self, seat: Option<usize>) -> Value {
        let bearer = self.bearer(seat);
        let headers: Vec<_> = bearer.iter().map(|token| ("authorization", token.as_str())).collect();
        let path = format!("/v1/matches/{}", self.id);
        insist(self.address, "GET", &path, &headers, &Value::Null).await.json()
    }

    fn bearer(&self, seat: Option<usize>) -> Option<String> {
        let token = self.tokens[seat?].as_ref()?;
        Some(format!("Bearer {token}"))
    }

    /// Makes one move for whichever of its seats is to move. `false`: the match is over.
    pub async fn step(&mut self, pick: u64) -> bool {
        let page = self.page(None).await;
        if page["stage"] == "over" {
            return false;
        }
        let Some(seat) = page["turn"].as_u64().filter(|seat| self.tokens[*seat as usize].is_some()) else {
            tokio::time::sleep(Duration::from_millis(2)).await;
            return true;
        };
        let page = self.page(Some(seat as usize)).await;
        let moves = page["legal_moves"].as_array().unwrap();
        if page["turn"] != seat || moves.is_empty() {
            return true;
        }
        let notation = moves[(pick % moves.len() as u64) as usize]["notation"].as_str().unwrap().to_owned();
        let ply = page["ply"].as_u64().unwrap();
        let first = self.send(seat as usize, ply, &notation).await;
        if pick % 5 == 0 {
            assert_eq!(self.send(seat as usize, ply, &notation).await.body, first.body, "the same answer twice");
        }
        let frame = first.json();
        assert_eq!((&frame["ply"], &frame["seat"]), (&ply.into(), &seat.into()), "{frame}");
        let seq = frame["seq"].as_u64().unwrap();
        self.acknowledged.push(Acknowledged { ply, seat, seq, notation });
        true
    }

    async fn send(&self, seat: usize, ply: u64, notation: &str) -> Reply {
        let bearer = self.bearer(Some(seat)).unwrap();
        let path = format!("/v1/matches/{}/moves", self.id);
        let body = json!({ "ply": ply, "notation": notation });
        let reply = insist(self.address, "POST", &path, &[("authorization", &bearer)], &body).await;
        assert_eq!(reply.status, 200, "{notation} at {ply} of {}: {reply:?}", self.id);
        reply
    }

    pub async fn record(&self) -> Value {
        let path = format!("/v1/matches/{}/record", self.id);
        insist(self.address, "GET", &path, &[], &Value::Null).await.json()
    }
}

/// Sends a request until the server answers it with anything but "come back later".
pub async fn insist(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    json: &Value,
) -> Reply {
    until(|| async {
        let reply = ask(address, method, path, headers, json).await.ok()?;
        (reply.status != 503).then_some(reply)
    })
    .await
}

/// Sends a request once.
pub async fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    json: &Value,
) -> Result<Reply, Box<dyn std::error::Error + Send + Sync>> {
    let body = if json.is_null() { Bytes::new() } else { json.to_string().into() };
    let mut request = Request::builder().method(method).uri(path).header("host", address.to_string());
    if !json.is_null() {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(body))?;
    let exchange = async {
        let stream = TcpStream::connect(address).await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let reply = sender.send_request(request).await?;
        let (parts, body) = reply.into_parts();
        let body = body.collect().await?.to_bytes();
        connection.abort();
        Ok(Reply { status: parts.status, headers: parts.headers, body })
    };
    tokio::time::timeout(Duration::from_secs(20), exchange).await?
}
