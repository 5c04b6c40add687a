//! Players manage their own accounts.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{AdminServer, player};
use crate::client::{HANG, TestServer};
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open, order, play_until};

/// Waits until another server shows a change.
async fn until<F: Future<Output = bool>>(what: &str, holds: impl Fn() -> F) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < HANG, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn rotated_token_replaces_the_old_one_on_all_servers() {
    let place = AdminServer::start(&[]).await;
    let (host, other) = (&place.host, place.another().await);
    let ann = player(host, "ann").await;
    assert_eq!(ann.get(&other, "/v1/me").await.json()["name"], "ann", "the other server remembers the token");
    let (path, _) = create(host, &ann, order(LONG, &[me(), open()])).await;
    let answer = ann.tell(host, "/v1/me/token").await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let fresh = TestCaller::with(answer.json()["token"].as_str().unwrap());
    ann.get(host, "/v1/me").await.problem(401, "bad_token");
    assert_eq!(fresh.get(host, "/v1/me").await.json()["name"], "ann");
    assert_eq!(fresh.page(host, &path).await["you"], 0, "the seats stay");
    until("the old token is refused elsewhere", || async { ann.get(&other, "/v1/me").await.status == 401 })
        .await;
    assert_eq!(fresh.get(&other, "/v1/me").await.json()["name"], "ann");
    TestCaller::anonymous().tell(host, "/v1/me/token").await.problem(401, "token_needed");
}

#[tokio::test]
async fn token_chosen_by_its_player_is_accepted() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let own = format!("kbp_{}", "A".repeat(43));
    for bad in ["", "secret", &format!("kbs_{}", "A".repeat(43)), &own[..40]] {
        ann.post(&host, "/v1/me/token", json!({ "token": bad })).await.names(422, "bad_field", "token: ");
    }
    ann.post(&host, "/v1/me/token", json!({ "token": own })).await.json();
    ben.post(&host, "/v1/me/token", json!({ "token": own })).await.names(422, "bad_field", "token: ");
    assert_eq!(TestCaller::with(&own).get(&host, "/v1/me").await.json()["name"], "ann");
    assert_eq!(ben.get(&host, "/v1/me").await.json()["name"], "ben");
}

#[tokio::test]
async fn players_list_their_own_private_matches() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let mut ids = Vec::new();
    for private in [true, false, true] {
        let order = json!({ "game": SHORT, "seats": [me(), open()], "private": private });
        ids.push(create(&host, &ann, order).await.1["id"].clone());
    }
    let list = |query: &str| {
        let (host, ann, path) = (&host, &ann, format!("/v1/me/matches{query}"));
        async move {
            let list = ann.get(host, &path).await.json();
            let of = |m: &Value| (m["id"].clone(), m["private"] == true);
            (list["matches"].as_array().unwrap().iter().map(of).collect::<Vec<_>>(), list["next"].clone())
        }
    };
    let entry = |n: usize| (ids[n].clone(), n != 1);
    assert_eq!(list("").await.0, [entry(2), entry(1), entry(0)]);
    assert_eq!(list("?private=true").await.0, [entry(2), entry(0)]);
    assert_eq!(list("?private=false").await.0, [entry(1)]);
    let (first, next) = list("?private=true&limit=1").await;
    assert_eq!((first, &next), (vec![entry(2)], &ids[2]));
    assert_eq!(
        list(&format!("?private=true&limit=1&before={}", ids[2].as_str().unwrap())).await.0,
        [entry(0)]
    );
    assert_eq!(list("?stage=over").await.0, []);
    ann.get(&host, "/v1/me/matches?private=perhaps").await.problem(400, "bad_query");
    TestCaller::anonymous().get(&host, "/v1/me/matches").await.problem(401, "token_needed");
    // Other callers see only the public one.
    let public = TestCaller::anonymous().get(&host, "/v1/players/ann/matches").await.json();
    assert_eq!(public["matches"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn deleted_account_leaves_its_name_nowhere() {
    let place = AdminServer::start(&[]).await;
    let (host, other) = (&place.host, place.another().await);
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    // One match that is over, one that runs, one that is open.
    let (over, _) = create(host, &ann, order(SHORT, &[me(), open()])).await;
    join(host, &ben, &over).await;
    play_until(host, &over, &[ann.clone(), ben.clone()], u64::MAX).await;
    let (running, _) = create(host, &ann, order(LONG, &[me(), open(), open()])).await;
    join(host, &ben, &running).await;
    join(host, &TestCaller::anonymous(), &running).await;
    let (waiting, _) = create(host, &ben, order(LONG, &[me(), open(), open()])).await;
    join(host, &ann, &waiting).await;
    // The other server has the running one in its memory, too.
    assert_eq!(TestCaller::anonymous().page(&other, &running).await["seats"][0]["name"], "ann");

    let gone = ann.send(host, "DELETE", "/v1/me", &[], None).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    ann.get(host, "/v1/me").await.problem(401, "bad_token");
    host.get("/v1/players/ann").await.problem(404, "no_such_player");
    host.get("/players/ann").await;
    let is_gone = |text: &str| !text.contains("\"ann\"") && text.contains("\"deleted player ");
    for path in [&over, &running, &format!("{over}/record"), &"/v1/matches".to_owned()] {
        let shown = TestCaller::anonymous().get(host, path).await;
        assert!(is_gone(shown.text()), "{path}: {}", shown.text());
    }
    let page = TestCaller::anonymous().page(host, &running).await;
    assert_eq!((&page["stage"], &page["seats"][0]["out"]), (&json!("running"), &json!(true)));
    assert_eq!(page["seats"][0]["kind"], "guest", "there is no page of this player to link to");
    assert_eq!(TestCaller::anonymous().page(host, &waiting).await["seats"][1]["kind"], "open");
    let events = ben.get(host, &format!("{over}/record/verify")).await.json();
    assert_eq!(events["true"], true, "{events}");
    until("the other server shows no name either", || async {
        is_gone(TestCaller::anonymous().get(&other, &running).await.text())
    })
    .await;
    until("the other server knows the token no more", || async {
        ann.get(&other, "/v1/me").await.status == 401
    })
    .await;
    // No one can take the name at once.
    for name in ["ann", "ANN"] {
        let again = TestCaller::anonymous().post(host, "/v1/players", json!({ "name": name })).await;
        again.problem(409, "name_taken");
    }
    let guest = order(SHORT, &[json!({ "kind": "me", "name": "ann" }), open()]);
    TestCaller::anonymous().post(host, "/v1/matches", guest).await.problem(409, "name_taken");
    assert_eq!(ben.get(host, "/v1/me").await.json()["results"][0]["played"], 1, "others keep their results");
}
