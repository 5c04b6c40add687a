//! Notifications while no page is open: subscriptions, and what a push service of the test receives.

mod push_service;
mod subscriptions;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::client::TestServer;
use crate::club::lobby::control;
use crate::matches::{EventStream, SHORT, TestCaller, choose, create, join, me, open};
use crate::server_process::until;
use push_service::{Browser, PushService};

const PATH: &str = "/v1/me/push-subscriptions";

/// Lets the server reach the push service of the test.
const HERE: &str = "--push-private-networks";

/// A day, in milliseconds.
const DAY: u64 = 86_400_000;

/// The pause before a second attempt.
const RETRY_AFTER: Duration = Duration::from_millis(10);

/// A server with a database that a test can look into.
struct Here {
    host: TestServer,
    database: PathBuf,
    _folder: TempDir,
}

impl Here {
    async fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let database = folder.path().join("kibitz.db");
        Self { host: server(&database).await, database, _folder: folder }
    }

    /// Waits until a notification of this kind needs not be sent any more.
    async fn settled(&self, kind: &str) {
        until(|| async {
            let db = rusqlite::Connection::open(&self.database).unwrap();
            let sql = "SELECT due_ms IS NULL FROM push_notifications WHERE kind = ?1";
            db.query_row(sql, [kind], |row| row.get::<_, bool>(0)).unwrap_or(false).then_some(())
        })
        .await;
    }
}

/// A server on this database, which tries again after a moment.
async fn server(database: &Path) -> TestServer {
    TestServer::on_with(database, &[HERE], |args| args.notifications.push_retry_after = RETRY_AFTER).await
}

async fn player(host: &TestServer, name: &str) -> TestCaller {
    let made = TestCaller::anonymous().post(host, "/v1/players", json!({ "name": name })).await.made();
    TestCaller::with(made["token"].as_str().unwrap())
}

/// The public key of the server.
async fn key(host: &TestServer, who: &TestCaller) -> String {
    who.get(host, PATH).await.json()["public_key"].as_str().unwrap().to_owned()
}

/// A match that ben has created and ann has joined, which waits for ben.
async fn begun(host: &TestServer, ann: &TestCaller, ben: &TestCaller, move_ms: u64) -> String {
    let clock = json!({ "move_ms": move_ms });
    let order = json!({ "game": SHORT, "seats": [me(), open()], "clock": clock, "seed": 7 });
    let (path, _) = create(host, ben, order).await;
    join(host, ann, &path).await;
    path
}

/// Makes any move.
async fn play(host: &TestServer, who: &TestCaller, path: &str) {
    let page = who.page(host, path).await;
    let mv = choose(&page, page["ply"].as_u64().unwrap());
    let answer = who.play(host, path, &page["ply"], &mv["notation"]).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// The path of a match's page for people.
fn page_of(path: &str) -> String {
    path.replace("/v1", "")
}

#[tokio::test]
async fn turn_of_a_player_without_a_page_is_notified_once() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    browser.subscribe(host, &ann, &["turn"]).await.made();
    let path = begun(host, &ann, &ben, DAY).await;
    play(host, &ben, &path).await;
    let push = service.next().await;
    let shown = browser.read(&push, &key(host, &ann).await);
    assert_eq!((&shown["url"], &shown["title"]), (&json!(page_of(&path)), &json!("Your turn in Ioiwari")));
    assert!(shown["body"].as_str().unwrap().contains("ben"), "{shown}");
    here.settled("turn").await;
    assert!(ann.get(host, PATH).await.json()["subscriptions"][0]["delivered_ms"].is_number());
    // The same turn is not news a second time; the next one is.
    service.nothing();
    play(host, &ann, &path).await;
    play(host, &ben, &path).await;
    service.next().await;
    service.nothing();
}

#[tokio::test]
async fn turns_of_several_matches_that_come_together_are_one_notification() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    let body = browser.subscription("ro", &["turn"]);
    ann.post(host, PATH, body).await.made();
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.push(begun(host, &ann, &ben, DAY).await);
    }
    for path in &paths {
        play(host, &ben, path).await;
    }
    // A busy machine may need more than one round for all three.
    let (key, mut matches) = (key(host, &ann).await, 0);
    while matches < 3 {
        let shown = browser.read(&service.next().await, &key);
        let title = shown["title"].as_str().unwrap();
        let together = ["2", "3"].iter().position(|count| title.contains(&format!("în {count} meciuri")));
        matches += together.map_or(1, |place| place + 2);
        assert!(title.contains("rândul tău"), "{shown}");
    }
    service.nothing();
}

