//! A match among clients that do everything clients must not do. Players and spectators notice nothing, and the match
//! ends normally.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use engines::rng::{Rng, Seed};
use futures_util::future::join_all;
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::follower::{FollowMode, Follower};
use super::raw_connection::RawConnection;
use super::record_checks::{assert_true, assert_verified};
use super::retrying_client::{PlayedMatch, ask};
use super::simultaneous_requests;
use super::sockets::read_at_last;
use crate::client::{HANG, TestResponse};
use crate::server_process::ServerProcess;

/// The match that is played meanwhile, as the misbehaving clients know it.
pub(super) struct TargetMatch {
    pub address: SocketAddr,
    /// The match's.
    pub path: String,
    pub tokens: Vec<String>,
}

/// Silent clients.
const SILENT: usize = 1000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn match_among_bad_clients_goes_on_undisturbed() {
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    setrlimit(Resource::Nofile, files).unwrap();
    // The usual limit of open files, which is below the number of clients in this test.
    let service = ServerProcess::start_after(
        "ulimit -Sn 1024",
        &[
            "--threads=1",
            "--creations-burst=100000",
            // All clients have one address.
            "--max-connections-per-address=100000",
            "--max-matches-per-address=100000",
            "--max-seats-per-address=100000",
            "--max-waiting-seats-per-address=100000",
        ],
    );
    let servers = [service.address];
    let seats: Vec<_> = (0..4).map(|_| json!({ "kind": "me" })).collect();
    let clock = json!({ "initial_ms": 3_600_000 });
    let order = json!({ "game": "splendor", "seats": seats, "clock": clock });
    let mut table = PlayedMatch::create(&servers, &order, "the match among bad clients").await;
    let target = TargetMatch {
        address: service.address,
        path: format!("/v1/matches/{}", table.id),
        tokens: table.tokens.iter().flatten().cloned().collect(),
    };
    let watch = |how| tokio::spawn(Follower::new(&servers, &table.id, None, how).since(0).follow());
    let watching = [FollowMode::Sse, FollowMode::Ndjson, FollowMode::Live].map(watch);
    let quiet = Arc::new(AtomicBool::new(false));
    let playing = tokio::spawn({
        let quiet = Arc::clone(&quiet);
        async move {
            let mut rng = Rng::new(&Seed::from(4));
            loop {
                // Each move is slower than the one before, so that the match outlasts the misbehaving clients.
                let pause =
                    if quiet.load(Ordering::Relaxed) { 0 } else { 5 * table.acknowledged.len() as u64 };
                tokio::time::sleep(Duration::from_millis(pause)).await;
                let step = tokio::time::timeout(HANG, table.try_step(rng.next_u64()));
                match step.await.expect("it goes on") {
                    Ok(true) => {}
                    Ok(false) => return table,
                    Err(refused) => panic!("a good client is refused: {refused:?}"),
                }
            }
        }
    });

    let silent = join_all((0..SILENT).map(|_| TcpStream::connect(target.address))).await;
    let readers = target.never_read().await;
    tokio::join!(target.bad_moves(), target.bad_sockets(), target.bad_streams(), target.bad_requests());
    tokio::join!(target.half_requests(), target.huge_bodies(), target.endless_heads(), target.hang_ups());
    simultaneous_requests::creations(&servers).await;
    simultaneous_requests::joins(&servers).await;
    simultaneous_requests::same_moves(&servers, 50).await;
    simultaneous_requests::rival_moves(&servers).await;
    simultaneous_requests::ends(&servers).await;

    let page = ask(target.address, "GET", &target.path, &[], &Value::Null).await.unwrap().json();
    assert_eq!(page["stage"], "running", "the match was over before the bad ones were");
    assert!(page["ply"].as_u64() > Some(20), "it hardly got on: {page}");
    quiet.store(true, Ordering::Relaxed);
    let table = playing.await.unwrap();
    let record = table.record().await;
    assert_true(&table, &record);
    assert_verified(&record);
    for watching in watching {
        let watching = watching.await.unwrap();
        assert_eq!(watching.returns, 0, "a good spectator was cut off");
        assert_eq!(watching.seen.len(), record["events"].as_array().unwrap().len() - 1);
    }
    assert!(silent.iter().all(Result::is_ok));
    drop(silent);
    read_at_last(readers).await;
    assert_eq!(ask(target.address, "GET", "/healthz", &[], &Value::Null).await.unwrap().status, 200);
    let failures = service.log().into_iter().filter(|line| line.contains("\"ERROR\"")).collect::<Vec<_>>();
    assert!(failures.is_empty(), "clients' mistakes are no failures of the server: {failures:#?}");
}

