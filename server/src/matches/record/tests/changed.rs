//! Changes every single value of true records: each change is found, or its field is in a list of what no record can
//! prove. `docs/records.md` explains the same list.

use std::collections::{BTreeMap, BTreeSet};

use engines::games::GAMES;
use engines::rng::{Rng, Seed};
use serde_json::{Value, json};

use crate::matches::record::tests::{plans, record, verdict};

/// Fields for which only the host vouches, by the event's type and the field, without indices of lists; each with another
/// value that is believed somewhere.
const HOSTS_WORD: &[(&str, &str)] = &[
    ("id", "\"another\""),
    ("created.seats.name", "\"another\""),
    ("created.seats.kind", "\"guest\""),
    ("created.seats.engine", "\"another\""),
    ("created.seats.version", "77"),
    ("created.seats.level", "\"easy\""),
    ("created.seats.think_ms", "77"),
    ("created.seats.nodes", "77"),
    ("created.idle_ms", "600001"),
    ("created.private", "true"),
    ("created.seed_from", "\"caller\""),
    ("created.rematch_of", "\"another\""),
    ("created.hints", "true"),
    ("created.position_of.match", "\"another\""),
    ("created.position_of.ply", "77"),
    // Where every seat sees all, it does not matter which one saw the position.
    ("created.position.view.viewer.seat", "1"),
    ("joined.kind", "\"guest\""),
    ("joined.name", "\"another\""),
    ("moved.times.queue_us", "77"),
    ("moved.times.commit_us", "77"),
    ("fouled.times.queue_us", "77"),
    ("fouled.times.commit_us", "77"),
    ("fouled.detail", "\"another\""),
    ("ended.at_ms", "1000000000000000"),
];

/// Fields that are proved only within bounds: times that fit between those around them, a clock under which the same
/// happens, and alternatives: another legal move after which the rest is legal, too. Values far out of bounds are found.
const BOUNDED: &[&str] = &[
    "created.at_ms",
    "joined.at_ms",
    "left.at_ms",
    "started.at_ms",
    "moved.at_ms",
    "fouled.at_ms",
    "went_out.at_ms",
    "resumed.at_ms",
    "moved.times.think_us",
    "fouled.times.think_us",
    "resumed.away_ms",
    "resumed.grace_ms",
    "created.clock.initial_ms",
    "created.clock.increment_ms",
    "created.clock.move_ms",
    "moved.notation",
    "created.seats.person",
    "fouled.kind",
    "left.seat",
    "joined.seat",
    "went_out.seat",
    "ended.how",
];

/// Far out of all bounds.
const FAR: i64 = 1_000_000_000_000_000;

/// All single values in `json`, as pointers, with their names; see [`HOSTS_WORD`].
fn scalars(json: &Value, pointer: &str, name: &str, out: &mut Vec<(String, String)>) {
    let dot = if name.is_empty() { "" } else { "." };
    match json {
        Value::Object(fields) => {
            for (key, value) in fields {
                scalars(value, &format!("{pointer}/{key}"), &format!("{name}{dot}{key}"), out);
            }
        }
        Value::Array(items) => {
            for (i, value) in items.iter().enumerate() {
                // Events are named by their type.
                let kind = value.get("type").and_then(Value::as_str);
                scalars(value, &format!("{pointer}/{i}"), kind.unwrap_or(name), out);
            }
        }
        _ => out.push((pointer.to_owned(), name.to_owned())),
    }
}

/// Other values.
fn others(value: &Value, words: &BTreeSet<String>, rng: &mut Rng) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(0), json!("x"), json!({})],
        Value::Bool(b) => vec![json!(!b), Value::Null],
        Value::Number(n) => {
            let n = n.as_i64().unwrap();
            let far = [json!(FAR), json!(i64::MIN), json!(i64::MAX), json!(u64::MAX)];
            let near = [json!(n + 1), json!(n - 1), json!(-1), json!(0.5), Value::Null, json!("7")];
            near.into_iter().chain(far).collect()
        }
        Value::String(text) => {
            let word = words.iter().nth(rng.below(words.len())).unwrap();
            let mut digit = text.clone();
            let first = if text.starts_with('0') { "1" } else { "0" };
            digit.replace_range(..text.chars().next().map_or(0, char::len_utf8), first);
            let longer = [format!("{text} "), format!("{text}x"), digit, String::new(), word.clone()];
            longer.into_iter().map(Value::String).chain([Value::Null, json!(1)]).collect()
        }
        Value::Array(_) | Value::Object(_) => Vec::new(),
    }
}

/// The words with a meaning in records, for changing one into another.
fn words() -> BTreeSet<String> {
    let words = "created joined left started moved fouled went_out resumed ended engine open reserved player guest \
                 easy max host caller time illegal_move bad_line crash out resigned vanished played walkover aborted abandoned \
                 cancelled terminated";
    words.split_whitespace().map(str::to_owned).collect()
}

/// Values of a record that are changed in the ordinary run; `KIBITZ_CONFORMANCE_SEEDS` asks for more, as it does for
/// the conformance tests.
fn changes() -> usize {
    let more = std::env::var("KIBITZ_CONFORMANCE_SEEDS").ok().and_then(|n| n.parse::<usize>().ok());
    more.map_or(40, |seeds| seeds * 100)
}

