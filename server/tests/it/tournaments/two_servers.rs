//! Two servers on one database: one of them runs a tournament, and either can be asked.

use tempfile::TempDir;

use super::{create, enter_engines, request, round_robin, until_ended};
use crate::client::TestServer;
use crate::club::player;
use crate::matches::SHORT;

#[tokio::test]
async fn tournament_goes_on_when_the_server_that_runs_it_stops() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let first = TestServer::on(&database, &[]).await;
    let second = TestServer::on(&database, &[]).await;
    let ann = player(&first, "ann").await;
    let mut wanted = request(SHORT, round_robin());
    wanted["deals"] = 8.into();
    wanted["max_running"] = 1.into();
    let path = create(&second, &ann, wanted).await;
    enter_engines(&first, &ann, &path).await;
    ann.tell(&second, &format!("{path}/start")).await.json();
    super::until(&first, &path, |page| page["games"][0]["stage"] == "finished").await;
    first.server.stop().await;
    let page = until_ended(&second, &path).await;
    let games = page["games"].as_array().unwrap();
    assert_eq!(games.len(), 16);
    assert!(games.iter().all(|game| game["stage"] == "finished"), "{page}");
    let list = second.get(&format!("/v1/matches?game={SHORT}&limit=100")).await.json();
    assert_eq!(list["matches"].as_array().unwrap().len(), 16, "no game was played twice");
}
