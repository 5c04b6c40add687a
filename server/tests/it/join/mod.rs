//! Bots in hosted matches: real servers, `kibitz-shim join` and real programs as bots, with faults between them.

mod check;
pub(crate) mod environment;
mod ladder;
mod mirror;
mod misbehaving_bots;
mod online;
mod output;
mod planted_bugs;
mod positions;
mod program;
mod proxy;
mod settings;
mod tournament;

use std::process::{Command, Stdio};
use std::time::Duration;

use engines::erased::AnyGame;
use engines::game::Process;
use engines::games::GAMES;
use engines::rng::{Rng, Seed};
use serde_json::{Value, json};

use environment::{JoinServer, OtherSeats, order};
use proxy::CuttingProxy;

/// The moves of a match without faults. A match with faults must have the same moves.
fn undisturbed(place: &JoinServer, game: &dyn AnyGame, seat: u8, seed: u64) -> Vec<String> {
    let made = place.make(&order(game, seat, seed));
    let _rivals = OtherSeats::play(place, &made, u64::from(seat));
    let notes = place.join(&made, u64::from(seat), &place.player(game, 1)).plays_to_the_end();
    assert!(!notes.contains("has ended"), "the bot may end with the match: {notes}");
    assert_eq!(place.fouls(&made), [""; 0]);
    place.moves(&made)
}

#[test]
fn bots_play_every_game_in_every_seat() {
    let place = JoinServer::open("seats");
    for game in GAMES {
        for seat in game.info().bot_seats {
            let moves = undisturbed(&place, *game, *seat, 7);
            assert!(moves.len() > 3, "{}: {moves:?}", game.info().slug);
        }
    }
}

/// The moves that the same two programs make under the arena's referee.
fn arena(place: &JoinServer, game: &dyn AnyGame, seed: u64) -> Vec<String> {
    let file = place.folder.join(format!("{}-{seed}.jsonl", game.info().slug));
    let player = |name: &str, seed| format!("{name}=cmd:{}", place.player(game, seed).join(" "));
    let status = Command::new(env!("CARGO_BIN_EXE_kibitz"))
        .args(["arena", game.info().slug, "--player", &player("one", 1), "--player", &player("two", 2)])
        .args(["--games", "1", "--moves", "--seed", &seed.to_string(), "--json"])
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let moves = |line: Value| line["record"]["moves"].as_array().cloned();
    let moves: Vec<Value> = lines.into_iter().find_map(moves).unwrap();
    moves.iter().map(|mv| mv.as_str().unwrap().to_owned()).collect()
}

#[test]
fn two_bots_over_the_network_play_as_under_the_arena() {
    let place = JoinServer::open("arena");
    for game in GAMES.iter().filter(|game| [0, 1].iter().all(|seat| game.info().bot_seats.contains(seat))) {
        for seed in [11, 12] {
            // The first deal of the arena's run, the first player in the first seat.
            let deal = Rng::stream(&Seed::from(seed), 0).seed().to_string();
            let seats = json!([{"kind": "me"}, {"kind": "open"}]);
            let mut made = place.make(&json!({"game": game.info().slug, "seats": seats, "seed": deal}));
            let joined = place.post(&format!("{}/join", made.path), &json!({}));
            made.tokens.push((1, joined["seats"][0]["token"].as_str().map(str::to_owned)));
            let one = place.join(&made, 0, &place.player(*game, 1));
            let two = place.join(&made, 1, &place.player(*game, 2));
            one.plays_to_the_end();
            two.plays_to_the_end();
            assert_eq!(place.moves(&made), arena(&place, *game, seed), "{}", game.info().slug);
        }
    }
}

#[test]
fn connections_that_break_anywhere_cost_nothing() {
    let place = JoinServer::open("cuts");
    let mut cuts = 0;
    for game in GAMES {
        let seat = game.info().bot_seats[0];
        let expected = undisturbed(&place, *game, seat, 3);
        for round in 0..2 {
            let proxy = CuttingProxy::start(place.server.address.port(), round);
            let made = place.make(&order(*game, seat, 3));
            let _rivals = OtherSeats::play(&place, &made, u64::from(seat));
            place.join_by(proxy.port, &made, u64::from(seat), &place.player(*game, 1)).plays_to_the_end();
            let slug = game.info().slug;
            assert_eq!(place.moves(&made), expected, "{slug}, round {round}, {} cuts", proxy.cuts());
            assert_eq!(place.fouls(&made), [""; 0]);
            cuts += proxy.cuts();
        }
    }
    assert!(cuts > 40, "{cuts}");
}

