//! Matches that begin with a position: in every game, over a restart, with a rematch; and positions with which none begins.

use engines::games::GAMES;
use serde_json::{Value, json};

use super::{EventStream, LONG, SHORT, TestCaller, choose, create, me, open, order, quick};
use crate::client::TestServer;

/// A position of this game after some random moves, and the seat to move in it.
async fn position(host: &TestServer, game: &str, seed: u64, plies: u64) -> (Value, u64) {
    let body = json!({ "seed": seed, "plies": plies });
    let made = host.post(&format!("/v1/games/{game}/positions"), body).await.json();
    (made["position"].clone(), made["seat"].as_u64().unwrap())
}

/// A match between guests, one for each seat, that begins with this position.
async fn from_position(
    host: &TestServer,
    game: &str,
    seats: usize,
    position: &Value,
) -> (String, Vec<TestCaller>) {
    let wanted = json!({ "game": game, "seats": vec![me(); seats], "position": position });
    let (path, made) = create(host, &TestCaller::anonymous(), wanted).await;
    let token = |seat: &Value| TestCaller::with(seat["token"].as_str().unwrap());
    (path, made["seats"].as_array().unwrap().iter().map(token).collect())
}

/// Plays until this many moves are made or the match is over; returns the last page.
async fn play(host: &TestServer, path: &str, guests: &[TestCaller], plies: u64) -> Value {
    loop {
        let page = guests[0].page(host, path).await;
        let ply = page["ply"].as_u64().unwrap();
        if page["stage"] == "over" || ply >= plies {
            return page;
        }
        let mover = &guests[page["turn"].as_u64().unwrap() as usize];
        let page = mover.page(host, path).await;
        mover.play(host, path, &page["ply"], &choose(&page, ply)["notation"]).await.json();
    }
}

#[tokio::test]
async fn match_in_every_game_begins_with_a_position_and_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    let mut begun = Vec::new();
    for game in GAMES {
        let slug = game.info().slug;
        let (given, turn) = position(&host, slug, 3, 5).await;
        let (path, guests) = from_position(&host, slug, 2, &given).await;
        let pages = [guests[0].page(&host, &path).await, guests[1].page(&host, &path).await];
        let own = &pages[turn as usize];
        assert_eq!((&own["position"], &own["turn"], &own["ply"]), (&given, &json!(turn), &json!(0)));
        assert_eq!(own["from_position"], json!({ "of": null }));
        assert_eq!((&own["rated"], &own["stage"]), (&json!(false), &json!("running")));
        let (other, all) = (&guests[1 - turn as usize], format!("{path}/events?since=0"));
        let page = &EventStream::ndjson(&host, other, &all).await.opened().next().await.unwrap().json;
        for shown in [page, &pages[1 - turn as usize]] {
            assert_ne!(shown["position"], given, "another seat's view");
            if given.get("hand").is_some() {
                assert_ne!(shown["position"]["hand"], given["hand"], "{slug}: the hand is secret");
            }
        }
        play(&host, &path, &guests, 2).await;
        begun.push((path, guests, given));
    }
    host.stop().await;
    let host = TestServer::on(&database, &[]).await;
    for (path, guests, given) in begun {
        let page = play(&host, &path, &guests, 10_000).await;
        assert_eq!(page["ended"], "played", "{page}");
        assert_eq!(page["from_position"], json!({ "of": null }));
        let verdict = host.get(&format!("{path}/record/verify")).await.json();
        assert_eq!(verdict["true"], true, "{verdict}");
        let mut record = host.get(&format!("{path}/record")).await.json();
        assert_eq!(record["events"][0]["position"], json!({ "kind": "view", "view": given }));
        let text = |record: &Value| kibitz::matches::record::verdict(record.to_string().as_bytes());
        text(&record).unwrap();
        // The start is proved by position and seed: neither can be left out or replaced.
        let whole = record["events"][0]["position"].take();
        assert!(text(&record).is_err());
        record["events"][0].as_object_mut().unwrap().remove("position");
        assert!(text(&record).is_err());
        let slug = record["game"].as_str().unwrap().to_owned();
        let (other, _) = position(&host, &slug, 4, 4).await;
        record["events"][0]["position"] = json!({ "kind": "view", "view": other });
        let told = text(&record).unwrap_err();
        assert!(told.contains("event 0: state"), "{told}");
        record["events"][0]["position"] = whole;
        text(&record).unwrap();
    }
}

