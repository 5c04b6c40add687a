//! Tokens with a scope: what each opens, on every route and every socket, and how their owner keeps them.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{AdminServer, player};
use crate::client::{TestResponse, TestServer};
use crate::matches::{SHORT, TestCaller, create, join, me, open, order};
use crate::server_process::until;

/// The refusal of a route that needs this scope.
fn refusal(needed: &str) -> &'static str {
    match needed {
        "play" => "play_scope_needed",
        "manage" => "manage_scope_needed",
        "account" => "account_token_needed",
        other => panic!("no token lacks {other}"),
    }
}

/// The scopes of tokens that have this one.
fn sufficient(needed: &str) -> &'static [&'static str] {
    match needed {
        "read" => &["read", "play", "manage", "bot:robo"],
        "play" => &["play", "bot:robo"],
        "manage" => &["manage"],
        "account" => &[],
        other => panic!("there is no scope {other}"),
    }
}

/// Makes a token; returns its caller and its entry.
async fn token(host: &TestServer, by: &TestCaller, scope: &str) -> (TestCaller, Value) {
    let made = by
        .post(host, "/v1/me/tokens", json!({ "name": format!("for {scope}"), "scope": scope }))
        .await
        .made();
    (TestCaller::with(made["token"].as_str().unwrap()), made)
}

