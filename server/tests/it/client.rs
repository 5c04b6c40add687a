//! Test servers, and clients with real sockets.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use clap::Parser;
use engines::erased::AnyGame;
use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::TokioIo;
use kibitz::limits::timeouts::ConnectionTimeouts;
use kibitz::process::options::ServeArgs;
use kibitz::process::server::Server;
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::test_game;

/// Longer than any step of a test takes, even on a slow machine: only a hang lasts as long.
pub(crate) const HANG: Duration = Duration::from_secs(600);

/// A thinking time that no test waits for, in milliseconds, and the setting that allows it.
pub(crate) const LONG: u64 = 600_000;
pub(crate) const LONG_THINKING: &str = "--max-think-ms=3600000";

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    args: ServeArgs,
}

/// A server on a free port, with the real games and one for tests.
pub(crate) struct TestServer {
    pub server: Server,
    /// The folder of its database, removed with it; `None` if it shares another server's.
    _folder: Option<TempDir>,
}

impl TestServer {
    pub(crate) async fn start(flags: &[&str]) -> Self {
        Self::with_timeouts(flags, ConnectionTimeouts::default()).await
    }

    pub(crate) async fn with_timeouts(flags: &[&str], timeouts: ConnectionTimeouts) -> Self {
        Self::with(flags, |args| args.limits.timeouts = timeouts).await
    }

    /// A server with settings that no flag has.
    pub(crate) async fn with(flags: &[&str], set: impl FnOnce(&mut ServeArgs)) -> Self {
        let folder = TempDir::new().unwrap();
        let host = Self::launch(&folder.path().join("kibitz.db"), flags, set).await;
        Self { _folder: Some(folder), ..host }
    }

    /// A server on this database.
    pub(crate) async fn on(database: &Path, flags: &[&str]) -> Self {
        Self::launch(database, flags, |_| ()).await
    }

    /// A server on this database, with settings that no flag has.
    pub(crate) async fn on_with(database: &Path, flags: &[&str], set: impl FnOnce(&mut ServeArgs)) -> Self {
        Self::launch(database, flags, set).await
    }

    async fn launch(database: &Path, flags: &[&str], set: impl FnOnce(&mut ServeArgs)) -> Self {
        let database = format!("--database={}", database.display());
        let first = ["test", "--listen=127.0.0.1:0", &database];
        let mut args = Flags::parse_from(first.iter().chain(flags)).args;
        // The ladder plays on only where a test is about it.
        args.lobby.ladder.on = flags.contains(&"--ladder=true");
        // This process is no `kibitz` that could start itself as `kibitz bots`.
        args.bots.bots_program.get_or_insert_with(|| env!("CARGO_BIN_EXE_kibitz").into());
        set(&mut args);
        let games: Vec<&'static dyn AnyGame> = engines::games::GAMES
            .iter()
            .copied()
            .chain([&test_game::SLOW as &dyn AnyGame, &test_game::PANICKING])
            .collect();
        Self { server: Server::start(&args, &games).await.unwrap(), _folder: None }
    }

    /// Stops the server; returns when nothing of it is left.
    pub(crate) async fn stop(self) {
        self.server.stop().await;
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send("GET", path, None, "").await
    }

    pub(crate) async fn post(&self, path: &str, json: Value) -> TestResponse {
        self.send("POST", path, Some("application/json"), json.to_string()).await
    }

    /// As [`Self::post`], from this loopback address: to the server another client.
    pub(crate) async fn post_from(&self, source: IpAddr, path: &str, json: Value) -> TestResponse {
        let request = Request::builder().method("POST").uri(path).header("content-type", "application/json");
        let body = Full::new(json.to_string().into());
        let stream = connect_from(&source.to_string(), self.address()).await;
        exchange_on(stream, request.body(body).unwrap()).await
    }

    pub(crate) async fn post_text(&self, path: &str, text: &str) -> TestResponse {
        self.send("POST", path, Some("text/plain"), text.to_owned()).await
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        kind: Option<&str>,
        body: impl Into<Bytes>,
    ) -> TestResponse {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        exchange(self.address(), request.body(Full::new(body.into())).unwrap()).await
    }

    pub(crate) async fn dial(&self, path: &str) -> DialogueClient {
        self.try_dial(path).await.unwrap()
    }

