//! Turns that cannot be shown to their players yet, because their commit takes long, or because the node that shows them is cut off
//! or frozen: that time is not theirs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitz_test_support::PrivatePostgres;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::chaos::link::LinkState;
use super::retrying_client::ask;
use super::silence::{name_of, node, play, send, two_guests};
use crate::server_process::{ServerProcess, until};

/// The time for a move: shorter than a player needs to find another node.
const MOVE_MS: u64 = 1_500;

/// How long the player waits before it asks another node.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a node fails.
#[derive(Clone, Copy, Debug)]
enum Failure {
    /// Nothing passes between it and the database.
    CutOff,
    /// Its process is stopped by SIGSTOP.
    Frozen,
}

/// Follows a match as the holder of a seat, until the connection ends.
fn follow(server: SocketAddr, path: &str, token: &str) {
    let (path, bearer) = (format!("{path}/events"), format!("Bearer {token}"));
    tokio::spawn(async move {
        let headers = [("accept", "application/x-ndjson"), ("authorization", &*bearer)];
        // The node may be killed in the end.
        let _ = ask(server, "GET", &path, &headers, &Value::Null).await;
    });
}

async fn turn_behind(failure: Failure) {
    let postgres = tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap();
    let database = name_of(&postgres.create());
    let (good, _link) = node(&postgres, &database).await;
    let (failing, failing_link) = node(&postgres, &database).await;
    let (path, tokens) = two_guests(good.address, json!({ "move_ms": MOVE_MS })).await;
    let get = async |token| send(good.address, "GET", &path, token, &Value::Null).await.unwrap().1;
    follow(failing.address, &path, &tokens[1]);
    until(|| async { (get(None).await["seats"][1]["connected"] == true).then_some(()) }).await;
    match failure {
        Failure::CutOff => failing_link.set(LinkState::Silent),
        Failure::Frozen => kill_process(failing.pid(), Signal::STOP).unwrap(),
    }
    sleep(Duration::from_millis(200)).await;
    assert_eq!(play(good.address, &path, &tokens, &get(None).await).await.unwrap().0, 200);
    sleep(PATIENCE).await;
    let asked = Instant::now();
    let own = get(Some(&tokens[1])).await;
    assert_eq!((&own["stage"], &own["turn"]), (&json!("running"), &json!(1)), "its time is not up: {own}");
    let (status, moved) = play(good.address, &path, &tokens, &own).await.unwrap();
    assert_eq!((status, &moved["type"]), (200, &json!("moved")), "{moved}");
    let charged = Duration::from_micros(moved["times"]["think_us"].as_u64().unwrap());
    println!(
        "{failure:?}: charged {charged:?} of {:?}; its own {:?}",
        asked.elapsed() + PATIENCE,
        asked.elapsed()
    );
    assert!(charged < PATIENCE, "{charged:?}");
    if matches!(failure, Failure::Frozen) {
        kill_process(failing.pid(), Signal::CONT).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turn_behind_a_node_that_is_cut_off_does_not_begin() {
    turn_behind(Failure::CutOff).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turn_behind_a_node_that_is_frozen_does_not_begin() {
    turn_behind(Failure::Frozen).await;
}

/// The database does not let a move in for this long: shorter than a node waits before it says that its database is away.
const LOCKED_S: f64 = 0.7;

/// A round counts in which the acknowledgement of a move that waited for the lock takes at least this long.
const LATE: Duration = Duration::from_millis(400);

/// In so many rounds a busy machine may be late itself.
const LATE_ROUNDS: usize = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_commit_at_one_node_is_not_charged_at_another() {
    let postgres = Arc::new(tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap());
    let database = name_of(&postgres.create());
    let (first, _link) = node(&postgres, &database).await;
    let (second, _second_link) = node(&postgres, &database).await;
    let sql = |sql: String| {
        let (postgres, database) = (Arc::clone(&postgres), database.clone());
        tokio::task::spawn_blocking(move || postgres.address().sql(&database, &sql))
    };
    let mut late_rounds = 0;
    while late_rounds < LATE_ROUNDS {
        let (path, tokens) = two_guests(first.address, json!({ "initial_ms": 3_600_000 })).await;
        // Both nodes have the match in memory.
        let page = send(second.address, "GET", &path, None, &Value::Null).await.unwrap().1;
        let lock = format!("BEGIN; LOCK TABLE events IN SHARE MODE; SELECT pg_sleep({LOCKED_S}); COMMIT");
        let lock = sql(lock);
        let is_locked = "BEGIN; LOCK TABLE events IN ROW EXCLUSIVE MODE NOWAIT; COMMIT";
        until(|| async { (!sql(is_locked.to_owned()).await.unwrap()).then_some(()) }).await;
        let sent = Instant::now();
        let moved = play(first.address, &path, &tokens, &page).await.unwrap();
        let (acknowledged, took) = (Instant::now(), sent.elapsed());
        assert!(lock.await.unwrap());
        // On a busy machine the lock may be gone before the move comes, or last so long that the node pauses the match.
        if moved.0 != 200 || took < LATE {
            continue;
        }
        let page = send(second.address, "GET", &path, None, &Value::Null).await.unwrap().1;
        let (status, moved) = play(second.address, &path, &tokens, &page).await.unwrap();
        assert_eq!((status, &moved["ply"]), (200, &json!(1)), "{moved}");
        let charged = Duration::from_micros(moved["times"]["think_us"].as_u64().unwrap());
        println!("acknowledged after {took:?}; charged {charged:?} of {:?}", acknowledged.elapsed());
        if charged < acknowledged.elapsed() + took / 2 {
            return;
        }
        late_rounds += 1;
    }
    panic!("each time the commit was charged");
}

/// A server that is frozen for longer than the time for a move: the player did not have that time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_in_which_a_server_is_frozen_is_not_charged() {
    let start = || ServerProcess::start(&["--threads=1"]);
    let service = tokio::task::spawn_blocking(start).await.unwrap();
    let (path, tokens) = two_guests(service.address, json!({ "move_ms": 3_000 })).await;
    let get = async || send(service.address, "GET", &path, None, &Value::Null).await.unwrap().1;
    assert_eq!(play(service.address, &path, &tokens, &get().await).await.unwrap().0, 200);
    kill_process(service.pid(), Signal::STOP).unwrap();
    let frozen = Duration::from_secs(4);
    sleep(frozen).await;
    kill_process(service.pid(), Signal::CONT).unwrap();
    let page = get().await;
    assert_eq!((&page["stage"], &page["turn"]), (&json!("running"), &json!(1)), "its time is not up: {page}");
    let (status, moved) = play(service.address, &path, &tokens, &page).await.unwrap();
    assert_eq!((status, &moved["type"]), (200, &json!("moved")), "its time is not up: {moved}");
    let charged = Duration::from_micros(moved["times"]["think_us"].as_u64().unwrap());
    println!("charged {charged:?} around {frozen:?} in which the server was frozen");
}