#[test]
fn server_killed_again_and_again_costs_nothing() {
    let mut place = JoinServer::open("kills");
    for process in [Process::PerMatch, Process::PerMove] {
        let game = GAMES.iter().find(|game| game.info().process == process).unwrap();
        let seat = game.info().bot_seats[0];
        let expected = undisturbed(&place, *game, seat, 5);
        let made = place.make(&order(*game, seat, 5));
        let rivals = OtherSeats::play(&place, &made, u64::from(seat));
        // The match waits for its bot, so that there is something to kill.
        let slow = format!("sleep 0.05; exec {}", place.player(*game, 1).join(" "));
        let mut bot = place.join(&made, u64::from(seat), &JoinServer::script(&slow));
        let mut kills = 0;
        while kills < 5 && bot.is_running() {
            std::thread::sleep(Duration::from_millis(60 + 37 * kills));
            place.server.kill_and_restart();
            kills += 1;
        }
        bot.plays_to_the_end();
        drop(rivals);
        assert!(kills > 0);
        assert_eq!(place.moves(&made), expected, "{}, {kills} kills", game.info().slug);
    }
}

#[test]
fn guest_takes_a_free_seat_and_a_player_keeps_it() {
    let place = JoinServer::open("guest");
    let game = GAMES.iter().find(|game| game.info().bot_seats.contains(&1)).unwrap();
    let engine = json!({"kind": "engine", "nodes": 60});
    let offer = json!({"game": game.info().slug, "seats": [engine, {"kind": "open"}], "seed": 2});
    let made = place.make(&offer);
    let url = format!("{}{}", place.url(), made.path);
    let bot = place.player(*game, 1);
    environment::JoinProcess::start(&url, &[], &["--name", "Ștefan cel Mare"], &bot).plays_to_the_end();
    assert_eq!(place.get(&made.path)["seats"][1]["name"], "Ștefan cel Mare");

    let player = place.post("/v1/players", &json!({"name": "Ada"}))["token"].as_str().unwrap().to_owned();
    let made = place.make(&offer);
    let url = format!("{}{}", place.url(), made.path);
    environment::JoinProcess::start(&url, &[("KIBITZ_TOKEN", &player)], &[], &bot).plays_to_the_end();
    assert_eq!(place.get(&made.path)["seats"][1]["name"], "Ada");
    // The match is over, and the player still holds the seat.
    environment::JoinProcess::start(&url, &[("KIBITZ_TOKEN", &player)], &[], &bot).plays_to_the_end();
}

#[test]
fn impossible_joins_are_refused_in_one_sentence() {
    let place = JoinServer::open("refused");
    let game = GAMES.iter().find(|game| !game.info().bot_seats.contains(&0)).unwrap();
    let seats = json!([{"kind": "open"}, {"kind": "engine"}]);
    let made = place.make(&json!({"game": game.info().slug, "seats": seats}));
    let url = format!("{}{}", place.url(), made.path);
    let garbled = [("KIBITZ_TOKEN", "kbs_x")];
    let other = format!("kbs_{}", "a".repeat(43));
    let unknown = [("KIBITZ_TOKEN", other.as_str())];
    let nowhere = format!("{}/v1/matches/01a1fe92-1fd4-7188-8f6b-270def32f4cc", place.url());
    for (url, env, part) in
        [(&url, &[][..], "lets a bot hold only seat 1"), (&url, &garbled, "401"), (&nowhere, &unknown, "404")]
    {
        let (status, notes) =
            environment::JoinProcess::start(url, env, &[], &JoinServer::script("cat")).end();
        assert_eq!(status, Some(2), "{notes}");
        assert!(notes.contains(part) && notes.lines().count() == 1, "{notes}");
    }
    assert_eq!(place.get(&made.path)["stage"], "open", "a seat that is not for bots is left to others");
}