    pub(crate) async fn try_dial(&self, path: &str) -> Result<DialogueClient, WsError> {
        let url = format!("ws://{}{path}", self.address());
        tokio_tungstenite::connect_async(url).await.map(|(socket, _)| DialogueClient { socket })
    }

    /// Whether the metrics have this line.
    pub(crate) fn counts(&self, line: &str) -> bool {
        self.server.metrics().lines().any(|l| l == line)
    }

    /// Waits until the number after `counter` in the metrics is at least this.
    pub(crate) async fn reaches(&self, counter: &str, least: u64) {
        let now = || {
            let metrics = self.server.metrics();
            let line = metrics.lines().find_map(|line| line.strip_prefix(counter)).map(str::parse::<u64>);
            line.map_or(0, Result::unwrap)
        };
        let seen = async {
            while now() < least {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let seen = tokio::time::timeout(HANG, seen).await;
        assert!(seen.is_ok(), "{counter}is less than {least} in\n{}", self.server.metrics());
    }

    /// Waits until the metrics have this line.
    pub(crate) async fn until(&self, line: &str) {
        let seen = async {
            while !self.counts(line) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let seen = tokio::time::timeout(HANG, seen).await;
        assert!(seen.is_ok(), "{line} is not in\n{}", self.server.metrics());
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl TestResponse {
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Checks that this is a problem with this status and code, and has what all problems have; returns it.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(self.header("access-control-allow-origin"), "*");
        let problem: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], format!("/docs/problems#{code}"));
        assert!(problem["title"].as_str().is_some_and(|t| !t.is_empty()));
        assert!(problem["detail"].as_str().is_some_and(|t| !t.is_empty()));
        problem
    }

    /// As [`Self::problem`]; the detail must hold this.
    #[track_caller]
    pub(crate) fn names(&self, status: u16, code: &str, part: &str) {
        let problem = self.problem(status, code);
        assert!(problem["detail"].as_str().unwrap().contains(part), "no {part:?} in {problem}");
    }
}

/// One request on a connection of its own.
pub(crate) async fn exchange(address: SocketAddr, request: Request<Full<Bytes>>) -> TestResponse {
    exchange_on(TcpStream::connect(address).await.unwrap(), request).await
}

/// A connection from this loopback address: to the server, another client than 127.0.0.1.
pub(crate) async fn connect_from(source: &str, address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(source.parse().unwrap(), 0)).unwrap();
    socket.connect(address).await.unwrap()
}

/// One request on this connection, which is closed then.
pub(crate) async fn exchange_on(stream: TcpStream, request: Request<Full<Bytes>>) -> TestResponse {
    let address = stream.peer_addr().unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let (mut parts, body) = request.into_parts();
    parts.headers.entry("host").or_insert_with(|| address.to_string().parse().unwrap());
    let reply = sender.send_request(Request::from_parts(parts, body)).await.unwrap();
    let (parts, body) = reply.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    drop(sender);
    connection.abort();
    TestResponse { status: parts.status, headers: parts.headers, body }
}

/// The client's side of a dialogue.
pub(crate) struct DialogueClient {
    pub socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl DialogueClient {
    pub(crate) async fn say(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    /// The next message, apart from pings, presence and the engine's best move so far.
    pub(crate) async fn next(&mut self) -> Message {
        loop {
            let message = tokio::time::timeout(HANG, self.socket.next()).await.expect("a message comes");
            match message.expect("the server says how it ends").unwrap() {
                Message::Ping(_) | Message::Pong(_) => {}
                // The connected players of a match: this message comes between other messages at any time.
                Message::Text(text) if text.as_str().starts_with(r#"{"type":"presence""#) => {}
                // This one comes at any time before a decision.
                Message::Text(text) if text.as_str().starts_with("# best ") => {}
                message => return message,
            }
        }
    }

    pub(crate) async fn hear(&mut self) -> String {
        match self.next().await {
            Message::Text(text) => text.as_str().to_owned(),
            other => panic!("a text was to come, not {other:?}"),
        }
    }

    /// The code and reason of the close that comes next.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        match self.next().await {
            Message::Close(Some(frame)) => (frame.code.into(), frame.reason.as_str().to_owned()),
            other => panic!("a close was to come, not {other:?}"),
        }
    }
}
