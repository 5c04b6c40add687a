//! The rights of organizers and players, and the refusals of tournaments.

use serde_json::{Value, json};

use super::{create, enter, random_engine, request, round_robin};
use crate::client::TestServer;
use crate::club::player;
use crate::matches::{SHORT, TestCaller};

/// A game in which a bot can hold every seat.
const BOTS: &str = "azul";

#[tokio::test]
async fn players_enter_themselves_and_their_bots_and_the_organizer_engines() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let made = ben.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let robo = TestCaller::with(made["token"].as_str().unwrap());
    let mut wanted = request(BOTS, round_robin());
    wanted["max_entrants"] = json!(4);
    let path = create(&host, &ann, wanted).await;
    let entries = format!("{path}/entries");
    let engine = random_engine(BOTS, "easy");
    let named = |name: &str| json!({ "name": name });
    ann.tell(&host, &format!("{path}/start")).await.problem(409, "too_few_entrants");
    TestCaller::anonymous().tell(&host, &entries).await.problem(401, "token_needed");
    ben.post(&host, &entries, named(&engine)).await.problem(403, "not_your_tournament");
    ann.post(&host, &entries, named(&random_engine(SHORT, "easy"))).await.names(
        422,
        "bad_field",
        "another game",
    );
    ann.post(&host, &entries, named("ben")).await.problem(403, "not_eligible");
    ann.post(&host, &entries, named("robo")).await.problem(403, "not_eligible");
    ann.post(&host, &entries, named("nobody")).await.problem(404, "no_such_player");
    for (caller, name) in [(&ann, "ann"), (&ben, "ben"), (&ben, "robo"), (&ann, &*engine)] {
        enter(&host, caller, &path, name).await;
    }
    robo.tell(&host, &entries).await.problem(409, "already_entered");
    ann.post(&host, &entries, named(&random_engine(BOTS, "hard"))).await.problem(409, "tournament_full");
    let kinds: Vec<Value> = host.get(&path).await.json()["entrants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entrant| entrant["kind"].clone())
        .collect();
    assert_eq!(kinds, ["person", "person", "bot", "engine"]);
    let delete = async |caller: &TestCaller, name: &str| {
        caller.send(&host, "DELETE", &format!("{entries}/{name}"), &[], None).await
    };
    delete(&ben, "ann").await.problem(403, "not_your_tournament");
    delete(&ben, "nobody").await.problem(404, "not_entered");
    assert_eq!(delete(&robo, "ROBO").await.status, 204);
    delete(&ben, "robo").await.problem(404, "not_entered");
    assert_eq!(delete(&ann, "ben").await.status, 204);
    ben.tell(&host, &format!("{path}/start")).await.problem(403, "not_your_tournament");
    assert_eq!(ann.tell(&host, &format!("{path}/abort")).await.json()["stage"], "aborted");
    ben.tell(&host, &entries).await.problem(409, "tournament_stage");
}

#[tokio::test]
async fn bots_enter_only_where_they_can_play_from_every_seat() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    for offer in engines::games::GAMES.iter().filter(|offer| offer.info().max_seats >= 2) {
        let game = offer.info().slug;
        let path = create(&host, &ann, request(game, round_robin())).await;
        let entered = ann.post(&host, &format!("{path}/entries"), json!({ "name": "robo" })).await;
        // From the games' own rules: in these the bot is always the same player.
        if ["ioiwari", "septica"].contains(&game) {
            entered.names(422, "no_bot_seat", "every seat");
        } else {
            entered.made();
        }
        enter(&host, &ann, &path, "ann").await;
    }
}

