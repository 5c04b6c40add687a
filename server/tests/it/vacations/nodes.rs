//! Vacations with several nodes on one database: each node knows them, and the node that holds a match stops the clock.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{DAY, at_seat, end, play, player, take, verified, waits_for_ann};
use crate::client::TestServer;
use crate::server_process::until;

async fn assert_shared(database: &Path) {
    let (here, there) = (TestServer::on(database, &[]).await, TestServer::on(database, &[]).await);
    let (ann, ben) = (player(&here, "ann").await, player(&here, "ben").await);
    // The match is held there; the vacation is begun here.
    let path = waits_for_ann(&there, &ann, &ben).await;
    let latest = ann.get(&here, super::PATH).await.json()["latest_ms"].as_i64().unwrap();
    let until_ms = latest - DAY;
    take(&here, &ann, until_ms).await.json();
    for node in [&here, &there] {
        until(|| async {
            let page = ben.page(node, &path).await;
            (at_seat(&page) == until_ms && page["clock"]["paused_until_ms"] == until_ms).then_some(())
        })
        .await;
    }
    // A move on either node takes the time out first.
    play(&here, &ann, &path).await;
    // Servers on a file hear of each other's events a little later.
    until(|| async { (ben.page(&there, &path).await["ply"] == 2).then_some(()) }).await;
    play(&there, &ben, &path).await;
    until(|| async { (ben.page(&here, &path).await["clock"]["paused_until_ms"] == until_ms).then_some(()) })
        .await;
    end(&there, &ann).await;
    for node in [&here, &there] {
        until(|| async {
            let page = ben.page(node, &path).await;
            (at_seat(&page) == &Value::Null && page["clock"]["paused"] == false).then_some(())
        })
        .await;
    }
    ben.tell(&here, &format!("{path}/resign")).await.json();
    let events = verified(&there, &ben, &path).await;
    let vacations = events.iter().filter(|event| event["vacation"] == true).count();
    // At ann's move, and at the end of the vacation; more if the machine stood still meanwhile.
    assert!(vacations >= 2, "{}", json!(events));
}

#[tokio::test]
async fn vacations_are_shared_by_servers_on_a_file() {
    let folder = TempDir::new().unwrap();
    assert_shared(&folder.path().join("kibitz.db")).await;
}

#[tokio::test]
async fn vacations_are_shared_by_nodes_on_postgres() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    assert_shared(Path::new(&url)).await;
}