impl TargetMatch {
    async fn post(&self, what: &str, token: Option<&str>, body: &Value) -> TestResponse {
        let bearer = token.map(|token| ("authorization", format!("Bearer {token}")));
        let headers: Vec<_> = bearer.iter().map(|(name, value)| (*name, value.as_str())).collect();
        ask(self.address, "POST", &format!("{}{what}", self.path), &headers, body).await.unwrap()
    }

    /// Illegal moves, for and by all seats.
    async fn bad_moves(&self) {
        let now = ask(self.address, "GET", &self.path, &[], &Value::Null).await.unwrap().json();
        let ply = now["ply"].as_u64().unwrap();
        for token in &self.tokens {
            for body in [
                json!({ "ply": ply, "notation": "castles" }),
                json!({ "ply": ply, "notation": "" }),
                json!({ "ply": ply, "notation": "\u{0}\r\n\u{1f4a9}" }),
                json!({ "ply": ply, "notation": "9".repeat(100_000) }),
                json!({ "ply": ply, "move": { "castle": true } }),
                json!({ "ply": ply, "move": [[[[]]]] }),
                json!({ "ply": ply, "move": null }),
                json!({ "ply": ply, "notation": "9 9 9", "move": {} }),
                json!({ "ply": u32::MAX, "notation": "1 3 0 1 2" }),
                json!({ "ply": -1, "notation": "1 3 0 1 2" }),
                json!({ "ply": 1e300, "notation": "1 3 0 1 2" }),
                json!({ "ply": "0", "notation": "1 3 0 1 2" }),
                json!({ "ply": 0, "notation": "none of those that were made" }),
                json!({ "notation": "1 3 0 1 2" }),
                json!({ "ply": ply }),
                json!({}),
                json!([1, 2, 3]),
                json!("1 3 0 1 2"),
            ] {
                let reply = self.post("/moves", Some(token), &body).await;
                assert!([400, 409, 412, 422, 428].contains(&reply.status.as_u16()), "{body}: {reply:?}");
            }
        }
        // A legal move, sent by every client that is not allowed to make it.
        let order = json!({ "game": "splendor", "seats": [{ "kind": "me" }, { "kind": "me" }] });
        let other = PlayedMatch::create(&[self.address], &order, "the match of a stranger").await;
        for _ in 0..10 {
            let page = ask(self.address, "GET", &self.path, &[], &Value::Null).await.unwrap().json();
            let turn = page["turn"].as_u64().unwrap() as usize;
            let bearer = format!("Bearer {}", self.tokens[turn]);
            let seen =
                ask(self.address, "GET", &self.path, &[("authorization", &bearer)], &Value::Null).await;
            let seen = seen.unwrap().json();
            let Some(good) = seen["legal_moves"].as_array().and_then(|moves| moves.first()) else { continue };
            let body = json!({ "ply": seen["ply"], "notation": good["notation"] });
            for seat in (0..4).filter(|seat| *seat != turn) {
                let reply = self.post("/moves", Some(&self.tokens[seat]), &body).await;
                // The match goes on meanwhile.
                assert!([409, 412].contains(&reply.status.as_u16()), "{reply:?}");
            }
            let stranger = other.tokens[0].as_deref().unwrap();
            self.post("/moves", Some(stranger), &body).await.problem(401, "bad_token");
            self.post("/moves", None, &body).await.problem(401, "token_needed");
            for garbled in ["", "kbs_", &self.tokens[turn][..20], "kbs_é", &self.tokens[turn].to_uppercase()]
            {
                let reply = self.post("/moves", Some(garbled), &body).await;
                assert!([400, 401].contains(&reply.status.as_u16()), "{garbled}: {reply:?}");
            }
        }
        for what in ["/resign", "/abort", "/leave", "/rematch"] {
            self.post(what, None, &Value::Null).await.problem(401, "token_needed");
            let stranger = other.tokens[1].as_deref();
            self.post(what, stranger, &Value::Null).await.problem(401, "bad_token");
        }
        for (what, token) in [("/abort", 0), ("/leave", 1), ("/rematch", 2)] {
            let reply = self.post(what, Some(&self.tokens[token]), &Value::Null).await;
            assert_eq!(reply.status, 409, "{what}: {reply:?}");
        }
        let reply = self.post("/join", None, &json!({ "seat": 1 })).await;
        reply.problem(409, "seat_taken");
        // A taken seat stays taken.
        assert_eq!(self.post("/join", Some(&self.tokens[3]), &json!({})).await.json()["seats"][0]["seat"], 3);
    }

