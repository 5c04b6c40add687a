//! Tests of the player's side: zeros, drawn cards, settings, and lines that contradict the rules.

use std::collections::BTreeMap;

use super::*;
use crate::protocol::{Awaits, Entry, PlayerAwaits, PlayerDecision};
use crate::session::Session;

/// Lets the player's side read these lines. Returns the lines that it printed and its next step. `> N` is its decision
/// N, `> silence` a wait in vain.
fn converse(settings: &[(&str, &str)], lines: &[&str]) -> (Vec<String>, PlayerAwaits<Septica>) {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let mut bot = PlayerDialogue::new(&Settings(settings)).unwrap();
    let mut printed = Vec::new();
    let mut step = bot.start(&mut printed);
    for line in lines {
        match line.strip_prefix("> ") {
            Some("silence") => step = bot.silence(&mut printed),
            Some(mv) => {
                assert!(
                    matches!(step, Awaits::Decision(_)),
                    "{mv} was not asked for: {step:?} after {printed:?}"
                );
                step = bot.played(&mv.parse().unwrap(), &mut printed);
            }
            None => step = bot.line(line, &mut printed).unwrap(),
        }
    }
    (printed, step)
}

/// A match up to our last card: the computer led and won all tricks until the deck was empty, and we lead the last one.
fn to_our_last_trick() -> Vec<&'static str> {
    vec![
        "8 8 9 9", "11", "> 8", "2 1 12", "11", "> 8", "2 1 12", "11", "> 9", "2 1 12", "11", "> 9",
        "2 1 12", "13", "> 12", "2 1 14", "13", "> 12", "2 1 14", "13", "> 12", "2 1 14", "13", "> 12",
        "2 1 14", "7", "> 14", "2 1 10", "7", "> 14", "2 1 10", "7", "> 14", "2 1 8", "7", "> 14", "2 1 8",
        "9", "> 8", "2 0", "9", "> 8", "2 0", "10", "> 10", "3 0", "> 10",
    ]
}

#[test]
fn last_zero_is_learned_once() {
    let with = |setting, more: &[&str]| {
        let lines = [&to_our_last_trick()[..], more].concat();
        let settings = [("final_zero", setting)];
        let (printed, step) = converse(&settings, &lines);
        (printed.last().cloned().unwrap_or_default(), printed.len(), step)
    };
    let decisions = to_our_last_trick().iter().filter(|l| l.starts_with('>')).count();
    assert!(matches!(with("auto", &["10"]), (_, n, Awaits::EntryWithin(_)) if n == decisions));
    let zero = |step| ("0".to_owned(), decisions + 1, step);
    assert_eq!(with("auto", &["10", "> silence"]), zero(Awaits::Entry));
    assert_eq!(with("yes", &["10"]), zero(Awaits::Entry));
    assert_eq!(with("no", &["10"]).1, decisions);
    let again = to_our_last_trick();
    let twice = |first: &[&'static str]| {
        let head = [&to_our_last_trick()[..], first].concat();
        let (printed, _) = converse(&[], &[&head[..], &again[..], &["10"]].concat());
        printed.len()
    };
    assert_eq!(
        twice(&["10", "4 5 3"]),
        2 * decisions,
        "the score came by itself, so no later match sends the zero"
    );
    assert_eq!(
        twice(&["10", "> silence", "4 5 3"]),
        2 * decisions + 2,
        "the computer waited for the zero, so the next match sends it at once"
    );
}

/// A match up to a deck of 4 cards: the computer leads a trick of three pairs and takes it.
fn to_a_short_deck() -> Vec<&'static str> {
    let tricks = to_our_last_trick();
    let first_ten = tricks.iter().position(|l| *l == "2 1 10").unwrap();
    let mut lines = tricks[..first_ten + 4].to_vec();
    lines.extend(["10", "> 10", "10", "> 10", "7", "> 14"]);
    lines
}

