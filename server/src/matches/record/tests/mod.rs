//! Records of matches of every game: true ones, old ones, and ones that were changed.

mod changed;
mod driver;

use std::path::{Path, PathBuf};

use engines::erased::AnyGame;
use engines::games::{EXAMPLE, GAMES};
use serde_json::{Value, json};

use crate::matches::event::{EndKind, Event, FoulKind, OutReason};
use crate::matches::record::verdict;
use crate::matches::record::{Record, RecordedEvent};
use driver::{MatchPlan, play};

const ID: &str = "0198c0de-1111-7000-8000-000000000000";

fn record(game: &'static dyn AnyGame, plan: MatchPlan) -> Record {
    Record::of(ID, &play(game, plan), Vec::new()).unwrap()
}

/// Matches with every number of seats, with and without clocks, with and without trouble.
fn plans(game: &dyn AnyGame, seeds: u64) -> Vec<MatchPlan> {
    let info = game.info();
    let plan = |seed: u64| {
        let seats = info.min_seats + (seed % u64::from(info.max_seats - info.min_seats + 1)) as u8;
        MatchPlan {
            seats,
            seed,
            clock: !seed.is_multiple_of(3),
            trouble: [0, 5, 60, 200][seed as usize / 2 % 4],
            position: seed % 4 == 1,
        }
    };
    (0..seeds).map(plan).collect()
}

#[test]
fn records_of_played_matches_are_true() {
    let mut seen: Vec<String> = Vec::new();
    for game in GAMES {
        for plan in plans(*game, 120) {
            let record = record(*game, plan);
            let text = record.to_json();
            let told = verdict(text.as_bytes()).unwrap_or_else(|e| panic!("{plan:?}: {e}\n{text}"));
            assert!(told.starts_with(&format!("{}: ", game.info().slug)), "{told}");
            assert_eq!(Record::read(text.as_bytes()).as_ref(), Ok(&record), "it is read as it was written");
            seen.extend(record.events.iter().map(|entry| match &entry.what {
                RecordedEvent::Fouled { kind, .. } => format!("{kind:?}"),
                RecordedEvent::WentOut { why, .. } => format!("{why:?}"),
                RecordedEvent::Ended { how, .. } => format!("{how:?}"),
                other => serde_json::to_value(other).unwrap()["type"].to_string(),
            }));
        }
    }
    let fouls = [FoulKind::Time, FoulKind::IllegalMove, FoulKind::BadLine, FoulKind::Crash, FoulKind::Out];
    let fouls = fouls.map(|kind| format!("{kind:?}"));
    let outs = [OutReason::Resigned, OutReason::Vanished].map(|w| format!("{w:?}"));
    let ends = [EndKind::Played, EndKind::Walkover, EndKind::Aborted, EndKind::Abandoned]
        .into_iter()
        .chain([EndKind::Cancelled, EndKind::Terminated, EndKind::GuestsLeft]);
    let ends: Vec<_> = ends.map(|how| format!("{how:?}")).collect();
    let others = ["joined", "left", "started", "moved", "resumed"].map(|kind| format!("{kind:?}"));
    for what in fouls.iter().chain(&outs).chain(&ends).chain(&others) {
        assert!(seen.contains(what), "no match here has {what}");
    }
}

/// Records of earlier versions, which must stay true. `KIBITZ_RECORD=1` writes those that are missing, and never overwrites
/// one.
#[test]
fn old_records_stay_true() {
    for game in GAMES {
        let info = game.info();
        let played =
            MatchPlan { seats: info.min_seats.max(2), seed: 1, clock: true, trouble: 0, position: false };
        let troubled =
            MatchPlan { seats: info.max_seats, seed: 7, clock: true, trouble: 200, position: false };
        let taken = MatchPlan { seats: 2, seed: 3, clock: false, trouble: 5, position: false };
        let positioned = MatchPlan { seed: 2, position: true, ..played };
        let all =
            [("played", played), ("troubled", troubled), ("abandoned", taken), ("positioned", positioned)];
        for (name, plan) in all {
            let path = golden(&format!("{}-{name}.json", info.slug));
            if std::env::var_os("KIBITZ_RECORD").is_some() && !path.exists() {
                std::fs::write(&path, record(*game, plan).to_json()).unwrap();
            }
            let text = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            verdict(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        }
    }
}

/// Earlier versions wrote another sentence when all seats were out.
#[test]
fn earlier_wording_of_a_reason_stays_true() {
    let game = GAMES.iter().find(|game| game.info().min_seats == 1).expect("a game for one player");
    let plans = (0..500).map(|seed| MatchPlan { seats: 1, seed, clock: true, trouble: 200, position: false });
    let mut texts = plans.map(|plan| record(*game, plan).to_json());
    let text = texts.find(|text| text.contains("no seat takes part any more")).expect("the player drops out");
    let reworded = |reason| verdict(text.replace("no seat takes part any more", reason).as_bytes());
    reworded("nobody takes part any more").unwrap();
    reworded("the seats are empty").unwrap_err();
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/matches/record/golden").join(name)
}

/// A record contains no token of a seat and no id of a player from the log.
#[test]
fn records_contain_no_token_and_no_player_id() {
    for game in GAMES {
        for plan in plans(*game, 24) {
            let log = play(*game, plan);
            let stored = serde_json::to_string(&log).unwrap();
            let text = Record::of(ID, &log, Vec::new()).unwrap().to_json();
            let mut secrets = 0;
            for key in 1..100u8 {
                for secret in [format!("{key:02x}").repeat(32), format!("\"secret-{key}\"")] {
                    secrets += u32::from(stored.contains(&secret));
                    assert!(!text.contains(&secret), "{secret} is in the record");
                }
            }
            let people = log.iter().filter(|s| matches!(s.event, Event::Joined { .. })).count();
            assert!(people == 0 || secrets > 0, "the log has them");
            assert_eq!(Record::of(ID, &log[..log.len() - 1], Vec::new()), None, "no record before the end");
        }
    }
}

/// The game that stands for all where the rules do not matter.
fn example() -> &'static dyn AnyGame {
    engines::games::find(EXAMPLE).unwrap()
}

