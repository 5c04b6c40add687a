//! Whole rated matches, their ratings, and later changes to them.

use std::path::Path;

use serde_json::{Value, json};

use super::{assert_same, begin, fold_records, one_move_each, play_out, player, random_engine, rated, shown};
use crate::admin::AdminServer;
use crate::client::TestServer;
use crate::matches::{SHORT, TestCaller, create, join, me, open};
use crate::server_process::until;

async fn record(host: &TestServer, path: &str) -> Value {
    host.get(&format!("{path}/record")).await.json()
}

/// Checks by `kibitz admin` that the stored ratings are the fold of this many results.
async fn assert_checked(place: &AdminServer, results: usize) {
    let said = AdminServer::said(&place.admin(&["ratings", "--check"]).await);
    assert!(said.starts_with(&format!("{results} results, ")) && said.ends_with("as recomputed\n"), "{said}");
}

#[tokio::test]
async fn ratings_equal_those_recomputed_from_the_records() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (ann, ben, cyd) = (player(host, "ann").await, player(host, "Ben").await, player(host, "cyd").await);
    assert_eq!(shown(host, "ann", SHORT).await, None);
    let (mut paths, mut records) = (Vec::new(), Vec::new());
    for (n, players) in (0..).zip([[&ann, &ben], [&ben, &cyd], [&cyd, &ann], [&ann, &ben]]) {
        let path = begin(host, players).await;
        let page = play_out(&[host], &path, &players, n).await;
        assert_eq!((&page["rated"], &page["ended"]), (&json!(true), &json!("played")));
        records.push(record(host, &path).await);
        paths.push(path);
    }
    // An engine is a player, too.
    let (path, _) = create(host, &ann, rated(SHORT, &[random_engine(), me()])).await;
    play_out(&[host], &path, &[&ann], 9).await;
    records.push(record(host, &path).await);
    let expected = fold_records(&records);
    assert_eq!(expected.len(), 4);
    for (name, rating) in &expected {
        assert_same(shown(host, name, SHORT).await, *rating);
    }
    assert_checked(&place, 5).await;
    let engine = expected.keys().find(|name| name.contains(':')).unwrap();
    let page = host.get(&format!("/v1/players/{engine}")).await.json();
    assert_eq!(
        (&page["kind"], &page["engine"]["name"], &page["results"][0]["played"]),
        (&json!("engine"), &json!("random"), &json!(1))
    );
    let listed = host.get(&format!("/v1/players/{engine}/matches")).await.json();
    assert_eq!(listed["matches"][0]["rated"], true);
    // The history names the matches in order; results against each opponent.
    let history = host.get(&format!("/v1/players/ann/ratings/{SHORT}")).await.json();
    assert_eq!(history["played"], 4);
    let matches: Vec<&str> =
        history["history"].as_array().unwrap().iter().map(|point| point["match"].as_str().unwrap()).collect();
    let anns = [&paths[0], &paths[2], &paths[3], &path];
    assert!(matches.iter().zip(anns).all(|(id, path)| path.ends_with(id)), "{matches:?}");
    let opponents = host.get(&format!("/v1/players/ann/opponents/{SHORT}")).await.json();
    assert_eq!(opponents["opponents"][0]["name"], "Ben");
    assert_eq!(opponents["opponents"][0]["played"], 2);
    assert_eq!(opponents["opponents"].as_array().unwrap().len(), 3);
    // One result is annulled: the others count as if it had never been.
    let id = paths[1].rsplit('/').next().unwrap();
    assert_eq!(AdminServer::said(&place.admin(&["matches", "annul", id]).await), format!("{id} annulled\n"));
    let refused = AdminServer::complained(&place.admin(&["matches", "annul", id]).await);
    assert!(refused.starts_with("not_counted: "), "{refused}");
    records.remove(1);
    for (name, rating) in fold_records(&records) {
        assert_same(shown(host, &name, SHORT).await, rating);
    }
    assert_checked(&place, 4).await;
}