#[test]
fn any_number_of_drawn_cards_is_accepted_and_an_empty_hand_prints_nothing() {
    let seen = |step: PlayerAwaits<Septica>| {
        let Awaits::Decision(PlayerDecision { view, .. }) = step else { panic!("an answer is due") };
        (view.open.hands, view.open.deck)
    };
    let with = |more: &[&str]| converse(&[], &[&to_a_short_deck()[..], more].concat());
    assert_eq!(seen(with(&["2 2 8 9", "7"]).1), ([2, 3], 0));
    assert_eq!(seen(with(&["2 1 8", "7"]).1), ([3, 2], 0));
    assert_eq!(seen(with(&["2 3 8 8 9", "7"]).1), ([1, 4], 0));
    let (before, _) = with(&["2 1 8"]);
    let fewer = ["2 1 8", "7", "> 8", "2 0", "9", "> 14", "2 0"];
    for rest in [&["8", "2 0", "9", "2 0", "4 5 3"][..], &["3 0", "8", "9", "4 5 3"], &["4 5 3"]] {
        let (printed, step) = with(&[&fewer[..], rest, &["7 8 9 10"]].concat());
        assert_eq!((printed.len() - before.len(), step), (2, Awaits::Entry), "{rest:?}");
    }
    // The reverse: the computer has no cards, we have. If it sends nothing, our zero ends the trick.
    let more = ["2 3 8 9 9", "7", "> 8", "2 0", "8", "> 9", "3 0"];
    let (printed, step) = with(&more);
    assert_eq!(
        (printed.last().unwrap().as_str(), &step),
        ("9", &Awaits::EntryWithin(std::time::Duration::from_millis(300)))
    );
    let (printed, step) = with(&[&more[..], &["> silence"]].concat());
    assert_eq!((printed.last().unwrap().as_str(), step), ("0", Awaits::Entry));
    let (printed, step) = with(&[&more[..], &["4 5 3"]].concat());
    assert_eq!((printed.last().unwrap().as_str(), step), ("9", Awaits::Entry));
}

#[test]
fn line_breaks_do_not_matter() {
    let (printed, step) =
        converse(&[], &["8 9", "", "  10", "11 12", "> 8", "2", "1", "13  9", "> 9", "3 1 14"]);
    assert_eq!(printed, ["8", "9"]);
    let Awaits::Decision(PlayerDecision { view, .. }) = step else { panic!("our lead") };
    assert_eq!((view.hand.clone(), view.open.deck), (cards(&[10, 11, 13, 14]), 20));
}

#[test]
fn impossible_positions_are_played_until_the_next_match() {
    // A fifth 8, a card without an answer between, cards that do not fill the hand.
    let (printed, _) = converse(&[], &["8 8 8 8", "8"]);
    assert_eq!(printed, ["8"]);
    let (printed, _) = converse(&[], &["8 8 9 9", "10", "> 8", "10"]);
    assert_eq!(printed, ["8", "8"]);
    let (printed, step) = converse(&[], &["8 8 9 9", "10", "> 8", "3 3 11 11 11", "12", "0"]);
    assert_eq!(printed, ["8", "8", "0"]);
    assert_eq!(step, Awaits::Entry);
    let (_, step) = converse(&[], &["8 8 8 8", "8", "4 0 8", "7 8 9 10", "14"]);
    assert!(matches!(step, Awaits::Decision(_)), "the next match begins anew");
    let refused = ["8 8 8 x", "8 8 8 15", "8 8 8 8 1", "8 8 8 8 -2", "8 8 8 8 5", "8 8 8 8 2 33"];
    for line in refused {
        let mut bot = PlayerDialogue::new(&Settings::default()).unwrap();
        assert!(bot.line(line, &mut Vec::new()).is_err(), "{line}");
    }
}

