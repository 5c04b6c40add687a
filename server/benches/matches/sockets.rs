//! The cost of a move over WebSockets to the server: pairs of players, each with a socket of their own. With
//! `KIBITZ_BEFORE` (the path of another version of the program) both versions are measured in alternating rounds.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::sync::Barrier;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, tungstenite::Message};

use crate::common::quantile;
use crate::play::{Script, scripts};
use crate::program::{Program, Seated};

/// Pairs of players that play at the same time.
const PAIRS: usize = 64;
/// Matches that each pair plays, one after the other; their sockets are opened before the clock starts.
const MATCHES_EACH: usize = 8;
const ROUNDS: usize = 10;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// The costs of the moves of one version.
#[derive(Default)]
struct Costs {
    /// Processor time of the server per move, in microseconds, one entry a round.
    cpu_us: Vec<f64>,
    /// The times from a move sent to its answer read.
    times: Vec<Duration>,
}

pub(crate) fn measure(folder: &Path) {
    let one = runtime::Builder::new_current_thread().enable_all().build().expect("it needs nothing");
    let scripts: Arc<[Script]> = scripts((PAIRS * MATCHES_EACH) as u64).into();
    let now = PathBuf::from(env!("CARGO_BIN_EXE_kibitz"));
    let before = std::env::var_os("KIBITZ_BEFORE").map(PathBuf::from);
    let versions: Vec<_> = before.into_iter().map(|file| ("before", file)).chain([("now", now)]).collect();
    let mut costs: Vec<Costs> = versions.iter().map(|_| Costs::default()).collect();
    for round in 0..ROUNDS {
        for i in 0..versions.len() {
            let i = (i + round) % versions.len();
            let database = folder.join(format!("sockets-{round}-{i}.db"));
            one.block_on(play(&versions[i].1, &database, &scripts, &mut costs[i]));
        }
    }
    let mut medians = Vec::new();
    println!("moves over WebSockets, {PAIRS} pairs of players, {} matches a round", PAIRS * MATCHES_EACH);
    for ((name, _), mut costs) in versions.into_iter().zip(costs) {
        costs.cpu_us.sort_unstable_by(f64::total_cmp);
        costs.times.sort_unstable();
        let [least, cpu_us, most] = [0.0, 0.5, 1.0].map(|q| quantile(&costs.cpu_us, q));
        let [p50, p99] = [0.5, 0.99].map(|q| quantile(&costs.times, q));
        medians.push(cpu_us);
        println!(
            "{name:<8}{cpu_us:>6.1} us of the server's processor a move ({least:.1} to {most:.1}); answered after p50 \
             {p50:.1?}, p99 {p99:.1?}"
        );
    }
    if let [before, now] = medians[..] {
        println!("ratio: {:.2}", now / before);
    }
}

/// Plays one round: all matches; adds the costs of their moves.
async fn play(file: &Path, database: &Path, scripts: &Arc<[Script]>, costs: &mut Costs) {
    let program = Program::start_of(file, database, &["--max-sockets-per-address=100000"]);
    program.wait().await;
    let start = Arc::new(Barrier::new(PAIRS + 1));
    let pairs: Vec<_> = (0..PAIRS)
        .map(|pair| {
            let (start, scripts, address) = (Arc::clone(&start), Arc::clone(scripts), program.address);
            tokio::spawn(async move {
                let mut client = crate::common::BenchClient::dial(address).await;
                let mut matches = Vec::new();
                for script in scripts.iter().skip(pair * MATCHES_EACH).take(MATCHES_EACH) {
                    let seated = Seated::make(&mut client, script.seed, "null").await;
                    let first = open(address, &seated, 0).await;
                    matches.push(([first, open(address, &seated, 1).await], script.moves.clone()));
                }
                start.wait().await;
                let mut times = Vec::new();
                for (mut sockets, moves) in matches {
                    for (ply, (seat, notation)) in moves.iter().enumerate() {
                        times.push(make_move(&mut sockets, seat.index(), ply, notation).await);
                    }
                }
                times
            })
        })
        .collect();
    start.wait().await;
    let before = program.cpu_s();
    let mut times = Vec::new();
    for pair in pairs {
        times.extend(pair.await.expect("no client fails"));
    }
    costs.cpu_us.push((program.cpu_s() - before) * 1e6 / times.len() as f64);
    costs.times.extend(times);
}

/// A player's socket; the page of the match is read already.
async fn open(address: std::net::SocketAddr, seated: &Seated, seat: usize) -> Socket {
    let mut request =
        format!("ws://{address}/v1/matches/{}/live", seated.id).into_client_request().expect("it is a URL");
    let token = HeaderValue::from_str(&format!("Bearer {}", seated.tokens[seat])).expect("it is ASCII");
    request.headers_mut().insert("authorization", token);
    let stream = TcpStream::connect(address).await.expect("the server listens");
    stream.set_nodelay(true).expect("the connection is open");
    let (mut socket, _) =
        client_async(request, MaybeTlsStream::Plain(stream)).await.expect("the server takes sockets");
    read(&mut socket, "\"type\":\"match\"").await;
    socket
}

/// Makes a move, and waits until its player has the answer and both have the event.
async fn make_move(sockets: &mut [Socket; 2], seat: usize, ply: usize, notation: &str) -> Duration {
    let asked = Instant::now();
    let text = format!(r#"{{"type":"move","ply":{ply},"notation":"{notation}"}}"#);
    sockets[seat].send(Message::text(text)).await.expect("the server reads");
    // After the event, or in the last move after the end of the match.
    read(&mut sockets[seat], "\"type\":\"done\"").await;
    let took = asked.elapsed();
    read(&mut sockets[1 - seat], "\"type\":\"moved\"").await;
    took
}

/// Reads messages up to one that contains this.
async fn read(socket: &mut Socket, part: &str) {
    while !next(socket).await.contains(part) {}
}

async fn next(socket: &mut Socket) -> String {
    loop {
        match socket.next().await.expect("the server stays").expect("the server stays") {
            Message::Text(text) => return text.as_str().to_owned(),
            Message::Close(why) => panic!("the server closed: {why:?}"),
            _ => {}
        }
    }
}
