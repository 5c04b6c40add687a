//! Sealed deals: a client that plays one game of a deal reads everything that it can reach, and learns nothing about another
//! game of the deal until all are finished.

use serde_json::{Value, json};

use super::{create, enter, request, round_robin, until, until_ended};
use crate::client::TestServer;
use crate::club::{play_out, player};
use crate::exports::month_of;
use crate::matches::TestCaller;

/// A game with hidden cards.
const CARDS: &str = "septica";

const NAMES: [&str; 4] = ["ann", "ben", "cyd", "dan"];

/// The games of deal 0: the entrants by seat, and the path of the match if it has begun.
fn of_first_deal(page: &Value) -> Vec<(Vec<usize>, Option<String>)> {
    let games = page["games"].as_array().unwrap().iter().filter(|game| game["deal"] == 0);
    let seats = |game: &Value| -> Vec<usize> {
        game["seats"].as_array().unwrap().iter().map(|seat| seat.as_u64().unwrap() as usize).collect()
    };
    games.map(|game| (seats(game), game["match"].as_str().map(|id| format!("/v1/matches/{id}")))).collect()
}

/// A rated tournament of four people that has begun: two tables a round. The first of them is the organizer.
async fn four_people(host: &TestServer) -> (Vec<TestCaller>, String) {
    let mut people = Vec::new();
    for name in NAMES {
        people.push(player(host, name).await);
    }
    let mut wanted = request(CARDS, round_robin());
    (wanted["rated"], wanted["grace_ms"]) = (json!(true), json!(3_600_000));
    let path = create(host, &people[0], wanted).await;
    for (person, name) in people.iter().zip(NAMES) {
        enter(host, person, &path, name).await;
    }
    people[0].tell(host, &format!("{path}/start")).await.json();
    (people, path)
}

/// Joins the match and plays it to its end.
async fn play(host: &TestServer, path: &str, players: &[&TestCaller]) -> Value {
    for player in players {
        player.tell(host, &format!("{path}/join")).await.json();
    }
    play_out(&[host], path, players, 3).await
}

/// All that shows results of matches besides the matches themselves, as this caller reads it.
async fn shown(host: &TestServer, caller: &TestCaller) -> Vec<Value> {
    let mut paths = vec![format!("/v1/games/{CARDS}/leaderboard"), "/v1/matches?stage=over".to_owned()];
    for name in NAMES {
        let parts = ["", "/matches", &format!("/ratings/{CARDS}"), &format!("/opponents/{CARDS}")];
        paths.extend(parts.map(|part| format!("/v1/players/{name}{part}")));
    }
    let mut all = Vec::new();
    for path in paths {
        let reply = caller.get(host, &path).await;
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        let mut shown = reply.json();
        // That a match has ended is no secret.
        for entry in shown["matches"].as_array_mut().into_iter().flatten() {
            assert_eq!((&entry["sealed"], &entry["result"]), (&json!(true), &Value::Null), "{entry}");
            assert!(entry["seats"].as_array().unwrap().iter().all(|seat| seat["rank"].is_null()), "{entry}");
            *entry = Value::Null;
        }
        shown["matches"] = Value::Null;
        all.push(shown);
    }
    all
}

/// Asks for the match in every way that there is.
async fn assert_sealed(host: &TestServer, caller: &TestCaller, path: &str) {
    let seats = ["/seats/0/output", "/seats/1/output", "/seats/0/dialogue", "/seats/1/dialogue?format=input"];
    let parts = [
        "",
        "/events",
        "/events?since=0",
        "/events?seat=0",
        "/record",
        "/record/verify",
        "/chat",
        "/analysis",
    ];
    for part in parts.iter().chain(&seats) {
        caller.get(host, &format!("{path}{part}")).await.names(409, "sealed", "same deal");
    }
    for part in ["/join", "/analysis"] {
        caller.tell(host, &format!("{path}{part}")).await.problem(409, "sealed");
    }
    let from = json!({ "match": path.rsplit('/').next().unwrap(), "ply": 3 });
    let wanted = json!({ "game": CARDS, "position": from, "seats": [{ "kind": "me" }, { "kind": "open" }] });
    caller.post(host, "/v1/matches", wanted).await.problem(409, "sealed");
    caller.try_dial(host, &format!("{path}/socket")).await.err().expect("no socket");
    let page = path.replace("/v1", "");
    for part in ["/picture.svg", "/picture.png", "/picture.png?ply=3", "/embed"] {
        let reply = caller.get(host, &format!("{page}{part}")).await;
        assert_eq!(reply.status, 404, "{part}: {reply:?}");
    }
    let month = month_of(path.rsplit('/').next().unwrap());
    let downloads =
        [format!("/v1/games/{CARDS}/records?month={month}"), "/v1/players/ann/records".to_owned()];
    for download in downloads {
        let reply = caller.get(host, &download).await;
        assert_eq!((reply.status.as_u16(), reply.text()), (200, ""), "{download}");
    }
    let html = caller.get(host, &page).await;
    assert!(html.status == 200 && !html.text().contains("\"position\""), "{}", html.text());
}

