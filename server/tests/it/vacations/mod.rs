//! Vacations: what they do to the clocks of matches with days for a move, and their allowance.

mod allowance;
mod clocks;
mod nodes;

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{TestResponse, TestServer};
use crate::matches::{SHORT, TestCaller, choose, create, join, me, open};

const PATH: &str = "/v1/me/vacation";

/// Milliseconds.
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// A server on a database of its own, whose clock a test can set forward.
struct TimeMachine {
    host: TestServer,
    database: PathBuf,
    flags: &'static [&'static str],
    /// How far its clock is ahead of the system's, in milliseconds.
    ahead_ms: i64,
    _folder: TempDir,
}

impl TimeMachine {
    async fn start(flags: &'static [&'static str]) -> Self {
        let folder = TempDir::new().unwrap();
        let database = folder.path().join("kibitz.db");
        let host = TestServer::on(&database, flags).await;
        Self { host, database, flags, ahead_ms: 0, _folder: folder }
    }

    /// The time of the server, roughly: it is a little later when the server reads it.
    fn now_ms(&self) -> i64 {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        i64::try_from(since_1970.as_millis()).unwrap() + self.ahead_ms
    }

    /// Sets the clock forward, as if the server had run all the time: the database gets a heartbeat of just now.
    async fn pass(self, ms: i64) -> Self {
        let Self { host, database, flags, ahead_ms, _folder } = self;
        host.stop().await;
        let ahead_ms = ahead_ms + ms;
        Self {
            host: {
                let beat_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
                let beat_ms = i64::try_from(beat_ms.as_millis()).unwrap() + ahead_ms;
                let db = rusqlite::Connection::open(&database).unwrap();
                assert!(db.execute("UPDATE nodes SET beat_ms = ?1", [beat_ms]).unwrap() > 0);
                drop(db);
                TestServer::on_with(&database, flags, |args| args.host.clock_offset_ms = ahead_ms).await
            },
            database,
            flags,
            ahead_ms,
            _folder,
        }
    }
}

async fn player(host: &TestServer, name: &str) -> TestCaller {
    let made = TestCaller::anonymous().post(host, "/v1/players", json!({ "name": name })).await.made();
    TestCaller::with(made["token"].as_str().unwrap())
}

/// A match with a day for each move that ben has created and ann has joined, in which it is ann's turn.
async fn waits_for_ann(host: &TestServer, ann: &TestCaller, ben: &TestCaller) -> String {
    let clock = json!({ "move_ms": DAY });
    let order = json!({ "game": SHORT, "seats": [me(), open()], "clock": clock, "seed": 7 });
    let (path, _) = create(host, ben, order).await;
    join(host, ann, &path).await;
    play(host, ben, &path).await;
    path
}

/// Makes any move; returns its event.
async fn play(host: &TestServer, who: &TestCaller, path: &str) -> Value {
    let page = who.page(host, path).await;
    let mv = choose(&page, page["ply"].as_u64().unwrap());
    let answer = who.play(host, path, &page["ply"], &mv["notation"]).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// Begins a vacation that ends at this time, or moves its end.
async fn take(host: &TestServer, who: &TestCaller, until_ms: i64) -> TestResponse {
    who.send(host, "PUT", PATH, &[], Some(json!({ "until_ms": until_ms }).to_string())).await
}

/// Ends a vacation.
async fn end(host: &TestServer, who: &TestCaller) {
    let answer = who.send(host, "DELETE", PATH, &[], None).await;
    assert_eq!(answer.status, 204, "{answer:?}");
}

/// The end of the vacation at ann's seat on the page of a match; null: there is none.
fn at_seat(page: &Value) -> &Value {
    let seats = page["seats"].as_array().unwrap();
    &seats.iter().find(|seat| seat["name"] == "ann").unwrap()["vacation_until_ms"]
}

/// How much of its time the turn has used, in milliseconds, when the page was made.
fn used_ms(page: &Value) -> i64 {
    page["clock"]["now_ms"].as_i64().unwrap() - page["clock"]["since_ms"].as_i64().unwrap()
}

/// The events of a match that is over, as its record has them, after `kibitz verify` has accepted them.
async fn verified(host: &TestServer, who: &TestCaller, path: &str) -> Vec<Value> {
    let record = who.get(host, &format!("{path}/record")).await.json();
    crate::durable::record_checks::assert_verified(&record);
    record["events"].as_array().unwrap().clone()
}

/// Longer than a step of a test takes; less than the times that the tests tell apart.
const SLOW: Duration = Duration::from_secs(3_600);

/// Whether a measured time is this one, or as much longer as a slow machine makes it.
#[track_caller]
fn assert_about(measured_ms: i64, expected_ms: i64) {
    let longest = expected_ms + i64::try_from(SLOW.as_millis()).unwrap();
    assert!((expected_ms..longest).contains(&measured_ms), "{measured_ms}, not {expected_ms}");
}
