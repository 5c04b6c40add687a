//! A client that does not give up: it sends each request until it is answered, with the same key or ply each time.

use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::follower::{FollowMode, Follower};
use crate::client::TestResponse;
use crate::server_process::until;

/// A move that the server has acknowledged.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Acknowledged {
    pub ply: u64,
    pub seat: u64,
    pub seq: u64,
    pub notation: String,
}

/// A move to be made.
#[derive(Debug)]
struct PendingMove {
    seat: u64,
    ply: u64,
    notation: String,
}

/// A client's next step.
enum NextStep {
    /// The match is over.
    Over,
    /// It is not this client's turn.
    Wait,
    Move(PendingMove),
}

/// A match that a client plays, for each seat that it holds.
pub(super) struct PlayedMatch {
    /// Servers of the same database, asked in turn.
    pub servers: Vec<SocketAddr>,
    pub id: String,
    /// The token of each seat; `None` for an engine's seat.
    pub tokens: Vec<Option<String>>,
    pub acknowledged: Vec<Acknowledged>,
}

impl PlayedMatch {
    /// Creates a match. `key`: the idempotency key of this request.
    pub(super) async fn create(servers: &[SocketAddr], order: &Value, key: &str) -> Self {
        let key = key.replace(' ', "-");
        let headers = [("idempotency-key", key.as_str())];
        let reply = insist_any(servers, "POST", "/v1/matches", &headers, order).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let made: Value = serde_json::from_slice(&reply.body).unwrap();
        let tokens = vec![None; order["seats"].as_array().unwrap().len()];
        let id = made["id"].as_str().unwrap().to_owned();
        let mut table = Self { servers: servers.to_vec(), id, tokens, acknowledged: Vec::new() };
        table.seat(&made);
        table
    }

    /// Takes the first free seat. `key`: the idempotency key of this request.
    pub(super) async fn join(&mut self, key: &str) {
        let path = format!("/v1/matches/{}/join", self.id);
        let order = json!({ "name": "visitor" });
        let key = key.replace(' ', "-");
        let made =
            insist_any(&self.servers, "POST", &path, &[("idempotency-key", &key)], &order).await.json();
        self.seat(&made);
    }

    fn seat(&mut self, made: &Value) {
        for seat in made["seats"].as_array().unwrap() {
            let token = seat["token"].as_str().unwrap().to_owned();
            self.tokens[seat["seat"].as_u64().unwrap() as usize] = Some(token);
        }
    }

    /// The page as this seat sees it.
    pub(super) async fn page(&self, seat: Option<usize>) -> Value {
        let bearer = self.bearer(seat);
        let headers: Vec<_> = bearer.iter().map(|token| ("authorization", token.as_str())).collect();
        let path = format!("/v1/matches/{}", self.id);
        insist_any(&self.servers, "GET", &path, &headers, &Value::Null).await.json()
    }

    /// The page of the seat to move, as soon as the match is at this ply. Another server may learn of it a little later.
    pub(super) async fn page_at(&self, ply: u64) -> Value {
        until(|| async {
            let page = self.page(None).await;
            let turn = page["turn"].as_u64().filter(|_| page["ply"] == ply)?;
            Some(self.page(Some(turn as usize)).await).filter(|page| page["ply"] == ply)
        })
        .await
    }

    /// All events so far except the first, as spectators see them.
    pub(super) async fn events(&self) -> Vec<Value> {
        let page = self.page(None).await;
        let follower = Follower::new(&self.servers, &self.id, None, FollowMode::Ndjson).since(0);
        follower.until(page["seq"].as_u64().unwrap()).follow().await.seen
    }

    pub(super) fn bearer(&self, seat: Option<usize>) -> Option<String> {
        let token = self.tokens[seat?].as_ref()?;
        Some(format!("Bearer {token}"))
    }

    /// Makes one move for the one of its seats that is to move. `false`: the match is over.
    pub(super) async fn step(&mut self, pick: u64) -> bool {
        // The next request goes to the next server first.
        self.servers.rotate_left(1);
        let turn = match self.choose(pick).await {
            NextStep::Over => return false,
            NextStep::Wait => return true,
            NextStep::Move(turn) => turn,
        };
        self.servers.rotate_left(1);
        let Some(first) = self.send(&turn).await else { return true };
        if pick.is_multiple_of(5) {
            self.servers.rotate_left(1);
            let again = self.send(&turn).await;
            assert_eq!(again.unwrap().body, first.body, "the same answer twice");
        }
        self.acknowledge(turn, &first.json());
        true
    }

    /// As [`Self::step`], but the move is sent only once; `Err`: the server refused it because it cannot write now.
    pub(super) async fn try_step(&mut self, pick: u64) -> Result<bool, TestResponse> {
        let turn = match self.choose(pick).await {
            NextStep::Over => return Ok(false),
            NextStep::Wait => return Ok(true),
            NextStep::Move(turn) => turn,
        };
        let (path, bearer, body) = self.order(&turn);
        let reply = ask(self.servers[0], "POST", &path, &[("authorization", &bearer)], &body).await.unwrap();
        if reply.status == 503 {
            return Err(reply);
        }
        self.acknowledge(turn, &reply.json());
        Ok(true)
    }

