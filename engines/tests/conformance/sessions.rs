//! Tests of sessions: a dialogue continued from its transcript, contradictions, seeds and thinking time.

use std::time::Duration;

use engines::erased::{AnySession, Awaits, DecisionRequest};
use engines::games;
use engines::protocol::{Entry, Settings};
use engines::rng::Seed;

const START: &str = "< 4 3 2 4 2 3 2";

fn session(transcript: &str) -> (Box<dyn AnySession>, Result<Awaits, String>) {
    let mut session = games::find("ioiwari").unwrap().session(&Settings::default()).unwrap();
    session.push(Entry::parse_all(transcript).unwrap());
    let awaits = session.advance().map_err(|e| e.detail);
    (session, awaits)
}

fn pits_asked_about(awaits: Result<Awaits, String>) -> String {
    match awaits {
        Ok(Awaits::Decision(question)) => question.position.to_json()["pits"].to_string(),
        Ok(Awaits::Nothing) => "nothing".to_owned(),
        Ok(Awaits::Entry | Awaits::EntryWithin(_)) => "an entry".to_owned(),
        Err(e) => e,
    }
}

#[test]
fn session_asks_for_the_missing_last_answer() {
    assert_eq!(pits_asked_about(session(START).1), "[4,3,2,4,2,3,2]");
    assert_eq!(pits_asked_about(session(&format!("{START}\n> 2")).1), "an entry");
    assert_eq!(pits_asked_about(session(&format!("{START}\n> 2\n< 3")).1), "[4,0,0,4,1,4,0]");
}

#[test]
fn bare_official_input_counts_as_read_and_ended() {
    let (mut session, awaits) = session("4 3 2 4\r\n2 3 2");
    assert_eq!(pits_asked_about(awaits), "[4,3,2,4,2,3,2]");
    assert!(matches!(session.decide("2"), Ok(Awaits::Nothing)), "the input has ended");
    assert_eq!(session.take_lines(), ["2"]);
}

/// 203 beads were kept as they came while the start was incomplete, and overflowed a bank some moves later.
#[test]
fn start_with_too_many_beads_is_played_on() {
    for pit in 1..=7 {
        let (mut session, mut awaits) = session("< 40 32 4 203 2\n< 3\n< 2");
        for _ in 0..400 {
            awaits = match awaits {
                Ok(Awaits::Decision(question)) => {
                    session.decide(&question.position.legal_moves()[0].notation).map_err(|e| e.detail)
                }
                Ok(Awaits::EntryWithin(_)) => Ok(session.silence()),
                Ok(Awaits::Entry) => {
                    session.push(Entry::parse_all(&format!("< {pit}")).unwrap());
                    session.advance().map_err(|e| e.detail)
                }
                Ok(Awaits::Nothing) => break,
                Err(e) => panic!("{e}"),
            };
        }
        assert_eq!(pits_asked_about(awaits), "nothing", "the match has no end: {:?}", session.take_lines());
    }
}

#[test]
fn early_lines_wait_for_the_decision() {
    let (mut session, _) = session(&format!("{START}\n< 3\n."));
    assert_eq!(session.waiting(), 2);
    let after = session.decide("2").map_err(|e| e.detail);
    assert_eq!(
        pits_asked_about(after),
        "[4,0,0,4,1,4,0]",
        "the early line is used once the decision is made"
    );
    assert_eq!(session.take_lines(), ["2"], "each line is taken once");
    assert_eq!(session.take_lines(), Vec::<String>::new());
}

#[test]
fn answer_may_follow_lines_that_were_read_before_it() {
    let (session, awaits) = session(&format!("{START}\n< 3\n> 2\n> 5\n< 4"));
    assert_eq!(pits_asked_about(awaits), "[0,0,0,0,1,1,1]");
    assert_eq!(session.waiting(), 0);
}

#[test]
fn taken_line_may_be_repeated_once() {
    let (mut session, _) = session(START);
    session.decide("2").map_err(|e| e.detail).unwrap();
    assert_eq!(session.take_lines(), ["2"]);
    session.push(Entry::parse_all("> 2\n< 3").unwrap());
    assert_eq!(pits_asked_about(session.advance().map_err(|e| e.detail)), "[4,0,0,4,1,4,0]");
    assert_eq!(session.decide("5").map_err(|e| e.detail).map(|_| ()), Ok(()));
    session.take_lines();
    session.push(Entry::parse_all("> 5\n> 5").unwrap());
    assert!(session.advance().is_err(), "but not twice");
}

#[test]
fn printed_entries_and_decisions_are_checked() {
    for (transcript, part) in [
        (format!("{START}\n> 8"), "entry 2 of the dialogue: \"8\" is not a move"),
        (format!("{START}\n> 2\n> 3"), "entry 3 of the dialogue: \"3\" was printed though nothing"),
    ] {
        let error = pits_asked_about(session(&transcript).1);
        assert!(error.contains(part), "{transcript}: {error}");
    }
    assert!(session(START).0.decide("9").is_err(), "a decision is checked");
    assert!(session("").0.decide("1").is_err(), "none was asked for");
}