/// A person with a bot called robo, and a token of each scope.
async fn person(host: &TestServer) -> (TestCaller, Vec<(&'static str, TestCaller)>) {
    let ann = player(host, "ann").await;
    ann.post(host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let mut tokens = Vec::new();
    for scope in ["read", "play", "manage", "bot:robo"] {
        tokens.push((scope, token(host, &ann, scope).await.0));
    }
    (ann, tokens)
}

/// An operation of the API: its method, its path with real values, and the scope that it names; `None`: it takes no player's
/// token.
type Operation = (String, String, Option<String>);

async fn operations(host: &TestServer, id: &str) -> Vec<Operation> {
    let document = host.get("/openapi.json").await.json();
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let real = path
            .replace("{game}", SHORT)
            .replace("{name}", "robo")
            .replace("{seat}", "0")
            .replace("{id}", id);
        for (method, operation) in methods.as_object().unwrap() {
            let security = operation["security"].as_array().into_iter().flatten();
            let scopes: Vec<&Value> = security.filter_map(|way| way.get("token")).collect();
            if operation["tags"] == json!(["admin"]) {
                continue;
            }
            let needed = scopes.first().map(|scopes| {
                let scopes = scopes.as_array().unwrap();
                assert_eq!(scopes.len(), 1, "{method} {path} names the one scope that it needs");
                scopes[0].as_str().unwrap().to_owned()
            });
            all.push((method.to_uppercase(), real.clone(), needed));
        }
    }
    assert!(all.len() > 60, "{}", all.len());
    all
}

/// The answer; `None`: it has no end, because it is a stream.
async fn answer(host: &TestServer, who: &TestCaller, method: &str, path: &str) -> Option<TestResponse> {
    timeout(Duration::from_secs(2), who.send(host, method, path, &[], None)).await.ok()
}

fn code(answer: &TestResponse) -> String {
    serde_json::from_slice::<Value>(&answer.body)
        .map_or_else(|_| String::new(), |problem| problem["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn every_route_refuses_tokens_without_its_scope_and_takes_others() {
    let host = TestServer::start(&[]).await;
    let (ann, tokens) = person(&host).await;
    let (_, made) = create(&host, &ann, order(SHORT, &[me(), open()])).await;
    let all = operations(&host, made["id"].as_str().unwrap()).await;
    let mut refused = 0;
    for (method, path, needed) in &all {
        let enough = needed.as_deref().map_or(&["read", "play", "manage", "bot:robo"][..], sufficient);
        for (scope, caller) in tokens.iter().filter(|(scope, _)| !enough.contains(scope)) {
            let needed = needed.as_deref().unwrap();
            let answer = answer(&host, caller, method, path).await.expect("a refusal ends");
            let problem = answer.problem(403, refusal(needed));
            assert!(answer.header("www-authenticate").contains("insufficient_scope"), "{method} {path}");
            let said = problem["detail"].as_str().unwrap();
            assert!(said.contains(scope.split(':').next().unwrap()), "{method} {path}: {said}");
            refused += 1;
        }
    }
    assert!(refused > 80, "{refused}");
    // Last what manages: it deletes the bot.
    let mut taken = all;
    taken.sort_by_key(|(_, _, needed)| needed.as_deref() == Some("manage"));
    for (method, path, needed) in &taken {
        let enough = needed.as_deref().map_or(&["read", "play", "manage", "bot:robo"][..], sufficient);
        for (scope, caller) in tokens.iter().filter(|(scope, _)| enough.contains(scope)) {
            let Some(answer) = answer(&host, caller, method, path).await else { continue };
            let code = code(&answer);
            let is_refused =
                answer.status == 401 || ["play", "manage", "account"].iter().any(|n| code == refusal(n));
            assert!(!is_refused, "{scope}: {method} {path}: {answer:?}");
        }
    }
    assert_eq!(ann.get(&host, "/v1/me/bots").await.json(), json!({ "bots": [] }), "it really did something");
}

#[tokio::test]
async fn tokens_are_made_listed_used_and_revoked() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    ann.post(&host, "/v1/me/bots", json!({ "name": "Robo" })).await.made();
    let (laptop, made) = token(&host, &ann, "play").await;
    assert!(made["token"].as_str().unwrap().starts_with("kbt_") && made["used_ms"].is_null(), "{made}");
    let lifetime = json!({ "name": "shim", "scope": "bot:robo", "lifetime_ms": 60_000 });
    let shim = ann.post(&host, "/v1/me/tokens", lifetime).await.made();
    assert_eq!(shim["scope"], "bot:Robo", "as the bot is called");
    assert_eq!(shim["expires_ms"].as_i64().unwrap() - shim["created_ms"].as_i64().unwrap(), 60_000);
    let shim = TestCaller::with(shim["token"].as_str().unwrap());
    assert_eq!(laptop.get(&host, "/v1/me").await.json()["name"], "ann");
    assert_eq!(shim.get(&host, "/v1/me").await.json()["name"], "Robo");
    let listed = until(|| async {
        let list = ann.get(&host, "/v1/me/tokens").await.json();
        let tokens = list["tokens"].as_array().unwrap().clone();
        tokens.iter().all(|token| token["used_ms"].is_number()).then_some(tokens)
    })
    .await;
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|token| token.get("token").is_none()), "{listed:?}");
    assert_eq!(listed[0]["name"], "for play");
    // A use within a minute is not written again.
    let used = listed[0]["used_ms"].clone();
    laptop.get(&host, "/v1/me").await.json();
    assert_eq!(ann.get(&host, "/v1/me/tokens").await.json()["tokens"][0]["used_ms"], used);

    let path = format!("/v1/me/tokens/{}", made["id"].as_str().unwrap());
    let ben = player(&host, "ben").await;
    ben.send(&host, "DELETE", &path, &[], None).await.problem(404, "no_such_token");
    assert_eq!(ann.send(&host, "DELETE", &path, &[], None).await.status, 204);
    ann.send(&host, "DELETE", &path, &[], None).await.problem(404, "no_such_token");
    laptop.get(&host, "/v1/me").await.names(401, "bad_token", "POST /v1/me/bots/NAME/token");
    assert_eq!(shim.get(&host, "/v1/me").await.status, 200, "the other one stays");

    // The account's own token is replaced: the others stay, unless the request ends them.
    let fresh = TestCaller::with(ann.tell(&host, "/v1/me/token").await.json()["token"].as_str().unwrap());
    assert_eq!(shim.get(&host, "/v1/me").await.status, 200);
    let ended = fresh.post(&host, "/v1/me/token", json!({ "end_others": true })).await.json();
    shim.get(&host, "/v1/me").await.problem(401, "bad_token");
    let fresh = TestCaller::with(ended["token"].as_str().unwrap());
    assert_eq!(fresh.get(&host, "/v1/me/tokens").await.json(), json!({ "tokens": [] }));
}

