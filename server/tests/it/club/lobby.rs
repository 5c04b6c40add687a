//! The lobby from outside: control connections, online bots, challenges, quick pairing, on one server and on two, on both
//! databases.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::player;
use crate::client::{DialogueClient, HANG, TestServer};
use crate::matches::{EventStream, SHORT, TestCaller};
use crate::server_process::{ServerProcess, until};
use crate::tournaments::attempt;

/// A database for the servers of a test.
enum Place {
    Sqlite(TempDir),
    Postgres(String),
}

impl Place {
    fn sqlite() -> Self {
        Self::Sqlite(TempDir::new().unwrap())
    }

    async fn postgres() -> Self {
        Self::Postgres(tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap())
    }

    /// A server on the database.
    async fn server(&self, flags: &[&str]) -> TestServer {
        match self {
            Self::Sqlite(folder) => TestServer::on(&folder.path().join("kibitz.db"), flags).await,
            Self::Postgres(url) => TestServer::on(Path::new(url), flags).await,
        }
    }
}

/// Runs each of these tests on SQLite and on PostgreSQL.
macro_rules! on_both_databases {
    ($($name:ident,)+) => {$(
        mod $name {
            use super::Place;

            #[tokio::test]
            async fn on_sqlite() {
                super::$name(Place::sqlite()).await;
            }

            #[tokio::test]
            async fn on_postgres() {
                super::$name(Place::postgres().await).await;
            }
        }
    )+};
}

on_both_databases! {
    accepted_challenge_is_a_match_in_which_both_have_seats,
    challenges_are_declined_withdrawn_and_expire,
    people_play_by_their_rules_and_bots_by_those_of_the_contest,
    bot_is_online_with_its_policy_while_its_connection_is_open,
    lobby_of_two_servers_is_one,
    pool_takes_people_first_then_bots_and_engines,
}

/// A bot of this owner.
pub(crate) async fn bot(host: &TestServer, owner: &TestCaller, name: &str) -> TestCaller {
    let made = owner.post(host, "/v1/me/bots", json!({ "name": name })).await.made();
    TestCaller::with(made["token"].as_str().unwrap())
}

/// A control connection, and the events that came before `ready`.
pub(crate) async fn control(host: &TestServer, caller: &TestCaller) -> (DialogueClient, Vec<Value>) {
    let mut wire = caller.dial(host, "/v1/me/live").await;
    let mut state = Vec::new();
    loop {
        let event = hear(&mut wire).await;
        if event["type"] == "ready" {
            return (wire, state);
        }
        state.push(event);
    }
}

async fn hear(wire: &mut DialogueClient) -> Value {
    serde_json::from_str(&wire.hear().await).unwrap()
}

/// The next event of this type.
pub(super) async fn event(wire: &mut DialogueClient, kind: &str) -> Value {
    let heard = async {
        loop {
            let event = hear(wire).await;
            if event["type"] == kind {
                return event;
            }
        }
    };
    tokio::time::timeout(HANG, heard).await.unwrap_or_else(|_| panic!("no {kind} comes"))
}

/// Waits until these bots are online.
async fn online(host: &TestServer, names: &[&str]) -> Value {
    until(|| async {
        let list = host.get("/v1/bots").await.json();
        let found: Vec<&str> =
            list["bots"].as_array().unwrap().iter().map(|bot| bot["name"].as_str().unwrap()).collect();
        (found == names).then(|| list["bots"].clone())
    })
    .await
}

fn terms() -> Value {
    json!({ "game": SHORT, "clock": { "initial_ms": 600_000 }, "rated": true })
}

