//! Old matches, copies of the database, and damage to it.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;

use super::{AdminServer, player};
use crate::client::{HANG, TestServer};
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open, order, play_until, two_guests};

/// Uses the database of a running server, on a thread of its own: the server's writer may be in the middle of a
/// transaction and must be able to end it.
async fn beside<T: Send + 'static>(
    database: &Path,
    act: impl FnOnce(&Connection) -> T + Send + 'static,
) -> T {
    let database = database.to_owned();
    let use_it = move || {
        let db = Connection::open(database).unwrap();
        db.busy_timeout(HANG).unwrap();
        act(&db)
    };
    tokio::task::spawn_blocking(use_it).await.unwrap()
}

/// Makes all matches that are over older by this number of days.
async fn age(database: &Path, days: i64) {
    let sql = "UPDATE matches SET ended_ms = ended_ms - ?1 WHERE ended_ms IS NOT NULL";
    beside(database, move |db| db.execute(sql, [days * 24 * 3_600_000]).unwrap()).await;
}

async fn count(database: &Path, table: &'static str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    beside(database, move |db| db.query_row(&sql, [], |row| row.get(0)).unwrap()).await
}

async fn finished(host: &TestServer, players: &[TestCaller; 2]) -> String {
    let (path, _) = create(host, &players[0], order(SHORT, &[me(), open()])).await;
    join(host, &players[1], &path).await;
    play_until(host, &path, players, u64::MAX).await;
    path
}

#[tokio::test]
async fn retention_deletes_whole_old_matches() {
    let place = AdminServer::start(&[]).await;
    let (host, database) = (&place.host, place.folder.path().join("kibitz.db"));
    let players = [player(host, "ann").await, player(host, "ben").await];
    let mut old = Vec::new();
    for _ in 0..3 {
        old.push(finished(host, &players).await);
    }
    let other = place.another().await;
    TestCaller::anonymous().page(&other, &old[0]).await;
    age(&database, 40).await;
    let young = finished(host, &players).await;
    let (running, guests) = two_guests(host, LONG).await;
    let said = AdminServer::said(&place.admin(&["retention", "--older-than", "60d"]).await);
    assert_eq!(said, "0 matches deleted\n");
    let said = AdminServer::said(&place.admin(&["retention", "--older-than", "30d"]).await);
    assert_eq!(said, "3 matches deleted\n");
    for path in &old {
        for host in [host, &other] {
            TestCaller::anonymous().get(host, path).await.problem(404, "no_such_match");
        }
    }
    TestCaller::anonymous().page(host, &young).await;
    assert_eq!((count(&database, "matches").await, count(&database, "match_players").await), (2, 2));
    let orphans = "events WHERE match_nr NOT IN (SELECT nr FROM matches)";
    assert_eq!(count(&database, orphans).await, 0);
    let list = players[0].get(host, "/v1/me/matches").await.json();
    assert_eq!(list["matches"].as_array().unwrap().len(), 1);
    assert_eq!(players[0].get(host, "/v1/me").await.json()["results"][0]["played"], 4, "results stay");
    // Both servers go on.
    play_until(host, &running, &guests, 2).await;
    play_until(&other, &running, &guests, 4).await;
    let again = finished(&other, &players).await;
    assert_eq!(TestCaller::anonymous().page(host, &again).await["stage"], "over");
    assert_eq!(AdminServer::said(&place.admin(&["check"]).await), "sound\n");
}

