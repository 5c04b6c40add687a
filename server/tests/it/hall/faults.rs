//! Callers who go in the middle, a database that fails at a bad moment, and crowds: no match is stuck or lost.

use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::join_all;
use kibitz::matches::service::NewMatch;
use serde_json::json;
use tempfile::TempDir;
use tokio::time::sleep;

use super::{Spectator, engine, nobody, order, page, per_move, two_guests};
use crate::client::Host;

const GAME: &str = "ioiwari";

/// A connection that breaks drops its request wherever it waits; here, where the match is on its way to the disk.
#[tokio::test]
async fn a_match_whose_maker_has_gone_is_played_all_the_same() {
    let host = Host::start(&[]).await;
    let wanted = order(GAME, vec![engine(None), engine(None)]);
    let asked_and_gone = host.server.matches().create(wanted, nobody(), None).now_or_never();
    assert!(asked_and_gone.is_none());
    host.until("kibitz_matches_ended_total{game=\"ioiwari\",how=\"played\"} 1").await;
}

#[tokio::test]
async fn time_without_a_server_is_forgiven_although_the_database_was_locked_at_first() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let began = Instant::now();
    let host = Host::on(&database, &[]).await;
    // So long that nobody wakes it after the restart.
    let (id, _, second) = {
        let timed = NewMatch { clock: per_move(3_600_000), ..order(GAME, Vec::new()) };
        two_guests(host.server.matches(), timed).await
    };
    host.server.stop().await;
    let first_life = began.elapsed();
    sleep(Duration::from_secs(3)).await;

    let began = Instant::now();
    let host = Host::on(&database, &["--reconnect-grace-ms=0"]).await;
    let hall = host.server.matches();
    let other = rusqlite::Connection::open(&database).unwrap();
    other.busy_timeout(Duration::ZERO).unwrap();
    while other.execute_batch("BEGIN IMMEDIATE").is_err() {
        sleep(Duration::from_millis(1)).await;
    }
    let alive = first_life + began.elapsed();
    assert_eq!(page(hall, &id, &second).await["seq"], 1);
    let mut spectator = Spectator::after(hall, &id, nobody(), 1).await;
    other.execute_batch("ROLLBACK").unwrap();
    let resumed = spectator.until("resumed").await;
    let since = &page(hall, &id, nobody()).await["clock"]["since_ms"];
    let charged = resumed["at_ms"].as_u64().unwrap() - since.as_u64().unwrap();
    let charged = Duration::from_millis(charged);
    assert!(charged < alive + Duration::from_millis(1_500), "{charged:?} of {alive:?} with a server");
}

/// A finished match is loaded when it is asked for, and let go of at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_crowd_at_a_finished_match_is_answered() {
    let host = Host::start(&[]).await;
    let hall = host.server.matches();
    let wanted = order(GAME, vec![engine(None), engine(None)]);
    let id = hall.create(wanted, nobody(), None).await.unwrap().id;
    Spectator::of(hall, &id, nobody()).await.until_the_end().await;
    let ask = || {
        let id = id.clone();
        tokio::spawn(async move {
            for _ in 0..4 {
                hall.page(&id, nobody()).await.map_err(|e| e.to_string())?;
            }
            Ok::<_, String>(())
        })
    };
    let answers = join_all((0..500).map(|_| ask())).await;
    let failed: Vec<String> = answers.into_iter().filter_map(|answer| answer.unwrap().err()).collect();
    assert_eq!(json!(failed), json!([]));
}