#[tokio::test]
async fn abort_of_a_rated_match_that_was_dealt_is_a_loss() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    // Before the deal it costs nothing.
    let (path, _) = create(&host, &ann, rated(SHORT, &[me(), open()])).await;
    ann.tell(&host, &format!("{path}/abort")).await.json();
    assert_eq!(ann.page(&host, &path).await["ended"], "aborted");
    assert_eq!(shown(&host, "ann", SHORT).await, None);
    let path = begin(&host, [&ann, &ben]).await;
    let aborted = ben.tell(&host, &format!("{path}/abort")).await.json();
    assert_eq!(aborted["type"], "went_out");
    assert_eq!(ben.tell(&host, &format!("{path}/abort")).await.json(), aborted, "the same request again");
    let page = ann.page(&host, &path).await;
    assert_eq!((&page["ended"], &page["result"]["ranks"]), (&json!("walkover"), &json!([1, 2])));
    assert_eq!(shown(&host, "ann", SHORT).await, None, "the loser never moved");
    // A match without ratings ends as it always did.
    let order = json!({ "game": SHORT, "seats": [me(), open()] });
    let (path, _) = create(&host, &ann, order).await;
    join(&host, &ben, &path).await;
    ben.tell(&host, &format!("{path}/abort")).await.json();
    assert_eq!(ann.page(&host, &path).await["ended"], "aborted");
}

#[tokio::test]
async fn win_against_a_player_who_never_moved_changes_no_rating() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    for act in ["resign", "abort"] {
        let path = begin(host, [&ann, &ben]).await;
        if act == "resign" {
            one_move_each(host, &path, &[&ann]).await;
        }
        ben.tell(host, &format!("{path}/{act}")).await.json();
        assert_eq!(ann.page(host, &path).await["result"]["ranks"], json!([1, 2]));
    }
    // Time runs out before the first move.
    let mut timed = rated(SHORT, &[me(), open()]);
    timed["clock"] = json!({ "move_ms": 100 });
    let (path, _) = create(host, &ann, timed).await;
    join(host, &ben, &path).await;
    let page = until(|| async {
        let page = ann.page(host, &path).await;
        (page["stage"] == "over").then_some(page)
    })
    .await;
    assert_eq!(page["result"]["ranks"], json!([2, 1]), "{page}");
    for name in ["ann", "ben"] {
        assert_eq!(shown(host, name, SHORT).await, None);
    }
    assert_checked(&place, 0).await;
    // With a move of the loser it counts, whether or not the winner has moved.
    let path = begin(host, [&ann, &ben]).await;
    one_move_each(host, &path, &[&ann]).await;
    ann.tell(host, &format!("{path}/resign")).await.json();
    assert!(shown(host, "ben", SHORT).await.unwrap().0.points() > 1500.0);
}

#[tokio::test]
async fn rematch_of_a_rated_match_is_rated() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let path = begin(&host, [&ann, &ben]).await;
    one_move_each(&host, &path, &[&ann]).await;
    ann.tell(&host, &format!("{path}/resign")).await.json();
    let link = ann.tell(&host, &format!("{path}/rematch")).await.json();
    let rematch = link["url"].as_str().unwrap();
    ben.tell(&host, &format!("{path}/rematch")).await.json();
    let page = play_out(&[&host], rematch, &[&ann, &ben], 1).await;
    assert_eq!(page["rated"], true);
    assert_eq!(shown(&host, "ann", SHORT).await.unwrap().1, 2);
}

#[tokio::test]
async fn match_without_a_result_changes_no_rating() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let path = begin(host, [&ann, &ben]).await;
    let id = path.rsplit('/').next().unwrap();
    AdminServer::said(&place.admin(&["matches", "end", id]).await);
    assert_eq!(shown(host, "ann", SHORT).await, None);
    let unrated = AdminServer::complained(&place.admin(&["matches", "annul", id]).await);
    assert!(unrated.starts_with("not_counted: "), "{unrated}");
    assert_checked(&place, 0).await;
}

