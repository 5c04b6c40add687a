//! The real program as a process of its own, and matches over HTTP.

use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::{BenchClient, post};
use crate::play::GAME;

/// A server. It is killed when this is dropped.
pub(crate) struct Program {
    child: Child,
    pub address: SocketAddr,
}

impl Program {
    /// Starts it with matches in this file; returns at once.
    pub(crate) fn start(database: &Path, flags: &[&str]) -> Self {
        Self::start_of(Path::new(env!("CARGO_BIN_EXE_kibitz")), database, flags)
    }

    /// The same of this program file, which may be of another version.
    pub(crate) fn start_of(file: &Path, database: &Path, flags: &[&str]) -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = free.local_addr().expect("it is bound");
        drop(free);
        let child = Command::new(file)
            .args(["serve", "--ladder=false", "--log-level=error", "--creations-per-minute=60000000"])
            .arg("--creations-burst=60000000")
            .args(["--max-connections-per-address=100000", "--max-matches-per-address=100000000"])
            .args(["--max-seats-per-address=100000000", "--max-waiting-seats-per-address=100000000"])
            .arg(format!("--listen={address}"))
            .arg(format!("--database={}", database.display()))
            .args(flags)
            .stdin(Stdio::null())
            .spawn()
            .expect("the program starts");
        Self { child, address }
    }

    /// As [`Self::start`], and waits until it is ready.
    pub(crate) async fn ready(database: &Path, flags: &[&str]) -> Self {
        let program = Self::start(database, flags);
        program.wait().await;
        program
    }

    /// Waits until it is ready.
    pub(crate) async fn wait(&self) {
        let request = get("/readyz", None);
        loop {
            if tokio::net::TcpStream::connect(self.address).await.is_ok()
                && self.client().await.exchange(&request).await.0 == 200
            {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
    }

    /// A connection to it.
    pub(crate) async fn client(&self) -> BenchClient {
        BenchClient::dial(self.address).await
    }

    /// Processor time it has used so far, in seconds.
    pub(crate) fn cpu_s(&self) -> f64 {
        crate::common::cpu_of(self.child.id())
    }

    /// Memory it holds, in KiB.
    pub(crate) fn memory_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).expect("the system tells")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request without a body.
pub(crate) fn get(path: &str, token: Option<&str>) -> Vec<u8> {
    let token = token.map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{token}\r\n").into_bytes()
}

/// A match whose two seats are both the client's.
pub(crate) struct Seated {
    pub id: String,
    pub tokens: [String; 2],
}

impl Seated {
    /// Makes one. `clock`: JSON.
    pub(crate) async fn make(client: &mut BenchClient, seed: u64, clock: &str) -> Self {
        let order = format!(
            r#"{{"game":"{GAME}","seats":[{{"kind":"me"}},{{"kind":"me"}}],"seed":{seed},"clock":{clock}}}"#
        );
        let (status, answer) = client.exchange(&post("/v1/matches", &order)).await;
        assert_eq!(status, 201, "{}", String::from_utf8_lossy(answer));
        let answer: Value = serde_json::from_slice(answer).expect("an answer is JSON");
        let text = |value: &Value| value.as_str().expect("it is a text").to_owned();
        let token = |seat: usize| text(&answer["seats"][seat]["token"]);
        Self { id: text(&answer["id"]), tokens: [token(0), token(1)] }
    }

    /// Writes the request of a move into this buffer.
    pub(crate) fn write_move(&self, request: &mut String, seat: usize, ply: usize, notation: &str) {
        request.clear();
        let (id, token) = (&self.id, &self.tokens[seat]);
        let body = notation.len()
            + ply.checked_ilog10().unwrap_or(0) as usize
            + 1
            + r#"{"notation":"","ply":}"#.len();
        write!(
            request,
            "POST /v1/matches/{id}/moves HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {body}\r\n\r\n\
             {{\"notation\":\"{notation}\",\"ply\":{ply}}}"
        )
        .expect("a text takes all");
    }
}
