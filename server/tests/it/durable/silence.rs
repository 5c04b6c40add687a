//! Faults that make no noise: a database that stands still, and connections whose packets vanish.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use kibitz_test_support::PrivatePostgres;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::chaos::link::{LinkState, NetworkLink};
use super::retrying_client::ask;
use crate::server_process::ServerProcess;

/// On a slow machine the tests only find a node that never recovers.
const RECOVERS: Duration = Duration::from_secs(60);

const GAME: &str = "ioiwari";

/// A node on its own link to the database.
pub(super) async fn node(postgres: &PrivatePostgres, database: &str) -> (ServerProcess, NetworkLink) {
    let link = NetworkLink::start((Ipv4Addr::LOCALHOST, postgres.port()).into()).await;
    let url = format!("postgres://kibitz@{}/{database}", link.address);
    let start = move || ServerProcess::start_on(&url, &["--threads=1", "--creations-burst=100000"]);
    (tokio::task::spawn_blocking(start).await.unwrap(), link)
}

pub(super) fn name_of(url: &str) -> String {
    url.rsplit('/').find_map(|part| part.split_once("?host=")).expect("it has a name").0.to_owned()
}

pub(super) async fn send(
    server: SocketAddr,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: &Value,
) -> Option<(u16, Value)> {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let headers: Vec<_> = bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
    let answer = ask(server, method, path, &headers, body).await.ok()?;
    Some((answer.status.as_u16(), serde_json::from_slice(&answer.body).unwrap_or_default()))
}

/// Sends a request as a client does that repeats it while the database is away: on a slow machine it may be for a moment.
async fn persistent(
    server: SocketAddr,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: &Value,
) -> (u16, Value) {
    loop {
        match send(server, method, path, token, body).await {
            Some((503, _)) | None => sleep(Duration::from_millis(100)).await,
            Some(answer) => return answer,
        }
    }
}

/// A match of two guests with this clock; returns its path and the tokens of the seats.
pub(super) async fn two_guests(server: SocketAddr, clock: Value) -> (String, [String; 2]) {
    let seats = json!([{ "kind": "me", "name": "first" }, { "kind": "me", "name": "second" }]);
    let order = json!({ "game": GAME, "seats": seats, "clock": clock });
    let (status, made) = persistent(server, "POST", "/v1/matches", None, &order).await;
    assert_eq!(status, 201, "{made}");
    let token = |seat: usize| made["seats"][seat]["token"].as_str().unwrap().to_owned();
    (format!("/v1/matches/{}", made["id"].as_str().unwrap()), [token(0), token(1)])
}

/// Makes a move at this server; returns the status.
pub(super) async fn play(
    server: SocketAddr,
    path: &str,
    tokens: &[String; 2],
    page: &Value,
) -> Option<(u16, Value)> {
    let token = &tokens[page["turn"].as_u64()? as usize];
    let (_, own) = send(server, "GET", path, Some(token), &Value::Null).await?;
    let mv = json!({ "ply": own["ply"], "notation": own["legal_moves"][0]["notation"] });
    send(server, "POST", &format!("{path}/moves"), Some(token), &mv).await
}