#[tokio::test]
async fn token_makes_none_with_rights_that_it_lacks() {
    let host = TestServer::start(&[]).await;
    let (ann, tokens) = person(&host).await;
    let (_, manage) = tokens.iter().find(|(scope, _)| *scope == "manage").unwrap();
    for scope in ["read", "manage", "bot:ROBO"] {
        token(&host, manage, scope).await;
    }
    let wanted = |scope: &str| json!({ "name": "x", "scope": scope });
    manage.post(&host, "/v1/me/tokens", wanted("play")).await.problem(403, "play_scope_needed");
    manage.tell(&host, "/v1/me/token").await.problem(403, "account_token_needed");
    for scope in ["account", "bot", "", "all"] {
        ann.post(&host, "/v1/me/tokens", wanted(scope)).await.names(422, "bad_field", "scope: ");
    }
    ann.post(&host, "/v1/me/tokens", wanted("bot:ben")).await.problem(404, "no_such_player");
    for name in ["", " x", "a\u{202e}b", &"x".repeat(41)] {
        let wanted = json!({ "name": name, "scope": "read" });
        ann.post(&host, "/v1/me/tokens", wanted).await.names(422, "bad_field", "name: ");
    }
    for lifetime in [0, 999, 315_576_000_001_u64] {
        let wanted = json!({ "name": "x", "scope": "read", "lifetime_ms": lifetime });
        ann.post(&host, "/v1/me/tokens", wanted).await.names(422, "bad_field", "lifetime_ms: ");
    }
    // A token lives no longer than the one that made it.
    let short = json!({ "name": "short", "scope": "manage", "lifetime_ms": 60_000 });
    let short = ann.post(&host, "/v1/me/tokens", short).await.made();
    let (_, made) = token(&host, &TestCaller::with(short["token"].as_str().unwrap()), "read").await;
    assert_eq!(made["expires_ms"], short["expires_ms"]);
    // A bot makes none: its owner does.
    let robo = ann.tell(&host, "/v1/me/bots/robo/token").await.json();
    let robo = TestCaller::with(robo["token"].as_str().unwrap());
    robo.post(&host, "/v1/me/tokens", wanted("read")).await.problem(403, "not_a_person");
    // The limit.
    let count = ann.get(&host, "/v1/me/tokens").await.json()["tokens"].as_array().unwrap().len();
    for _ in count..50 {
        token(&host, &ann, "read").await;
    }
    ann.post(&host, "/v1/me/tokens", wanted("read")).await.names(429, "too_many", "50 tokens");
}

/// Waits for the refusal of a message.
async fn refused(wire: &mut crate::client::DialogueClient) -> Value {
    loop {
        let said: Value = serde_json::from_str(&wire.hear().await).unwrap();
        if said["type"] == "refused" {
            return said["problem"].clone();
        }
    }
}

#[tokio::test]
async fn token_that_only_reads_sees_its_seat_and_acts_on_no_socket() {
    let host = TestServer::start(&[]).await;
    let (ann, tokens) = person(&host).await;
    let ben = player(&host, "ben").await;
    let (path, _) = create(&host, &ann, order(SHORT, &[me(), open()])).await;
    join(&host, &ben, &path).await;
    let mv = ann.page(&host, &path).await["legal_moves"][0]["notation"].clone();
    let id =
        ben.post(&host, "/v1/players/ann/challenges", json!({ "game": SHORT })).await.made()["id"].clone();
    for scope in ["read", "manage"] {
        let (_, caller) = tokens.iter().find(|(own, _)| *own == scope).unwrap();
        assert_eq!(caller.page(&host, &path).await["you"], 0, "it sees what its player sees");
        let mut live = caller.dial(&host, &format!("{path}/live")).await;
        live.say(&json!({ "type": "move", "ply": 0, "notation": mv }).to_string()).await;
        assert_eq!(refused(&mut live).await["code"], "play_scope_needed");
        let mut control = caller.dial(&host, "/v1/me/live").await;
        control.say(&json!({ "type": "accept", "id": id }).to_string()).await;
        assert_eq!(refused(&mut control).await["code"], "play_scope_needed");
        assert!(caller.try_dial(&host, &format!("{path}/seats/me/stdio")).await.is_err());
    }
    assert_eq!(ann.page(&host, &path).await["ply"], 0);
    let (_, play) = tokens.iter().find(|(own, _)| *own == "play").unwrap();
    let mut live = play.dial(&host, &format!("{path}/live")).await;
    live.say(&json!({ "type": "move", "ply": 0, "notation": mv }).to_string()).await;
    until(|| async { (ann.page(&host, &path).await["ply"] == 1).then_some(()) }).await;
}

#[tokio::test]
async fn operator_revokes_the_tokens_of_a_bot_too() {
    let place = AdminServer::start(&[]).await;
    let (ann, tokens) = person(&place.host).await;
    AdminServer::said(&place.admin(&["tokens", "revoke", "robo"]).await);
    for (scope, caller) in &tokens {
        let status = caller.get(&place.host, "/v1/me").await.status.as_u16();
        assert_eq!(status, if *scope == "bot:robo" { 401 } else { 200 }, "{scope}");
    }
    assert_eq!(ann.get(&place.host, "/v1/me").await.status, 200);
}