async fn accepted_challenge_is_a_match_in_which_both_have_seats(place: Place) {
    let host = place.server(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let (mut wire, state) = control(&host, &ben).await;
    assert_eq!(state, [] as [Value; 0]);
    let made = ann.post(&host, "/v1/players/ben/challenges", terms()).await.made();
    assert_eq!((&made["role"], &made["stage"]), (&json!("challenger"), &json!("open")));
    let told = event(&mut wire, "challenge").await;
    assert_eq!(
        (&told["role"], &told["id"], &told["challenger"]),
        (&json!("opponent"), &made["id"], &json!("ann"))
    );
    // A connection that is opened later gets the same.
    let (_, state) = control(&host, &ann).await;
    assert_eq!((state.len(), &state[0]["id"]), (1, &made["id"]));
    let path = format!("/v1/challenges/{}", made["id"].as_str().unwrap());
    ann.tell(&host, &format!("{path}/accept")).await.problem(403, "not_your_challenge");
    ben.tell(&host, &format!("{path}/withdraw")).await.problem(403, "not_your_challenge");
    let accepted = ben.tell(&host, &format!("{path}/accept")).await.json();
    assert_eq!(accepted["stage"], "accepted");
    let again = ben.tell(&host, &format!("{path}/accept")).await.json();
    assert_eq!(again["match"], accepted["match"], "there is one match");
    ben.tell(&host, &format!("{path}/decline")).await.problem(409, "challenge_over");
    assert_eq!(event(&mut wire, "challenge_over").await["match"], accepted["match"]);
    let running = event(&mut wire, "match").await;
    assert_eq!((&running["id"], &running["game"]), (&accepted["match"], &json!(SHORT)));
    let page = ann.page(&host, running["url"].as_str().unwrap()).await;
    assert_eq!((&page["stage"], &page["rated"]), (&json!("running"), &json!(true)));
    assert_eq!(page["you"], made["challenger_seat"]);
    assert_eq!(ben.get(&host, "/v1/me/matches").await.json()["matches"].as_array().unwrap().len(), 1);
    ben.tell(&host, &format!("{}/resign", running["url"].as_str().unwrap())).await.json();
    assert_eq!(event(&mut wire, "match_over").await["id"], running["id"]);
}

async fn challenges_are_declined_withdrawn_and_expire(place: Place) {
    let host = place.server(&["--max-challenges-per-player=2"]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    // A challenge that ends before the server has reported it is never reported.
    let (mut wire, _) = control(&host, &ann).await;
    let challenge = async |body: Value| ann.post(&host, "/v1/players/ben/challenges", body).await;
    let first = challenge(terms()).await.made();
    event(&mut wire, "challenge").await;
    let path = format!("/v1/challenges/{}", first["id"].as_str().unwrap());
    let declined = ben.post(&host, &format!("{path}/decline"), json!({ "reason": "later" })).await.json();
    assert_eq!((&declined["stage"], &declined["reason"]), (&json!("declined"), &json!("later")));
    let told = event(&mut wire, "challenge_over").await;
    assert_eq!((&told["stage"], &told["reason"]), (&json!("declined"), &json!("later")));
    ben.tell(&host, &format!("{path}/accept")).await.names(409, "challenge_over", "later");
    let second = challenge(terms()).await.made();
    event(&mut wire, "challenge").await;
    let path = format!("/v1/challenges/{}", second["id"].as_str().unwrap());
    assert_eq!(ann.tell(&host, &format!("{path}/withdraw")).await.json()["stage"], "withdrawn");
    assert_eq!(event(&mut wire, "challenge_over").await["stage"], "withdrawn");
    let third = challenge(json!({ "game": SHORT, "open_ms": 1000 })).await.made();
    event(&mut wire, "challenge").await;
    assert_eq!(event(&mut wire, "challenge_over").await["stage"], "expired");
    let path = format!("/v1/challenges/{}", third["id"].as_str().unwrap());
    assert_eq!(ann.get(&host, &path).await.json()["stage"], "expired");
    ben.tell(&host, &format!("{path}/accept")).await.problem(409, "challenge_over");
    // Refusals.
    challenge(terms()).await.made();
    challenge(terms()).await.made();
    challenge(terms()).await.names(429, "too_many", "--max-challenges-per-player");
    until(|| async {
        let open = ben.get(&host, "/v1/me/challenges").await.json();
        (open["challenges"].as_array().unwrap().len() == 2).then_some(())
    })
    .await;
    let cat = player(&host, "cat").await;
    cat.get(&host, &path).await.problem(404, "no_such_challenge");
    let robo = bot(&host, &cat, "robo").await;
    for (who, body, status, code) in [
        ("cat", terms(), 409, "not_accepted"),
        ("nobody", terms(), 404, "no_such_player"),
        ("robo", terms(), 403, "rated_owners"),
        ("ann", json!({ "game": "chess" }), 404, "unknown_game"),
        ("ann", json!({ "game": SHORT, "rated": true }), 422, "rated_clock"),
        ("ann", json!({ "game": SHORT, "clock": {} }), 422, "bad_field"),
        ("ann", json!({ "game": SHORT, "open_ms": 1 }), 422, "bad_field"),
        ("ann", json!({ "game": SHORT, "seat": 2 }), 422, "bad_seats"),
    ] {
        cat.post(&host, &format!("/v1/players/{who}/challenges"), body).await.problem(status, code);
    }
    let guest = TestCaller::anonymous();
    guest.post(&host, "/v1/players/ann/challenges", terms()).await.problem(401, "token_needed");
    drop(robo);
}

/// Accepts the challenge of `by` to a player; the options of its match.
async fn options_of_challenge(
    host: &TestServer,
    by: &TestCaller,
    other: (&str, &TestCaller),
    game: &str,
) -> Value {
    let made =
        by.post(host, &format!("/v1/players/{}/challenges", other.0), json!({ "game": game })).await.made();
    let accept = format!("/v1/challenges/{}/accept", made["id"].as_str().unwrap());
    let accepted = other.1.tell(host, &accept).await.json();
    let path = format!("/v1/matches/{}", accepted["match"].as_str().unwrap());
    by.page(host, &path).await["options"].clone()
}

async fn people_play_by_their_rules_and_bots_by_those_of_the_contest(place: Place) {
    let host = place.server(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let robo = bot(&host, &ann, "robo").await;
    let (mut wire, _) = control(&host, &robo).await;
    let games: Vec<_> = engines::games::GAMES.iter().filter(|game| game.options_for(2).is_some()).collect();
    let slugs: Vec<&str> = games.iter().map(|game| game.info().slug).collect();
    wire.say(&json!({ "type": "policy", "policy": { "games": slugs, "concurrent": 9 } }).to_string()).await;
    online(&host, &["robo"]).await;
    let mut differ = 0;
    for (game, slug) in games.iter().zip(slugs) {
        let [people, usual] = [game.options_for_people(2), game.options_for(2)].map(Option::unwrap);
        differ += usize::from(people != usual);
        assert_eq!(options_of_challenge(&host, &ann, ("ben", &ben), slug).await, people, "{slug}");
        if game.info().bot_can_hold_all(2, false) {
            assert_eq!(options_of_challenge(&host, &ben, ("robo", &robo), slug).await, usual, "{slug}");
        }
    }
    assert!(differ > 0, "no game has rules of its own for people");
}

async fn bot_is_online_with_its_policy_while_its_connection_is_open(place: Place) {
    let host = place.server(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let robo = bot(&host, &ann, "robo").await;
    let (mut wire, _) = control(&host, &robo).await;
    online(&host, &[]).await;
    let offline = ben.post(&host, "/v1/players/robo/challenges", terms()).await;
    offline.names(409, "not_accepted", "offline");
    for (wrong, code) in [
        (json!({ "games": [] }), "bad_field"),
        (json!({ "games": ["chess"] }), "unknown_game"),
        (json!({ "games": [SHORT], "concurrent": 0 }), "bad_field"),
        (json!({ "games": [SHORT], "clock_ms": [2, 1] }), "bad_field"),
        (json!({ "games": [SHORT], "color": 1 }), "bad_field"),
    ] {
        wire.say(&json!({ "type": "policy", "policy": wrong }).to_string()).await;
        assert_eq!(event(&mut wire, "refused").await["problem"]["code"], code, "{wrong}");
    }
    let policy =
        json!({ "games": [SHORT], "rated": "only", "clock_ms": [60_000, 900_000], "from": "people" });
    wire.say(&json!({ "type": "policy", "policy": policy }).to_string()).await;
    let bots = online(&host, &["robo"]).await;
    assert_eq!((&bots[0]["owner"], &bots[0]["policy"]["concurrent"]), (&json!("ann"), &json!(1)));
    assert_eq!(host.get("/v1/bots?game=azul").await.json()["bots"], json!([]));
    for (body, part) in [
        (json!({ "game": "azul" }), "plays only"),
        (json!({ "game": SHORT, "clock": { "initial_ms": 60_000 } }), "only rated"),
        (json!({ "game": SHORT, "rated": true, "clock": { "initial_ms": 1000 } }), "clocks"),
    ] {
        ben.post(&host, "/v1/players/robo/challenges", body).await.names(409, "not_accepted", part);
    }
    let made = ben.post(&host, "/v1/players/robo/challenges", terms()).await.made();
    let told = event(&mut wire, "challenge").await;
    wire.say(&json!({ "type": "accept", "id": told["id"] }).to_string()).await;
    let running = event(&mut wire, "match").await;
    let path = format!("/v1/challenges/{}", made["id"].as_str().unwrap());
    assert_eq!(ben.get(&host, &path).await.json()["match"], running["id"]);
    let (mut of_person, _) = control(&host, &ben).await;
    of_person.say(&json!({ "type": "policy", "policy": policy }).to_string()).await;
    assert_eq!(event(&mut of_person, "refused").await["problem"]["code"], "not_a_bot");
    drop(wire);
    online(&host, &[]).await;
    // The state after a reconnection: the match runs.
    let (_wire, state) = control(&host, &robo).await;
    assert_eq!((state.len(), &state[0]["id"]), (1, &running["id"]));
}

async fn lobby_of_two_servers_is_one(place: Place) {
    let (a, b) = (place.server(&[]).await, place.server(&[]).await);
    let (ann, ben) = (player(&a, "ann").await, player(&a, "ben").await);
    let robo = bot(&a, &ann, "robo").await;
    let (mut wire, _) = control(&a, &robo).await;
    wire.say(&json!({ "type": "policy", "policy": { "games": [SHORT] } }).to_string()).await;
    online(&b, &["robo"]).await;
    let mut stream = EventStream::ndjson(&b, &ben, "/v1/me/events").await;
    let made = ben.post(&b, "/v1/players/robo/challenges", terms()).await.made();
    let told = event(&mut wire, "challenge").await;
    assert_eq!(told["id"], made["id"]);
    wire.say(&json!({ "type": "accept", "id": told["id"] }).to_string()).await;
    let running = event(&mut wire, "match").await;
    loop {
        let event = stream.next().await.unwrap();
        if event.json["type"] == "match" {
            assert_eq!(event.json["id"], running["id"]);
            break;
        }
    }
    // People who wait on different servers are paired.
    let cat = player(&a, "cat").await;
    let wish = json!({ "game": SHORT, "clock": { "initial_ms": 600_000 }, "rated": true, "stay_ms": 60_000 });
    let (one, other) =
        tokio::join!(cat.post(&a, "/v1/pool", wish.clone()), ben.post(&b, "/v1/pool", wish.clone()));
    assert_eq!(one.made()["id"], other.made()["id"]);
    drop(wire);
    online(&b, &[]).await;
}

async fn pool_takes_people_first_then_bots_and_engines(place: Place) {
    let host = place.server(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let wish = |opponents: &[&str], wait: u64, stay: u64| {
        json!({ "game": SHORT, "opponents": opponents, "others_after_ms": wait, "stay_ms": stay,
                "clock": { "initial_ms": 600_000 } })
    };
    let alone = ann.post(&host, "/v1/pool", wish(&["person"], 0, 300)).await;
    assert_eq!(alone.status, 204, "{alone:?}");
    let with_engine = ann.post(&host, "/v1/pool", wish(&["person", "engine"], 300, 60_000)).await.made();
    let page = ann.page(&host, with_engine["url"].as_str().unwrap()).await;
    let kinds: Vec<&Value> = page["seats"].as_array().unwrap().iter().map(|seat| &seat["kind"]).collect();
    assert!(kinds.contains(&&json!("engine")), "{page}");
    let robo = bot(&host, &ann, "robo").await;
    let (mut wire, _) = control(&host, &robo).await;
    wire.say(&json!({ "type": "policy", "policy": { "games": [SHORT] } }).to_string()).await;
    online(&host, &["robo"]).await;
    // A bot does not play its owner.
    let own = ann.post(&host, "/v1/pool", wish(&["bot"], 0, 600)).await;
    assert_eq!(own.status, 204, "{own:?}");
    let with_bot = ben.post(&host, "/v1/pool", wish(&["person", "bot"], 0, 60_000)).await.made();
    assert_eq!(event(&mut wire, "match").await["id"], with_bot["id"]);
    // The bot plays one match at a time.
    let full = player(&host, "cat").await.post(&host, "/v1/pool", wish(&["bot"], 0, 600)).await;
    assert_eq!(full.status, 204, "{full:?}");
    // People who ask for the same are paired, others are not.
    let (one, other) = (player(&host, "dan").await, player(&host, "eve").await);
    let (one, other) = tokio::join!(
        one.post(&host, "/v1/pool", wish(&["person", "engine"], 60_000, 60_000)),
        other.post(&host, "/v1/pool", wish(&["person"], 0, 60_000))
    );
    assert_eq!(one.made()["id"], other.made()["id"]);
    for (body, status, code) in [
        (wish(&[], 0, 1), 422, "bad_field"),
        (wish(&["person"], 0, 1_000_000), 422, "bad_field"),
        (json!({ "game": "chess" }), 404, "unknown_game"),
        (json!({ "game": SHORT, "rated": true }), 422, "rated_clock"),
    ] {
        ben.post(&host, "/v1/pool", body).await.problem(status, code);
    }
}

/// Two nodes, one of which is killed: its players are offline when its lease ends, its tickets are gone, and what is stored
/// stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_of_a_killed_node_are_offline_and_challenges_stay() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let start = move || [0, 1].map(|_| ServerProcess::start_on(&url, &["--threads=1"]));
    let mut nodes = tokio::task::spawn_blocking(start).await.unwrap();
    let [a, b] = [nodes[0].address, nodes[1].address];
    let people = [club_player(a, "ann").await, club_player(a, "ben").await];
    let made = people[0].send_to(a, "POST", "/v1/me/bots", &[], Some(json!({ "name": "robo" }).to_string()));
    let robo = TestCaller::with(made.await.made()["token"].as_str().unwrap());
    let mut wire = robo.try_dial_to(a, "/v1/me/live").await.unwrap();
    wire.say(&json!({ "type": "policy", "policy": { "games": [SHORT] } }).to_string()).await;
    let bots = async || {
        let list = TestCaller::anonymous().send_to(b, "GET", "/v1/bots", &[], None).await.json();
        list["bots"].as_array().unwrap().len()
    };
    until(|| async { (bots().await == 1).then_some(()) }).await;
    // Ann waits on the node that is killed: afterwards no player may be paired with her.
    let wish = json!({ "game": SHORT, "opponents": ["person"], "stay_ms": 60_000 }).to_string();
    let waits = {
        let (ann, wish) = (people[0].clone(), wish.clone());
        tokio::spawn(async move {
            // The connection breaks when the node is killed.
            attempt(a, &ann, "POST", "/v1/pool", Some(serde_json::from_str(&wish).unwrap())).await
        })
    };
    let challenge =
        people[1].send_to(b, "POST", "/v1/players/ann/challenges", &[], Some(terms().to_string()));
    let challenge = challenge.await.made();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    nodes[0].kill();
    assert!(waits.await.unwrap().is_none(), "the killed node cannot answer");
    until(|| async { (bots().await == 0).then_some(()) }).await;
    let alone = json!({ "game": SHORT, "opponents": ["person"], "stay_ms": 300 }).to_string();
    let alone = people[1].send_to(b, "POST", "/v1/pool", &[], Some(alone)).await;
    assert_eq!(alone.status, 204, "the ticket of the killed node is void: {alone:?}");
    let path = format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap());
    let accepted = people[0].send_to(b, "POST", &path, &[], None).await.json();
    assert_eq!(accepted["stage"], "accepted");
    // The node comes back, and players on both nodes are paired.
    tokio::task::block_in_place(|| nodes[0].begin());
    let (one, other) = tokio::join!(
        people[0].send_to(a, "POST", "/v1/pool", &[], Some(wish.clone())),
        people[1].send_to(b, "POST", "/v1/pool", &[], Some(wish.clone()))
    );
    assert_eq!(one.made()["id"], other.made()["id"]);
}

async fn club_player(address: std::net::SocketAddr, name: &str) -> TestCaller {
    let body = Some(json!({ "name": name }).to_string());
    let made = TestCaller::anonymous().send_to(address, "POST", "/v1/players", &[], body).await.made();
    TestCaller::with(made["token"].as_str().unwrap())
}

/// The names of a list of the lobby.
fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lobby_shows_who_is_online_and_who_waits() {
    let host = TestServer::start(&[]).await;
    let empty = json!({ "people": [], "bots": [], "waiting": [] });
    assert_eq!(host.get("/v1/lobby").await.json(), empty);
    let mut stream = EventStream::sse(&host, &TestCaller::anonymous(), "/v1/lobby/events", &[]).await;
    assert_eq!(stream.next().await.unwrap().json, empty);
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    // Two tabs of one person.
    let (wire, _) = control(&host, &ann).await;
    let (second, _) = control(&host, &ann).await;
    let robo = bot(&host, &ben, "robo").await;
    let (mut of_bot, _) = control(&host, &robo).await;
    of_bot.say(&json!({ "type": "policy", "policy": { "games": [SHORT] } }).to_string()).await;
    let wish =
        json!({ "game": SHORT, "rated": true, "clock": { "initial_ms": 600_000 }, "stay_ms": 120_000 });
    let waits = async { ben.post(&host, "/v1/pool", wish.clone()).await };
    let sees = async {
        loop {
            let lobby = stream.next().await.unwrap().json;
            if lobby["waiting"] != json!([]) && lobby["bots"] != json!([]) {
                break lobby;
            }
        }
    };
    let lobby = tokio::select! { _ = waits => unreachable!("nobody else waits"), lobby = sees => lobby };
    assert_eq!((names(&lobby["people"]), names(&lobby["bots"])), (vec!["ann"], vec!["robo"]));
    let waiting = json!([{ "game": SHORT, "clock": { "initial_ms": 600_000, "increment_ms": 0 }, "rated": true, "players": 1 }]);
    assert_eq!(lobby["waiting"], waiting);
    // Players who close their connections are gone; so is the ticket.
    drop((wire, second, of_bot));
    until(|| async { (host.get("/v1/lobby").await.json() == empty).then_some(()) }).await;
    while stream.next().await.unwrap().json != empty {}
}