/// Repeats a request until the answer is 200; fails if that takes for ever. Returns how long it took.
async fn until_served(server: SocketAddr, path: &str) -> Duration {
    let began = Instant::now();
    let served = async {
        loop {
            let asked = timeout(Duration::from_secs(5), send(server, "GET", path, None, &Value::Null)).await;
            if matches!(asked, Ok(Some((200, _)))) {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(RECOVERS, served).await.unwrap_or_else(|_| panic!("{path} is served again"));
    began.elapsed()
}

/// A firewall forgets the connections of a node: they are silent for ever, and new ones work.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_replaces_connections_that_are_silent_for_ever() {
    let postgres = tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap();
    let database = name_of(&postgres.create());
    let (service, link) = node(&postgres, &database).await;
    let (other, _other_link) = node(&postgres, &database).await;
    let clock = json!({ "initial_ms": 3_600_000 });
    let (path, tokens) = two_guests(service.address, clock).await;
    until_served(service.address, "/readyz").await;
    link.set(LinkState::Forgotten);
    // Reads under way, as many as there are connections.
    let reads = (0..12).map(|_| send(service.address, "GET", "/v1/matches", None, &Value::Null));
    let reads = tokio::spawn(futures_util::future::join_all(reads.collect::<Vec<_>>()));
    for path in ["/v1/matches", &path, "/v1/players/nobody/matches"] {
        let began = Instant::now();
        loop {
            let answer =
                timeout(Duration::from_secs(5), send(service.address, "GET", path, None, &Value::Null)).await;
            if matches!(answer, Ok(Some((200 | 404, _)))) {
                break;
            }
            assert!(began.elapsed() < RECOVERS, "{path} is not served: {answer:?}");
        }
    }
    reads.await.unwrap();
    // A move at this node, and one at the other, of which this node hears.
    let moved = async {
        loop {
            let page = send(service.address, "GET", &path, None, &Value::Null).await;
            if let Some((200, page)) = page
                && let Some((200, _)) = play(service.address, &path, &tokens, &page).await
            {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(RECOVERS, moved).await.expect("a move is acknowledged");
    let (_, page) = send(other.address, "GET", &path, None, &Value::Null).await.unwrap();
    assert_eq!(play(other.address, &path, &tokens, &page).await.unwrap().0, 200);
    let (_, page) = send(service.address, "GET", &path, None, &Value::Null).await.unwrap();
    assert_eq!(page["ply"], 2);
}

/// The packets between a node and the database vanish for a while. The node says so, ends its streams, and serves soon after
/// the repair.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_off_node_says_so_and_sends_its_clients_away() {
    let postgres = tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap();
    let database = name_of(&postgres.create());
    let (service, link) = node(&postgres, &database).await;
    let (path, _) = two_guests(service.address, json!({ "initial_ms": 3_600_000 })).await;
    let stream = {
        let (address, path) = (service.address, format!("{path}/events"));
        tokio::spawn(async move {
            let headers = [("accept", "application/x-ndjson")];
            let answer = ask(address, "GET", &path, &headers, &Value::Null).await.unwrap();
            String::from_utf8(answer.body.to_vec()).unwrap()
        })
    };
    sleep(Duration::from_millis(300)).await;
    link.set(LinkState::Silent);
    let text = timeout(RECOVERS, stream).await.expect("the stream ends").unwrap();
    let last: Value = serde_json::from_str(text.trim_end().lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["code"]), (&json!("closed"), &json!("store_unavailable")), "{text}");
    for path in ["/readyz", &path] {
        let began = Instant::now();
        let (status, _) = send(service.address, "GET", path, None, &Value::Null).await.unwrap();
        assert_eq!(status, 503, "{path}");
        assert!(began.elapsed() < RECOVERS);
    }
    sleep(Duration::from_secs(6)).await;
    link.set(LinkState::Open);
    let ready = until_served(service.address, "/readyz").await;
    let read = until_served(service.address, &path).await;
    println!("after the repair: ready in {} ms, a page {} ms later", ready.as_millis(), read.as_millis());
}

/// How often the node's lease, which is renewed twice a second, may be under way before the first move.
const FROZEN_ROUNDS: usize = 5;

/// A move whose outcome is uncertain waits for it. The one behind it was not sent to the database: it is refused as soon as the
/// database counts as away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn move_that_waits_behind_a_silent_database_is_refused() {
    let postgres = tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap();
    let database = name_of(&postgres.create());
    let (service, _link) = node(&postgres, &database).await;
    let address = service.address;
    for _ in 0..FROZEN_ROUNDS {
        until_served(address, "/readyz").await;
        let mut moves = Vec::new();
        for _ in 0..2 {
            let (path, tokens) = two_guests(address, json!({ "initial_ms": 3_600_000 })).await;
            let own = send(address, "GET", &path, Some(&tokens[0]), &Value::Null).await.unwrap().1;
            let mv = json!({ "ply": own["ply"], "notation": own["legal_moves"][0]["notation"] });
            moves.push((format!("{path}/moves"), tokens[0].clone(), mv));
        }
        let play = |n: usize| {
            let (path, token, mv) = moves[n].clone();
            tokio::spawn(async move { send(address, "POST", &path, Some(&token), &mv).await })
        };
        postgres.freeze();
        let first = play(0);
        sleep(Duration::from_millis(200)).await;
        let second = play(1);
        let refused = tokio::select! {
            biased;
            _ = first => None,
            answer = second => answer.unwrap(),
        };
        postgres.thaw();
        if let Some((status, _)) = refused {
            assert_eq!(status, 503);
            return;
        }
    }
    panic!("each time the second move waited for the first one");
}

/// PostgreSQL stands still while a move is on its way that arrived in time: the time of its player is not up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn move_that_arrived_in_time_beats_a_database_that_stands_still() {
    let postgres = tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap();
    let database = name_of(&postgres.create());
    let (holder, _link) = node(&postgres, &database).await;
    let (other, _other_link) = node(&postgres, &database).await;
    // Standstills shorter and longer than the time that is left.
    for standstill_ms in [2_600_u64, 4_000] {
        // Where the machine was too slow, the players have too little time left for the question: once more.
        let seconds = loop {
            let (began, seconds) = second_seats_to_move(&holder, &other).await;
            if began.elapsed() < Duration::from_millis(1_500) {
                break seconds;
            }
        };
        sleep(Duration::from_millis(500)).await;
        postgres.freeze();
        let moves = seconds.into_iter().map(|(path, token, own)| {
            let mv = json!({ "ply": own["ply"], "notation": own["legal_moves"][0]["notation"] });
            let (address, path) = (other.address, format!("{path}/moves"));
            tokio::spawn(async move { persistent(address, "POST", &path, Some(&token), &mv).await })
        });
        let moves: Vec<_> = moves.collect();
        sleep(Duration::from_millis(standstill_ms)).await;
        postgres.thaw();
        for made in moves {
            let (status, answer) = timeout(RECOVERS, made).await.expect("an answer comes").unwrap();
            assert_eq!((status, &answer["type"]), (200, &json!("moved")), "{standstill_ms} ms: {answer}");
        }
    }
}

/// New matches with 3 s a move in which the second seats are to move, and when the first of these turns began at the earliest. Of
/// each match its path, the token of that seat, and what the seat sees at the other node.
async fn second_seats_to_move(
    holder: &ServerProcess,
    other: &ServerProcess,
) -> (Instant, Vec<(String, String, Value)>) {
    let mut matches = Vec::new();
    for _ in 0..6 {
        matches.push(two_guests(holder.address, json!({ "move_ms": 3_000 })).await);
    }
    // The first moves start the clocks of the second seats.
    let began = Instant::now();
    let moves = matches.into_iter().map(|(path, [first, second])| async move {
        let (_, page) = persistent(holder.address, "GET", &path, Some(&first), &Value::Null).await;
        let mv = json!({ "ply": page["ply"], "notation": page["legal_moves"][0]["notation"] });
        let moved = persistent(holder.address, "POST", &format!("{path}/moves"), Some(&first), &mv).await;
        assert_eq!(moved.0, 200, "{moved:?}");
        let (_, own) = persistent(other.address, "GET", &path, Some(&second), &Value::Null).await;
        (path, second, own)
    });
    (began, futures_util::future::join_all(moves).await)
}
