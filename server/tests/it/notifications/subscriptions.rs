//! Subscriptions: who may have which, what ends them, and the key of the server.

use serde_json::{Value, json};

use super::push_service::{Browser, PushService};
use super::{HERE, Here, PATH, key, player, server};
use crate::client::TestServer;
use crate::matches::TestCaller;

const RENEW: &str = "/v1/push-subscriptions/renew";

async fn listed(host: &TestServer, who: &TestCaller) -> Vec<Value> {
    let list = who.get(host, PATH).await.json();
    list["subscriptions"].as_array().unwrap().clone()
}

#[tokio::test]
async fn subscription_is_listed_changed_tried_and_removed() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let mut service = PushService::start().await;
    let browser = Browser::new(&service, "ann");
    let added = browser.subscribe(host, &ann, &["turn", "challenge", "turn"]).await.made();
    assert_eq!(added["kinds"], json!(["turn", "challenge"]));
    assert_eq!(listed(host, &ann).await, std::slice::from_ref(&added));
    assert_eq!(listed(host, &ben).await, [] as [Value; 0]);
    let path = format!("{PATH}/{}", added["id"].as_str().unwrap());
    let kinds = json!({ "kinds": ["tournament"] }).to_string();
    for (who, status) in [(&ben, 404), (&ann, 204)] {
        let answer = who.send(host, "PUT", &path, &[], Some(kinds.clone())).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    assert_eq!(listed(host, &ann).await[0]["kinds"], json!(["tournament"]));

    // A try is sent at once, and now and then only.
    let test = format!("{path}/test");
    ben.tell(host, &test).await.problem(404, "no_such_subscription");
    assert_eq!(ann.tell(host, &test).await.status, 204);
    let shown = browser.read(&service.next().await, &key(host, &ann).await);
    assert_eq!((&shown["title"], &shown["url"]), (&json!("Notifications work"), &json!("/account")));
    ann.tell(host, &test).await.problem(429, "too_many");

    ben.send(host, "DELETE", &path, &[], None).await.problem(404, "no_such_subscription");
    assert_eq!(ann.send(host, "DELETE", &path, &[], None).await.status, 204);
    assert_eq!(listed(host, &ann).await, [] as [Value; 0]);
    ann.tell(host, &test).await.problem(404, "no_such_subscription");
}

#[tokio::test]
async fn try_tells_what_the_push_service_answers() {
    let here = Here::start().await;
    let host = &here.host;
    let ann = player(host, "ann").await;
    let mut service = PushService::start().await;
    for (status, left) in [(503, 1), (400, 2), (410, 2)] {
        let added = Browser::new(&service, &status.to_string()).subscribe(host, &ann, &[]).await.made();
        service.answer(&[status]);
        let path = format!("{PATH}/{}/test", added["id"].as_str().unwrap());
        ann.tell(host, &path).await.problem(409, "push_failed");
        service.next().await;
        assert_eq!(listed(host, &ann).await.len(), left, "{status}");
    }
    service.nothing();
}

#[tokio::test]
async fn same_browser_has_one_subscription_and_another_player_takes_it_over() {
    let here = Here::start().await;
    let host = &here.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let service = PushService::start().await;
    let browser = Browser::new(&service, "shared");
    browser.subscribe(host, &ann, &["turn"]).await.made();
    browser.subscribe(host, &ann, &["challenge"]).await.made();
    assert_eq!(listed(host, &ann).await.len(), 1);
    // Who knows the address alone is another browser.
    let stranger = Browser::new(&service, "shared");
    stranger.subscribe(host, &ben, &["turn"]).await.problem(422, "bad_field");
    browser.subscribe(host, &ben, &["turn"]).await.made();
    assert_eq!((listed(host, &ann).await.len(), listed(host, &ben).await.len()), (0, 1));
    // A player has at most ten.
    for n in 1..10 {
        Browser::new(&service, &n.to_string()).subscribe(host, &ben, &[]).await.made();
    }
    Browser::new(&service, "more").subscribe(host, &ben, &[]).await.problem(429, "too_many");
}

