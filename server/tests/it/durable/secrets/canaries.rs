//! Plants recognisable secrets, uses them in every right and wrong way on a server with a full log, and then searches
//! for them in all that the server sent and wrote.

use engines::rng::Seed;
use futures_util::future::join_all;
use kibitz::domain::token::{Token, TokenKind, commitment, unhex};
use serde_json::{Value, json};
use sqlx::Connection;

use super::super::record_checks::assert_verified;
use super::super::retrying_client::insist;
use super::misplaced_secrets;
use super::planned_match::open;
use super::received::{RecordingClient, Secret, search, without_white_space};
use super::streams::converse;
use crate::server_process::{ServerProcess, until};

/// A match of the test.
struct PlantedMatch {
    id: String,
    /// The holder of seat 0: the value of `Authorization`.
    holder: String,
    key: Option<String>,
}

impl PlantedMatch {
    fn path(&self) -> String {
        format!("/v1/matches/{}", self.id)
    }

    fn shown(&self) -> Vec<(&str, &str)> {
        let key = self.key.as_deref().map(|key| ("match-key", key));
        [("authorization", self.holder.as_str())].into_iter().chain(key).collect()
    }
}

fn idempotency(what: &str) -> String {
    format!("canary-of-an-idempotency-key-for-{what}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn planted_secrets_are_found_nowhere() {
    let mut service = ServerProcess::start_with_trace_log(&["--threads=1", misplaced_secrets::MAX_BODY]);
    let mut client = RecordingClient { address: service.address, received: Vec::new() };
    let mut secrets = Vec::new();
    let matches = plant(&mut client, &mut secrets).await;
    for planted in &matches {
        use_correctly(&mut client, planted).await;
    }

    // Tokens in places where they do not belong. One of the tokens is valid.
    let target = &matches[0];
    let own = &target.holder["Bearer ".len()..];
    let fresh =
        [TokenKind::Seat, TokenKind::Player, TokenKind::Match].map(|kind| Token::fresh(kind).unwrap());
    let tokens: Vec<&str> = fresh.iter().map(Token::reveal).chain([own]).collect();
    secrets.extend(tokens.iter().map(|token| Secret::token(token)));
    let troubles = tokens.iter().map(async |secret| {
        let mut client = RecordingClient { address: service.address, received: Vec::new() };
        misplaced_secrets::cause(&mut client, &target.id, secret, own).await;
        client.received
    });
    client.received.extend(join_all(troubles).await.into_iter().flatten());

    // A match's secrets are hidden until its end and public afterwards.
    for planted in &matches {
        let path = format!("{}/record", planted.path());
        client.ask("GET", &path, &planted.shown(), &Value::Null).await.problem(409, "match_not_over");
    }
    let before = client.received.len();
    for planted in &matches {
        finish(&mut client, planted).await;
    }
    let run_leaking_bots = run_leaking_bots(&mut client, &mut secrets).await;
    for path in
        ["/metrics", "/openapi.json", "/docs/problems", "/v1/matches?limit=100", "/v1/players/alice/matches"]
    {
        assert_eq!(client.ask("GET", path, &[], &Value::Null).await.status, 200, "{path}");
    }
    let files = service.files();
    service.kill();

    client.search(&secrets, client.received.len());
    let log: Vec<String> = service.log().iter().map(|line| without_white_space(line)).collect();
    assert!(
        log.len() > client.received.len() && log.iter().any(|line| line.contains("DEBUG")),
        "it logs much"
    );
    log.iter().for_each(|line| search(line, &secrets, "the log"));
    for (id, secrets) in deals(&service).await {
        // The tokens of rematches are never sent to others.
        let upto =
            if matches.iter().any(|planted| planted.id == id) { before } else { client.received.len() };
        if !run_leaking_bots.contains(&id) {
            client.search(&secrets, upto);
        }
        log.iter().for_each(|line| search(line, &secrets, "the log"));
    }
    // The files may contain hashes, but no valid secret.
    let stored =
        |secret: &Secret| files.iter().any(|(_, bytes)| secret.is_hashed_in(&String::from_utf8_lossy(bytes)));
    assert!(
        secrets.iter().filter(|secret| stored(secret)).count() >= 8,
        "these are the files of the database"
    );
    let clear: Vec<Secret> = secrets.iter().map(Secret::in_the_clear).collect();
    for (name, bytes) in &files {
        search(&without_white_space(&String::from_utf8_lossy(bytes)), &clear, name);
        let raw = clear.iter().find(|secret| secret.is_raw_in(bytes));
        assert!(raw.is_none(), "the bytes of {} are in {name}", raw.unwrap().name);
    }
}

/// Creates players and matches, and joins, each twice with the same idempotency key.
async fn plant(client: &mut RecordingClient, secrets: &mut Vec<Secret>) -> Vec<PlantedMatch> {
    let mut given = async |what: &str, path: &str, shown: &[(&str, &str)], order: &Value| -> Value {
        let key = idempotency(what);
        let shown: Vec<_> = shown.iter().copied().chain([("idempotency-key", key.as_str())]).collect();
        let first = client.ask_for(path, &shown, order).await;
        assert_eq!(client.ask_for(path, &shown, order).await, first, "the same again");
        secrets.push(Secret::new("an idempotency key", &key));
        secrets.extend(client.received.last().unwrap().given.iter().map(|token| Secret::token(token)));
        first
    };
    let mut players = Vec::new();
    for name in ["alice", "bob"] {
        let player = given(name, "/v1/players", &[], &json!({ "name": name })).await;
        players.push(format!("Bearer {}", player["token"].as_str().unwrap()));
    }
    let alice = [("authorization", players[0].as_str())];
    let bob = [("authorization", players[1].as_str())];
    let me = json!({ "kind": "me" });
    let engine = json!({ "kind": "engine", "level": "easy", "think_ms": 20, "nodes": 50 });
    let clock = json!({ "move_ms": 600_000 });
    let seed = Seed::from(u64::MAX).to_string();
    let orders = [
        (&[][..], json!({ "game": "septica", "seats": [me, me], "seed": seed })),
        (
            &[],
            json!({ "game": "splendor", "seats": [me, { "kind": "open" }], "private": true, "clock": clock }),
        ),
        (&alice, json!({ "game": "azul", "seats": [me, { "kind": "player", "name": "bob" }] })),
        (&[], json!({ "game": "buraco", "seats": [me, engine], "clock": clock })),
    ];
    let mut matches = Vec::new();
    for (n, (shown, order)) in orders.into_iter().enumerate() {
        let made = given(&format!("match-{n}"), "/v1/matches", shown, &order).await;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let holder =
            text(&made["seats"][0]["token"]).map_or(players[0].clone(), |token| format!("Bearer {token}"));
        matches.push(PlantedMatch { id: text(&made["id"]).unwrap(), holder, key: text(&made["key"]) });
    }
    let key = matches[1].key.clone().unwrap();
    let guest = json!({ "name": "a guest" });
    given("the-guest", &format!("{}/join", matches[1].path()), &[("match-key", &key)], &guest).await;
    given("bobs-seat", &format!("{}/join", matches[2].path()), &bob, &json!({})).await;
    matches
}

/// Uses the secrets correctly.
async fn use_correctly(client: &mut RecordingClient, planted: &PlantedMatch) {
    let (path, shown) = (planted.path(), planted.shown());
    let page = client.ask("GET", &path, &shown, &Value::Null).await.json();
    assert_eq!((&page["stage"], &page["you"]), (&json!("running"), &json!(0)), "{page}");
    if let Some(first) = page["legal_moves"].get(0) {
        let body = json!({ "notation": first["notation"] });
        let tag = format!("\"{}\"", page["ply"]);
        let shown: Vec<_> = shown.iter().copied().chain([("if-match", tag.as_str())]).collect();
        let moved = client.ask("POST", &format!("{path}/moves"), &shown, &body).await;
        let again = client.ask("POST", &format!("{path}/moves"), &shown, &body).await;
        assert_eq!(moved.json(), again.json());
    }
    let stale = json!({ "notation": "7", "ply": 77 });
    client.ask("POST", &format!("{path}/moves"), &shown, &stale).await.problem(412, "stale_ply");
    let key = planted.key.iter().map(|key| ("match-key", key.as_str())).collect::<Vec<_>>();
    for who in [&shown[..], &key, &[]] {
        for path in [path.as_str(), "/v1/me", "/v1/matches", "/v1/players/alice", "/v1/players/bob/matches"] {
            for method in ["GET", "HEAD"] {
                client.ask(method, path, who, &Value::Null).await;
            }
        }
    }
    let token = &planted.holder["Bearer ".len()..];
    let key = planted.key.iter().map(|key| format!(", key.{key}")).collect::<String>();
    let says = [json!({ "type": "move", "ply": 77, "notation": "7" }), json!({ "type": "leave" })];
    for offer in [format!("kibitz, token.{token}{key}"), format!("kibitz{key}"), "kibitz".to_owned()] {
        for live in [format!("{path}/live"), format!("{path}/live?since=0")] {
            let says: Vec<String> = says.iter().map(ToString::to_string).collect();
            let heard = converse(client.address, &live, &offer, &says).await;
            client.keep(format!("WebSocket {live}"), heard);
        }
    }
}

/// Ends a match. From now on every permitted caller gets the whole deal.
async fn finish(client: &mut RecordingClient, planted: &PlantedMatch) {
    let (path, shown) = (planted.path(), planted.shown());
    client.ask("POST", &format!("{path}/resign"), &shown, &Value::Null).await.json();
    let key: Vec<_> = planted.key.iter().map(|key| ("match-key", key.as_str())).collect();
    for who in [&shown, &key] {
        let page = client.ask("GET", &path, who, &Value::Null).await.json();
        let record = client.ask("GET", &format!("{path}/record"), who, &Value::Null).await.json();
        let ndjson: Vec<_> = who.iter().copied().chain([("accept", "application/x-ndjson")]).collect();
        let events = client.ask("GET", &format!("{path}/events?since=0"), &ndjson, &Value::Null).await;
        let ended: Value = serde_json::from_str(events.text().lines().last().unwrap()).unwrap();
        assert_eq!((&page["ended"], &ended["type"]), (&json!("walkover"), &json!("ended")));
        let secret = |of: &Value, name: &str| unhex(of[name].as_str().unwrap()).unwrap();
        for told in [&page, &record, &ended] {
            let made = commitment(&secret(told, "salt"), &Seed(secret(told, "seed")));
            assert_eq!(page["commitment"], made, "{told}");
        }
        assert!(record["events"][0]["state"].is_object(), "the record contains the whole deal: {record}");
        assert_verified(&record);
    }
    let rematch = client.ask("POST", &format!("{path}/rematch"), &shown, &Value::Null).await.json();
    client.ask("GET", rematch["url"].as_str().unwrap(), &shown, &Value::Null).await.json();
}

/// Bots that print the token of their seat, also at their end; returns the ids of their matches.
async fn run_leaking_bots(client: &mut RecordingClient, secrets: &mut Vec<Secret>) -> Vec<String> {
    let (service, mut ids) = (client.address, Vec::new());
    for game in ["azul", "splendor"] {
        let me = json!({ "kind": "me" });
        let made = client.ask_for("/v1/matches", &[], &json!({ "game": game, "seats": [me, me] })).await;
        let path = made["url"].as_str().unwrap();
        let token = made["seats"][0]["token"].as_str().unwrap();
        secrets.extend(client.received.last().unwrap().given.iter().map(|token| Secret::token(token)));
        let (stdio, offer) = (format!("{path}/seats/0/stdio"), format!("kibitz, token.{token}"));
        for says in [format!("# ended {token}"), format!("> {token}"), format!("> {token} {token}")] {
            let says = ["# a bot begins".to_owned(), says.clone(), says];
            let heard = converse(client.address, &stdio, &offer, &says).await;
            client.keep(format!("WebSocket {stdio}"), heard);
        }
        let bearer = format!("Bearer {token}");
        until(async || {
            let page = insist(service, "GET", path, &[], &Value::Null).await.json();
            (page["ply"] != 0 || page["stage"] == "over").then_some(())
        })
        .await;
        client.ask("POST", &format!("{path}/resign"), &[("authorization", &bearer)], &Value::Null).await;
        let events = client.ask("GET", &format!("{path}/events?since=0"), &[], &Value::Null).await;
        assert!(events.text().contains("\"fouled\""), "{}", events.text());
        client.ask("GET", &format!("{path}/record"), &[], &Value::Null).await.json();
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    ids
}

/// The deal of each match, from the database of a server that was stopped; and the database's own secrets.
async fn deals(service: &ServerProcess) -> Vec<(String, Vec<Secret>)> {
    let mut file = open(&service.database()).await;
    let rows = sqlx::query_as("SELECT id, body FROM matches JOIN events ON match_nr = nr WHERE seq = 0");
    let rows: Vec<(String, String)> = rows.fetch_all(&mut file).await.unwrap();
    let own: Vec<(String, String)> =
        sqlx::query_as("SELECT name, value FROM settings").fetch_all(&mut file).await.unwrap();
    file.close().await.unwrap();
    let own = own.iter().filter(|(_, value)| value.len() >= 32);
    let own: Vec<_> = own.map(|(name, value)| Secret::new(name, value)).collect();
    assert_eq!(own.len(), 2, "one for the deals, and the private key of notifications");
    let of = |body: &str| {
        let created: Value = serde_json::from_str(body).unwrap();
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        let mut secrets =
            vec![Secret::bytes("the seed", &text("seed")), Secret::bytes("the salt", &text("salt"))];
        piles(&created["state"], &mut secrets);
        secrets
    };
    let deals = rows.into_iter().map(|(id, body)| (id, of(&body)));
    deals.chain([("the database".to_owned(), own)]).collect()
}

/// The hidden cards: lists of cards longer than any that a seat sees at once.
fn piles(state: &Value, secrets: &mut Vec<Secret>) {
    match state {
        Value::Array(items) if items.len() >= 16 => secrets.push(Secret::new("a pile", &state.to_string())),
        Value::Array(items) => items.iter().for_each(|item| piles(item, secrets)),
        Value::Object(fields) => fields.values().for_each(|field| piles(field, secrets)),
        _ => {}
    }
}
