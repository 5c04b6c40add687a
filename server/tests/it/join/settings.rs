//! Settings of the referee's side of a bot's dialogue: chosen by the program that plays the seat, stored with the match.

use std::process::{Command, Stdio};

use engines::erased::AnyGame;
use engines::games;
use serde_json::{Value, json};

use super::environment::{CreatedMatch, JoinProcess, JoinServer, OtherSeats, order};
use super::online::{Online, ask, bots, challenge, wait_online, wait_over};

/// The game whose versions count players and rounds from 1 or from 0, and the seat whose header can mean both.
const GAME: &str = "splendor";
const SEAT: u8 = 0;

fn game() -> &'static dyn AnyGame {
    games::find(GAME).unwrap()
}

/// A bot that knows only the version that counts from 0.
fn old_bot(place: &JoinServer) -> Vec<String> {
    let mut bot = place.player(game(), 1);
    bot.extend(["--option", "base=0"].map(str::to_owned));
    bot
}

/// Lets the bot play a match by `kibitz-shim join` with these options; returns the match and the notes.
fn plays(place: &JoinServer, flags: &[&str]) -> (CreatedMatch, String) {
    let made = place.make(&order(game(), SEAT, 4));
    let _rivals = OtherSeats::play(place, &made, u64::from(SEAT));
    let token = made.tokens[usize::from(SEAT)].1.clone().unwrap();
    let url = format!("{}{}", place.url(), made.path);
    let notes =
        JoinProcess::start(&url, &[("KIBITZ_TOKEN", &token)], flags, &old_bot(place)).plays_to_the_end();
    (made, notes)
}

fn record(place: &JoinServer, made: &CreatedMatch) -> Value {
    place.get(&format!("{}/record", made.path))
}

fn events<'a>(record: &'a Value, kind: &str) -> Vec<&'a Value> {
    record["events"].as_array().unwrap().iter().filter(|event| event["type"] == kind).collect()
}

fn assert_true(place: &JoinServer, record: &Value, is_true: bool) {
    let file = place.folder.join("record.json");
    std::fs::write(&file, record.to_string()).unwrap();
    let verdict = Command::new(env!("CARGO_BIN_EXE_kibitz")).arg("verify").arg(&file).output().unwrap();
    assert_eq!(verdict.status.success(), is_true, "{}", String::from_utf8_lossy(&verdict.stdout));
}

#[test]
fn bot_that_counts_from_0_plays_with_the_setting_for_it() {
    let place = JoinServer::open("settings");
    let (made, notes) = plays(&place, &["--referee", "base=0"]);
    assert_eq!(place.fouls(&made), [""; 0], "{notes}");
    let mut record = record(&place, &made);
    let set = events(&record, "referee_set");
    assert_eq!(set.len(), 1);
    assert_eq!((&set[0]["seat"], &set[0]["settings"]), (&json!(SEAT), &json!({"base": "0"})));
    assert_true(&place, &record, true);
    let place_of_event = set[0]["seq"].as_u64().unwrap() as usize;
    record["events"][place_of_event]["settings"] = json!({"base": "7"});
    assert_true(&place, &record, false);
    // The default is no event.
    let (made, _) = plays(&place, &["--referee", "base=1"]);
    assert_eq!(events(&self::record(&place, &made), "referee_set").len(), 0);
}

#[test]
fn owner_of_a_bot_that_expects_another_setting_is_told_so() {
    let place = JoinServer::open("settings-hint");
    let (made, notes) = plays(&place, &[]);
    let hint = "void answers of this bot would be legal with base=0";
    assert!(notes.contains(hint) && notes.contains("--referee base=0"), "{notes}");
    let record = record(&place, &made);
    let told = events(&record, "fouled")
        .iter()
        .filter(|foul| foul["detail"].as_str().unwrap().contains(hint))
        .count();
    assert_eq!(told, 1, "{record}");
    assert_true(&place, &record, true);
}

