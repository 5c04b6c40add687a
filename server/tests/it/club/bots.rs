//! Bots as players that belong to a person.

use serde_json::{Value, json};

use super::{begin, one_move_each, player, shown};
use crate::client::TestServer;
use crate::matches::{SHORT, TestCaller, create, me, open};

fn token(made: &Value) -> TestCaller {
    TestCaller::with(made["token"].as_str().unwrap())
}

#[tokio::test]
async fn person_manages_their_bots() {
    let host = TestServer::start(&["--max-bots-per-player=2"]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let about = json!({ "description": "Plays.", "version": "1.0", "source": "https://example.org/robo" });
    let order = json!({ "name": "Robo", "about": about });
    let key = [("idempotency-key", "0123456789abcdef")];
    let made = ann.send(&host, "POST", "/v1/me/bots", &key, Some(order.to_string())).await;
    assert_eq!(made.header("location"), "/v1/players/Robo");
    let again = ann.send(&host, "POST", "/v1/me/bots", &key, Some(order.to_string())).await.made();
    assert_eq!(made.made(), again, "the same request has the same answer");
    let robo = token(&again);
    let page = host.get("/v1/players/robo").await.json();
    assert_eq!((&page["kind"], &page["owner"], &page["about"]), (&json!("bot"), &json!("ann"), &about));
    assert_eq!(robo.get(&host, "/v1/me").await.json()["name"], "Robo");
    // Refusals.
    robo.post(&host, "/v1/me/bots", json!({ "name": "child" })).await.problem(403, "not_a_person");
    TestCaller::anonymous()
        .post(&host, "/v1/me/bots", json!({ "name": "x1" }))
        .await
        .problem(401, "token_needed");
    ann.post(&host, "/v1/me/bots", json!({ "name": "ben" })).await.problem(409, "name_taken");
    let bad = json!({ "name": "other", "about": { "source": "javascript:alert(1)" } });
    ann.post(&host, "/v1/me/bots", bad).await.names(422, "bad_field", "about.source");
    ann.post(&host, "/v1/me/bots", json!({ "name": "second" })).await.made();
    let third = ann.post(&host, "/v1/me/bots", json!({ "name": "third" })).await;
    third.names(429, "too_many", "--max-bots-per-player");
    // Description, by the owner and by the bot itself.
    let put = async |caller: &TestCaller, path: &str, about: Value| {
        caller.send(&host, "PUT", path, &[], Some(about.to_string())).await
    };
    assert_eq!(put(&ann, "/v1/me/bots/ROBO/about", json!({ "version": "2" })).await.status, 204);
    assert_eq!(put(&robo, "/v1/me/about", json!({ "version": "3" })).await.status, 204);
    put(&ben, "/v1/me/bots/robo/about", json!({})).await.problem(404, "no_such_player");
    put(&ann, "/v1/me/about", json!({ "version": "x".repeat(41) })).await.names(
        422,
        "bad_field",
        "about.version",
    );
    let bots = ann.get(&host, "/v1/me/bots").await.json();
    let names: Vec<&Value> = bots["bots"].as_array().unwrap().iter().map(|bot| &bot["name"]).collect();
    assert_eq!(
        (names, &bots["bots"][0]["about"]),
        (vec![&json!("Robo"), &json!("second")], &json!({ "version": "3" }))
    );
    assert_eq!(ben.get(&host, "/v1/me/bots").await.json()["bots"], json!([]));
    // Tokens.
    ben.tell(&host, "/v1/me/bots/robo/token").await.problem(404, "no_such_player");
    let fresh = token(&ann.tell(&host, "/v1/me/bots/robo/token").await.json());
    robo.get(&host, "/v1/me").await.problem(401, "bad_token");
    fresh.get(&host, "/v1/me").await.json();
    assert_eq!(ann.send(&host, "DELETE", "/v1/me/bots/robo/token", &[], None).await.status, 204);
    fresh.get(&host, "/v1/me").await.problem(401, "bad_token");
    let fresh = token(&ann.tell(&host, "/v1/me/bots/robo/token").await.json());
    fresh.get(&host, "/v1/me").await.json();
    // Deletion.
    assert_eq!(ann.send(&host, "DELETE", "/v1/me/bots/second", &[], None).await.status, 204);
    host.get("/v1/players/second").await.problem(404, "no_such_player");
    ann.post(&host, "/v1/me/bots", json!({ "name": "another" })).await.made();
}

#[tokio::test]
async fn bots_of_a_deleted_owner_leave_their_matches_and_are_deleted() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let robo = token(&ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made());
    let running = begin(&host, [&robo, &ben]).await;
    one_move_each(&host, &running, &[&robo]).await;
    let (waiting, _) = create(&host, &robo, json!({ "game": SHORT, "seats": [me(), open()] })).await;
    assert_eq!(ann.send(&host, "DELETE", "/v1/me", &[], None).await.status, 204);
    robo.get(&host, "/v1/me").await.problem(401, "bad_token");
    host.get("/v1/players/robo").await.problem(404, "no_such_player");
    assert_eq!(ben.page(&host, &running).await["result"]["ranks"], json!([2, 1]), "it was resigned");
    assert_eq!(ben.page(&host, &waiting).await["ended"], "aborted");
    assert!(shown(&host, "ben", SHORT).await.unwrap().0.points() > 1500.0);
    let page = ben.page(&host, &running).await;
    assert!(page["seats"][0]["name"].as_str().unwrap().starts_with("deleted player "), "{page}");
}
