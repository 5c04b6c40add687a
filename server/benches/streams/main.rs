//! cargo bench -p kibitz --bench streams: the memory of an idle stream of events on the server, by kind, with 5,000 of
//! them; and the time from a move's request until its event reaches each of 1,000 spectators of one match, without the
//! commit, against a bare loop that writes the same bytes to as many sockets, in turns; and the same time for the last
//! move of a match. The server is the real program, the bare loop its own process. The kernel's receive timestamps tell
//! when an event arrived, so the one thread that reads can sleep meanwhile and takes no processor time from the
//! writers.

#[path = "../common/mod.rs"]
mod common;

mod last_move;

use std::io::{BufRead, BufReader, IoSliceMut, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use rustix::event::epoll;
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};

const IDLE: usize = 5_000;
const SPECTATORS: usize = 1_000;
const EVENTS: usize = 100;

/// How long the reader sleeps before it reads; most events have arrived by then.
const REST: Duration = Duration::from_millis(40);

/// Environment variable that makes this program the bare loop.
const BARE: &str = "KIBITZ_BENCH_BARE";

/// The size in bytes; shorter frames are heartbeats.
const SHORTEST_EVENT: usize = 100;

/// The first byte of a WebSocket's close frame.
const CLOSE: u8 = 0x88;

/// A WebSocket ping, and the pong with a mask of zeros.
const PING: &[u8] = b"\x89\x00";
const PONG: &[u8] = b"\x8a\x80\0\0\0\0";

/// The way in which a match is followed.
#[derive(Clone, Copy, PartialEq)]
enum StreamKind {
    Sse,
    Live,
}

impl StreamKind {
    fn name(self) -> &'static str {
        ["server-sent events", "WebSocket"][self as usize]
    }

    fn request(self, path: &str) -> String {
        match self {
            Self::Sse => format!("GET {path}/events HTTP/1.1\r\nHost: bench\r\n\r\n"),
            Self::Live => format!(
                "GET {path}/live HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            ),
        }
    }

    /// Whether a frame ends with these bytes, before the end of the stream if that is in them too.
    fn ends(self, bytes: &[u8]) -> bool {
        match self {
            Self::Sse => bytes.strip_suffix(b"0\r\n\r\n").unwrap_or(bytes).ends_with(b"\n\n\r\n"),
            Self::Live => {
                let after = bytes.rsplit(|byte| *byte == b'}').next().unwrap_or(bytes);
                after.is_empty() || (after.len() < bytes.len() && after[0] == CLOSE)
            }
        }
    }
}

fn main() {
    if std::env::var_os(BARE).is_some() {
        return bare();
    }
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    setrlimit(Resource::Nofile, files).expect("the limit of open files may be raised to its maximum");
    // To run one part only: `-- memory`, `-- latency` or `-- last`.
    let only = std::env::args().nth(1).filter(|arg| !arg.starts_with('-'));
    for (name, part) in
        [("memory", memory as fn(StreamKind)), ("latency", latency), ("last", last_move::measure)]
    {
        if only.as_ref().is_none_or(|only| only == name) {
            part(StreamKind::Sse);
            part(StreamKind::Live);
        }
    }
}

/// A child process, killed on drop.
struct ChildProcess(Child);

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl ChildProcess {
    /// Processor time used so far, in seconds.
    fn cpu_s(&self) -> f64 {
        common::cpu_of(self.0.id())
    }

    /// Resident memory, in bytes.
    fn memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux says so");
        1024 * line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number")
    }
}

/// Starts the real program with its database in memory, because the disk is not measured.
fn serve() -> (ChildProcess, SocketAddr, tempfile::TempDir) {
    let folder =
        tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder can be made");
    let mut child = Command::new(env!("CARGO_BIN_EXE_kibitz"))
        .args(["serve", "--listen=127.0.0.1:0", "--log-format=json", "--ladder=false"])
        .args([
            "--max-sockets=20000",
            "--max-sockets-per-address=20000",
            "--max-connections-per-address=20000",
        ])
        .arg("--database")
        .arg(folder.path().join("kibitz.db"))
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let log = child.stderr.take().expect("it is piped");
    let process = ChildProcess(child);
    let mut log = BufReader::new(log);
    let mut line = String::new();
    log.read_line(&mut line).expect("the program says where it listens");
    let said: Value = serde_json::from_str(&line).expect("as JSON");
    let address = said["address"].as_str().and_then(|text| text.parse().ok()).expect("the address");
    std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    (process, address, folder)
}