/// An unreadable number counts as a card and a word as nothing, so that the dialogue stays in step.
#[test]
fn unreadable_tokens_do_not_stop_the_player() {
    let session = |lines: &[&str]| {
        let mut session = Session::new(Box::new(PlayerDialogue::new(&Settings::default()).unwrap()));
        session.push(lines.iter().map(|line| Entry::Read((*line).to_owned())));
        let wants = session.advance().unwrap_or_else(|e| panic!("{lines:?}: {e}"));
        (session, wants)
    };
    for lines in [
        &["8 9 10 15", "12"][..],
        &["15 9 10 8", "12"],
        &["8 9 hello 10 11", "12"],
        &["8 9 10 11", "1"],
        &["8 9 10 11", "15"],
        &["8 8 8 8", "8"],
    ] {
        let (mut session, wants) = session(lines);
        if let Awaits::Decision(PlayerDecision { view, .. }) = wants {
            let mut moves = Vec::new();
            view.legal(&mut moves);
            session.decide(&moves[0].to_string()).unwrap();
        }
        let printed = session.take_lines();
        let hand: Vec<i64> = lines[0].split(' ').filter_map(|card| card.parse().ok()).collect();
        assert!(printed.len() == 1 && hand.contains(&printed[0].parse().unwrap()), "{lines:?}: {printed:?}");
        assert!(!session.take_remarks().is_empty(), "{lines:?}");
        // The cards themselves show how many were drawn.
        session.push(["2 40 13", "14"].map(|line| Entry::Read(line.to_owned())));
        session.advance().unwrap();
        assert!(!session.take_remarks().is_empty(), "{lines:?}");
    }
}

#[test]
fn settings_are_checked() {
    for (name, value) in
        [("matches", "0"), ("matches", "x"), ("final_zero", "maybe"), ("draws", "mine"), ("colour", "red")]
    {
        let settings = Settings(BTreeMap::from([(name.to_owned(), value.to_owned())]));
        assert!(PlayerDialogue::new(&settings).is_err(), "{name}={value}");
    }
    let (_, step) = converse(&[], &["8 9 10 11", "12"]);
    let Awaits::Decision(PlayerDecision { view, .. }) = step else { panic!("an answer is due") };
    assert_eq!(view.draws, Draws::Player);
    let (_, step) = converse(&[("matches", "1")], &["8 9 10 11", "4 0 0"]);
    assert_eq!(step, Awaits::Nothing);
}

/// The mirror dialogue: `3 0` after the hand says that we lead the first trick, and so have the computer's seat. It is the same
/// dialogue otherwise, and each match decides anew.
#[test]
fn player_in_the_computers_seat_leads_the_first_trick() {
    let (printed, step) = converse(&[], &["8 10 11 13", "3 0", "> 10", "11", "2 1 9", "9"]);
    assert_eq!(printed, ["10", "0"]);
    let Awaits::Decision(PlayerDecision { view, .. }) = step else { panic!("it must answer: {step:?}") };
    assert_eq!((view.turn(), view.viewer()), (Turn::Of(Seat(0)), Viewer::Seat(Seat(0))));
    let mirror = Settings([("mirror".to_owned(), "yes".to_owned())].into());
    assert!(Septica::referee(Seat(0), &Settings::default()).is_err());
    let mut referee = Septica::referee(Seat(0), &mirror).unwrap();
    let mut state = early([&[8, 10, 11, 13], &[9, 9, 12, 14]]);
    let mut lines = Vec::new();
    referee.open(&state, &mut lines);
    for (seat, mv) in [(0, "11"), (1, "9")] {
        let mv: Move = mv.parse().unwrap();
        let before = state.clone();
        state.play(&mv);
        referee.moved(&before, Seat(seat), &mv, &state, &mut lines);
    }
    assert_eq!(lines, ["8 10 11 13", "3 0", "9", "3 1 14"]);
    // The leader ends the trick with a zero before it leads again.
    assert!(referee.line(&state, "13").is_err());
}