#[tokio::test]
async fn player_of_a_deal_learns_nothing_about_its_other_game() {
    let host = TestServer::start(&[]).await;
    let (people, path) = four_people(&host).await;
    let both = |page: &Value| of_first_deal(page).iter().all(|(_, match_path)| match_path.is_some());
    let page = until(&host, &path, both).await;
    let [(first, first_path), (second, second_path)] = &of_first_deal(&page)[..] else {
        panic!("two tables")
    };
    let (first_path, second_path) = (first_path.as_deref().unwrap(), second_path.as_deref().unwrap());
    let reader = &people[second[0]];
    let before = shown(&host, reader).await;
    assert_sealed(&host, reader, first_path).await;
    // The first table plays; the reader still has the same cards to play.
    let there: Vec<&TestCaller> = first.iter().map(|entrant| &people[*entrant]).collect();
    let over = play(&host, first_path, &there).await;
    assert!(over["result"].is_object(), "its own players see it: {over}");
    let finished =
        |page: &Value| page["games"].as_array().unwrap().iter().any(|game| game["stage"] == "finished");
    let page = until(&host, &path, finished).await;
    for game in page["games"].as_array().unwrap() {
        assert_eq!(
            (&game["sealed"], &game["scores"], &game["points"]),
            (&json!(true), &Value::Null, &Value::Null)
        );
    }
    assert!(page["standings"].as_array().unwrap().iter().all(|line| line["points"] == 0.0), "{page}");
    for caller in [reader, &TestCaller::anonymous()] {
        assert_sealed(&host, caller, first_path).await;
        assert_eq!(shown(&host, caller).await, before, "nothing tells who won");
    }
    // Its players see the match, but the whole deal stays closed even to them.
    there[0].get(&host, &format!("{first_path}/record")).await.problem(409, "sealed");
    there[0].tell(&host, &format!("{first_path}/analysis")).await.problem(409, "sealed");
    there[0].get(&host, &format!("{first_path}/analysis")).await.problem(409, "sealed");
    there[0].get(&host, &format!("{first_path}/events?seat=0")).await.problem(409, "sealed");
    // The second table finishes the deal: all of it is open.
    let here: Vec<&TestCaller> = second.iter().map(|entrant| &people[*entrant]).collect();
    play(&host, second_path, &here).await;
    let opened =
        |page: &Value| page["games"].as_array().unwrap().iter().any(|game| game["scores"].is_array());
    let page = until(&host, &path, opened).await;
    let nobody = TestCaller::anonymous();
    for of_deal in [first_path, second_path] {
        let shown = nobody.page(&host, of_deal).await;
        assert!(shown["result"].is_object(), "{shown}");
        assert_eq!(nobody.get(&host, &format!("{of_deal}/record/verify")).await.json()["true"], true);
    }
    let month = month_of(first_path.rsplit('/').next().unwrap());
    let download = nobody.get(&host, &format!("/v1/games/{CARDS}/records?month={month}")).await;
    assert_eq!(download.text().lines().count(), 2, "{download:?}");
    let list = nobody.get(&host, "/v1/matches?stage=over").await.json();
    let entries = list["matches"].as_array().unwrap();
    assert!(entries.iter().all(|entry| entry["sealed"].is_null() && entry["result"].is_object()), "{list}");
    for name in NAMES {
        let ratings = nobody.get(&host, &format!("/v1/players/{name}")).await.json();
        assert_eq!(ratings["ratings"][0]["played"], 1, "{ratings}");
    }
    let points: Vec<f64> = page["games"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|game| game["points"].as_array())
        .map(|points| points.iter().map(|points| points.as_f64().unwrap()).sum())
        .collect();
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|sum| (sum - 1.0).abs() < 1e-9), "a table shares one point: {points:?}");
}