#[tokio::test]
async fn position_of_a_finished_match_keeps_all_cards_that_a_seat_had() {
    let host = TestServer::start(&[]).await;
    let game = "septica";
    let (path, guests) = super::two_guests(&host, game).await;
    let id = path.rsplit('/').next().unwrap();
    let wanted =
        |ply: u64| json!({ "game": game, "seats": [me(), me()], "position": { "match": id, "ply": ply } });
    let anonymous = TestCaller::anonymous();
    let refused = anonymous.post(&host, "/v1/matches", wanted(3)).await;
    refused.names(409, "match_not_over", "not over");
    play(&host, &path, &guests, 6).await;
    let seen = [guests[0].page(&host, &path).await, guests[1].page(&host, &path).await];
    play(&host, &path, &guests, 10_000).await;
    let (second, made) = create(&host, &anonymous, wanted(6)).await;
    for (seat, seen) in seen.iter().enumerate() {
        let token = made["seats"][seat]["token"].as_str().unwrap();
        let page = TestCaller::with(token).page(&host, &second).await;
        assert_eq!(page["position"], seen["position"]);
        assert_eq!(page["from_position"], json!({ "of": { "match": id, "ply": 6 } }));
    }
    let tokens = made["seats"].as_array().unwrap().iter().map(|seat| seat["token"].as_str().unwrap());
    let guests: Vec<TestCaller> = tokens.map(TestCaller::with).collect();
    play(&host, &second, &guests, 10_000).await;
    let verdict = host.get(&format!("{second}/record/verify")).await.json();
    assert_eq!(verdict["true"], true, "{verdict}");
    // A rematch begins with the same position, and the seats are exchanged.
    let again = guests[0].tell(&host, &format!("{second}/rematch")).await.json();
    let again = again["url"].as_str().unwrap();
    guests[1].tell(&host, &format!("{second}/rematch")).await.json();
    for (guest, seat) in [(&guests[0], 1), (&guests[1], 0)] {
        let page = guest.page(&host, again).await;
        assert_eq!((&page["you"], &page["position"]), (&json!(seat), &seen[seat]["position"]));
        assert_eq!(page["from_position"]["of"]["match"], id);
    }
    // The names of places that the match does not have.
    let refused = anonymous.post(&host, "/v1/matches", wanted(1_000)).await;
    refused.names(422, "bad_field", "position.ply");
    let mut other = wanted(3);
    other["game"] = json!(SHORT);
    other["position"]["match"] = json!(id);
    anonymous.post(&host, "/v1/matches", other).await.names(422, "bad_field", "position.match");
    let mut none = wanted(3);
    none["position"]["match"] = json!("0198c0de-1111-7000-8000-000000000000");
    anonymous.post(&host, "/v1/matches", none).await.problem(404, "no_such_match");
}