    async fn choose(&self, pick: u64) -> NextStep {
        let asked = self.likely_mover();
        let mut page = self.page(Some(asked)).await;
        if page["stage"] == "over" {
            return NextStep::Over;
        }
        let Some(seat) = page["turn"].as_u64().filter(|seat| self.tokens[*seat as usize].is_some()) else {
            tokio::time::sleep(Duration::from_millis(2)).await;
            return NextStep::Wait;
        };
        if seat as usize != asked {
            page = self.page(Some(seat as usize)).await;
        }
        let moves = page["legal_moves"].as_array().unwrap();
        if page["turn"] != seat || moves.is_empty() {
            return NextStep::Wait;
        }
        let notation = moves[(pick % moves.len() as u64) as usize]["notation"].as_str().unwrap().to_owned();
        NextStep::Move(PendingMove { seat, ply: page["ply"].as_u64().unwrap(), notation })
    }

    /// The own seat after the one that moved last: mostly it is to move, and its page is the only one to ask for.
    fn likely_mover(&self) -> usize {
        let next = self.acknowledged.last().map_or(0, |last| last.seat as usize + 1);
        let seats = self.tokens.len();
        (next..next + seats)
            .map(|seat| seat % seats)
            .find(|seat| self.tokens[*seat].is_some())
            .expect("the client holds a seat")
    }

    fn acknowledge(&mut self, PendingMove { seat, ply, notation }: PendingMove, frame: &Value) {
        assert_eq!((&frame["ply"], &frame["seat"]), (&ply.into(), &seat.into()), "{frame}");
        let seq = frame["seq"].as_u64().unwrap();
        let known = Acknowledged { ply, seat, seq, notation };
        // The page may be old, so the same move may have been chosen again.
        if self.servers.len() == 1 || !self.acknowledged.contains(&known) {
            self.acknowledged.push(known);
        }
    }

    fn order(&self, turn: &PendingMove) -> (String, String, Value) {
        let bearer = self.bearer(Some(turn.seat as usize)).unwrap();
        let body = json!({ "ply": turn.ply, "notation": turn.notation });
        (format!("/v1/matches/{}/moves", self.id), bearer, body)
    }

    /// Sends a move until it is answered. `None`: it was chosen from an old page. A single server never shows old pages,
    /// but one of two servers may be behind the other.
    async fn send(&self, turn: &PendingMove) -> Option<TestResponse> {
        let (path, bearer, body) = self.order(turn);
        let reply = insist_any(&self.servers, "POST", &path, &[("authorization", &bearer)], &body).await;
        if self.servers.len() > 1 && reply.status == 412 {
            let now = reply.problem(412, "stale_ply");
            assert!(now["ply"].as_u64() > Some(turn.ply), "{turn:?} is not old: {now}");
            return None;
        }
        if self.servers.len() > 1 && reply.status == 409 {
            reply.problem(409, "match_over");
            return None;
        }
        assert_eq!(reply.status, 200, "{turn:?} of {}: {reply:?}", self.id);
        Some(reply)
    }

    pub(super) async fn record(&self) -> Value {
        let path = format!("/v1/matches/{}/record", self.id);
        insist_any(&self.servers, "GET", &path, &[], &Value::Null).await.json()
    }
}

/// Sends a request until the server answers it with anything but "come back later".
pub(super) async fn insist(
    server: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    json: &Value,
) -> TestResponse {
    insist_any(&[server], method, path, headers, json).await
}

/// As [`insist`], to each of these servers in turn.
pub(super) async fn insist_any(
    servers: &[SocketAddr],
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    json: &Value,
) -> TestResponse {
    let mut turns = servers.iter().cycle();
    until(|| {
        let server = *turns.next().expect("there is a server");
        async move {
            let reply = ask(server, method, path, headers, json).await.ok()?;
            // A balancer answers 502 or 504 when its node went away under the request.
            (!matches!(reply.status.as_u16(), 502..=504)).then_some(reply)
        }
    })
    .await
}

/// Sends a request once.
pub(super) async fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    json: &Value,
) -> Result<TestResponse, Box<dyn std::error::Error + Send + Sync>> {
    let body = if json.is_null() { Bytes::new() } else { json.to_string().into() };
    let mut request = Request::builder().method(method).uri(path).header("host", address.to_string());
    // Without this id every response would have its own, and no two responses would be equal.
    request = request.header("x-request-id", "the-same-every-time");
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
        Ok(TestResponse { status: parts.status, headers: parts.headers, body })
    };
    tokio::time::timeout(Duration::from_secs(20), exchange).await?
}
