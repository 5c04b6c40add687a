//! Callers that disconnect early, a database that fails at a bad moment, and crowds: no match is stuck or lost.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use kibitz::matches::request::NewMatch;
use serde_json::json;
use tempfile::TempDir;
use tokio::time::sleep;

use super::{Spectator, anonymous, engine, free, order, page, per_move, two_guests};
use crate::client::TestServer;

const GAME: &str = "ioiwari";

/// A day, in milliseconds.
const DAY: u64 = 86_400_000;

/// A broken connection drops its request wherever it waits; here, while the match is written to disk.
#[tokio::test]
async fn match_is_played_after_its_creator_disconnects() {
    let host = TestServer::start(&[]).await;
    let wanted = order(GAME, vec![engine(None), engine(None)]);
    let asked_and_gone = host.server.matches().create(wanted, anonymous(), None, free()).now_or_never();
    assert!(asked_and_gone.is_none());
    host.until("kibitz_matches_ended_total{game=\"ioiwari\",how=\"played\"} 1").await;
}

/// The second server's system clock is a day ahead, so it finds a downtime of a day.
#[tokio::test]
async fn downtime_is_not_charged_when_the_database_is_locked_at_start() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    // Two days a move: the match is not loaded by its clock after the restart.
    let (id, _, second) = {
        let timed = NewMatch { clock: per_move(2 * DAY), ..order(GAME, Vec::new()) };
        two_guests(host.server.matches(), timed).await
    };
    host.server.stop().await;

    let ahead = format!("--clock-offset-ms={DAY}");
    let host = TestServer::on(&database, &[&ahead, "--reconnect-grace-ms=0"]).await;
    let matches = host.server.matches();
    let other = rusqlite::Connection::open(&database).unwrap();
    other.busy_timeout(Duration::ZERO).unwrap();
    while other.execute_batch("BEGIN IMMEDIATE").is_err() {
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(page(matches, &id, &second).await["seq"], 1);
    let mut spectator = Spectator::after(matches, &id, anonymous(), 1).await;
    other.execute_batch("ROLLBACK").unwrap();
    let resumed = spectator.until("resumed").await;
    let since = &page(matches, &id, anonymous()).await["clock"]["since_ms"];
    let charged = resumed["at_ms"].as_u64().unwrap() - since.as_u64().unwrap();
    assert!(charged < DAY / 2, "{charged} ms were charged, of a day without a server");
}

/// A finished match is loaded on request and unloaded at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn many_readers_of_a_finished_match_are_answered() {
    let host = TestServer::start(&[]).await;
    let matches = host.server.matches();
    let wanted = order(GAME, vec![engine(None), engine(None)]);
    let id = matches.create(wanted, anonymous(), None, free()).await.unwrap().id;
    Spectator::of(matches, &id, anonymous()).await.until_the_end().await;
    let ask = || {
        let id = id.clone();
        tokio::spawn(async move {
            for _ in 0..4 {
                matches.page(&id, anonymous()).await.map_err(|e| e.to_string())?;
            }
            Ok::<_, String>(())
        })
    };
    let answers = join_all((0..500).map(|_| ask())).await;
    let failed: Vec<String> = answers.into_iter().filter_map(|answer| answer.unwrap().err()).collect();
    assert_eq!(json!(failed), json!([]));
}