#[tokio::test]
async fn nobody_with_a_page_open_is_notified() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    Browser::new(&service, "ann").subscribe(host, &ann, &["turn", "challenge"]).await.made();
    let page = control(host, &ann).await;
    let path = begun(host, &ann, &ben, DAY).await;
    play(host, &ben, &path).await;
    here.settled("turn").await;
    ben.post(host, "/v1/players/ann/challenges", json!({ "game": SHORT })).await.made();
    here.settled("challenge").await;
    service.nothing();
    drop(page);
}

#[tokio::test]
async fn fast_match_notifies_only_players_who_have_left() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    browser.subscribe(host, &ann, &["turn", "reminder"]).await.made();
    let order =
        json!({ "game": SHORT, "seats": [me(), open()], "clock": { "initial_ms": 600_000 }, "seed": 7 });
    let (path, _) = create(host, &ben, order).await;
    join(host, &ann, &path).await;
    let stream = EventStream::ndjson(host, &ann, &format!("{path}/events")).await;
    play(host, &ben, &path).await;
    play(host, &ann, &path).await;
    drop(stream);
    until(|| async {
        let page = ben.page(host, &path).await;
        let ann = page["seats"].as_array().unwrap().iter().find(|seat| seat["name"] == "ann")?;
        (ann["connected"] == false).then_some(())
    })
    .await;
    play(host, &ben, &path).await;
    // The first one is of the second turn; in a match without days there is no reminder.
    let shown = browser.read(&service.next().await, &key(host, &ann).await);
    assert_eq!(shown["url"], page_of(&path));
    let db = rusqlite::Connection::open(&here.database).unwrap();
    let kinds: Vec<String> = db
        .prepare("SELECT kind FROM push_notifications")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(kinds, ["turn"]);
}

#[tokio::test]
async fn reminder_comes_before_the_time_is_up() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    browser.subscribe(host, &ann, &["reminder"]).await.made();
    let path = begun(host, &ann, &ben, DAY).await;
    play(host, &ben, &path).await;
    let before_ms = until(|| async {
        let db = rusqlite::Connection::open(&here.database).unwrap();
        let sql = "SELECT until_ms - due_ms FROM push_notifications WHERE kind = 'reminder'";
        db.query_row(sql, [], |row| row.get::<_, i64>(0)).ok()
    })
    .await;
    // A quarter of what was left when the turn was noted: the machine may be slow.
    assert!((1..=DAY.cast_signed() / 4).contains(&before_ms), "{before_ms}");
    // The test does not wait for three quarters of a day.
    let db = rusqlite::Connection::open(&here.database).unwrap();
    assert_eq!(db.execute("UPDATE push_notifications SET due_ms = 0", []).unwrap(), 1);
    let shown = browser.read(&service.next().await, &key(host, &ann).await);
    assert_eq!(shown["url"], page_of(&path));
    assert_eq!(shown["body"], "You have 23 hours left for your move.");
}

#[tokio::test]
async fn player_on_vacation_is_reminded_afterwards() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    browser.subscribe(host, &ann, &["turn", "reminder"]).await.made();
    let latest = ann.get(host, "/v1/me/vacation").await.json()["latest_ms"].as_u64().unwrap();
    let vacation = json!({ "until_ms": latest - DAY }).to_string();
    ann.send(host, "PUT", "/v1/me/vacation", &[], Some(vacation)).await.json();
    let path = begun(host, &ann, &ben, DAY).await;
    play(host, &ben, &path).await;
    // None while the server writes.
    let noted = || -> (i64, Option<i64>) {
        let db = rusqlite::Connection::open(&here.database).unwrap();
        let sql = "SELECT count(*), min(due_ms) FROM push_notifications WHERE due_ms IS NOT NULL";
        let found = db.query_row(sql, [], |row| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?)));
        found.unwrap_or((0, None))
    };
    until(|| async { (noted().0 == 2).then_some(()) }).await;
    // The test does not wait until they are due. Both are looked at again within an hour, and none is sent.
    let make_due = async || {
        until(|| async {
            let db = rusqlite::Connection::open(&here.database).unwrap();
            (db.execute("UPDATE push_notifications SET due_ms = 0", []).ok()? == 2).then_some(())
        })
        .await;
    };
    make_due().await;
    let claim_ms = 60_000;
    until(|| async {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
        let (count, due_ms) = noted();
        (count == 2 && due_ms? > now as i64 + claim_ms).then_some(())
    })
    .await;
    service.nothing();
    let ended = ann.send(host, "DELETE", "/v1/me/vacation", &[], None).await;
    assert_eq!(ended.status, 204);
    make_due().await;
    let key = key(host, &ann).await;
    for _ in 0..2 {
        assert_eq!(browser.read(&service.next().await, &key)["url"], page_of(&path));
    }
}

