//! A caller who may not know of a private match gets, for every request, the answer of a match that does not exist.

use engines::rng::Seed;
use hyper::body::Bytes;
use kibitz::domain::MatchId;
use kibitz::domain::token::{Token, TokenKind};
use serde_json::{Value, json};

use super::received::RecordingClient;
use super::streams::converse;
use crate::server_process::ServerProcess;

type RequestHeaders = Vec<(&'static str, String)>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn private_match_does_not_exist_for_callers_without_its_key() {
    let service = ServerProcess::start(&["--threads=1"]);
    let mut client = RecordingClient { address: service.address, received: Vec::new() };
    let me = json!({ "kind": "me" });
    let open = json!({ "kind": "open" });
    let mut player = async |name: &str| {
        let made = client.ask_for("/v1/players", &[], &json!({ "name": name })).await;
        ("authorization", format!("Bearer {}", made["token"].as_str().unwrap()))
    };
    let (alice, bob, _) = (player("alice").await, player("bob").await, player("carol").await);
    let mut made = async |seats: Value, private: bool| {
        let order =
            json!({ "game": "azul", "seats": seats, "private": private, "seed": Seed::from(7).to_string() });
        let made = client.ask_for("/v1/matches", &[(alice.0, &alice.1)], &order).await;
        let key = made["key"].as_str().map(|key| ("match-key", key.to_owned()));
        (made["id"].as_str().unwrap().to_owned(), key)
    };
    let (waiting, key) = made(json!([me, open]), true).await;
    let (running, running_key) =
        made(json!([me, { "kind": "engine", "level": "easy", "nodes": 10 }]), true).await;
    let (kept, kept_key) = made(json!([me, { "kind": "player", "name": "carol" }]), true).await;
    let (over, over_key) = made(json!([me, { "kind": "engine", "nodes": 10 }]), true).await;
    let (public, _) = made(json!([me, open]), false).await;
    let resign = format!("/v1/matches/{over}/resign");
    client.ask("POST", &resign, &[(alice.0, &alice.1)], &Value::Null).await.json();

    // The permitted callers do see the matches.
    for (id, key) in [(&waiting, &key), (&running, &running_key), (&kept, &kept_key), (&over, &over_key)] {
        let (name, key) = key.as_ref().unwrap();
        for shown in [(*name, key.as_str()), (alice.0, alice.1.as_str())] {
            client.ask("GET", &format!("/v1/matches/{id}"), &[shown], &Value::Null).await.json();
        }
    }

    let fresh = |kind| Token::fresh(kind).unwrap().reveal().to_owned();
    let joined = client.ask_for(&format!("/v1/matches/{public}/join"), &[], &json!({})).await;
    let elsewhere = ("authorization", format!("Bearer {}", joined["seats"][0]["token"].as_str().unwrap()));
    let strangers: Vec<RequestHeaders> = vec![
        vec![],
        vec![bob.clone()],
        vec![elsewhere.clone()],
        vec![("authorization", format!("Bearer {}", fresh(TokenKind::Seat)))],
        vec![("authorization", format!("Bearer {}", fresh(TokenKind::Player)))],
        vec![("match-key", fresh(TokenKind::Match))],
        vec![bob, ("match-key", fresh(TokenKind::Match))],
        vec![elsewhere, ("idempotency-key", "an-idempotency-key-of-a-stranger".to_owned())],
        vec![("match-key", fresh(TokenKind::Seat))],
    ];
    let mut different = Vec::new();
    for stranger in &strangers {
        let nothing = everything(&service, MatchId::fresh().as_str(), stranger).await;
        for (id, other) in [(&waiting, &over_key), (&running, &key), (&kept, &key), (&over, &key)] {
            let told = everything(&service, id, stranger).await;
            compare(&nothing, &told, &mut different);
            // The key of another match does not open this one.
            if stranger.is_empty() {
                let key: RequestHeaders = other.iter().cloned().collect();
                let nothing = everything(&service, MatchId::fresh().as_str(), &key).await;
                compare(&nothing, &everything(&service, id, &key).await, &mut different);
            }
        }
    }
    assert!(
        different.is_empty(),
        "{} answers tell of a private match:\n{}",
        different.len(),
        different.join("\n")
    );

    for path in ["/v1/matches?limit=100", "/v1/players/alice/matches", "/v1/matches?game=azul&player=alice"] {
        let list = client.ask("GET", path, &[], &Value::Null).await;
        assert!(list.text().contains(&public), "{path}");
        assert!([&waiting, &running, &kept, &over].iter().all(|id| !list.text().contains(*id)), "{path}");
    }
    let results = client.ask("GET", "/v1/players/alice", &[], &Value::Null).await.json();
    assert_eq!(results["results"], json!([]), "a result tells of a match");
}