/// A client with its own connection that waits for each response.
struct GuestClient {
    stream: BufReader<TcpStream>,
    token: String,
}

impl GuestClient {
    fn dial(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("the connection is open");
        Self { stream: BufReader::new(stream), token: String::new() }
    }

    fn send(&mut self, method: &str, path: &str, body: &str) {
        let token = if self.token.is_empty() {
            String::new()
        } else {
            format!("Authorization: Bearer {}\r\n", self.token)
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: bench\r\n{token}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).expect("the server reads");
    }

    fn answer(&mut self) -> Value {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            head.clear();
            self.stream.read_line(&mut head).expect("the server answers");
            if let Some(text) = head.to_ascii_lowercase().strip_prefix("content-length:") {
                length = text.trim().parse().expect("a number");
            }
            if head.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("the body comes");
        serde_json::from_slice(&body).expect("the body is JSON")
    }

    fn ask(&mut self, method: &str, path: &str, body: &str) -> Value {
        self.send(method, path, body);
        let answer = self.answer();
        assert!(answer.get("code").is_none(), "{answer}");
        answer
    }
}

/// Creates a match of two guests in this game; returns its path.
fn two_guests(address: SocketAddr, game: &str) -> (String, [GuestClient; 2]) {
    let mut guests = [GuestClient::dial(address), GuestClient::dial(address)];
    let order = json!({ "game": game, "seats": [{ "kind": "me" }, { "kind": "open" }], "seed": 1 });
    let made = guests[0].ask("POST", "/v1/matches", &order.to_string());
    let path = made["url"].as_str().expect("a path").to_owned();
    let joined = guests[1].ask("POST", &format!("{path}/join"), "{}");
    for (guest, answer) in guests.iter_mut().zip([made, joined]) {
        guest.token = answer["seats"][0]["token"].as_str().expect("a token").to_owned();
    }
    (path, guests)
}

/// Sockets that are only read from.
struct SocketGroup {
    kind: StreamKind,
    epoll: rustix::fd::OwnedFd,
    sockets: Vec<TcpStream>,
}

impl SocketGroup {
    fn gather(address: SocketAddr, kind: StreamKind, request: &str, size: usize) -> Self {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).expect("the system has epoll");
        let mut crowd = Self { kind, epoll, sockets: Vec::with_capacity(size) };
        while crowd.sockets.len() < size {
            let mut stream = TcpStream::connect(address).expect("the server listens");
            stream.write_all(request.as_bytes()).expect("the server reads");
            stream.set_nonblocking(true).expect("the connection is open");
            setsockopt(&stream, sockopt::ReceiveTimestampns, &true)
                .expect("the system notes when bytes come");
            let data = epoll::EventData::new_u64(crowd.sockets.len() as u64);
            epoll::add(&crowd.epoll, &stream, data, epoll::EventFlags::IN).expect("it is a socket");
            crowd.sockets.push(stream);
        }
        crowd
    }

    /// Reads until an event has arrived at this many sockets; returns how long after `since` each arrived.
    fn read(&self, frames: usize, since: SystemTime) -> Vec<Duration> {
        let mut arrived = Vec::with_capacity(frames);
        let mut seen = vec![false; self.sockets.len()];
        let mut ready = Vec::with_capacity(256);
        let mut buffer = vec![0; 64 << 10];
        while arrived.len() < frames {
            ready.clear();
            let wait = rustix::time::Timespec { tv_sec: 20, tv_nsec: 0 };
            epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut ready), Some(&wait))
                .expect("it waits");
            assert!(!ready.is_empty(), "only {} of {frames} frames arrived", arrived.len());
            for event in &ready {
                let n = event.data.u64() as usize;
                let (read, at) = receive(&self.sockets[n], &mut buffer);
                assert!(read > 0, "the server hung up");
                let mut bytes = &buffer[..read];
                while let Some(rest) = bytes.strip_suffix(PING) {
                    (&self.sockets[n]).write_all(PONG).expect("the server reads");
                    bytes = rest;
                }
                if bytes.len() >= SHORTEST_EVENT
                    && self.kind.ends(bytes)
                    && !std::mem::replace(&mut seen[n], true)
                {
                    arrived.push(at.duration_since(since).unwrap_or_default());
                }
            }
        }
        arrived
    }
}

