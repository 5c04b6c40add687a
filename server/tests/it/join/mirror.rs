//! The mirror dialogue: bots that know it hold also the seats which the contest gives to no bot, so that they can play each other.

use engines::erased::AnyGame;
use engines::games::GAMES;
use serde_json::{Value, json};

use super::environment::{CreatedMatch, JoinProcess, JoinServer, read_json};
use super::online::{Online, ask, challenge, until, wait_online, wait_over};

/// The flags of a bot that knows it.
const FLAGS: [&str; 2] = ["--referee", "mirror=yes"];

fn with_mirror_seats() -> impl Iterator<Item = &'static dyn AnyGame> {
    GAMES.iter().copied().filter(|game| !game.info().mirror_seats.is_empty())
}

/// A bot: the tokens of its owner and of itself.
fn owned(place: &JoinServer, name: &str) -> [String; 2] {
    let owner = place.post("/v1/players", &json!({ "name": format!("owner-of-{name}") }));
    let owner = owner["token"].as_str().unwrap().to_owned();
    let made = ask(place, &owner, "/v1/me/bots", Some(json!({ "name": name })));
    [owner, made["token"].as_str().unwrap().to_owned()]
}

/// The code with which the server refuses a request.
fn refused(place: &JoinServer, token: &str, path: &str, body: &Value) -> Value {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let request = agent.post(format!("{}{path}", place.url())).header("content-type", "application/json");
    let reply = request.header("authorization", format!("Bearer {token}")).send(body.to_string()).unwrap();
    let problem: Value = read_json(reply).unwrap();
    problem["code"].clone()
}

/// Two bots play each other in a tournament, and a match from either seat.
#[test]
fn bots_play_each_other_in_games_in_which_the_contest_gives_them_one_seat() {
    for game in with_mirror_seats() {
        let slug = game.info().slug;
        let place = JoinServer::open(&format!("mirror-{slug}"));
        let bots = ["one", "two"].map(|name| (name, owned(&place, name)));
        let online: Vec<Online> = bots
            .iter()
            .zip(1..)
            .map(|((_, [_, token]), seed)| {
                Online::start(&place, token, slug, &FLAGS, &place.player(game, seed))
            })
            .collect();
        wait_online(&place, &["one", "two"]);
        let clock = json!({ "initial_ms": 3_600_000 });
        for seat in [0, 1] {
            let wanted = json!({ "game": slug, "seat": seat, "rated": true, "clock": clock });
            let made = challenge(&place, &bots[0].1[1], &wanted);
            assert_eq!(wait_over(&place, &made)["ended"], "played");
            assert_eq!(place.fouls(&made), [""; 0]);
        }
        let organizer = &bots[0].1[0];
        let wanted =
            json!({ "title": "Mirror", "game": slug, "format": { "kind": "round_robin" }, "clock": clock });
        let made = ask(&place, organizer, "/v1/tournaments", Some(wanted));
        let path = format!("/v1/tournaments/{}", made["id"].as_str().unwrap());
        for (name, [owner, _]) in &bots {
            let entries = format!("{path}/entries");
            assert_eq!(refused(&place, owner, &entries, &json!({ "name": name })), "no_bot_seat");
            let entered = ask(&place, owner, &entries, Some(json!({ "name": name, "mirror": true })));
            assert_eq!(entered["stage"], "registration", "{entered}");
        }
        ask(&place, organizer, &format!("{path}/start"), Some(json!({})));
        let page = until(|| Some(place.get(&path)).filter(|page| page["stage"] == "ended"));
        let games = page["games"].as_array().unwrap();
        assert_eq!(games.len(), 2);
        for game in games {
            assert_eq!((&game["stage"], &game["forfeited"]), (&json!("finished"), &json!([])), "{page}");
            let path = format!("/v1/matches/{}", game["match"].as_str().unwrap());
            assert_eq!(place.fouls(&CreatedMatch { path, tokens: Vec::new() }), [""; 0]);
        }
        online.into_iter().for_each(|bot| drop(bot.ends_by_sigterm()));
    }
}

#[test]
fn mirror_seat_of_a_hosted_match_is_for_bots_that_ask_for_it() {
    for game in with_mirror_seats() {
        let place = JoinServer::open(&format!("mirror-join-{}", game.info().slug));
        let seat = game.info().mirror_seats[0];
        let order = |kind: &str| {
            let mut seats =
                [json!({ "kind": "engine", "nodes": 20 }), json!({ "kind": "engine", "nodes": 20 })];
            seats[usize::from(seat)] = json!({ "kind": kind });
            json!({ "game": game.info().slug, "seats": seats })
        };
        let made = place.make(&order("open"));
        let url = format!("{}{}", place.url(), made.path);
        let (status, notes) = JoinProcess::start(&url, &[], &[], &place.player(game, 1)).end();
        assert!(status == Some(2) && notes.contains("mirror dialogue"), "{status:?}: {notes}");
        JoinProcess::start(&url, &[], &FLAGS, &place.player(game, 1)).plays_to_the_end();
        assert_eq!(place.fouls(&made), [""; 0]);
        let record: Value = place.get(&format!("{}/record", made.path));
        assert!(record["events"].to_string().contains(r#""mirror":"yes""#), "{record}");
    }
}
