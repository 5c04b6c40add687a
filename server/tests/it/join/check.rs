//! Checks of bots on the permanent ladder: real programs behind `kibitz-shim play` get check matches before rated ones.

use std::time::{Duration, Instant};

use engines::erased::AnyGame;
use engines::games;
use serde_json::{Value, json};

use super::environment::{JoinServer, LIMIT, read_json};
use super::online::{Online, ask, until};
use super::tournament::bot;

/// A bot begins a match a second.
const FLAGS: [&str; 4] =
    ["--ladder=true", "--threads=2", "--max-think-ms=50", "--ladder-matches-per-hour=3600"];

fn game(slug: &str) -> &'static dyn AnyGame {
    games::find(slug).unwrap()
}

/// The matches of a player, the oldest first.
fn matches_of(place: &JoinServer, name: &str) -> Vec<Value> {
    until(|| {
        let reply = ureq::get(format!("{}/v1/matches?player={name}&limit=100", place.url())).call().ok()?;
        let list: Value = read_json(reply)?;
        let mut matches = list["matches"].as_array()?.clone();
        matches.reverse();
        Some(matches)
    })
}

/// The seat of the bot in a match of a list.
fn seat(entry: &Value) -> usize {
    let seats = entry["seats"].as_array().unwrap();
    seats.iter().position(|seat| seat["kind"] == "player").unwrap()
}