#[test]
fn every_change_is_found_unless_records_cannot_prove_the_field() {
    std::thread::scope(|scope| {
        for game in GAMES {
            scope.spawn(move || {
                for plan in plans(*game, 16) {
                    let json = serde_json::to_value(record(*game, plan)).unwrap();
                    change(&json, &mut Rng::stream(&Seed::from(plan.seed), 12));
                }
            });
        }
    });
}

#[test]
fn fields_of_the_host_are_believed() {
    let records: Vec<Value> = GAMES
        .iter()
        .flat_map(|game| plans(*game, 40).into_iter().map(|plan| record(*game, plan)))
        .map(|record| serde_json::to_value(record).unwrap())
        .collect();
    for (name, other) in HOSTS_WORD {
        let believed = records.iter().any(|json| {
            let mut all = Vec::new();
            scalars(json, "", "", &mut all);
            let other: Value = serde_json::from_str(other).unwrap();
            let mut same =
                all.iter().filter(|(pointer, n)| n == name && json.pointer(pointer) != Some(&other));
            same.any(|(pointer, _)| {
                let mut changed = json.clone();
                *changed.pointer_mut(pointer).unwrap() = other.clone();
                verdict(changed.to_string().as_bytes()).is_ok()
            })
        });
        assert!(believed, "{name} is proved after all");
    }
}

/// Changes one record in many ways, the rarer values first.
fn change(json: &Value, rng: &mut Rng) {
    let mut all = Vec::new();
    scalars(json, "", "", &mut all);
    rng.shuffle(&mut all);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    all.sort_by_cached_key(|(_, name)| {
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        *times
    });
    let words = words();
    let without_clock = json["events"][0]["clock"].is_null();
    for (pointer, name) in all.iter().take(changes()) {
        let value = json.pointer(pointer).unwrap();
        let mut others = others(value, &words, rng);
        others.retain(|other| other != value);
        let other = others.swap_remove(rng.below(others.len()));
        let mut changed = json.clone();
        *changed.pointer_mut(pointer).unwrap() = other.clone();
        let text = changed.to_string();
        if let Ok(told) = verdict(text.as_bytes()) {
            // Without a clock, the thinking time of an engine has no consequences.
            let free = without_clock && name.ends_with("times.think_us");
            let far = other == json!(FAR) || other.as_str().is_some_and(|text| text.ends_with(' '));
            let bounded = BOUNDED.contains(&name.as_str()) && (free || !far);
            let word = HOSTS_WORD.iter().any(|(word, _)| word == name) || bounded;
            assert!(word, "{name} ({pointer}) = {other} is believed: {told}\n{json}");
        }
    }
}

/// All parts of `json` that can be removed.
fn parts(json: &Value, pointer: &str, out: &mut Vec<String>) {
    let mut go_on = |key: &str, value: &Value| {
        let pointer = format!("{pointer}/{key}");
        parts(value, &pointer, out);
        out.push(pointer);
    };
    match json {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| go_on(key, value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, value)| go_on(&i.to_string(), value)),
        _ => {}
    }
}

#[test]
fn removed_and_doubled_parts_are_found() {
    for game in GAMES {
        for plan in plans(*game, 8) {
            let json = serde_json::to_value(record(*game, plan)).unwrap();
            let mut rng = Rng::stream(&Seed::from(plan.seed), 13);
            let mut all = Vec::new();
            parts(&json, "", &mut all);
            rng.shuffle(&mut all);
            for pointer in all.iter().take(changes()) {
                let (parent, key) = pointer.rsplit_once('/').unwrap();
                let mut less = json.clone();
                let mut more = json.clone();
                match less.pointer_mut(parent).unwrap() {
                    Value::Object(fields) => drop(fields.remove(key)),
                    Value::Array(items) => drop(items.remove(key.parse().unwrap())),
                    _ => unreachable!("only these have parts"),
                }
                match more.pointer_mut(parent).unwrap() {
                    Value::Object(fields) => drop(fields.insert(format!("{key}_"), Value::Null)),
                    Value::Array(items) => items.push(items[key.parse::<usize>().unwrap()].clone()),
                    _ => unreachable!("only these have parts"),
                }
                // A limit of the clock that was never reached is not missed, nor an option with its default value. Records
                // older than hints do not contain them, and a match without a grace period contains none. Only the host
                // knows whether the creator or the holder gave a seat up.
                let unsaid = ["hints", "grace_ms", "removed", "position_of"].contains(&key);
                let usual = parent.ends_with("/clock") || parent.ends_with("/options") || unsaid;
                for (changed, free) in [(less, usual), (more, false)] {
                    let told = verdict(changed.to_string().as_bytes());
                    assert!(free || told.is_err(), "{pointer}: {told:?}\n{json}");
                }
            }
        }
    }
}

/// Changes bytes anywhere: the verdict is always one line.
#[test]
fn broken_texts_give_one_line() {
    for game in GAMES {
        for plan in plans(*game, 8) {
            let text = record(*game, plan).to_json().into_bytes();
            let mut rng = Rng::stream(&Seed::from(plan.seed), 14);
            for _ in 0..changes() {
                let mut broken = text.clone();
                for _ in 0..=rng.below(3) {
                    let place = rng.below(broken.len());
                    match rng.below(3) {
                        0 => broken[place] = rng.below(256) as u8,
                        1 => broken.truncate(place.max(1)),
                        _ => broken.insert(place, b"0919-e\"[]{},:"[rng.below(13)]),
                    }
                }
                let (Ok(told) | Err(told)) = verdict(&broken);
                assert!(!told.contains('\n') && told.len() < 2_000, "{told}");
            }
        }
    }
}
