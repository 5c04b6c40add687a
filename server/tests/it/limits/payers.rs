//! Every way of making a match is charged to those for whom it is made.

use std::time::Duration;

use kibitz::lobby::LadderOptions;
use serde_json::{Value, json};

use super::{AddressClient, at};
use crate::client::TestServer;
use crate::matches::{SHORT, me, open, order};

/// Three matches at a time, and no other limit in the way.
const THREE_MATCHES: [&str; 1] = ["--max-matches-per-player=3"];

/// Three matches in all: more come back only after an hour.
const THREE_CREATIONS: [&str; 2] = ["--player-creations-per-minute=1", "--player-creations-burst=3"];

const MATCHES: &str = "3 matches that are not over, the limit that --max-matches-per-player sets";
const CREATIONS: &str = "creates too many matches";

/// A new player at this address; the name, and the client with its token.
async fn named(host: &TestServer, source: &'static str, name: &str) -> AddressClient {
    let made = at(source).post(host, "/v1/players", &json!({ "name": name })).await.made();
    at(source).with(&made["token"])
}

fn wish() -> Value {
    json!({ "game": SHORT, "opponents": ["engine"], "others_after_ms": 0 })
}

/// A challenge of `from` that `to` accepts; the answer to the acceptance.
async fn agree(
    host: &TestServer,
    from: &AddressClient,
    to: (&AddressClient, &str),
) -> crate::client::TestResponse {
    let path = format!("/v1/players/{}/challenges", to.1);
    let challenge = from.post(host, &path, &json!({ "game": SHORT })).await.made();
    to.0.post(host, &format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap()), &Value::Null)
        .await
}

#[tokio::test]
async fn accepted_challenges_are_charged_to_both_players() {
    for (flags, why) in [(&THREE_MATCHES[..], MATCHES), (&THREE_CREATIONS, CREATIONS)] {
        let host = TestServer::start(flags).await;
        let ann = named(&host, "127.0.0.2", "ann").await;
        let [ben, cat] = ["ben", "cat"].map(|name| named(&host, "127.0.0.3", name));
        let (ben, cat) = (ben.await, cat.await);
        for _ in 0..3 {
            assert_eq!(agree(&host, &ann, (&ben, "ben")).await.status, 200);
        }
        agree(&host, &ann, (&cat, "cat")).await.names(429, "too_many", why);
        agree(&host, &cat, (&ben, "ben")).await.names(429, "too_many", why);
        ben.post(&host, "/v1/matches", &order(SHORT, &[me(), open()])).await.names(429, "too_many", why);
    }
}

#[tokio::test]
async fn what_an_agreed_match_holds_comes_back_at_its_end() {
    let host = TestServer::start(&THREE_MATCHES).await;
    let ann = named(&host, "127.0.0.2", "ann").await;
    let ben = named(&host, "127.0.0.3", "ben").await;
    let mut last = Value::Null;
    for _ in 0..3 {
        last = agree(&host, &ann, (&ben, "ben")).await.json();
    }
    agree(&host, &ben, (&ann, "ann")).await.names(429, "too_many", MATCHES);
    let path = format!("/v1/matches/{}/resign", last["match"].as_str().unwrap());
    assert_eq!(ann.post(&host, &path, &Value::Null).await.status, 200);
    assert_eq!(agree(&host, &ben, (&ann, "ann")).await.status, 200);
}

#[tokio::test]
async fn an_address_pays_for_what_its_players_accept() {
    let host = TestServer::start(&["--max-matches-per-address=2"]).await;
    let ann = named(&host, "127.0.0.2", "ann").await;
    for name in ["ben", "cat"] {
        let other = named(&host, "127.0.0.3", name).await;
        assert_eq!(agree(&host, &ann, (&other, name)).await.status, 200);
    }
    let dan = named(&host, "127.0.0.3", "dan").await;
    let refused = agree(&host, &ann, (&dan, "dan")).await;
    refused.names(429, "too_many", "an address may have 2 matches that are not over");
}

#[tokio::test]
async fn quick_pairing_is_charged_to_its_player() {
    for (flags, why) in [(&THREE_MATCHES[..], MATCHES), (&THREE_CREATIONS, CREATIONS)] {
        let host = TestServer::start(flags).await;
        let ann = named(&host, "127.0.0.2", "ann").await;
        for _ in 0..3 {
            ann.post(&host, "/v1/pool", &wish()).await.made();
        }
        ann.post(&host, "/v1/pool", &wish()).await.names(429, "too_many", why);
        let ben = named(&host, "127.0.0.2", "ben").await;
        ben.post(&host, "/v1/pool", &wish()).await.made();
    }
}