#[tokio::test]
async fn server_with_retention_deletes_by_itself() {
    let place = AdminServer::start(&[]).await;
    let database = place.folder.path().join("kibitz.db");
    let players = [player(&place.host, "ann").await, player(&place.host, "ben").await];
    let old = finished(&place.host, &players).await;
    age(&database, 8).await;
    finished(&place.host, &players).await;
    let tidy = TestServer::on(&database, &["--retention-days=7"]).await;
    let began = Instant::now();
    while TestCaller::anonymous().get(&tidy, &old).await.status != 404 {
        assert!(began.elapsed() < HANG, "the old match stays");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(count(&database, "matches").await, 1);
}

#[tokio::test]
async fn events_cannot_be_deleted_alone() {
    let place = AdminServer::start(&[]).await;
    let players = [player(&place.host, "ann").await, player(&place.host, "ben").await];
    finished(&place.host, &players).await;
    two_guests(&place.host, LONG).await;
    let db = Connection::open(place.folder.path().join("kibitz.db")).unwrap();
    for sql in [
        "DELETE FROM events WHERE seq = 3",
        "DELETE FROM events",
        "UPDATE events SET body = '{}'",
        "DELETE FROM matches WHERE stage = 'running'",
    ] {
        assert!(db.execute(sql, []).is_err(), "{sql}");
    }
}

#[tokio::test]
async fn backup_is_a_database_to_start_from() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let ann = player(host, "ann").await;
    let (path, _) = create(host, &ann, order(SHORT, &[me(), open()])).await;
    let copy = place.folder.path().join("copy.db");
    let copy_name = copy.to_str().unwrap();
    AdminServer::said(&place.admin(&["backup", copy_name]).await);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&copy).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600, "for its owner alone");
    let there = AdminServer::complained(&place.admin(&["backup", copy_name]).await);
    assert!(there.contains("exists already"), "{there}");
    AdminServer::said(&place.admin(&["check", "--database", copy_name]).await);
    let restored = TestServer::on(&copy, &[]).await;
    assert_eq!(ann.page(&restored, &path).await["you"], 0);
    let nothing =
        AdminServer::complained(&place.admin(&["backup", "/x", "--database", "/nowhere/kibitz.db"]).await);
    assert!(nothing.contains("/nowhere/kibitz.db: the file does not exist"), "{nothing}");
}

/// Fills a database with matches and overwrites a page in the middle of its events; returns the match of that page.
async fn damaged(database: &Path) -> String {
    let host = TestServer::on(database, &[]).await;
    let mut torn = String::new();
    for n in 0..12 {
        let (path, _) = create(&host, &TestCaller::anonymous(), order(LONG, &[me(), open()])).await;
        if n == 6 {
            torn = path;
        }
    }
    host.server.stop().await;
    let db = Connection::open(database).unwrap();
    let id = torn.rsplit('/').next().unwrap();
    let (mark, size): (String, u32) = db
        .query_row(
            "SELECT substr(body, -120), (SELECT page_size FROM pragma_page_size) FROM events
             WHERE match_nr = (SELECT nr FROM matches WHERE id = ?1) AND seq = 0",
            [id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    drop(db);
    let size = size as usize;
    let mut file = std::fs::read(database).unwrap();
    let places: Vec<usize> =
        (0..file.len() - mark.len()).filter(|at| file[*at..].starts_with(mark.as_bytes())).collect();
    let leaf = |page: usize| file[page * size] == 13;
    let page = places
        .iter()
        .map(|at| at / size)
        .find(|page| leaf(*page))
        .expect("its end lies in a leaf of the table");
    file[page * size..(page + 1) * size].fill(0xA5);
    std::fs::write(database, file).unwrap();
    torn
}

#[tokio::test]
async fn server_with_a_torn_page_is_not_ready_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("kibitz.db");
    damaged(&database).await;
    let host = TestServer::on(&database, &[]).await;
    host.get("/readyz").await.names(503, "store_unavailable", "corrupt");
    assert_eq!(host.get("/healthz").await.status, 200);
    assert_eq!(host.get("/v1/matches").await.status, 200, "what is not torn is served");
    let check = Command::new(env!("CARGO_BIN_EXE_kibitz"))
        .args(["admin", "check", "--database"])
        .arg(&database)
        .output()
        .unwrap();
    assert_eq!(check.status.code(), Some(1), "{check:?}");
    assert!(!check.stderr.is_empty());
}

#[tokio::test]
async fn server_that_reads_a_torn_page_stops_being_ready() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("kibitz.db");
    let torn = damaged(&database).await;
    let host = TestServer::on(&database, &["--check-minutes=0"]).await;
    assert_eq!(TestCaller::anonymous().get(&host, &torn).await.status, 503);
    host.get("/readyz").await.names(503, "store_unavailable", "corrupt");
    // A write that works changes nothing about it.
    player(&host, "ann").await;
    host.get("/readyz").await.names(503, "store_unavailable", "corrupt");
    let made = TestCaller::anonymous()
        .post(&host, "/v1/matches", json!({ "game": SHORT, "seats": [me(), open()] }))
        .await;
    assert_eq!(made.status, 201);
}
