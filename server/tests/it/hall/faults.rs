//! Callers who go in the middle, a database that fails at a bad moment, and crowds: no match is stuck or lost.

use futures_util::FutureExt;
use futures_util::future::join_all;
use serde_json::json;

use super::{Spectator, engine, nobody, order};
use crate::client::Host;

const GAME: &str = "ioiwari";

/// A connection that breaks drops its request wherever it waits; here, where the match is on its way to the disk.
#[tokio::test]
async fn a_match_whose_maker_has_gone_is_played_all_the_same() {
    let host = Host::start(&[]).await;
    let wanted = order(GAME, vec![engine(None), engine(None)]);
    let asked_and_gone = host.server.hall().create(wanted, nobody(), None).now_or_never();
    assert!(asked_and_gone.is_none());
    host.until("kibitz_matches_ended_total{game=\"ioiwari\",how=\"played\"} 1").await;
}

/// A finished match is loaded when it is asked for, and let go of at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_crowd_at_a_finished_match_is_answered() {
    let host = Host::start(&[]).await;
    let hall = host.server.hall();
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
