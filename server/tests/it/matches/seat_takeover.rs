//! A seat's dialogue is held by the newest connection, on whatever node it is.

use std::path::Path;
use std::time::Duration;

use kibitz_test_support::PrivatePostgres;

use super::{LONG, TestCaller, create, join, open, order, quick};
use crate::client::{DialogueClient, TestServer};

/// The close code of a dialogue that a newer one has taken over.
const TAKEN_OVER: u16 = 4410;

/// A match that waits for players, and a caller who holds its first seat.
async fn seated(host: &TestServer) -> (String, TestCaller) {
    let order = order(LONG, &[open(), quick(), open()]);
    let (path, _) = create(host, &TestCaller::anonymous(), order).await;
    let joined = join(host, &TestCaller::anonymous(), &path).await;
    (format!("{path}/seats/0/stdio"), TestCaller::seated(&joined))
}

/// A dialogue that has begun.
async fn begun(host: &TestServer, bot: &TestCaller, path: &str) -> DialogueClient {
    let mut dialogue = bot.dial(host, path).await;
    dialogue.say("# a new bot").await;
    assert!(dialogue.hear().await.starts_with("# process"));
    dialogue
}

/// Begins dialogues on these servers in turn: each ends the one before it, and the last one stays.
async fn assert_newest_wins(servers: &[&TestServer]) {
    let (path, bot) = seated(servers[0]).await;
    let mut newest = begun(servers[0], &bot, &path).await;
    for host in &servers[1..] {
        let mut older = std::mem::replace(&mut newest, begun(host, &bot, &path).await);
        let (code, reason) = older.closed().await;
        assert_eq!(code, TAKEN_OVER, "{reason}");
    }
    let silence = tokio::time::timeout(Duration::from_millis(300), newest.next()).await;
    assert!(silence.is_err(), "the newest dialogue got {silence:?}");
}

#[tokio::test]
async fn newest_dialogue_of_a_server_wins() {
    let host = TestServer::start(&[]).await;
    assert_newest_wins(&[&host, &host, &host]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn newest_dialogue_of_all_nodes_wins_on_postgres() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let [a, b, c] = [0; 3].map(|_| TestServer::on(Path::new(&url), &[]));
    let [a, b, c] = [a.await, b.await, c.await];
    assert_newest_wins(&[&a, &b, &c, &c, &a, &b, &a]).await;
}

/// A node does not hear of a newer dialogue while its connection for notifications is lost. It learns of it afterwards.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn older_dialogue_ends_when_its_node_hears_again_on_postgres() {
    let postgres = tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap();
    let url = postgres.address().create();
    let (a, b) = (TestServer::on(Path::new(&url), &[]).await, TestServer::on(Path::new(&url), &[]).await);
    let address = postgres.address().clone();
    let deafen = move || {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
        assert!(address.sql("postgres", sql));
    };
    let (path, bot) = seated(&a).await;
    let mut newest = begun(&a, &bot, &path).await;
    for host in [&b, &a, &b] {
        tokio::task::spawn_blocking(deafen.clone()).await.unwrap();
        let mut older = std::mem::replace(&mut newest, begun(host, &bot, &path).await);
        assert_eq!(older.closed().await.0, TAKEN_OVER);
    }
}