#[tokio::test]
async fn bad_subscriptions_are_refused() {
    let here = Here::start().await;
    let host = &here.host;
    let ann = player(host, "ann").await;
    let service = PushService::start().await;
    let good = Browser::new(&service, "ann").subscription("en", &["turn"]);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body = good.clone();
        change(&mut body);
        body
    };
    for bad in [
        with(&|body| body["endpoint"] = json!("ftp://push.example/x")),
        with(&|body| body["endpoint"] = json!("nonsense")),
        with(&|body| body["endpoint"] = json!(format!("https://push.example/{}", "x".repeat(1_000)))),
        with(&|body| body["endpoint"] = json!("https://ann:secret@push.example/x")),
        with(&|body| body["keys"]["p256dh"] = json!("AAAA")),
        with(&|body| body["keys"]["auth"] = json!("AAAA")),
        with(&|body| body["name"] = json!("")),
        with(&|body| body["language"] = json!("en_US!")),
        with(&|body| body["kinds"] = json!(["weather"])),
        with(&|body| body["more"] = json!(1)),
    ] {
        ann.post(host, PATH, bad).await.problem(422, "bad_field");
    }
    // Only people, with all rights of their account.
    TestCaller::anonymous().post(host, PATH, good.clone()).await.problem(401, "token_needed");
    let made = ann.post(host, "/v1/me/tokens", json!({ "name": "program", "scope": "manage" })).await.made();
    let program = TestCaller::with(made["token"].as_str().unwrap());
    program.post(host, PATH, good.clone()).await.problem(403, "account_token_needed");
    let robo = ann.post(host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let robo = TestCaller::with(robo["token"].as_str().unwrap());
    robo.post(host, PATH, good).await.problem(403, "not_a_person");
    assert_eq!(listed(host, &ann).await, [] as [Value; 0]);
}

/// Without the option, no player can have the server send requests into its own network.
#[tokio::test]
async fn private_networks_are_not_reached() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let mut service = PushService::start().await;
    let mut browser = Browser::new(&service, "ann");
    let port = service.address.port();
    for endpoint in [
        browser.endpoint.clone(),
        format!("https://127.0.0.1:{port}/x"),
        "https://10.0.0.1/x".to_owned(),
        "https://[::1]/x".to_owned(),
        "https://169.254.169.254/latest/meta-data".to_owned(),
    ] {
        browser.endpoint = endpoint;
        browser.subscribe(&host, &ann, &["turn"]).await.problem(422, "bad_field");
    }
    // A name is resolved when something is sent.
    browser.endpoint = format!("https://localhost:{port}/x");
    let added = browser.subscribe(&host, &ann, &["turn"]).await.made();
    let path = format!("{PATH}/{}/test", added["id"].as_str().unwrap());
    let refused = ann.tell(&host, &path).await.problem(409, "push_failed");
    assert!(refused["detail"].as_str().unwrap().contains("refused"), "{refused}");
    service.nothing();
}

#[tokio::test]
async fn subscription_ends_with_the_token_that_added_it() {
    let here = Here::start().await;
    let host = &here.host;
    let ann = player(host, "ann").await;
    let service = PushService::start().await;
    // Of a browser that has signed in with a recovery code.
    let codes = ann.tell(host, "/v1/me/recovery-codes").await.made();
    let code = json!({ "code": codes["codes"][0], "name": "Firefox, Linux" });
    let signed_in = TestCaller::anonymous().post(host, "/v1/sign-in/recovery-code", code).await.made();
    let other = TestCaller::with(signed_in["token"].as_str().unwrap());
    Browser::new(&service, "other").subscribe(host, &other, &["turn"]).await.made();
    Browser::new(&service, "own").subscribe(host, &ann, &["turn"]).await.made();
    assert_eq!(listed(host, &ann).await.len(), 2);
    let path = format!("/v1/me/tokens/{}", signed_in["id"].as_str().unwrap());
    assert_eq!(ann.send(host, "DELETE", &path, &[], None).await.status, 204);
    assert_eq!(listed(host, &ann).await.len(), 1, "that browser was signed out");
    let fresh = ann.tell(host, "/v1/me/token").await.json();
    let ann = TestCaller::with(fresh["token"].as_str().unwrap());
    assert_eq!(listed(host, &ann).await, [] as [Value; 0], "the key was replaced");

    // With the account all of it goes.
    Browser::new(&service, "last").subscribe(host, &ann, &["turn"]).await.made();
    assert_eq!(ann.send(host, "DELETE", "/v1/me", &[], None).await.status, 204);
    let db = rusqlite::Connection::open(&here.database).unwrap();
    let count = db.query_row("SELECT count(*) FROM push_subscriptions", [], |row| row.get::<_, i64>(0));
    assert_eq!(count, Ok(0));
}

