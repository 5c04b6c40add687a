//! What a crowd costs that does nothing, or little: live matches with open sockets and no move; and a lobby in which many are
//! online and a few challenge each other. With `KIBITZ_BEFORE` (the path of another version of the program) both versions
//! are measured, one after the other.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_util::stream::SplitStream;
use futures_util::{StreamExt, stream};
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, tungstenite::Message};

use crate::common::{BenchClient, post, quantile};
use crate::play::GAME;
use crate::program::{Program, Seated};

/// Live matches, each with two sockets.
const MATCHES: usize = 4_000;

/// How long the clients are idle.
const IDLE: Duration = Duration::from_secs(10);

/// Players who are online.
const CROWDS: [usize; 2] = [1_000, 8_000];

/// Challenges in a second, one after the other; how many at most, and for how long at most.
const CHALLENGES_A_SECOND: u32 = 100;
const CHALLENGES: usize = 800;
const LONGEST: Duration = Duration::from_secs(20);

/// Connections that are opened at a time.
const AT_ONCE: usize = 64;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

const FLAGS: [&str; 7] = [
    "--max-sockets=20000",
    "--max-sockets-per-address=20000",
    "--max-connections=20000",
    "--player-creations-per-minute=60000000",
    "--challenges-per-minute=1000000",
    "--max-matches-per-player=1000000",
    "--max-challenges-per-player=100000",
];

/// The versions to measure: a name and the program.
fn versions() -> Vec<(&'static str, PathBuf)> {
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    setrlimit(Resource::Nofile, files).expect("the limit of open files may be raised to its maximum");
    let now = PathBuf::from(env!("CARGO_BIN_EXE_kibitz"));
    let before = std::env::var_os("KIBITZ_BEFORE").map(PathBuf::from);
    before.into_iter().map(|file| ("before", file)).chain([("now", now)]).collect()
}

pub(crate) fn measure_idle(folder: &Path) {
    let one = runtime::Builder::new_current_thread().enable_all().build().expect("it needs nothing");
    println!("{MATCHES} live matches with two sockets each and no move, {} s", IDLE.as_secs());
    for (name, file) in versions() {
        let idle = one.block_on(idle(&file, &folder.join(format!("idle-{name}.db"))));
        let Idle { share, alone_kib, followed_kib } = idle;
        println!(
            "{name:<8}{share:>7.4} of a core; memory of a match: {alone_kib:.1} KiB without sockets, {followed_kib:.1} KiB with two"
        );
    }
}

/// What live matches cost while their clients are idle.
struct Idle {
    /// The share of a core.
    share: f64,
    /// The memory of a match, in KiB, before anybody follows it.
    alone_kib: f64,
    /// The same with two sockets.
    followed_kib: f64,
}

async fn idle(file: &Path, database: &Path) -> Idle {
    let program = Program::start_of(file, database, &FLAGS);
    program.wait().await;
    let mut client = program.client().await;
    // What the first match needs, others need no more.
    Seated::make(&mut client, 0, "null").await;
    let empty_kib = program.memory_kib();
    let each_kib = || (program.memory_kib() - empty_kib) as f64 / MATCHES as f64;
    let mut sockets = Vec::new();
    for seed in 0..MATCHES {
        let seated = Seated::make(&mut client, seed as u64, "null").await;
        for token in &seated.tokens {
            sockets.push((format!("/v1/matches/{}/live", seated.id), token.clone()));
        }
    }
    let alone_kib = each_kib();
    let opened = stream::iter(&sockets).map(|(path, token)| open(program.address, path, token));
    let opened: Vec<Socket> = opened.buffer_unordered(AT_ONCE).collect().await;
    let followed_kib = each_kib();
    // The database learns who is connected.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = program.cpu_s();
    tokio::time::sleep(IDLE).await;
    let share = (program.cpu_s() - before) / IDLE.as_secs_f64();
    drop(opened);
    Idle { share, alone_kib, followed_kib }
}