#[tokio::test]
async fn games_of_one_owner_have_different_deals() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let path = create(&host, &ann, request("azul", round_robin())).await;
    for name in ["one", "two"] {
        ann.post(&host, "/v1/me/bots", json!({ "name": name })).await.made();
        enter(&host, &ann, &path, name).await;
    }
    for name in ["ben", "cyd"] {
        enter(&host, &player(&host, name).await, &path, name).await;
    }
    let page = ann.tell(&host, &format!("{path}/start")).await.json();
    let mut seen = std::collections::HashSet::new();
    for game in page["games"].as_array().unwrap() {
        let owner = |seat: &Value| seat.as_u64().unwrap().max(1);
        let people: std::collections::HashSet<u64> =
            game["seats"].as_array().unwrap().iter().map(owner).collect();
        for person in people {
            assert!(seen.insert((person, game["deal"].as_u64().unwrap())), "{game}");
        }
    }
}

#[tokio::test]
async fn only_games_without_secrets_can_mirror_their_deals() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    for game in engines::games::GAMES.iter().filter(|game| game.info().max_seats >= 2) {
        let info = game.info();
        let mut wanted = request(info.slug, round_robin());
        let usual = ann.post(&host, "/v1/tournaments", wanted.clone()).await.made();
        assert_eq!(usual["dealing"], if info.perfect_information { "mirror" } else { "duplicate" });
        wanted["dealing"] = json!("mirror");
        let mirrored = ann.post(&host, "/v1/tournaments", wanted).await;
        if info.perfect_information {
            mirrored.made();
        } else {
            mirrored.names(422, "bad_field", "dealing");
        }
    }
}

/// What was sealed when the organizer ends the tournament early is open then, and counts for ratings.
#[tokio::test]
async fn aborted_tournament_opens_its_deals() {
    let host = TestServer::start(&[]).await;
    let (people, path) = four_people(&host).await;
    let begun = |page: &Value| of_first_deal(page)[0].1.is_some();
    let page = until(&host, &path, begun).await;
    let (seats, match_path) = of_first_deal(&page).remove(0);
    let there: Vec<&TestCaller> = seats.iter().map(|entrant| &people[*entrant]).collect();
    let match_path = match_path.unwrap();
    play(&host, &match_path, &there).await;
    let nobody = TestCaller::anonymous();
    nobody.get(&host, &match_path).await.problem(409, "sealed");
    let over = people[0].tell(&host, &format!("{path}/abort")).await.json();
    assert_eq!(over["stage"], "aborted");
    assert!(nobody.page(&host, &match_path).await["result"].is_object());
    let winner = nobody.get(&host, &format!("/v1/players/{}", NAMES[seats[0]])).await.json();
    assert_eq!(winner["ratings"][0]["played"], 1, "{winner}");
    let list = nobody.get(&host, "/v1/matches?stage=over").await.json();
    assert!(list["matches"].as_array().unwrap().iter().all(|entry| entry["sealed"].is_null()), "{list}");
}

/// Engines alone: the whole course, and the records afterwards.
#[tokio::test]
async fn engines_play_a_round_on_the_same_deals() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let path = create(&host, &ann, request(CARDS, round_robin())).await;
    for level in ["easy", "medium", "hard", "max"] {
        enter(&host, &ann, &path, &super::random_engine(CARDS, level)).await;
    }
    ann.tell(&host, &format!("{path}/start")).await.json();
    let page = until_ended(&host, &path).await;
    let games = page["games"].as_array().unwrap();
    assert_eq!(games.len(), 12);
    for deal in 0..6 {
        let of_deal: Vec<&Value> = games.iter().filter(|game| game["deal"] == deal).collect();
        assert_eq!(of_deal.len(), 2, "two tables a round");
        let scores = |game: &Value, seat: usize| game["scores"][seat].as_f64().unwrap();
        for (own, other) in [(0, 1), (1, 0)] {
            for seat in 0..2 {
                let points = of_deal[own]["points"][seat].as_f64().unwrap();
                let mean = (scores(of_deal[other], seat) + 3.5) / 8.0;
                assert!((points - (0.5 + scores(of_deal[own], seat) - mean)).abs() < 1e-9, "{of_deal:?}");
            }
        }
    }
    let records = host.get(&format!("{path}/records")).await;
    assert_eq!(records.text().lines().count(), 12);
}