#[test]
fn unknown_settings_are_refused_in_one_sentence() {
    let place = JoinServer::open("settings-wrong");
    let [one, _] = bots(&place);
    for (setting, part) in [("base=2", "base cannot be '2'"), ("bse=0", "no setting is called 'bse'")] {
        let seats = json!([{"kind": "open"}, {"kind": "engine"}]);
        let made = place.make(&json!({"game": GAME, "seats": seats}));
        let url = format!("{}{}", place.url(), made.path);
        let flags = ["--referee", setting];
        let joined = JoinProcess::start(&url, &[], &flags, &JoinServer::script("cat")).end();
        let online = Online::start(&place, &one, GAME, &flags, &JoinServer::script("cat")).end();
        for (status, notes) in [joined, online] {
            assert_eq!(status, Some(2), "{notes}");
            assert!(notes.contains(part) && notes.lines().count() == 1, "{notes}");
        }
        assert_eq!(place.get(&made.path)["ended"], "aborted", "the seat is given back before the first move");
    }
}

#[test]
fn bot_that_is_online_has_its_settings_in_every_match() {
    let place = JoinServer::open("settings-online");
    let [one, two] = bots(&place);
    let flags = ["--referee", "base=0", "--clock", "30s-3600s"];
    let bot = Online::start(&place, &two, GAME, &flags, &old_bot(&place));
    let rival = Online::start(&place, &one, GAME, &[], &place.player(game(), 2));
    wait_online(&place, &["one", "two"]);
    let listed = place.get("/v1/bots");
    let policy = |name: &str| {
        listed["bots"].as_array().unwrap().iter().find(|bot| bot["name"] == name).unwrap()["policy"].clone()
    };
    assert_eq!((&policy("two")["referee"], &policy("one")["referee"]), (&json!({"base": "0"}), &Value::Null));
    for seat in [0, 1] {
        let clock = json!({ "initial_ms": 3_600_000 });
        let made =
            challenge(&place, &one, &json!({ "game": GAME, "seat": seat, "rated": true, "clock": clock }));
        assert_eq!(wait_over(&place, &made)["ended"], "played");
        assert_eq!(place.fouls(&made), [""; 0]);
        let record = record(&place, &made);
        let set: Vec<_> = events(&record, "referee_set").iter().map(|event| event["seat"].clone()).collect();
        assert_eq!(set, [json!(1 - seat)], "the challenged bot has the other seat");
        assert_true(&place, &record, true);
    }
    assert!(ask(&place, &one, "/v1/players/two", None)["name"] == "two");
    let notes = bot.ends_by_sigterm();
    let line = "splendor, rated and unrated matches with anyone, clock 30 s to 3600 s or none, 1 at a time";
    assert!(notes.contains(&format!("online at {}: {line}\n", place.url())), "{notes}");
    rival.ends_by_sigterm();
}

#[test]
fn arena_gives_each_program_its_settings() {
    let place = JoinServer::open("settings-arena");
    let run = |spec: &str| {
        let file = place.folder.join(format!("{}.jsonl", spec.replace(['=', ','], "-")));
        let bot = format!("bot={spec}:{}", old_bot(&place).join(" "));
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz"))
            .args([
                "arena",
                GAME,
                "--player",
                &bot,
                "--player",
                "other=engine:name=random",
                "--games",
                "2",
                "--json",
            ])
            .arg(&file)
            .stdout(Stdio::null())
            .output()
            .unwrap();
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let records = text.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line.get("record").cloned()
        });
        let faults: usize = records.map(|record| record["faults"].as_array().map_or(0, Vec::len)).sum();
        (output.status.code(), faults, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (status, faults, stderr) = run("cmd,base=0");
    assert_eq!((status, faults), (Some(0), 0), "{stderr}");
    assert!(run("cmd").1 > 3);
    let (status, _, stderr) = run("cmd,base=7");
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.contains("base cannot be '7'"), "{stderr}");
}