/// Reads; returns the number of bytes, and the time at which the last of them arrived.
fn receive(socket: &TcpStream, buffer: &mut [u8]) -> (usize, SystemTime) {
    let mut notes = nix::cmsg_space!(nix::sys::time::TimeSpec);
    let mut parts = [IoSliceMut::new(buffer)];
    let arrived = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut notes), MsgFlags::empty())
        .expect("the connection is open");
    let at = arrived.cmsgs().expect("there is room for the note").find_map(|note| match note {
        ControlMessageOwned::ScmTimestampns(at) => Some(SystemTime::UNIX_EPOCH + Duration::from(at)),
        _ => None,
    });
    // Bytes without a timestamp arrived before timestamps were enabled.
    (arrived.bytes, at.unwrap_or_else(SystemTime::now))
}

fn memory(kind: StreamKind) {
    let (server, address, _folder) = serve();
    let (path, _guests) = two_guests(address, "splendor");
    let request = kind.request(&path);
    // Open some first, so that one-time costs are not counted.
    let first = SocketGroup::gather(address, kind, &request, 100);
    first.read(100, SystemTime::now());
    std::thread::sleep(Duration::from_millis(500));
    let before = server.memory();
    let cpu_s = server.cpu_s();
    let crowd = SocketGroup::gather(address, kind, &request, IDLE);
    crowd.read(IDLE, SystemTime::now());
    let opening = 1e6 * (server.cpu_s() - cpu_s) / IDLE as f64;
    std::thread::sleep(Duration::from_secs(2));
    let each = (server.memory() - before) as f64 / IDLE as f64 / 1024.0;
    println!(
        "memory: {each:.1} KiB for each of {IDLE} idle connections ({}); {opening:.0} us of processor to open one",
        kind.name()
    );
}

fn latency(kind: StreamKind) {
    let (server, address, _folder) = serve();
    let (path, mut guests) = two_guests(address, "splendor");
    let crowd = SocketGroup::gather(address, kind, &kind.request(&path), SPECTATORS);
    crowd.read(SPECTATORS, SystemTime::now());
    let (bare, mut order, others) = bare_crowd(kind);
    let before = [server.cpu_s(), bare.cpu_s()];
    let mut times = [Vec::new(), Vec::new()];
    let mut last = [Vec::new(), Vec::new()];
    let mut events: Vec<Vec<f64>> = Vec::new();
    for _ in 0..EVENTS {
        let Some((mover, body)) = next_move(&mut guests, &path) else { break };
        let began = SystemTime::now();
        mover.send("POST", &format!("{path}/moves"), &body);
        let answer = mover.answer();
        std::thread::sleep(REST);
        let arrived = crowd.read(SPECTATORS, began);
        // Each event contains the commit time of the one before.
        let commit = answer["times"]["commit_us"].as_f64().expect("a number") / 1e3;
        if let Some(before) = events.last_mut() {
            before.iter_mut().for_each(|ms| *ms -= commit);
        }
        events.push(arrived.iter().map(|time| time.as_secs_f64() * 1e3).collect());
        std::thread::sleep(Duration::from_millis(10));
        // The bare loop writes the same number of bytes.
        let size = u32::try_from(frame_size(kind, &answer)).expect("a frame is small");
        let began = SystemTime::now();
        order.write_all(&size.to_le_bytes()).expect("the bare loop listens");
        std::thread::sleep(REST);
        let arrived: Vec<f64> =
            others.read(SPECTATORS, began).iter().map(|time| time.as_secs_f64() * 1e3).collect();
        last[1].push(arrived[arrived.len() - 1]);
        times[1].extend(arrived);
        std::thread::sleep(Duration::from_millis(10));
    }
    // No event contains the commit time of the last one.
    events.pop();
    for event in events {
        last[0].push(event[event.len() - 1]);
        times[0].extend(event);
    }
    let written = (times[1].len() as f64).max(1.0);
    let costs = [server.cpu_s() - before[0], bare.cpu_s() - before[1]].map(|cpu_s| 1e6 * cpu_s / written);
    print_latency(kind, times, last, costs);
}