    /// Streams that resume at positions that do not exist.
    async fn bad_streams(&self) {
        for (query, header) in [
            ("?since=4000000000", None),
            ("?since=99999999999999999999", None),
            ("?since=-1", None),
            ("?since=", None),
            ("?since=1&since=2", None),
            ("?until=3", None),
            ("", Some("4000000000")),
            ("", Some("-1")),
            ("", Some("the last one")),
        ] {
            let header = header.map(|id| ("last-event-id", id));
            let path = format!("{}/events{query}", self.path);
            let reply = ask(self.address, "GET", &path, header.as_slice(), &Value::Null).await.unwrap();
            reply.problem(400, "bad_query");
            let path = format!("{}/live{query}", self.path);
            let reply = ask(self.address, "GET", &path, header.as_slice(), &Value::Null).await.unwrap();
            assert!([400, 426].contains(&reply.status.as_u16()), "{reply:?}");
        }
    }

    /// Complete requests without a meaning.
    async fn bad_requests(&self) {
        let me = json!({ "kind": "me" });
        let deep = format!("{{\"game\":{}", "[".repeat(100_000));
        let order = |seats: Value, more: Value| {
            let mut order = json!({ "game": "azul", "seats": seats });
            order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            order
        };
        for body in [
            json!(deep),
            json!(null),
            order(json!([]), json!({})),
            order(json!(vec![me.clone(); 10_000]), json!({})),
            order(json!([me, me]), json!({ "clock": {} })),
            order(json!([me, me]), json!({ "clock": { "initial_ms": -5 } })),
            order(json!([me, me]), json!({ "clock": { "move_ms": 1e99 } })),
            order(json!([me, me]), json!({ "idle_ms": 0 })),
            order(json!([me, me]), json!({ "options": { "seats": 99 } })),
            order(json!([me, me]), json!({ "seed": "not a seed" })),
            order(json!([me, { "kind": "king" }]), json!({})),
            order(json!([me, { "kind": "player", "name": "unknown" }]), json!({})),
            order(json!([me, { "kind": "engine", "engine": "deep thought" }]), json!({})),
            order(json!([me, { "kind": "me", "name": "x".repeat(10_000) }]), json!({})),
            json!({ "game": "chess", "seats": [me, me] }),
        ] {
            let reply = ask(self.address, "POST", "/v1/matches", &[], &body).await.unwrap();
            assert!(
                reply.status.is_client_error(),
                "{}: {reply:?}",
                &body.to_string()[..60.min(body.to_string().len())]
            );
        }
    }