pub(crate) fn measure_lobby(folder: &Path) {
    let one = runtime::Builder::new_current_thread().enable_all().build().expect("it needs nothing");
    println!("{CHALLENGES} challenges, {CHALLENGES_A_SECOND} in a second, among players who are online");
    for (name, file) in versions() {
        for crowd in CROWDS {
            let database = folder.join(format!("lobby-{name}-{crowd}.db"));
            let (cpu_us, mut times) = one.block_on(lobby(&file, &database, crowd));
            times.sort_unstable();
            let [p50, p99] = [0.5, 0.99].map(|q| quantile(&times, q));
            println!(
                "{name:<8}{crowd:>6} online: {cpu_us:>8.0} us of the server's processor a challenge; it arrives after p50 {p50:.1?}, p99 {p99:.1?}"
            );
        }
    }
}

/// Processor time of the server for each challenge, in microseconds, and the times from a challenge sent to its arrival.
async fn lobby(file: &Path, database: &Path, crowd: usize) -> (f64, Vec<Duration>) {
    let program = Program::start_of(file, database, &FLAGS);
    program.wait().await;
    let mut client = program.client().await;
    let mut players = Vec::new();
    for n in 0..crowd {
        players.push(register(&mut client, &format!("player{n}")).await);
    }
    let (arrived, mut arrivals) = mpsc::unbounded_channel();
    let opened = stream::iter(players.iter().enumerate()).map(|(n, token)| {
        let arrived = arrived.clone();
        async move {
            let (_, socket) = open(program.address, "/v1/me/live", token).await.split();
            tokio::spawn(listen(n, socket, arrived));
        }
    });
    opened.buffer_unordered(AT_ONCE).collect::<Vec<()>>().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = program.cpu_s();
    let mut times = Vec::new();
    let mut pace = tokio::time::interval(Duration::from_secs(1) / CHALLENGES_A_SECOND);
    let began = Instant::now();
    for n in (0..CHALLENGES).take_while(|_| began.elapsed() < LONGEST) {
        pace.tick().await;
        let (from, to) = (n % crowd, (n + crowd / 2) % crowd);
        let sent = Instant::now();
        let (path, body) = (format!("/v1/players/player{to}/challenges"), format!(r#"{{"game":"{GAME}"}}"#));
        let (status, answer) = client.exchange(&post_as(&path, &body, &players[from])).await;
        assert_eq!(status, 201, "{}", String::from_utf8_lossy(answer));
        loop {
            let (who, at): (usize, Instant) = arrivals.recv().await.expect("the sockets are open");
            if who == to {
                times.push(at - sent);
                break;
            }
        }
    }
    ((program.cpu_s() - before) * 1e6 / times.len() as f64, times)
}

/// Tells when a challenge arrives at this player.
async fn listen(
    player: usize,
    mut socket: SplitStream<Socket>,
    arrived: mpsc::UnboundedSender<(usize, Instant)>,
) {
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        if text.as_str().contains(r#""type":"challenge""#) && arrived.send((player, Instant::now())).is_err()
        {
            return;
        }
    }
}

/// Creates a player; returns the token.
async fn register(client: &mut BenchClient, name: &str) -> String {
    let (status, answer) = client.exchange(&post("/v1/players", &format!(r#"{{"name":"{name}"}}"#))).await;
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(answer));
    let answer: Value = serde_json::from_slice(answer).expect("an answer is JSON");
    answer["token"].as_str().expect("it is a text").to_owned()
}

fn post_as(path: &str, body: &str, token: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

async fn open(address: SocketAddr, path: &str, token: &str) -> Socket {
    let mut request = format!("ws://{address}{path}").into_client_request().expect("it is a URL");
    let token = HeaderValue::from_str(&format!("Bearer {token}")).expect("it is ASCII");
    request.headers_mut().insert("authorization", token);
    let stream = TcpStream::connect(address).await.expect("the server listens");
    let (mut socket, _) =
        client_async(request, MaybeTlsStream::Plain(stream)).await.expect("the server takes sockets");
    socket.next().await.expect("the server sends the state").expect("the connection is open");
    socket
}