#[tokio::test]
async fn browser_renews_its_subscription_without_a_token() {
    let here = Here::start().await;
    let host = &here.host;
    let ann = player(host, "ann").await;
    let mut service = PushService::start().await;
    let (before, after) = (Browser::new(&service, "before"), Browser::new(&service, "after"));
    let added = before.subscribe(host, &ann, &["turn", "challenge"]).await.made();
    let guest = TestCaller::anonymous();
    let renew = async |from: Value, to: &Browser| {
        guest.post(host, RENEW, json!({ "from": from, "to": to.target() })).await
    };
    // Who knows the address alone gets nothing.
    let mut guess = before.target();
    guess["keys"] = Browser::new(&service, "before").target()["keys"].clone();
    renew(guess, &after).await.problem(404, "no_such_subscription");
    assert_eq!(renew(before.target(), &after).await.status, 204);
    assert_eq!(renew(before.target(), &after).await.status, 204, "the answer was lost");
    assert_eq!(listed(host, &ann).await, std::slice::from_ref(&added), "it is the same one");
    let test = format!("{PATH}/{}/test", added["id"].as_str().unwrap());
    assert_eq!(ann.tell(host, &test).await.status, 204);
    after.read(&service.next().await, &key(host, &ann).await);
    // The new address is checked as that of any subscription.
    for endpoint in ["ftp://push.example/x", "nonsense"] {
        let mut to = after.target();
        to["endpoint"] = json!(endpoint);
        let body = json!({ "from": after.target(), "to": to });
        guest.post(host, RENEW, body).await.problem(422, "bad_field");
    }
    let other = Browser::new(&service, "other");
    other.subscribe(host, &player(host, "ben").await, &[]).await.made();
    renew(after.target(), &Browser::new(&service, "other")).await.problem(422, "bad_field");
    // It ends with the token that added it.
    ann.tell(host, "/v1/me/token").await.json();
    renew(after.target(), &before).await.problem(404, "no_such_subscription");
}

#[tokio::test]
async fn subscription_that_its_push_service_forgot_is_used_again_when_it_is_renewed() {
    let here = Here::start().await;
    let host = &here.host;
    let ann = player(host, "ann").await;
    let mut service = PushService::start().await;
    let (before, after) = (Browser::new(&service, "before"), Browser::new(&service, "after"));
    let added = before.subscribe(host, &ann, &["turn"]).await.made();
    service.answer(&[410]);
    let test = format!("{PATH}/{}/test", added["id"].as_str().unwrap());
    ann.tell(host, &test).await.problem(409, "push_failed");
    service.next().await;
    ann.tell(host, &test).await.problem(404, "no_such_subscription");
    let body = json!({ "from": before.target(), "to": after.target() });
    assert_eq!(TestCaller::anonymous().post(host, RENEW, body).await.status, 204);
    assert_eq!(listed(host, &ann).await, [added]);
    service.nothing();
}

#[tokio::test]
async fn tries_to_renew_are_bounded_for_an_address() {
    let host = TestServer::start(&["--sign-ins-per-minute=1", HERE]).await;
    let service = PushService::start().await;
    let target = Browser::new(&service, "ann").target();
    let body = json!({ "from": target, "to": target });
    let guest = TestCaller::anonymous();
    guest.post(&host, RENEW, body.clone()).await.problem(404, "no_such_subscription");
    guest.post(&host, RENEW, body).await.names(429, "too_many", "--sign-ins-per-minute");
}

#[tokio::test]
async fn key_of_the_server_stays_and_can_be_off() {
    let Here { host, database, _folder } = Here::start().await;
    let ann = player(&host, "ann").await;
    let first = key(&host, &ann).await;
    host.stop().await;
    let host = server(&database).await;
    assert_eq!(key(&host, &ann).await, first);
    host.stop().await;
    let host = TestServer::on(&database, &["--push=false", HERE]).await;
    let list = ann.get(&host, PATH).await.json();
    assert_eq!(list, json!({ "public_key": null, "subscriptions": [] }));
    let service = PushService::start().await;
    Browser::new(&service, "ann").subscribe(&host, &ann, &["turn"]).await.problem(403, "push_off");
}