/// A line against the rules never ends the dialogue: the bot plays on, and a remark names the entry.
#[test]
fn contradictions_make_remarks_and_do_not_end_the_dialogue() {
    let replayed = |transcript: &str| {
        let (mut session, awaits) = session(transcript);
        (pits_asked_about(awaits), session.take_lines(), session.take_remarks(), session.has_understood())
    };
    let nothing = Vec::<String>::new();
    for (transcript, asked, said, part) in [
        // An empty pit moves nothing, and it is our turn.
        (
            format!("{START}\n> 2\n< 2"),
            "[4,0,3,5,0,3,2]",
            vec![],
            "entry 3 of the dialogue: the opponent cannot play 2",
        ),
        (format!("{START}\n> 2\n< 0"), "[4,0,3,5,0,3,2]", vec![], "entry 3"),
        // Fewer than 20 beads: the banks get the rest.
        ("< 4 3 2 4 2 3 1".to_owned(), "[4,3,2,4,2,3,1]", vec![], "20 beads"),
        // No possible position: the bot plays the first pit with beads at once.
        ("< 0 9 9 9 9 9 9".to_owned(), "an entry", vec!["2"], "never holds more than 5"),
        (format!("{START}\n> 2\n< 3 4"), "[4,0,0,4,1,4,0]", vec![], "not the opponent's turn"),
        // Printed against the rules, and the referee went on.
        (format!("{START}\n> 2\n< 3\n> 2\n< 5"), "[4,0,0,4,0,0,0]", vec![], "not a legal move here: "),
    ] {
        let (pits, lines, remarks, understood) = replayed(&transcript);
        assert_eq!(
            (pits.as_str(), lines),
            (asked, said.into_iter().map(str::to_owned).collect()),
            "{transcript}"
        );
        assert!(remarks.iter().any(|r| r.contains(part)), "{transcript}: {remarks:?}");
        assert!(understood || transcript.starts_with("< 4 3 2 4 2 3 1") || transcript.starts_with("< 0"));
    }
    let (asked, lines, remarks, understood) = replayed("< hello\n< there %\u{7}");
    assert_eq!((asked.as_str(), lines, remarks.len(), understood), ("an entry", nothing, 2, false));
    assert!(remarks.iter().all(|remark| !remark.contains('\u{7}')));
    // A word instead of the opponent's pit: after some silence the bot takes its turn.
    let (mut waiting, awaits) = session(&format!("{START}\n> 2\n< your turn"));
    assert!(matches!(awaits, Ok(Awaits::EntryWithin(_))));
    assert_eq!(pits_asked_about(Ok(waiting.silence())), "[4,0,3,5,0,3,2]");
}

#[test]
fn transcript_entries_survive_parsing_and_printing() {
    for line in ["< 1 2", "> 3", "# a remark", ".", "<  two spaces", "< "] {
        assert_eq!(Entry::parse(line).unwrap().to_string(), line);
    }
    assert_eq!(Entry::parse("<1"), Entry::parse("< 1"));
    assert_eq!(Entry::parse("> 1\r"), Ok(Entry::Printed("1".to_owned())));
    assert!(Entry::parse("1 2 3").is_err());
    let error = Entry::parse_all("< 1\nwhat").unwrap_err();
    assert!(error.0.starts_with("line 2: "), "{error}");
}

#[test]
fn every_decision_has_its_own_seed() {
    let seed = |transcript: &str, of: u64| match session(transcript).1 {
        Ok(Awaits::Decision(question)) => question.seed(&Seed::from(of)),
        _ => panic!("a decision is due"),
    };
    assert_eq!(seed(START, 1), seed(START, 1));
    assert_ne!(seed(START, 1), seed(START, 2));
    assert_ne!(seed(START, 1), seed(&format!("{START}\n> 2\n< 3"), 1));
}

#[test]
fn thinking_time_never_exceeds_the_official_limit() {
    let (_, awaits) = session(START);
    let Ok(Awaits::Decision(mut question)) = awaits else { panic!("a decision is due") };
    let ms = Duration::from_millis;
    assert_eq!(question.thinking_time(None), question.usual);
    assert_eq!(question.thinking_time(Some(ms(20))), ms(20));
    assert_eq!(question.thinking_time(Some(ms(60_000))), ms(900), "the limit is a second");
    question.limit = Some(ms(60_000));
    assert_eq!(question.thinking_time(Some(ms(60_000))), ms(59_500));
    question.clock = Some(ms(100));
    assert_eq!(question.thinking_time(Some(ms(60_000))), ms(80));
    question.clock = Some(ms(10));
    assert_eq!(question.thinking_time(Some(ms(60_000))), ms(5));
    assert_eq!(DecisionRequest { limit: None, clock: None, ..question }.longest(), None);
}