/// The verdict on a true record after this edit.
fn said(plan: MatchPlan, edit: impl Fn(&mut Value)) -> String {
    let mut json = serde_json::to_value(record(example(), plan)).unwrap();
    edit(&mut json);
    verdict(json.to_string().as_bytes()).unwrap_err()
}

const QUIET: MatchPlan = MatchPlan { seats: 2, seed: 1, clock: true, trouble: 0, position: false };

fn find(json: &mut Value, kind: &str) -> usize {
    json["events"].as_array().unwrap().iter().position(|e| e["type"] == kind).unwrap()
}

#[test]
fn first_wrong_value_is_named_with_the_right_one() {
    let quiet = |edit: &dyn Fn(&mut Value)| said(QUIET, edit);
    let moved = |edit: &dyn Fn(&mut Value)| {
        quiet(&|json: &mut Value| {
            let place = find(json, "moved");
            edit(&mut json["events"][place]);
        })
    };
    for (what, part) in [
        (quiet(&|j| j["format"] = json!("kibitz-record-2")), "format: \"kibitz-record-2\" is unknown"),
        (quiet(&|j| j["format"] = Value::Null), "format: null"),
        (quiet(&|j| j["game"] = json!("go")), "game: \"go\" is not known here"),
        (quiet(&|j| j["more"] = json!(1)), "more"),
        (quiet(&|j| j["seed"] = json!("0".repeat(64))), "commitment: "),
        (quiet(&|j| j["salt"] = json!("12")), "salt: \"12\""),
        (quiet(&|j| j["events"] = json!([])), "events: the list is empty"),
        (
            quiet(&|j| j["events"][0]["state"]["pits"][0] = json!(9)),
            "event 0: state.pits[0]: the record has 9, but the seed deals",
        ),
        (quiet(&|j| j["events"][0]["commitment"] = json!("00")), "event 0: commitment"),
        (quiet(&|j| j["events"][1]["seq"] = json!(5)), "event 1: seq: the record has 5, but it must be 1"),
        (quiet(&|j| j["events"][1]["at_ms"] = json!(7)), "event 1: at_ms: the record has 7"),
        (moved(&|e| e["seat"] = json!(1)), "seat: the record has 1, but it is seat 0's turn"),
        (moved(&|e| e["ply"] = json!(3)), "ply: the record has 3, but it must be 0"),
        (moved(&|e| e["notation"] = json!("9")), "9"),
        (moved(&|e| e["notation"] = json!(format!("{} ", e["notation"].as_str().unwrap()))), "notation: "),
        (moved(&|e| e["left_ms"] = json!(1)), "left_ms: the record has 1, but the rules give"),
        (moved(&|e| e["times"]["more"] = json!(1)), "times.more: found 1"),
        (moved(&|e| e["times"]["think_us"] = json!(30_000_000)), "times.think_us: the record has 30000000"),
        (moved(&|e| e["type"] = json!("started")), "event 4: unknown field"),
    ] {
        assert!(what.contains(part), "{part:?} is not in: {what}");
    }
    let last = |edit: &dyn Fn(&mut Vec<Value>)| quiet(&|j| edit(j["events"].as_array_mut().unwrap()));
    for (what, part) in [
        (last(&|e| drop(e.pop())), "an event is missing: {\"how\":\"played\""),
        (last(&|e| e.truncate(e.len() - 2)), "the record ends here, but the match is not over"),
        (
            last(&|e| {
                e.push(
                    json!({"seq": e.len(), "at_ms": 2_000_000_000_000_i64, "type": "resumed", "away_ms": 0}),
                )
            }),
            "event after the end of the match",
        ),
        (last(&|e| e.last_mut().unwrap()["result"]["ranks"] = json!([1, 1])), "result.ranks["),
        (
            last(&|e| e.last_mut().unwrap()["result"]["reason"] = json!("luck")),
            "result.reason: the record has \"luck\"",
        ),
        (
            last(&|e| e.last_mut().unwrap()["how"] = json!("walkover")),
            "how: the record has \"walkover\", but the rules give \"played\"",
        ),
        (last(&|e| e.last_mut().unwrap()["salt"] = json!("00")), "salt: the record has \"00\""),
    ] {
        assert!(what.contains(part), "{part:?} is not in: {what}");
    }
}

