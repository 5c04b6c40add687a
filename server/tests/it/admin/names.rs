//! Names in any script, and names that could be taken for others.

use serde_json::{Value, json};

use super::player;
use crate::client::{TestResponse, TestServer};
use crate::matches::{TestCaller, create, me, open, order};

async fn register(host: &TestServer, name: &str) -> TestResponse {
    TestCaller::anonymous().post(host, "/v1/players", json!({ "name": name })).await
}

#[tokio::test]
async fn names_have_letters_of_any_script() {
    let host = TestServer::start(&[]).await;
    let made = register(&host, "S\u{326}tefan").await;
    assert_eq!(made.header("location"), "/v1/players/%C8%98tefan");
    assert_eq!(made.made()["name"], "Ștefan", "composed");
    for path in ["/v1/players/%C8%98tefan", "/v1/players/%C8%99tefan", "/v1/players/S%CC%A6tefan"] {
        assert_eq!(host.get(path).await.json()["name"], "Ștefan", "{path}");
    }
    assert!(host.get("/players/%C8%98tefan").await.text().contains("Ștefan"));
    let seats = [me(), json!({ "kind": "player", "name": "ȘTEFAN" })];
    let (path, _) = create(&host, &TestCaller::anonymous(), order("ioiwari", &seats)).await;
    assert_eq!(TestCaller::anonymous().page(&host, &path).await["seats"][1]["name"], "Ștefan");
    for name in ["Ελένη", "Иван", "さくら"] {
        register(&host, name).await.made();
    }
}

#[tokio::test]
async fn names_with_hidden_characters_or_lookalikes_are_refused() {
    let host = TestServer::start(&[]).await;
    player(&host, "paypal").await;
    for name in
        ["a\u{200b}b", "a\u{202e}b", "a\u{2066}b", "a\u{feff}b", "a b", "Ivаn", "a\u{3164}", "ｐａｙｐａｌ"]
    {
        register(&host, name).await.names(422, "bad_field", "name: ");
    }
    for name in ["PayPal", "paypaI", "раураӏ", "random"] {
        register(&host, name).await.problem(409, "name_taken");
    }
    // A search for one name does not find another.
    host.get("/v1/players/paypaI").await.problem(404, "no_such_player");
}

#[tokio::test]
async fn guests_cannot_pose_as_players_or_engines_or_hide_signs_in_names() {
    let host = TestServer::start(&[]).await;
    player(&host, "ana").await;
    let make = |name: &str| {
        let order = order("ioiwari", &[json!({ "kind": "me", "name": name }), open()]);
        let host = &host;
        async move { TestCaller::anonymous().post(host, "/v1/matches", order).await }
    };
    for name in ["a\u{200b}na", "\u{202e}ana", "x\u{2069}", "x\ty", "x\u{a0}y"] {
        make(name).await.names(422, "bad_field", "seats[0].name: ");
    }
    for name in ["ana", "Ana", "аnа", "a n a", "random", "deleted player 123abc"] {
        let refused = make(name).await;
        if name == "аnа" {
            refused.problem(422, "bad_field"); // two scripts in one name
        } else {
            refused.names(409, "name_taken", "seats[0].name: ");
        }
    }
    let made = make("Ana Maria").await.made();
    let path = made["url"].as_str().unwrap();
    let join = format!("{path}/join");
    for (name, status, code) in [("ANA", 409, "name_taken"), ("b\u{200d}", 422, "bad_field")] {
        TestCaller::anonymous().post(&host, &join, json!({ "name": name })).await.problem(status, code);
    }
    TestCaller::anonymous().post(&host, &join, json!({ "name": "Ștefan cel Mare" })).await.json();
    let page: Value = TestCaller::anonymous().page(&host, path).await;
    assert_eq!(page["seats"][1]["name"], "Ștefan cel Mare");
}