#[tokio::test]
async fn challenge_is_notified_while_it_is_open() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    browser.subscribe(host, &ann, &["challenge"]).await.made();
    ben.post(host, "/v1/players/ann/challenges", json!({ "game": SHORT })).await.made();
    let shown = browser.read(&service.next().await, &key(host, &ann).await);
    assert_eq!((&shown["title"], &shown["url"]), (&json!("ben challenges you"), &json!("/lobby")));
}

#[tokio::test]
async fn entrants_are_notified_before_a_tournament_starts() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    browser.subscribe(host, &ann, &["tournament"]).await.made();
    Browser::new(&service, "ben").subscribe(host, &ben, &["tournament"]).await.made();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
    let mut request = crate::tournaments::request(SHORT, crate::tournaments::round_robin());
    request["starts_ms"] = json!(now + 500_000);
    let path = crate::tournaments::create(host, &ben, request).await;
    crate::tournaments::enter(host, &ann, &path, "ann").await;
    let shown = browser.read(&service.next().await, &key(host, &ann).await);
    assert_eq!((&shown["title"], &shown["url"]), (&json!("Test cup starts soon"), &json!(page_of(&path))));
    here.settled("tournament").await;
    service.nothing();
}

#[tokio::test]
async fn failing_push_service_is_tried_again_and_one_that_forgot_is_left() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    browser.subscribe(host, &ann, &["turn"]).await.made();
    let path = begun(host, &ann, &ben, DAY).await;
    service.answer(&[500, 429]);
    play(host, &ben, &path).await;
    let key = key(host, &ann).await;
    for _ in 0..3 {
        assert_eq!(browser.read(&service.next().await, &key)["url"], page_of(&path));
    }
    here.settled("turn").await;
    assert!(ann.get(host, PATH).await.json()["subscriptions"][0]["delivered_ms"].is_number());
    service.answer(&[410]);
    play(host, &ann, &path).await;
    play(host, &ben, &path).await;
    service.next().await;
    until(|| async {
        let list = ann.get(host, PATH).await.json();
        (list["subscriptions"] == json!([])).then_some(())
    })
    .await;
    service.nothing();
}

/// A browser lets the script open only pages below its own path.
#[tokio::test]
async fn script_that_shows_notifications_is_at_the_root_and_may_only_ask_this_server() {
    let host = TestServer::start(&[]).await;
    let script = host.get("/service-worker.js").await;
    assert_eq!(script.status, 200);
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(script.header("content-security-policy"), "default-src 'none'; connect-src 'self'");
    assert_eq!(script.header("cache-control"), "no-cache");
    let text = script.text();
    assert!(text.contains("'notificationclick'") && !text.contains("'fetch'") && !text.contains("caches"));
    // It is no module: some browsers know none for service workers.
    assert!(text.lines().all(|line| !line.starts_with("import ") && !line.starts_with("export ")), "{text}");
}

/// Both nodes see the turn and the challenge; one of them sends each.
#[tokio::test]
async fn two_nodes_send_each_notification_once_on_postgres() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let (a, b) = (server(Path::new(&url)).await, server(Path::new(&url)).await);
    let (ann, ben) = (player(&a, "ann").await, player(&a, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    // This node knows at once that ann wants to be notified.
    browser.subscribe(&b, &ann, &["turn", "challenge"]).await.made();
    let key = key(&a, &ann).await;
    assert_eq!(key, self::key(&b, &ann).await, "the nodes have one key");
    let path = begun(&b, &ann, &ben, DAY).await;
    for round in 0..3 {
        play(&b, &ben, &path).await;
        let shown = browser.read(&service.next().await, &key);
        assert_eq!(shown["url"], page_of(&path), "round {round}");
        play(&a, &ann, &path).await;
    }
    // On either node an open page is enough.
    let page = control(&b, &ann).await;
    until(|| async { a.get("/v1/lobby").await.text().contains("\"ann\"").then_some(()) }).await;
    ben.post(&a, "/v1/players/ann/challenges", json!({ "game": SHORT })).await.made();
    let settled = async |kind: &str| {
        let (url, kind) = (url.clone(), kind.to_owned());
        until(move || {
            let (url, kind) = (url.clone(), kind.clone());
            async move {
                let mut db = <sqlx::PgConnection as sqlx::Connection>::connect(&url).await.unwrap();
                let sql = "SELECT count(*) FROM push_notifications WHERE kind = $1 AND due_ms IS NULL";
                let count: i64 = sqlx::query_scalar(sql).bind(kind).fetch_one(&mut db).await.unwrap();
                (count > 0).then_some(())
            }
        })
        .await;
    };
    settled("challenge").await;
    service.nothing();
    drop(page);
}
