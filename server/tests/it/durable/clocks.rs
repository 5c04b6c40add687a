//! Clocks charge only the player's own time: not that of a server that stops, is killed or starts slowly. Each client
//! measures its own time, and the server must not charge more.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engines::rng::{Rng, Seed};
use serde_json::{Value, json};

use super::retrying_client::{PlayedMatch, ask};
use crate::client::TestResponse;
use crate::server_process::{ServerProcess, now_ms, until};

const CLIENTS: usize = 9;

/// The time that a clock may be charged beyond its player's own time, in milliseconds.
const TOLERANCE: f64 = 50.0;

/// The server's default time for players to reconnect.
const GRACE: Duration = Duration::from_secs(2);

/// How often the server is stopped: `KIBITZ_STOPS`, by default 8 times.
fn stops() -> usize {
    std::env::var("KIBITZ_STOPS").map_or(8, |text| text.parse().expect("KIBITZ_STOPS is a number"))
}

/// A client that records the times in which the server did not serve; its player must not be charged for these times.
struct TimedClient {
    server: SocketAddr,
    /// The periods from the time when the first failure was received to the time when the last failing request was
    /// sent.
    failing: Vec<(Instant, Instant)>,
}

/// A reply, the time at which its request was sent, and the time at which the first attempt was sent.
struct TimedAnswer {
    reply: TestResponse,
    first_sent: Instant,
    sent: Instant,
    received: Instant,
}