#[tokio::test]
async fn source_of_a_position_in_a_private_match_is_not_shown() {
    let host = TestServer::start(&[]).await;
    let anonymous = TestCaller::anonymous();
    let mut wanted = order(SHORT, &[quick(), quick()]);
    wanted["private"] = json!(true);
    let (path, made) = create(&host, &anonymous, wanted).await;
    let insider = TestCaller { token: None, key: made["key"].as_str().map(str::to_owned) };
    while insider.page(&host, &path).await["stage"] != "over" {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let id = path.rsplit('/').next().unwrap();
    let from = json!({ "game": SHORT, "seats": [me(), me()], "position": { "match": id, "ply": 1 } });
    anonymous.post(&host, "/v1/matches", from.clone()).await.problem(404, "no_such_match");
    let (second, _) = create(&host, &insider, from).await;
    let page = anonymous.page(&host, &second).await;
    assert_eq!(page["from_position"], json!({ "of": null }));
    assert!(!page.to_string().contains(id), "{page}");
}

#[tokio::test]
async fn moves_are_taken_back_up_to_the_position() {
    let host = TestServer::start(&[]).await;
    let (given, turn) = position(&host, SHORT, 5, 4).await;
    let mut seats = vec![quick(), quick()];
    seats[turn as usize] = me();
    let wanted = json!({ "game": SHORT, "seats": seats, "position": given, "hints": true });
    let (path, made) = create(&host, &TestCaller::anonymous(), wanted).await;
    let guest = TestCaller::seated(&made);
    let page = guest.page(&host, &path).await;
    guest.play(&host, &path, &page["ply"], &page["legal_moves"][0]["notation"]).await.json();
    let page = loop {
        let page = guest.page(&host, &path).await;
        if page["turn"] == json!(turn) || page["stage"] == "over" {
            break page;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    };
    assert_eq!(page["stage"], "running", "the position is early enough: {page}");
    guest.post(&host, &format!("{path}/take-back"), json!({ "ply": page["ply"] })).await.json();
    let page = guest.page(&host, &path).await;
    assert_eq!((&page["ply"], &page["position"]), (&json!(0), &given));
}

#[tokio::test]
async fn position_with_which_no_match_begins_is_refused_with_its_reason() {
    let host = TestServer::start(&[]).await;
    let anonymous = TestCaller::anonymous();
    let (given, _) = position(&host, SHORT, 5, 4).await;
    let with = |game: &str, position: &Value, more: Value| {
        let mut wanted = json!({ "game": game, "seats": [me(), open()], "position": position });
        wanted.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        wanted
    };
    let refuse = async |wanted: Value, status: u16, code: &str, part: &str| {
        anonymous.post(&host, "/v1/matches", wanted).await.names(status, code, part);
    };
    let rated = json!({ "rated": true, "clock": { "initial_ms": 60000, "increment_ms": 0 } });
    refuse(with(SHORT, &given, rated), 422, "rated_position", "position").await;
    let mut over = given.clone();
    over["pits"] = json!([0, 0, 0, 0, 0, 0, 0]);
    over["banks"] = json!([12, 8]);
    refuse(with(SHORT, &over, json!({})), 422, "position_finished", "over").await;
    let mut impossible = given.clone();
    impossible["banks"] = json!([20, 20]);
    refuse(with(SHORT, &impossible, json!({})), 422, "bad_position", "20 beads").await;
    let mut unknown = given.clone();
    unknown["pits"] = json!("many");
    refuse(with(SHORT, &unknown, json!({})), 422, "bad_position", "pits").await;
    let mut spectator = given.clone();
    spectator["viewer"] = json!("spectator");
    refuse(with(SHORT, &spectator, json!({})), 422, "bad_position", "viewer").await;
    refuse(with(SHORT, &json!("4 3 2"), json!({})), 422, "bad_dialogue", "too early").await;
    refuse(with(SHORT, &json!({ "match": 7 }), json!({})), 422, "bad_field", "position").await;
    refuse(
        with(SHORT, &given, json!({ "options": { "pits": [3, 3, 3, 3, 3, 3, 2] } })),
        422,
        "bad_options",
        "options",
    )
    .await;
    refuse(with(SHORT, &json!("x".repeat(1 << 16)), json!({})), 413, "body_too_large", "bytes").await;
    let four = json!({ "seed": 1, "options": { "players": 4 } });
    let four = host.post(&format!("/v1/games/{LONG}/positions"), four).await.json()["position"].clone();
    refuse(with(LONG, &four, json!({})), 422, "bad_seats", "the position is for 4").await;
    // An official text, and a start file of a contest's referee.
    let text = json!("4 3 2 4 2 3 2");
    let (path, _) = create(&host, &anonymous, with(SHORT, &text, json!({ "seats": [me(), quick()] }))).await;
    assert_eq!(anonymous.page(&host, &path).await["position"]["pits"], json!([4, 3, 2, 4, 2, 3, 2]));
    let start = include_str!("../../../../engines/src/games/buraco/golden/files/start.in");
    let (path, guests) = from_position(&host, "buraco", 2, &json!(start)).await;
    let hand = guests[1].page(&host, &path).await["position"]["hand"].clone();
    assert_eq!(hand[10], "K♠", "{hand}");
}

#[tokio::test]
async fn bot_gets_no_seat_whose_position_its_protocol_cannot_tell() {
    let host = TestServer::start(&[]).await;
    let anonymous = TestCaller::anonymous();
    let begin = async |game: &str, plies: u64, seats: Value| {
        let (given, _) = position(&host, game, 5, plies).await;
        create(&host, &anonymous, json!({ "game": game, "seats": seats, "position": given })).await
    };
    let bot = json!({ "bot": true });
    let (path, _) = begin(SHORT, 3, json!([open(), me()])).await;
    let refused = anonymous.post(&host, &format!("{path}/join"), bot.clone()).await;
    refused.names(422, "no_bot_seat", "cannot tell a bot a position other than a start");
    // A person may have the seat, and whoever holds it gets no dialogue.
    let joined = anonymous.tell(&host, &format!("{path}/join")).await.json();
    let holder = TestCaller::seated(&joined);
    let refused = holder.try_dial(&host, &format!("{path}/seats/0/stdio")).await;
    assert!(refused.is_err_and(|e| e.to_string().contains("422")));
    let refused = holder.get(&host, &format!("{path}/seats/0/dialogue")).await;
    refused.names(422, "no_bot_seat", "the official dialogue cannot tell a bot");
    // A start as the contest has it can be told, and so can any position of a game whose bot reads all of it at each move.
    for (game, plies) in [(SHORT, 0), (LONG, 6), ("azul", 6)] {
        let (path, _) = begin(game, plies, json!([open(), me()])).await;
        let joined = anonymous.post(&host, &format!("{path}/join"), bot.clone()).await.json();
        assert_eq!(joined["seats"][0]["seat"], 0);
    }
    // A bot with a name is refused when the match is created.
    let ann = anonymous.post(&host, "/v1/players", json!({ "name": "ann" })).await.made();
    let ann = TestCaller::with(ann["token"].as_str().unwrap());
    ann.post(&host, "/v1/me/bots", json!({ "name": "annbot" })).await.made();
    let (given, _) = position(&host, SHORT, 5, 3).await;
    let seats = json!([{ "kind": "player", "name": "annbot" }, me()]);
    let wanted = json!({ "game": SHORT, "seats": seats, "position": given });
    ann.post(&host, "/v1/matches", wanted).await.names(422, "no_bot_seat", "seat 0");
}

/// Matches that begin with the same position but for what the seat to move does not see. After its move it waits, and may choose
/// the same moves in advance.
#[tokio::test]
async fn premoves_of_a_seat_do_not_depend_on_what_it_does_not_see() {
    let host = TestServer::start(&[]).await;
    let mut differ = 0;
    for game in GAMES.iter().map(|game| game.info().slug) {
        let (given, mover) = position(&host, game, 5, 0).await;
        let mut seen = Vec::new();
        for seed in ["1", "2"] {
            let wanted = json!({ "game": game, "seats": [me(), me()], "position": given, "seed": seed });
            let (path, made) = create(&host, &TestCaller::anonymous(), wanted).await;
            let token = |seat: u64| made["seats"][seat as usize]["token"].as_str().unwrap();
            let [own, other] = [mover, 1 - mover].map(|seat| TestCaller::with(token(seat)));
            let page = own.page(&host, &path).await;
            let none = legal_moves(&host, game, &page["position"]).await;
            assert_eq!(none["premoves"], json!([]), "{game}: it is the own turn");
            let notation = &page["legal_moves"][0]["notation"];
            let after = own.play(&host, &path, &page["ply"], notation).await.json();
            if after["turn"] == mover {
                break;
            }
            let waits = own.page(&host, &path).await["position"].clone();
            let asked = legal_moves(&host, game, &waits).await;
            assert_eq!(asked["moves"], json!([]), "{game}");
            seen.push((waits, asked["premoves"].clone(), other.page(&host, &path).await["position"].clone()));
        }
        let [(waits, premoves, hidden), (same, equal, others)] = &seen[..] else { continue };
        assert!(!premoves.as_array().unwrap().is_empty(), "{game}");
        if waits == same {
            assert_eq!(premoves, equal, "{game}");
            differ += u32::from(hidden != others);
        }
    }
    assert!(differ > 0, "in some game the other seat holds something else");
}

/// What the rules allow in a position.
async fn legal_moves(host: &TestServer, game: &str, position: &Value) -> Value {
    host.post(&format!("/v1/games/{game}/legal-moves"), json!({ "position": position })).await.json()
}