/// The guest to move, and the body of a request for some legal move; `None` after the end of the match.
fn next_move<'a>(guests: &'a mut [GuestClient; 2], path: &str) -> Option<(&'a mut GuestClient, String)> {
    let page = guests[0].ask("GET", path, "");
    if page["stage"] == "over" {
        return None;
    }
    let mover = &mut guests[page["turn"].as_u64().expect("a seat") as usize];
    let page = mover.ask("GET", path, "");
    let (ply, moves) = (page["ply"].as_u64().expect("a number"), page["legal_moves"].as_array());
    let moves = moves.expect("a list");
    let choice = &moves[(ply.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % moves.len()];
    Some((mover, json!({ "ply": ply, "notation": choice["notation"] }).to_string()))
}

/// Prints the quantiles of the latencies (in ms), of the slowest spectator per event, and the processor time per write (in
/// us): of the server, then of the bare loop.
fn print_latency(kind: StreamKind, mut times: [Vec<f64>; 2], mut last: [Vec<f64>; 2], costs: [f64; 2]) {
    let mut quantiles = [[0.0; 2]; 2];
    for (n, name) in ["kibitz", "bare loop"].iter().enumerate() {
        times[n].sort_unstable_by(f64::total_cmp);
        last[n].sort_unstable_by(f64::total_cmp);
        quantiles[n] = [0.5, 0.99].map(|q| common::quantile(&times[n], q));
        let [p50, p99] = quantiles[n];
        let slowest = common::quantile(&last[n], 0.5);
        println!(
            "events to {SPECTATORS} spectators, {name} ({}): p50 {p50:.2} ms, p99 {p99:.2} ms, the last of all {slowest:.2} ms; {:.1} us of processor each",
            kind.name(),
            costs[n]
        );
    }
    println!(
        "ratio: p50 {:.2}, p99 {:.2}, processor {:.2}",
        quantiles[0][0] / quantiles[1][0],
        quantiles[0][1] / quantiles[1][1],
        costs[0] / costs[1]
    );
}

/// The size of this event's frame in bytes.
fn frame_size(kind: StreamKind, event: &Value) -> usize {
    // Spectators get no legal moves.
    let mut event = event.clone();
    event["legal_moves"] = json!([]);
    event.to_string().len() + [50, 4][kind as usize]
}

/// Starts the bare loop; returns its process, its control connection, and its listeners.
fn bare_crowd(kind: StreamKind) -> (ChildProcess, TcpStream, SocketGroup) {
    let program = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new(program)
        .env(BARE, kind.name())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program starts");
    let mut line = String::new();
    let said = child.stdout.take().expect("it is piped");
    let process = ChildProcess(child);
    BufReader::new(said).read_line(&mut line).expect("it says where it listens");
    let address: SocketAddr = line.trim().parse().expect("an address");
    let order = TcpStream::connect(address).expect("it listens");
    order.set_nodelay(true).expect("the connection is open");
    (process, order, SocketGroup::gather(address, kind, ".", SPECTATORS))
}

/// The bare loop: writes the given number of bytes to each socket in turn.
fn bare() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    println!("{}", listener.local_addr().expect("it is bound"));
    let accept = || listener.accept().expect("a client connects").0;
    let mut order = accept();
    let mut sockets: Vec<TcpStream> = (0..SPECTATORS).map(|_| accept()).collect();
    let tail: &[u8] = match std::env::var(BARE) {
        Ok(kind) if kind == StreamKind::Live.name() => b"}",
        _ => b"\n\n\r\n",
    };
    let mut size = [0; 4];
    while order.read_exact(&mut size).is_ok() {
        let mut bytes = vec![b'x'; u32::from_le_bytes(size) as usize];
        let at = bytes.len() - tail.len();
        bytes[at..].copy_from_slice(tail);
        for socket in &mut sockets {
            socket.write_all(&bytes).expect("it is read");
        }
    }
}
