//! Shared by the benchmarks: a server in this process, and clients with little overhead.
#![allow(dead_code, reason = "each benchmark uses a part of it")]

pub(crate) mod filled;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use clap::Parser;
use engines::erased::AnyGame;
use kibitz::process::options::ServeArgs;
use kibitz::process::server::Server;
use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::Pid;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

#[derive(Parser)]
struct BenchFlags {
    #[command(flatten)]
    args: ServeArgs,
}

/// A server in this process, with a temporary database.
pub(crate) struct Bench {
    server: Server,
    _folder: TempDir,
}

impl Bench {
    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    pub(crate) fn metrics(&self) -> String {
        self.server.metrics()
    }

    pub(crate) async fn stop(self) {
        self.server.stop().await;
    }
}

/// Starts a server of these games with these flags on a free port.
pub(crate) async fn server(flags: &[&str], games: &[&'static dyn AnyGame]) -> Bench {
    let folder = TempDir::new().expect("temporary files can be made");
    let server = server_on(&folder.path().join("kibitz.db"), flags, games).await;
    Bench { server, _folder: folder }
}

/// The same with this database file.
pub(crate) async fn server_on(database: &Path, flags: &[&str], games: &[&'static dyn AnyGame]) -> Server {
    let database = format!("--database={}", database.display());
    let flags = ["bench", "--listen=127.0.0.1:0", &database].into_iter().chain(flags.iter().copied());
    let mut args = BenchFlags::parse_from(flags).args;
    args.lobby.ladder.on = false;
    Server::start(&args, games).await.expect("the server starts")
}

/// A persistent connection.
pub(crate) struct BenchClient {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl BenchClient {
    pub(crate) async fn dial(address: SocketAddr) -> Self {
        Self::dial_from(Ipv4Addr::LOCALHOST.into(), address).await
    }

    /// Connects from this loopback address, which the server counts as another client.
    pub(crate) async fn dial_from(source: IpAddr, address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("the system gives sockets");
        socket.bind((source, 0).into()).expect("the address is a loopback address");
        let stream = socket.connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("the connection is open");
        Self { stream, buffer: vec![0; 16 << 10] }
    }

    /// Sends a request; returns the status and the body of the response.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> (u16, &[u8]) {
        self.stream.write_all(request).await.expect("the server reads");
        let mut filled = 0;
        loop {
            if filled == self.buffer.len() {
                self.buffer.resize(2 * filled, 0);
            }
            let read = self.stream.read(&mut self.buffer[filled..]).await.expect("the server answers");
            assert!(read > 0, "the server hung up");
            filled += read;
            if let Some((status, from, to)) = complete(&self.buffer[..filled]) {
                return (status, &self.buffer[from..to]);
            }
        }
    }
}

/// The status, and the start and end of the body, once the whole response is there.
fn complete(answer: &[u8]) -> Option<(u16, usize, usize)> {
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n")? + 4;
    let head = str::from_utf8(&answer[..end]).ok()?;
    let status = head.get(9..12)?.parse().ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let to = end + length.unwrap_or(0);
    (answer.len() >= to).then_some((status, end, to))
}

/// A request with a JSON body.
pub(crate) fn post(path: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// The quantile of sorted values.
pub(crate) fn quantile<T: Copy>(sorted: &[T], share: f64) -> T {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

/// Processor time that this process has used so far, in seconds; comparable even on a busy machine.
pub(crate) fn cpu_s() -> f64 {
    cpu_of(std::process::id())
}

/// The same for another process.
pub(crate) fn cpu_of(process: u32) -> f64 {
    let process = Pid::from_raw(i32::try_from(process).expect("the system numbers processes like this"));
    let used =
        clock_getcpuclockid(process).and_then(ClockId::now).expect("the process has not been waited for");
    Duration::from(used).as_secs_f64()
}

/// An integer field of a flat JSON object.
pub(crate) fn number(json: &[u8], name: &str) -> Option<u64> {
    serde_json::from_slice::<serde_json::Value>(json).ok()?.get(name)?.as_u64()
}