#[tokio::test]
async fn absurd_tournaments_are_refused() {
    let host = TestServer::start(&["--max-tournaments-per-player=2"]).await;
    let ann = player(&host, "ann").await;
    let made = ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let robo = TestCaller::with(made["token"].as_str().unwrap());
    let swiss = |rounds: u64| json!({ "kind": "swiss", "rounds": rounds });
    let sampled = |mut format: Value| {
        format["kind"] = json!("sampled_round_robin");
        format
    };
    let refusals = [
        ("title", json!(""), "bad_field", "title"),
        ("title", json!("x".repeat(81)), "bad_field", "title"),
        ("title", json!("a\u{202e}b"), "bad_field", "title"),
        ("game", json!("chess"), "unknown_game", "chess"),
        ("seats", json!(4), "bad_seats", "seats"),
        ("seats", json!(1), "bad_seats", "seats"),
        ("max_entrants", json!(10_000), "bad_field", "max_entrants"),
        ("max_entrants", json!(256), "bad_field", "20000"),
        ("deals", json!(0), "bad_field", "deals"),
        ("format", swiss(0), "bad_field", "rounds"),
        ("format", json!({ "kind": "ladder" }), "bad_field", "pairings"),
        ("format", json!({ "kind": "ladder", "pairings": 0 }), "bad_field", "pairings"),
        ("format", sampled(json!({})), "bad_field", "games"),
        ("format", sampled(json!({ "games": 3 })), "bad_field", "multiple of the seats"),
        ("format", sampled(json!({ "games": 2, "hours": 1 })), "bad_field", "either"),
        ("format", sampled(json!({ "hours": 0 })), "bad_field", "hours"),
        ("format", sampled(json!({ "games": 100_000 })), "bad_field", "20000"),
        ("format", json!({ "kind": "knockout" }), "bad_field", "knockout"),
        ("max_running", json!(0), "bad_field", "max_running"),
        ("grace_ms", json!(0), "bad_field", "grace_ms"),
        ("clock", json!({}), "bad_field", "clock"),
        ("options", json!({ "x": 1 }), "bad_options", "x"),
    ];
    for (field, value, code, part) in refusals {
        let mut wanted = request(SHORT, round_robin());
        wanted[field] = value;
        let reply = ann.post(&host, "/v1/tournaments", wanted).await;
        let status = if code == "unknown_game" { 404 } else { 422 };
        reply.names(status, code, part);
    }
    let wanted = request(SHORT, round_robin());
    TestCaller::anonymous().post(&host, "/v1/tournaments", wanted.clone()).await.problem(401, "token_needed");
    robo.post(&host, "/v1/tournaments", wanted.clone()).await.problem(403, "not_a_person");
    let key = [("idempotency-key", "0123456789abcdef")];
    let first = ann.send(&host, "POST", "/v1/tournaments", &key, Some(wanted.to_string())).await.made();
    let again = ann.send(&host, "POST", "/v1/tournaments", &key, Some(wanted.to_string())).await.made();
    assert_eq!(first["id"], again["id"]);
    let other = request(SHORT, swiss(3)).to_string();
    let reused = ann.send(&host, "POST", "/v1/tournaments", &key, Some(other)).await;
    reused.problem(422, "idempotency_key_reused");
    create(&host, &ann, request(SHORT, swiss(1))).await;
    let third = ann.post(&host, "/v1/tournaments", wanted).await;
    third.names(429, "too_many", "--max-tournaments-per-player");
    for path in ["/v1/tournaments/x", "/v1/tournaments/00000000-0000-7000-8000-000000000000"] {
        host.get(path).await.problem(404, "no_such_tournament");
        host.get(&format!("{path}/events")).await.problem(404, "no_such_tournament");
        host.get(&format!("{path}/records")).await.problem(404, "no_such_tournament");
    }
    for wrong in ["limit=0", "before=x", "game=chess", "x=1"] {
        host.get(&format!("/v1/tournaments?{wrong}")).await.problem(400, "bad_query");
    }
    let page = host.get("/v1/tournaments?limit=1").await.json();
    let next = page["next"].as_str().unwrap();
    let rest = host.get(&format!("/v1/tournaments?limit=1&before={next}&game={SHORT}")).await.json();
    assert_eq!((&rest["tournaments"][0]["id"], &rest["next"]), (&first["id"], &Value::Null));
}