    /// Unfinished requests, and bytes that are no request. Some connections stay open until the match is over.
    async fn half_requests(&self) {
        let post = format!(
            "POST {}/moves HTTP/1.1\r\nhost: target\r\ncontent-type: application/json\r\n",
            self.path
        );
        let mut waiting = Vec::new();
        for half in [
            "G".to_owned(),
            format!("GET {}", self.path),
            "GET / HTTP/1.1\r\nhost: zo".to_owned(),
            format!("{post}content-length: 50\r\n\r\n{{\"ply\":0,"),
            format!("{post}transfer-encoding: chunked\r\n\r\nff\r\n{{\"ply\""),
            format!("{post}expect: 100-continue\r\ncontent-length: 5\r\n\r\n"),
        ] {
            let mut raw = RawConnection::dial(self.address).await;
            assert!(raw.say(half).await);
            waiting.push(raw);
        }
        for wrong in [
            "\r\n\r\n\r\n\r\nnothing\r\n\r\n".to_owned(),
            "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}hello, TLS?\r\n\r\n".to_owned(),
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
            "GET / HTTP/9.9\r\nhost: target\r\n\r\n".to_owned(),
            "GET /\u{7f}\u{1} HTTP/1.1\r\nhost: target\r\n\r\n".to_owned(),
            "GET / HTTP/1.1\r\nhost : target\r\n\r\n".to_owned(),
            "GET / HTTP/1.1\r\nno colon\r\n\r\n".to_owned(),
            format!("{post}content-length: -1\r\n\r\n"),
            format!("{post}content-length: 99999999999999999999999\r\n\r\n"),
            format!("{post}content-length: 5\r\ncontent-length: 6\r\n\r\n{{}}   "),
            format!("{post}transfer-encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n"),
            format!("{post}transfer-encoding: soup\r\n\r\n{{}}"),
            format!("GET {}?{} HTTP/1.1\r\nhost: target\r\n\r\n", self.path, "x".repeat(300_000)),
        ] {
            let mut raw = RawConnection::dial(self.address).await;
            raw.say(&wrong).await;
            let head = raw.head().await;
            assert!(head.is_empty() || head.starts_with("HTTP/1.1 4"), "{head} for {wrong:.80}");
        }
        // A body that arrives a byte at a time is still incomplete.
        let mut slow = RawConnection::dial(self.address).await;
        slow.say(format!("{post}content-length: 500\r\n\r\n")).await;
        for _ in 0..20 {
            assert!(slow.say(" ").await);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        for mut raw in waiting {
            assert!(raw.say("x").await, "it may still come to its senses");
        }
    }

    /// Bodies over the limit: refused by their declared length, or when the limit is reached.
    async fn huge_bodies(&self) {
        let post = format!(
            "POST {}/moves HTTP/1.1\r\nhost: target\r\ncontent-type: application/json\r\n",
            self.path
        );
        let said = async {
            let mut said = RawConnection::dial(self.address).await;
            said.say(format!("{post}content-length: 100000000000\r\n\r\n")).await;
            let head = said.head().await;
            assert!(head.starts_with("HTTP/1.1 413"), "{head}");
        };
        let unsaid = async {
            let mut endless = RawConnection::dial(self.address).await;
            endless.say(format!("{post}transfer-encoding: chunked\r\n\r\n")).await;
            let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x1_0000));
            for _ in 0..400 {
                if !endless.say(&chunk).await {
                    break;
                }
            }
            // A client that goes on writing after a refusal may find the connection closed before it reads the refusal.
            let head = endless.head().await;
            assert!(head.is_empty() || head.starts_with("HTTP/1.1 413"), "{head}");
        };
        tokio::join!(said, unsaid);
    }

    /// Request heads without an end: many lines, or one long line.
    async fn endless_heads(&self) {
        for line in ["x-more: and more\r\n", "x"] {
            let mut raw = RawConnection::dial(self.address).await;
            let mut going = raw.say("GET / HTTP/1.1\r\nhost: target\r\n").await;
            let piece = line.repeat(65_536 / line.len());
            for _ in 0..160 {
                going = going && raw.say(&piece).await;
            }
            assert!(!going, "ten megabytes of head are taken without a word");
        }
    }

    /// Clients that disconnect at once, in every way.
    async fn hang_ups(&self) {
        let streams = [format!("{}/events", self.path), "/v1/games".to_owned(), self.path.clone()];
        for n in 0..200 {
            let mut raw = RawConnection::dial(self.address).await;
            if n % 4 > 0 {
                raw.say(format!("GET {} HTTP/1.1\r\nhost: target\r\n\r\n", streams[n % 3])).await;
            }
            if n % 4 > 1 {
                raw.stream.set_zero_linger().unwrap();
            }
        }
    }
}