/// Waits for the first rated match of a bot; returns the check matches before it.
fn checks_before_rated(place: &JoinServer, name: &str) -> Vec<Value> {
    let start = Instant::now();
    loop {
        let all = matches_of(place, name);
        if let Some(rated) = all.iter().position(|entry| entry["rated"] == true) {
            assert_eq!(all[rated]["ladder"], "rated");
            return all[..rated].to_vec();
        }
        assert!(start.elapsed() < LIMIT, "no rated match: {all:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Checks that these are finished unrated check matches, one from each of these seats.
fn assert_checks(checks: &[Value], seats: &[usize]) {
    let played: Vec<usize> = checks.iter().map(seat).collect();
    assert_eq!(played, seats, "{checks:?}");
    for check in checks {
        assert_eq!((&check["ladder"], &check["stage"]), (&json!("check"), &json!("over")), "{check}");
        assert!(check["rated"].is_null() && check["result"].is_object(), "{check}");
        let engine = check["seats"].as_array().unwrap().iter().find(|seat| seat["kind"] == "engine");
        assert_eq!(engine.unwrap()["engine"]["level"], "easy", "{check}");
    }
}

#[test]
fn good_bot_is_checked_in_every_seat_and_then_gets_rated_matches() {
    let place = JoinServer::open_with("check-good", &FLAGS);
    let program = place.player(game("ioiwari"), 1);
    let token = bot(&place, "one-seat");
    let plain = Online::start(&place, &token, "ioiwari", &[], &program);
    let mirror = ["--referee", "mirror=yes", "--rated", "only"];
    let both_token = bot(&place, "two-seats");
    let both = Online::start(&place, &both_token, "ioiwari", &mirror, &program);
    assert_checks(&checks_before_rated(&place, "one-seat"), &[0]);
    assert_checks(&checks_before_rated(&place, "two-seats"), &[0, 1]);
    plain.ends_by_sigterm();
    let notes = both.ends_by_sigterm();
    for text in ["seat 0: ", "seat 1: ", ", all legal", "ms (median)", "a check match from seat 1 follows"] {
        assert!(notes.contains(text), "{text}: {notes}");
    }
    assert!(notes.contains("passed: the bot now gets rated matches of Ioiwari on the ladder"), "{notes}");
}

#[test]
fn larger_tables_are_checked_and_the_owner_reads_the_reports() {
    let place = JoinServer::open_with("check-tables", &FLAGS);
    let owner = place.post("/v1/players", &json!({ "name": "ann" }))["token"].as_str().unwrap().to_owned();
    let made = ask(&place, &owner, "/v1/me/bots", Some(json!({ "name": "robo" })));
    let game = games::GAMES.iter().find(|game| game.info().max_seats > 2).unwrap();
    let slug = game.info().slug;
    let online = Online::start(&place, made["token"].as_str().unwrap(), slug, &[], &place.player(*game, 1));
    let checks = checks_before_rated(&place, "robo");
    let sizes: Vec<usize> = checks.iter().map(|check| check["seats"].as_array().unwrap().len()).collect();
    let larger = 3..=usize::from(game.info().max_seats);
    assert_eq!(sizes, [2, 2].into_iter().chain(larger.clone()).collect::<Vec<_>>());
    assert_checks(&checks, &[0, 1].into_iter().chain(larger.map(|seats| seats - 1)).collect::<Vec<_>>());
    online.ends_by_sigterm();
    let shown = ask(&place, &owner, "/v1/me/bots/robo/checks", None);
    let shown = shown["checks"].as_array().unwrap();
    assert_eq!(shown.len(), checks.len());
    for (one, check) in shown.iter().rev().zip(&checks) {
        assert_eq!((&one["match"], &one["seat"]), (&check["id"], &json!(seat(check))));
        let report = one["report"].to_string();
        for part in ["all legal", "ms (median)", "processor time of all moves: ", "memory: "] {
            assert!(report.contains(part), "{part}: {report}");
        }
    }
}

#[test]
fn bot_without_a_legal_move_gets_a_report_and_no_rated_match_until_it_is_repaired() {
    let place = JoinServer::open_with("check-bad", &FLAGS);
    let token = bot(&place, "cheater");
    let cheats = JoinServer::script("echo state; while read line; do echo 99; done");
    let checks = |count: usize| {
        until(|| {
            let all = matches_of(&place, "cheater");
            (all.len() >= count && all.iter().all(|entry| entry["stage"] == "over")).then_some(all)
        })
    };
    let cheater = Online::start(&place, &token, "azul", &[], &cheats);
    assert_checks(&checks(2), &[0, 1]);
    // The ladder looks for pairs several times in this time.
    std::thread::sleep(Duration::from_secs(7));
    assert_checks(&matches_of(&place, "cheater"), &[0, 1]);
    let notes = cheater.ends_by_sigterm();
    for text in
        ["seat 0: 1 of 1 moves were void", "seat 1: ", "after 0 moves: ", "failed: no answer of the bot"]
    {
        assert!(notes.contains(text), "{text}: {notes}");
    }
    // The author has repaired it: it is checked again.
    let good = Online::start(&place, &token, "azul", &[], &place.player(game("azul"), 1));
    assert_checks(&checks_before_rated(&place, "cheater"), &[0, 1, 0, 1]);
    good.ends_by_sigterm();
}

#[test]
fn report_says_which_setting_a_bot_needs() {
    let place = JoinServer::open_with("check-setting", &FLAGS);
    let token = bot(&place, "counts-from-0");
    let mut program = place.player(game("splendor"), 1);
    program.extend(["--option", "base=0"].map(str::to_owned));
    let online = Online::start(&place, &token, "splendor", &[], &program);
    until(|| {
        let all = matches_of(&place, "counts-from-0");
        (all.first()?["stage"] == "over").then_some(())
    });
    // The report is sent right after the end.
    std::thread::sleep(Duration::from_millis(500));
    let notes = online.ends_by_sigterm();
    let notes = notes.replace("\nkibitz shim: ", " ");
    assert!(notes.contains("moves were void") && notes.contains("use --referee base=0"), "{notes}");
}

#[test]
fn check_goes_on_after_a_restart_of_the_server() {
    let mut place = JoinServer::open_with("check-restart", &FLAGS);
    let token = bot(&place, "patient");
    let program = place.player(game("azul"), 1);
    let patient = Online::start(&place, &token, "azul", &[], &program);
    until(|| {
        let first = &matches_of(&place, "patient");
        (first.first()?["stage"] == "over").then_some(())
    });
    place.server.kill_and_restart();
    assert_checks(&checks_before_rated(&place, "patient"), &[0, 1]);
    patient.ends_by_sigterm();
    // A program that was started anew is not checked again: it has passed.
    place.server.kill_and_restart();
    let rated_before = matches_of(&place, "patient").len();
    let again = Online::start(&place, &token, "azul", &[], &program);
    until(|| (matches_of(&place, "patient").len() > rated_before).then_some(()));
    let all = matches_of(&place, "patient");
    assert_eq!(all.iter().filter(|entry| entry["ladder"] == "check").count(), 2, "{all:?}");
    again.ends_by_sigterm();
}