#[tokio::test]
async fn account_that_is_deleted_during_a_rated_match_loses_it() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let path = begin(host, [&ann, &ben]).await;
    one_move_each(host, &path, &[&ann, &ben]).await;
    assert_eq!(ben.send(host, "DELETE", "/v1/me", &[], None).await.status, 204);
    assert_eq!(ann.page(host, &path).await["result"]["ranks"], json!([1, 2]));
    assert!(shown(host, "ann", SHORT).await.unwrap().0.points() > 1500.0);
    let board = host.get(&format!("/v1/games/{SHORT}/leaderboard")).await.json();
    let names: Vec<&Value> =
        board["players"].as_array().unwrap().iter().map(|entry| &entry["name"]).collect();
    assert_eq!(names, ["ann"]);
    let opponents = host.get(&format!("/v1/players/ann/opponents/{SHORT}")).await.json();
    assert_eq!(
        (&opponents["opponents"][0]["name"], &opponents["opponents"][0]["won"]),
        (&Value::Null, &json!(1))
    );
    assert_checked(&place, 1).await;
}

/// Two servers on one PostgreSQL database end rated matches of the same players at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_end_rated_matches_at_the_same_time() {
    const MATCHES: u64 = 12;
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let place = AdminServer::start_on(Path::new(&url), &[]).await;
    let other = TestServer::on(Path::new(&url), &[]).await;
    let names = ["ann", "ben", "cyd"];
    let mut players = Vec::new();
    for name in names {
        players.push(player(&place.host, name).await);
    }
    let play = async |n: u64| {
        let hosts = if n.is_multiple_of(2) { [&place.host, &other] } else { [&other, &place.host] };
        let (a, b) = (n as usize % 3, (n as usize + 1) % 3);
        let path = begin(hosts[0], [&players[a], &players[b]]).await;
        play_out(&hosts, &path, &[&players[a], &players[b]], n).await;
        path
    };
    let paths: Vec<String> = futures_util::future::join_all((0..MATCHES).map(play)).await;
    assert_checked(&place, MATCHES as usize).await;
    // Each player's history gives the order of the player's matches; a match comes next when it is next for both.
    let mut histories = Vec::new();
    for name in names {
        let history = other.get(&format!("/v1/players/{name}/ratings/{SHORT}")).await.json();
        let ids = history["history"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| point["match"].as_str().unwrap().to_owned());
        histories.push(ids.collect::<std::collections::VecDeque<_>>());
    }
    let mut records = Vec::new();
    while records.len() < MATCHES as usize {
        let heads: Vec<String> = histories.iter().filter_map(|history| history.front().cloned()).collect();
        let twice = heads.iter().find(|id| heads.iter().filter(|other| other == id).count() == 2);
        let id = twice.expect("the histories have one order in common").clone();
        histories
            .iter_mut()
            .filter(|history| history.front() == Some(&id))
            .for_each(|history| drop(history.pop_front()));
        assert!(paths.iter().any(|path| path.ends_with(&id)));
        records.push(record(&place.host, &format!("/v1/matches/{id}")).await);
    }
    for (name, rating) in fold_records(&records) {
        for host in [&place.host, &other] {
            assert_same(shown(host, &name, SHORT).await, rating);
        }
    }
    // A result that one server annuls no longer counts on the other.
    let id = paths[3].rsplit('/').next().unwrap();
    AdminServer::said(&place.admin(&["matches", "annul", id]).await);
    records.retain(|record| record["id"] != id);
    for (name, rating) in fold_records(&records) {
        assert_same(shown(&other, &name, SHORT).await, rating);
    }
    assert_checked(&place, MATCHES as usize - 1).await;
    // A name that a retry finds taken elsewhere stays refused: accounts are shared, too.
    TestCaller::anonymous()
        .post(&other, "/v1/players", json!({ "name": "ANN" }))
        .await
        .problem(409, "name_taken");
}
