//! The connected players of a match, on one server and on several, and the early end of matches that all guests have
//! left.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{EventStream, LONG, SHORT, TestCaller, create, join, me, open, order, quick, two_guests};
use crate::client::{HANG, TestServer};
use crate::club::player;

/// Whether each player is connected, as the page says it.
fn shown(page: &Value) -> Vec<&Value> {
    page["seats"].as_array().unwrap().iter().map(|seat| &seat["connected"]).collect()
}

async fn watch(host: &TestServer, caller: &TestCaller, path: &str) -> EventStream {
    EventStream::ndjson(host, caller, &format!("{path}/events")).await.opened()
}

#[tokio::test]
async fn watchers_see_who_is_connected_and_each_player_counts_once() {
    let host = TestServer::start(&[]).await;
    let nobody = TestCaller::anonymous();
    let (path, guests) = two_guests(&host, LONG).await;
    let mut watcher = watch(&host, &nobody, &path).await;
    assert_eq!(shown(&watcher.next().await.unwrap().json), [false, false]);
    let mut first = watch(&host, &guests[0], &path).await;
    assert_eq!(
        shown(&first.next().await.unwrap().json),
        [true, false],
        "it is part of the player's own page"
    );
    watcher.until_connected(&[0]).await;
    let again = watch(&host, &guests[0], &path).await;
    let second = guests[1].dial(&host, &format!("{path}/live")).await;
    watcher.until_connected(&[0, 1]).await;
    first.until_connected(&[0, 1]).await;
    drop(again);
    drop(second);
    watcher.until_connected(&[0]).await;
    assert_eq!(shown(&nobody.page(&host, &path).await), [true, false]);
    assert_eq!(
        watcher.connected,
        [json!([0]), json!([0, 1]), json!([0])],
        "one of two connections was closed"
    );
    drop(first);
    watcher.until_connected(&[]).await;
    // A request counts for a while, too.
    guests[1].page(&host, &path).await;
    watcher.until_connected(&[1]).await;
    guests[1].tell(&host, &format!("{path}/resign")).await.json();
    assert_eq!(shown(&nobody.page(&host, &path).await), [&Value::Null, &Value::Null], "the match is over");
}

/// A foreign bot is connected by its dialogue; engines and free seats are neither connected nor away.
#[tokio::test]
async fn bot_is_connected_by_its_dialogue() {
    let host = TestServer::start(&[]).await;
    let order = order(LONG, &[open(), quick(), open()]);
    let (path, _) = create(&host, &TestCaller::anonymous(), order).await;
    let joined = join(&host, &TestCaller::anonymous(), &path).await;
    let bot = TestCaller::seated(&joined);
    let mut watcher = watch(&host, &TestCaller::anonymous(), &path).await;
    let page = watcher.next().await.unwrap().json;
    assert_eq!(shown(&page), [&json!(false), &Value::Null, &Value::Null]);
    let number = page["seats"][0]["guest"].as_u64().expect("a guest without a name has a number");
    assert!((1..=9999).contains(&number) && page["seats"][0]["name"].is_null(), "{page}");
    let mut dialogue = bot.dial(&host, &format!("{path}/seats/0/stdio")).await;
    // An empty transcript: the bot begins.
    dialogue.say("").await;
    watcher.until_connected(&[0]).await;
    drop(dialogue);
    watcher.until_connected(&[]).await;
}

/// Two servers on a database: watchers of one see the players who connect to the other, until the other server is gone.
async fn assert_shared(database: &Path) {
    let here = TestServer::on(database, &[]).await;
    let there = TestServer::on(database, &[]).await;
    let (path, guests) = two_guests(&here, LONG).await;
    let mut watcher = watch(&there, &TestCaller::anonymous(), &path).await;
    let mine = watch(&here, &guests[0], &path).await;
    watcher.until_connected(&[0]).await;
    // Connected to both, the player still counts once, and stays when one connection is closed.
    let other = watch(&there, &guests[0], &path).await;
    drop(mine);
    let _second = watch(&here, &guests[1], &path).await;
    watcher.until_connected(&[0, 1]).await;
    assert_eq!(shown(&guests[1].page(&here, &path).await), [true, true]);
    drop(other);
    watcher.until_connected(&[1]).await;
    here.server.stop().await;
    watcher.until_connected(&[]).await;
}

#[tokio::test]
async fn presence_is_shared_by_servers_on_a_file() {
    let folder = TempDir::new().unwrap();
    assert_shared(&folder.path().join("kibitz.db")).await;
}

#[tokio::test]
async fn presence_is_shared_by_nodes_on_postgres() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    assert_shared(Path::new(&url)).await;
}

/// The ids of the public matches in this stage.
async fn listed(host: &TestServer, stage: &str) -> Vec<String> {
    let list = host.get(&format!("/v1/matches?stage={stage}&limit=100")).await.json();
    let matches = list["matches"].as_array().unwrap();
    matches.iter().map(|entry| format!("/v1/matches/{}", entry["id"].as_str().unwrap())).collect()
}

async fn until(what: &str, mut fits: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !fits().await {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(HANG, wait).await.expect(what);
}

#[tokio::test]
async fn lists_leave_out_matches_that_all_guests_have_left() {
    let host = TestServer::with(&[], |args| args.host.deserted_ms = 500).await;
    let ann = player(&host, "ann").await;
    let (named, _) = create(&host, &ann, order(SHORT, &[me(), open()])).await;
    let (deserted, guests) = two_guests(&host, SHORT).await;
    let (played, others) = two_guests(&host, SHORT).await;
    let _here = watch(&host, &others[1], &played).await;
    let left = watch(&host, &guests[0], &deserted).await;
    assert_eq!(listed(&host, "running").await, [played.clone(), deserted.clone()]);
    drop(left);
    until("the match is left out", async || listed(&host, "running").await == [played.clone()]).await;
    assert_eq!(listed(&host, "open").await, std::slice::from_ref(&named), "ann can come back to hers");
    assert_eq!(guests[1].page(&host, &deserted).await["stage"], "running", "it goes on if they come back");
    assert_eq!(listed(&host, "running").await, [played, deserted]);
}

#[tokio::test]
async fn match_ends_early_when_all_guests_have_left() {
    // Longer than matches are kept in memory before they are due.
    let host = TestServer::start(&["--guest-absence-ms=7000", "--unload-after-ms=50"]).await;
    let ann = player(&host, "ann").await;
    let (with_ann, _) = create(&host, &ann, order(SHORT, &[me(), open()])).await;
    join(&host, &TestCaller::anonymous(), &with_ann).await;
    let (played, others) = two_guests(&host, SHORT).await;
    let _here = watch(&host, &others[1], &played).await;
    let (left, _) = create(&host, &TestCaller::anonymous(), order(SHORT, &[me(), quick()])).await;
    let (waiting, _) = create(&host, &TestCaller::anonymous(), order(SHORT, &[me(), open()])).await;
    for path in [&left, &waiting] {
        until("it ends", async || TestCaller::anonymous().page(&host, path).await["stage"] == "over").await;
        let page = TestCaller::anonymous().page(&host, path).await;
        assert_eq!((&page["ended"], &page["result"]), (&json!("guests_left"), &Value::Null));
        let verdict = host.get(&format!("{path}/record/verify")).await.json();
        assert_eq!(verdict["true"], true, "{verdict}");
    }
    for path in [&with_ann, &played] {
        assert_eq!(TestCaller::anonymous().page(&host, path).await["stage"], "running", "{path}");
    }
}
