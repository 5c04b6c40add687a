//! `docs/match-states.md` against the program: its diagrams and tables show the events and stages that exist, and exactly the
//! transitions that the ledger accepts.

use std::collections::BTreeSet;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::matches::event::OutReason;
use crate::matches::ledger::tests::*;

const PAGE: &str = include_str!("../../../../../docs/match-states.md");

/// From, event, to.
type Transition = [String; 3];

/// The names of an enum's variants in JSON, as its deserializer lists them when it refuses `unknown`.
fn variants<T: DeserializeOwned>(unknown: Value) -> BTreeSet<String> {
    let refused = serde_json::from_value::<T>(unknown).err().expect("there is no such variant").to_string();
    let (_, expected) = refused.split_once("expected ").expect("the variants are listed");
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn event_names() -> BTreeSet<String> {
    variants::<Event>(json!({ "type": "?" }))
}

/// The name of a value that is JSON text, or the value of its field `key`.
fn name(value: &impl serde::Serialize, key: &str) -> String {
    let value = serde_json::to_value(value).unwrap();
    value.get(key).unwrap_or(&value).as_str().unwrap().to_owned()
}

/// The part of the page below this title.
fn section(title: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("\n## {title}\n")).expect("the page has the section");
    rest.split("\n## ").next().unwrap_or_default()
}

/// The arrows of the diagrams in a text: from, the events of the label, to. `[*]` is an empty name.
fn arrows(text: &str) -> Vec<(String, Vec<String>, String)> {
    let blocks = text.split("```mermaid\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    let state = |name: &str| name.trim().replace("[*]", "");
    let arrow = |line: &str| {
        let (from, rest) = line.split_once("-->")?;
        let (to, label) = rest.split_once(':').unwrap_or((rest, ""));
        let events = label.split('(').next().unwrap_or_default().split(',').map(str::trim);
        let events = events.filter(|event| !event.is_empty()).map(str::to_owned).collect();
        Some((state(from), events, state(to)))
    };
    blocks.flat_map(str::lines).filter_map(arrow).collect()
}

/// The rows of the tables in a text, without backquotes: their cells.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    lines
        .map(|line| {
            line.trim_matches('|').split('|').map(|cell| cell.replace('`', "").trim().to_owned()).collect()
        })
        .collect()
}

/// The rows of the table in this section, without its head.
fn table(title: &str) -> Vec<Vec<String>> {
    rows(section(title)).split_off(1)
}

/// Logs in which every event but `referee_set` occurs, and every kind of end. All have two seats and the same deal.
fn logs() -> Vec<(&'static dyn AnyGame, Vec<LoggedEvent>)> {
    let game = games_by_foul().1[0];
    let of = |second: SeatSetup, clock| HostedLedger::of(game, beginning(vec![held(1), second], clock, 5));
    let clock = per_match(900, 0);
    let open = || of(SeatSetup::Open, clock);
    let running = || of(held(2), clock);
    let engines = || HostedLedger::of(game, beginning(vec![engine(game), engine(game)], clock, 5));
    let join = Command::Join { seat: None, caller: Caller::default(), holder: guest(2) };
    let resume = Command::Resume { away_ms: 9, grace_ms: 0, vacation: false };
    let mut all = Vec::new();

    let mut resigned = open();
    resigned.does(&join);
    resigned.does(&resume);
    resigned.step(10, 0);
    resigned.now += 1_000;
    assert!(matches!(resigned.tick()[..], [Event::Fouled(_)]), "the game goes on after a foul");
    resigned.does(&Command::Resign { seat: Seat(0) });
    all.push(resigned);

    let mut taken_back = HostedLedger::of(
        game,
        Beginning { hints: Some(true), ..beginning(vec![held(1), engine(game)], None, 5) },
    );
    taken_back.until_turn_of(Seat(0));
    taken_back.step(10, 0);
    taken_back.does(&Command::TakeBack { seat: Seat(0), ply: taken_back.ledger.ply() });
    all.push(taken_back);

    let mut played = engines();
    while played.ledger.stage() == Stage::Running {
        let choose = played.ledger.ply() as usize * 7;
        played.step(1, choose);
    }
    all.push(played);

    for (mut host, command) in [
        (open(), Command::Leave { seat: Seat(0) }),
        (engines(), Command::End { how: EndKind::Cancelled }),
        (running(), Command::End { how: EndKind::Terminated }),
        (running(), Command::Expire),
        (running(), Command::GuestsLeft),
    ] {
        host.does(&command);
        all.push(host);
    }
    all.into_iter().map(|host| (host.game, host.log)).collect()
}