#[tokio::test]
async fn challenges_are_messages_that_a_player_sends_only_so_often() {
    let host = TestServer::start(&["--challenges-per-minute=6"]).await;
    let ann = named(&host, "127.0.0.2", "ann").await;
    let _ben = named(&host, "127.0.0.3", "ben").await;
    let challenge = json!({ "game": SHORT });
    for _ in 0..3 {
        let made = ann.post(&host, "/v1/players/ben/challenges", &challenge).await.made();
        let path = format!("/v1/challenges/{}/withdraw", made["id"].as_str().unwrap());
        assert_eq!(ann.post(&host, &path, &Value::Null).await.status, 200);
    }
    let refused = ann.post(&host, "/v1/players/ben/challenges", &challenge).await;
    refused.names(429, "too_many", "--challenges-per-minute");
    for name in ["cat", "dan", "eve"] {
        let other = named(&host, "127.0.0.2", name).await;
        other.post(&host, "/v1/players/ben/challenges", &challenge).await.made();
    }
    let fay = named(&host, "127.0.0.2", "fay").await;
    let refused = fay.post(&host, "/v1/players/ben/challenges", &challenge).await;
    refused.names(429, "too_many", "this address creates too many challenges");
}

#[tokio::test]
async fn matches_of_a_tournament_are_charged_to_its_organizer() {
    let flags = ["--player-creations-per-minute=1", "--player-creations-burst=4"];
    let host = TestServer::start(&flags).await;
    let ann = named(&host, "127.0.0.2", "ann").await;
    // One creation is the tournament itself.
    let tournament = json!({
        "title": "Nobody comes", "game": SHORT, "format": { "kind": "round_robin" },
        "clock": { "initial_ms": 60_000 }, "grace_ms": 1000, "max_running": 64,
    });
    let made = ann.post(&host, "/v1/tournaments", &tournament).await.made();
    let path = format!("/v1/tournaments/{}", made["id"].as_str().unwrap());
    for name in ["ben", "cat", "dan", "eve"] {
        let entrant = named(&host, "127.0.0.3", name).await;
        entrant.post(&host, &format!("{path}/entries"), &Value::Null).await.made();
    }
    assert_eq!(ann.post(&host, &format!("{path}/start"), &Value::Null).await.status, 200);
    let forfeited = async || {
        let page = at("127.0.0.4").get(&host, &path).await.json();
        assert_eq!(page["stage"], "running", "{page}");
        page["games"].as_array().unwrap().iter().filter(|game| game["match"].is_string()).count()
    };
    while forfeited().await < 3 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // The absent forfeit after a second; without a limit the next games would then begin.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(forfeited().await, 3);
    ann.post(&host, "/v1/matches", &order(SHORT, &[me(), open()])).await.names(429, "too_many", CREATIONS);
}

#[tokio::test]
async fn engine_time_of_pairings_is_charged_to_their_address_and_player() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    let mut made = Vec::new();
    for (source, name) in [("127.0.0.2", "ann"), ("127.0.0.2", "ben"), ("127.0.0.3", "cat")] {
        let client = named(&host, source, name).await;
        for path in ["/v1/pool", "/v1/matches"] {
            let body = match path {
                "/v1/pool" => wish(),
                _ => order(SHORT, &[me(), json!({ "kind": "engine" })]),
            };
            made.push(client.post(&host, path, &body).await.made()["id"].as_str().unwrap().to_owned());
        }
    }
    let file = rusqlite::Connection::open(&database).unwrap();
    let body = |id: &String| -> Value {
        let select =
            "SELECT body FROM events WHERE seq = 0 AND match_nr = (SELECT nr FROM matches WHERE id = ?1)";
        let body: String = file.query_row(select, [id], |row| row.get(0)).unwrap();
        serde_json::from_str(&body).unwrap()
    };
    let payers: Vec<[Value; 2]> =
        made.iter().map(|id| ["made_from", "payer"].map(|field| body(id)[field].clone())).collect();
    assert!(payers.iter().flatten().all(Value::is_string), "{payers:?}");
    for pair in payers.chunks(2) {
        assert_eq!(pair[0], pair[1], "both ways of making a match charge the same account");
    }
    let [ann, ben, cat] = [&payers[0], &payers[2], &payers[4]];
    assert!(ann[0] == ben[0] && ann[0] != cat[0] && ann[1] != ben[1] && ben[1] != cat[1], "{payers:?}");
}

/// The ladder is the service's own: its bots and engines need no room for it.
#[tokio::test]
async fn the_ladder_pays_for_itself() {
    let flags = ["--ladder=true", "--max-matches-per-address=1", "--max-matches-per-player=1"];
    let host = TestServer::with(&flags, |args| {
        args.lobby.ladder = LadderOptions {
            on: true,
            matches_per_hour: 60,
            engines: true,
            pace: Duration::ZERO,
            every: Duration::from_millis(20),
        };
    })
    .await;
    let begun = async || {
        let list = host.get("/v1/matches?limit=100").await.json();
        list["matches"].as_array().unwrap().len()
    };
    while begun().await < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