/// A time-out before its time, an end for idleness too early, a move after the time was up.
#[test]
fn times_are_checked_against_the_clock() {
    let plan = (0..)
        .map(|seed| MatchPlan { seats: 2, seed, clock: true, trouble: 60, position: false })
        .find(|plan| {
            let record = record(example(), *plan);
            record.events.iter().any(|e| matches!(e.what, RecordedEvent::Fouled { kind: FoulKind::Time, .. }))
        })
        .unwrap();
    let early = said(plan, |json| {
        let place = find(json, "fouled");
        let before = json["events"][place - 1]["at_ms"].clone();
        for event in &mut json["events"].as_array_mut().unwrap()[place..] {
            event["at_ms"] = before.clone();
        }
    });
    assert!(early.contains("but that was not due before"), "{early}");
    let late = said(QUIET, |json| {
        let place = find(json, "moved");
        for event in &mut json["events"].as_array_mut().unwrap()[place..] {
            event["at_ms"] = json!(event["at_ms"].as_i64().unwrap() + 1_000_000);
        }
        json["events"][place]["times"]["think_us"] = json!(900_000_000);
    });
    assert!(late.contains("was up before this arrived"), "{late}");
    let plan = MatchPlan { seats: 2, seed: 3, clock: false, trouble: 5, position: false };
    let idle = (0..40).map(|seed| MatchPlan { seed, trouble: 40, ..plan }).find_map(|plan| {
        let record = record(example(), plan);
        let abandoned = matches!(
            record.events.last().unwrap().what,
            RecordedEvent::Ended { how: EndKind::Abandoned, .. }
        );
        abandoned.then(|| {
            said(plan, |json| {
                let end = json["events"].as_array_mut().unwrap().last_mut().unwrap();
                end["at_ms"] = json!(end["at_ms"].as_i64().unwrap() - 1_000);
            })
        })
    });
    let idle = idle.unwrap();
    assert!(idle.contains("but that was not due before") || idle.contains("was later"), "{idle}");
}

#[test]
fn text_that_is_not_a_record_is_refused_in_one_line() {
    for (text, part) in [
        (&b""[..], "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "format"),
        (b"7", "format"),
        (b"{\"format\":\"kibitz-record-1\"}", "missing field"),
        (b"{\"format\":\"kibitz-record-1\",\"id\":\"\\u001b[2J\\u202e\",\"id\":1}", "id"),
    ] {
        let said = verdict(text).unwrap_err();
        assert!(said.contains(part) && !said.chars().any(char::is_control), "{text:?}: {said}");
    }
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    assert!(verdict(&deep).is_err());
}

/// The games' own formats: each that is offered can be written for every match, and no other.
#[test]
fn formats_of_the_games_are_written_for_every_match() {
    let mut offered = 0;
    for game in GAMES {
        for plan in plans(*game, 12) {
            let record = record(*game, plan);
            assert_eq!(record.rendered(*game, Some("none")).unwrap_err().code.name(), "unknown_format");
            let ours = ("application/json".to_owned(), record.to_json());
            assert_eq!(record.rendered(*game, None).unwrap(), ours);
            assert_eq!(record.rendered(*game, Some("kibitz-record-1")).unwrap(), ours);
            for format in game.formats() {
                if plan.position {
                    let refused = record.in_format(*game, &format.name).unwrap_err();
                    assert_eq!(
                        refused.code.name(),
                        "unknown_format",
                        "it tells only matches that were dealt"
                    );
                    continue;
                }
                offered += 1;
                let text = record.in_format(*game, &format.name).unwrap_or_else(|e| panic!("{plan:?}: {e}"));
                if format.media_type == "application/json" {
                    serde_json::from_str::<Value>(&text).unwrap();
                }
                let rendered = record.rendered(*game, Some(&format.name)).unwrap();
                assert_eq!(rendered, (format.media_type, text.clone()));
                assert!(record.names().iter().all(|name| text.contains(name)), "{text}");
            }
        }
    }
    assert!(offered > 0);
}