fn compare(nothing: &[(String, String)], told: &[(String, String)], different: &mut Vec<String>) {
    for ((what, expected), (_, told)) in nothing.iter().zip(told) {
        if expected != told {
            different.push(format!("{what}: {told}\ninstead of {expected}"));
        }
    }
}

/// All responses to a stranger about the match with this id; the id is masked.
async fn everything(service: &ServerProcess, id: &str, shown: &RequestHeaders) -> Vec<(String, String)> {
    let mut client = RecordingClient { address: service.address, received: Vec::new() };
    let shown: Vec<_> = shown.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let of = |rest: &str| format!("/v1/matches/{id}{rest}");
    for path in [
        "",
        "/events",
        "/events?since=0",
        "/events?since=99",
        "/events?since=x",
        "/live",
        "/record",
        "/moves",
    ] {
        for method in ["GET", "HEAD", "DELETE"] {
            client.send(method, &of(path), &shown, Bytes::new()).await;
        }
    }
    for path in [
        "/record?format=kibitz",
        "/record?format=none",
        "/seats/0/stdio",
        "/seats/me/stdio",
        "/seats/9/stdio",
    ] {
        client.send("GET", &of(path), &shown, Bytes::new()).await;
    }
    for accept in [("accept", "application/x-ndjson"), ("last-event-id", "0")] {
        let shown: Vec<_> = shown.iter().copied().chain([accept]).collect();
        client.send("GET", &of("/events"), &shown, Bytes::new()).await;
    }
    let bodies = [
        Value::Null,
        json!({}),
        json!({ "ply": 0, "notation": "1 g 1" }),
        json!({ "ply": 5, "notation": "1 g 1" }),
        json!({ "ply": 0, "notation": "no move" }),
        json!({ "ply": 0, "move": { "no": "such" } }),
        json!({ "notation": "1 g 1" }),
        json!({ "seat": 0 }),
        json!({ "seat": 1, "name": "a stranger" }),
        json!({ "seat": 9, "name": " bad " }),
    ];
    for act in ["join", "moves", "leave", "resign", "abort", "rematch"] {
        for body in &bodies {
            client.ask("POST", &of(&format!("/{act}")), &shown, body).await;
        }
    }
    let offers = shown.iter().filter_map(|(name, value)| match *name {
        "authorization" => Some(format!(", token.{}", &value["Bearer ".len()..])),
        "match-key" => Some(format!(", key.{value}")),
        _ => None,
    });
    let offer = format!("kibitz{}", offers.collect::<String>());
    for path in
        ["/live", "/live?since=0", "/live?since=99", "/seats/0/stdio", "/seats/1/stdio", "/seats/me/stdio"]
    {
        let heard = converse(service.address, &of(path), &offer, &[]).await;
        client.keep(format!("WebSocket {}", of(path)), heard);
    }
    client
        .received
        .into_iter()
        .map(|heard| (heard.what.replace(id, "ID"), without_date(&heard.text.replace(id, "ID"))))
        .collect()
}

/// The response without the header `Date`.
fn without_date(text: &str) -> String {
    match text.find("\"date\": \"") {
        Some(at) => {
            let end = text[at..].find(" GMT\"").map_or(text.len(), |end| at + end);
            format!("{}{}", &text[..at], &text[end..])
        }
        None => text.to_owned(),
    }
}