/// Every transition that the ledger accepts when each event of all logs is applied after each part of each log, and the stages
/// in which each kind of end is accepted.
fn accepted() -> (BTreeSet<Transition>, BTreeSet<[String; 2]>) {
    let logs = logs();
    let mut events: Vec<Event> =
        logs.iter().flat_map(|(_, log)| log.iter().map(|at| at.event.clone())).collect();
    events.push(Event::RefereeSet { seat: Seat(0), settings: BTreeMap::new() });
    let known: BTreeSet<String> = events.iter().map(|event| name(event, "type")).collect();
    assert_eq!(known, event_names(), "the logs lack an event");
    // Of moves in a row, one is enough.
    events.dedup_by_key(|event| name(event, "type"));
    let (mut transitions, mut ends) = (BTreeSet::new(), BTreeSet::new());
    for (game, log) in &logs {
        let first = Ledger::load(*game, &log[..1]).unwrap();
        transitions.insert([String::new(), name(&log[0].event, "type"), name(&first.stage(), "")]);
        // Of a long log, the beginning and the end.
        for length in (1..=log.len()).filter(|length| *length <= 8 || *length + 2 > log.len()) {
            for event in &events {
                let mut ledger = Ledger::load(*game, &log[..length]).unwrap();
                let from = name(&ledger.stage(), "");
                let stamped =
                    LoggedEvent { seq: ledger.next_seq(), at_ms: ledger.last_ms(), event: event.clone() };
                if ledger.apply(&stamped).is_ok() {
                    transitions.insert([from.clone(), name(event, "type"), name(&ledger.stage(), "")]);
                    if let Event::Ended(ended) = event {
                        ends.insert([name(&ended.how, ""), from]);
                    }
                }
            }
        }
    }
    (transitions, ends)
}

#[test]
fn stages_and_ends_of_the_page_are_those_that_the_ledger_accepts() {
    let (transitions, ends) = accepted();
    let drawn = arrows(section("Stages")).into_iter().flat_map(|(from, events, to)| {
        events.into_iter().map(move |event| [from.clone(), event, to.clone()])
    });
    assert_eq!(drawn.collect::<BTreeSet<_>>(), transitions, "the diagram");
    let listed = table("Stages").into_iter().map(|row| [row[0].clone(), row[1].clone(), row[2].clone()]);
    assert_eq!(listed.collect::<BTreeSet<_>>(), transitions, "the table");
    let listed = table("Ends")
        .into_iter()
        .flat_map(|row| row[1].split(", ").map(|from| [row[0].clone(), from.to_owned()]).collect::<Vec<_>>());
    assert_eq!(listed.collect::<BTreeSet<_>>(), ends, "the ends");
}

#[test]
fn words_of_the_page_are_those_of_the_program() {
    let states = |title: &str| -> BTreeSet<String> {
        let ends = |(from, _, to): (String, Vec<String>, String)| [from, to];
        arrows(section(title)).into_iter().flat_map(ends).filter(|state| !state.is_empty()).collect()
    };
    let firsts =
        |title: &str| -> BTreeSet<String> { table(title).into_iter().map(|row| row[0].clone()).collect() };
    assert_eq!(states("Stages"), variants::<Stage>(json!("?")));
    let seats: BTreeSet<String> =
        variants::<SeatSetup>(json!({ "kind": "?" })).into_iter().chain(["out".to_owned()]).collect();
    assert_eq!(states("Seats"), seats);
    assert_eq!(firsts("Seats"), variants::<OutReason>(json!("?")));
    assert_eq!(firsts("Fouls"), variants::<FoulKind>(json!("?")));
    assert_eq!(firsts("Ends"), variants::<EndKind>(json!("?")));
    let all_events: BTreeSet<String> = arrows(PAGE).into_iter().flat_map(|(_, events, _)| events).collect();
    assert_eq!(all_events, event_names());
    let states: BTreeSet<String> = states("Time");
    assert_eq!(firsts("Time"), states, "each state of the clock is explained");
}

/// The last column of a table names files and, after a colon, functions in them.
#[test]
fn functions_that_the_page_names_exist() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut count, mut missing) = (0, Vec::new());
    for row in rows(PAGE) {
        for place in row.last().expect("a row has cells").split("; ").filter(|place| place.contains(".rs: "))
        {
            let (file, functions) = place.split_once(": ").expect("a file, then its functions");
            let text = std::fs::read_to_string(source.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
            for function in functions.split(", ") {
                count += 1;
                if !text.contains(&format!("fn {function}(")) {
                    missing.push(format!("{file}: {function}"));
                }
            }
        }
    }
    assert!(count > 40, "the page names functions in another way: {count} found");
    assert!(missing.is_empty(), "{missing:#?}");
}