impl TimedClient {
    /// Sends a request until it is answered.
    async fn insist(&mut self, method: &str, path: &str, bearer: Option<&str>, json: &Value) -> TimedAnswer {
        let headers: Vec<_> = bearer.iter().map(|token| ("authorization", *token)).collect();
        let first_sent = Instant::now();
        let mut failing: Option<(Instant, Instant)> = None;
        loop {
            let sent = Instant::now();
            let reply = ask(self.server, method, path, &headers, json).await;
            let received = Instant::now();
            match reply {
                Ok(reply) if reply.status != 503 => {
                    self.failing.extend(failing.filter(|(from, to)| from < to));
                    return TimedAnswer { reply, first_sent, sent, received };
                }
                _ => failing = Some((failing.map_or(received, |(from, _)| from), sent)),
            }
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
    }

    /// How long the server certainly did not serve within this time.
    fn failed_within(&self, from: Instant, to: Instant) -> Duration {
        let common = |span: &(Instant, Instant)| span.1.min(to).saturating_duration_since(span.0.max(from));
        self.failing.iter().map(common).sum()
    }
}

/// The server's charge for a turn.
struct TurnCharge {
    /// The excess over the player's own time at most, in milliseconds; negative: less.
    beyond: f64,
    interrupted: bool,
    what: String,
}

/// Plays matches until `done`.
async fn play(
    server: SocketAddr,
    n: usize,
    made: Arc<AtomicUsize>,
    done: Arc<AtomicBool>,
) -> Vec<TurnCharge> {
    let mut client = TimedClient { server, failing: Vec::new() };
    let (mut rng, mut turns) = (Rng::new(&Seed::from(n as u64)), Vec::new());
    while !done.load(Ordering::Relaxed) {
        // The first clients play against an engine, which keeps the machine busy.
        let engine = json!({ "kind": "engine", "level": "easy", "think_ms": 40 });
        let second = if n < 2 { engine } else { json!({ "kind": "me" }) };
        let order = json!({ "game": "splendor", "seats": [{ "kind": "me" }, second],
                            "clock": { "initial_ms": 86_400_000 } });
        let mut given = Instant::now();
        let key = format!("a match of the clock test {n} {}", turns.len());
        let table = PlayedMatch::create(&[server], &order, &key).await;
        while !done.load(Ordering::Relaxed) {
            let page = client.insist("GET", &format!("/v1/matches/{}", table.id), None, &Value::Null).await;
            let page = page.reply.json();
            if page["stage"] == "over" {
                break;
            }
            let Some(bearer) = page["turn"].as_u64().and_then(|seat| table.bearer(Some(seat as usize)))
            else {
                tokio::time::sleep(Duration::from_millis(5)).await;
                continue;
            };
            if let Some(charged) = turn(&mut client, &table, &bearer, &mut given, &mut rng).await {
                made.fetch_add(1, Ordering::Relaxed);
                turns.push(charged);
            }
        }
    }
    turns
}

/// Makes a move. `given`: the time at which the request that led to this turn was first sent.
async fn turn(
    client: &mut TimedClient,
    table: &PlayedMatch,
    bearer: &str,
    given: &mut Instant,
    rng: &mut Rng,
) -> Option<TurnCharge> {
    let path = format!("/v1/matches/{}", table.id);
    let page = client.insist("GET", &path, Some(bearer), &Value::Null).await.reply.json();
    let moves = page["legal_moves"].as_array().filter(|moves| !moves.is_empty())?;
    let notation = &moves[rng.below(moves.len())]["notation"];
    let think = if rng.below(10) == 0 { 400 } else { rng.below(30) };
    tokio::time::sleep(Duration::from_millis(think as u64)).await;
    let body = json!({ "ply": page["ply"], "notation": notation });
    let answered = client.insist("POST", &format!("{path}/moves"), Some(bearer), &body).await;
    assert_eq!(answered.reply.status, 200, "{:?}", answered.reply);
    let moved = answered.reply.json();
    let charged = Duration::from_micros(moved["times"]["think_us"].as_u64().unwrap());
    let failed = client.failed_within(*given, answered.received);
    // If the server was away, the last request waited until it was ready, within the grace. Otherwise all the time until
    // the reply may have been the player's.
    let last = match failed.is_zero() {
        true => answered.received - answered.sent,
        false => (answered.received - answered.sent).saturating_sub(GRACE),
    };
    let own = (answered.sent - *given + last).saturating_sub(failed);
    *given = answered.first_sent;
    let what =
        format!("ply {} of {}: {charged:?} charged, {own:?} its own, {failed:?} away", page["ply"], table.id);
    let beyond = (charged.as_secs_f64() - own.as_secs_f64()) * 1000.0;
    Some(TurnCharge { beyond, interrupted: !failed.is_zero(), what })
}

/// Locks the database against writes for this time.
fn lock_for(service: &ServerProcess, time: Duration) -> std::thread::JoinHandle<()> {
    let other = rusqlite::Connection::open(service.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::spawn(move || {
        std::thread::sleep(time);
        other.execute_batch("ROLLBACK").unwrap();
    })
}

/// A long answer that is never read: a stopping server waits for its reader.
fn unread_answer(server: SocketAddr) -> TcpStream {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    // The system takes next to nothing of what is not read.
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(&server.into()).unwrap();
    let mut socket = TcpStream::from(socket);
    socket.write_all(b"GET /openapi.json HTTP/1.1\r\nhost: test\r\n\r\n").unwrap();
    socket.read_exact(&mut [0]).unwrap();
    socket
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stops_crashes_and_slow_starts_are_charged_to_no_player() {
    let mut service = ServerProcess::start(&["--threads=2"]);
    let (made, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let play = |n| tokio::spawn(play(service.address, n, Arc::clone(&made), Arc::clone(&done)));
    let clients: Vec<_> = (0..CLIENTS).map(play).collect();
    let mut chance = Rng::new(&Seed::from(now_ms() as u64));
    for n in 0..stops() {
        let enough = made.load(Ordering::Relaxed) + 3 * CLIENTS;
        until(|| async { (made.load(Ordering::Relaxed) >= enough).then_some(()) }).await;
        tokio::time::sleep(Duration::from_micros(chance.below(1_500_000) as u64)).await;
        // A slow stop, and a slow start.
        let unread = (n % 16 == 2).then(|| unread_answer(service.address));
        if n % 2 == 0 {
            service.stop()
        } else {
            service.kill()
        }
        drop(unread);
        tokio::time::sleep(Duration::from_millis(100 + chance.below(200) as u64)).await;
        let lock = (n % 8 == 3).then(|| lock_for(&service, Duration::from_millis(1_500)));
        service.begin();
        lock.into_iter().for_each(|lock| lock.join().unwrap());
    }
    done.store(true, Ordering::Relaxed);
    let mut turns = Vec::new();
    for client in clients {
        turns.extend(client.await.unwrap());
    }
    let (met, missed): (Vec<_>, Vec<_>) = turns.into_iter().partition(|turn| turn.interrupted);
    let worst = |turns: &[TurnCharge]| {
        let worst = turns.iter().max_by(|a, b| a.beyond.total_cmp(&b.beyond)).expect("there are turns");
        println!("{} turns; {:.1} ms beyond its own time at {}", turns.len(), worst.beyond, worst.what);
        worst.beyond
    };
    println!("{} stops; with the server away, and without:", stops());
    assert!(worst(&met) <= TOLERANCE && worst(&missed) <= TOLERANCE);
    assert!(met.len() >= stops(), "only {} turns met a stop", met.len());
}

/// Three seconds a move, and a stop that takes longer because an answer is never read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_longer_than_a_move_loses_no_match() {
    // A server that charges the stop does so every time; a slow machine may use the time up before the stop begins.
    for _ in 0..5 {
        if slow_stop_is_survived().await {
            return;
        }
    }
    panic!("time ran out in every match");
}

/// Whether a match with three seconds a move goes on after a longer stop.
async fn slow_stop_is_survived() -> bool {
    let mut service = ServerProcess::start(&["--threads=1", "--reconnect-grace-ms=60000"]);
    let order = json!({ "game": "ioiwari", "seats": [{ "kind": "me" }, { "kind": "me" }],
                        "clock": { "move_ms": 3_000 } });
    let mut table =
        PlayedMatch::create(&[service.address], &order, "a match with three seconds a move").await;
    let unread = unread_answer(service.address);
    let began = Instant::now();
    service.stop();
    assert!(began.elapsed() > Duration::from_secs(3), "the stop was too quick to prove anything");
    drop(unread);
    service.begin();
    let page = table.page(None).await;
    if page["stage"] == "over" {
        return false;
    }
    assert_eq!((&page["stage"], &page["turn"], &page["ply"]), (&json!("running"), &json!(0), &json!(0)));
    assert_eq!(page["clock"]["paused"], true);
    assert!(page["clock"]["paused_until_ms"].as_i64() > page["clock"]["now_ms"].as_i64(), "{page}");
    assert!(table.step(0).await);
    let events = table.events().await;
    let mut kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    // On a busy machine the server may stand still after its return, too.
    kinds.dedup();
    assert_eq!(kinds, ["started", "resumed", "moved"]);
    let last = events.last().unwrap();
    assert!(events[1]["grace_ms"].as_u64() > Some(0), "{}", events[1]);
    assert!(last["times"]["think_us"].as_u64() < Some(3_000_000), "{last}");
    true
}
