//! Tests of both sides of the official dialogue, and of lines that contradict the rules.

use super::*;
use crate::protocol::{Awaits, Entry, Lines, PlayerAwaits, PlayerDecision, Settings};
use crate::session::Session;

#[test]
fn referee_writes_the_official_lines() {
    let state = state(["5♠ 6♠ K♥", "9♥ 10♥ Q♦"], "J♥ 7♠", "4♣ 8♥");
    let mut referees = [0, 1].map(|s| Buraco::referee(Seat(s), &Settings::default()).unwrap());
    let mut written: [Lines; 2] = Default::default();
    referees.iter_mut().zip(&mut written).for_each(|(referee, out)| referee.open(&state, out));
    let mut table = Table::<Buraco>::new(state);
    for text in ["GET_DISCARD [ 6♠ 5♠ ]", "DISCARD J♥", "GET_DISCARD [ 9♥ 10♥ ]", "DISCARD Q♦"] {
        let Turn::Of(by) = table.turn() else { panic!("over before {text}") };
        let before = table.state().clone();
        let mv = referees[by.index()].line(&before, text).unwrap().unwrap();
        table.play(by, &mv).unwrap_or_else(|e| panic!("{text}: {e}"));
        referees
            .iter_mut()
            .zip(&mut written)
            .for_each(|(referee, out)| referee.moved(&before, by, &mv, table.state(), out));
    }
    let first = [
        "p1.bot p2.bot",
        "p1.bot",
        "[ 5♠ 6♠ K♥ ]",
        "7♠",
        "p1.bot",
        "[ J♥ ]",
        "p2.bot",
        "GET_DISCARD [ 9♥ 10♥ ]",
        "DISCARD Q♦",
    ];
    let second = [
        "p1.bot p2.bot",
        "p2.bot",
        "[ 9♥ 10♥ Q♦ ]",
        "7♠",
        "p1.bot",
        "GET_DISCARD [ 5♠ 6♠ ]",
        "DISCARD J♥",
        "p2.bot",
        "[  ]",
    ];
    assert_eq!(written, [first.map(str::to_owned).to_vec(), second.map(str::to_owned).to_vec()]);
}

#[test]
fn referee_answers_a_draw_with_the_card_and_an_empty_stock_with_nothing() {
    let referee = |seat| Buraco::referee(Seat(seat), &Settings::default()).unwrap();
    let answer = |stock: &str, seat: u8| {
        let before = state(["5♠ K♥", "9♥"], "7♠", stock);
        let mut after = before.clone();
        after.play(&mv("GET_STOCK"));
        let mut out = Lines::new();
        referee(seat).moved(&before, Seat(0), &mv("GET_STOCK"), &after, &mut out);
        out
    };
    assert_eq!(answer("4♣ 10♥", 0), ["10♥"]);
    assert_eq!(answer("4♣ 10♥", 1), ["GET_STOCK"]);
    assert_eq!(answer("", 0), Lines::new());
    assert!(referee(0).line(&state(["5♠", "9♥"], "7♠", ""), "MELD_JOIN x [ 5♠ ]").is_err());
}

#[test]
fn player_refuses_impossible_lines() {
    let start = ["a b", "a", "[ 5♠ 6♠ 8♦ 9♦ 10♦ K♥ 2♣ 3♥ J♣ Q♣ 4♦ ]", "7♠", "b"];
    let last = |lines: &[&str]| {
        let mut bot = Buraco::player(&Settings::default()).unwrap();
        let mut out = Lines::new();
        let results: Vec<_> = lines.iter().map(|line| bot.line(line, &mut out)).collect();
        assert!(results[..lines.len() - 1].iter().all(Result::is_ok), "{results:?}");
        results.last().unwrap().clone().map(|_| ()).map_err(|e| e.0)
    };
    assert_eq!(last(&start), Ok(()));
    for (line, part) in [
        ("DISCARD 4♠", "draw"),
        ("MELD_NEW [ 4♠ 5♠ 6♠ ]", "draw"),
        ("GET_DISCARD [ 6♠ 9♠ ]", "no sequence"),
        ("p3.who", "not a command"),
        ("", ""),
    ] {
        let result = last(&[&start[..], &[line]].concat());
        assert_eq!(result.is_err(), !part.is_empty(), "{line}");
        assert!(result.err().unwrap_or_default().contains(part), "{line}");
    }
    let third_copy = ["GET_STOCK", "DISCARD 5♠", "a"];
    assert_eq!(last(&[&start[..], &third_copy].concat()), Ok(()));
    assert!(last(&["a a"]).is_err());
    assert!(last(&["a b", "c"]).is_err());
    assert!(last(&["a b", "a", "[ 5♠ 5♠ 5♠ ]", "7♠"]).unwrap_err().contains("twice"));
    assert!(last(&["a b", "a", &"5♠ ".repeat(60), "7♠"]).is_err());
    assert!(last(&["a b", "a", "[ ]", "7♠"]).is_err());
}

/// The session after these lines, the event it waits for, and its remarks. Lines with `> ` are the bot's decisions.
fn played(lines: &[&str]) -> (Session<Buraco>, PlayerAwaits<Buraco>, Lines) {
    let mut session = Session::new(Buraco::player(&Settings::default()).unwrap());
    let entry = |line: &&str| match line.strip_prefix("> ") {
        Some(printed) => Entry::Printed(printed.to_owned()),
        None => Entry::Read((*line).to_owned()),
    };
    session.push(lines.iter().map(entry));
    let wants = session.advance().unwrap_or_else(|e| panic!("{lines:?}: {e}"));
    let remarks = session.take_remarks();
    (session, wants, remarks)
}

const START: [&str; 4] = ["a b", "a", "[ 5♠ 6♠ 8♦ 9♦ 10♦ K♥ 2♣ 3♥ J♣ Q♣ 4♦ ]", "7♠"];

#[test]
fn player_plays_on_after_lines_that_contradict_the_rules() {
    for (lines, hand, part) in [
        // A card listed twice; its second copy turns up.
        (
            &["b", "GET_STOCK", "MELD_NEW [ 2♥ 2♥ A♥ ]", "DISCARD 9♣", "a", "> GET_STOCK", "2♥"][..],
            12,
            "twice at most",
        ),
        // A missing meld, cards that form no meld, two draws, two discards, a discard before the draw.
        (&["b", "GET_STOCK", "MELD_JOIN 7 [ 9♥ ]", "DISCARD 9♣", "a"], 11, "no own meld to join"),
        (&["b", "GET_STOCK", "MELD_NEW [ 9♥ K♣ 4♠ ]", "DISCARD 9♣", "a"], 11, "no sequence"),
        (&["b", "GET_STOCK", "GET_STOCK", "DISCARD 9♣", "a"], 11, "one draw"),
        (&["b", "GET_STOCK", "DISCARD 9♣", "DISCARD 9♥", "a"], 11, "id of a bot"),
        (&["b", "DISCARD 9♣", "a"], 11, "begins with a draw"),
        // An own turn before the opponent's turn has ended or begun.
        (&["a", "> GET_STOCK", "A♥", "> DISCARD A♥", "a"], 11, "not the turn"),
        // Another pile than expected, an unreadable card.
        (&["a", "> GET_DISCARD [ 5♠ 6♠ ]", "[ 9♥ 4♣ ]"], 11, "lay in the pile"),
        (&["a", "> GET_STOCK", "joker"], 11, "is not a card"),
    ] {
        let (_, wants, remarks) = played(&[&START[..], lines].concat());
        let Awaits::Decision(PlayerDecision { view, .. }) = wants else {
            panic!("{lines:?}: no decision is due")
        };
        assert_eq!(view.hand().len(), hand, "{lines:?}");
        assert!(remarks.iter().any(|r| r.contains(part)), "{lines:?}: {remarks:?}");
    }
}

/// Only the referee ends a match, so the opponent's hand keeps a card, even if the opponent played more than it held.
#[test]
fn opponents_hand_is_never_empty_before_the_referee_ends_the_match() {
    let all = "MELD_NEW [ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣ K♣ A♣ ]";
    let (_, wants, remarks) = played(&[&START[..], &["b", "GET_STOCK", all, "a"]].concat());
    // The top of the pile is unknown, so only the stock is safe.
    assert!(matches!(wants, Awaits::Entry), "the safest move is printed without a decision");
    assert!(!remarks.is_empty());
    let (_, wants, _) = played(&[&START[..], &["b", "GET_STOCK", all, "DISCARD 9♥", "a"]].concat());
    let Awaits::Decision(PlayerDecision { view, .. }) = wants else { panic!("our turn") };
    assert_eq!(view.open().hand_size(Seat(1)), 1);
}

#[test]
fn player_draws_from_the_stock_if_no_position_is_certain() {
    let lost = [&START[..], &["b", "GET_STOCK", "DISCARD ?", "a"]].concat();
    let (mut session, wants, _) = played(&lost);
    assert!(matches!(wants, Awaits::Entry));
    assert_eq!(session.take_lines(), ["GET_STOCK"]);
    session.push([Entry::Read("4♥".to_owned())]);
    assert!(matches!(session.advance(), Ok(Awaits::Decision(_))), "the own hand is known");
    // Three copies of a card in the own hand: the bot plays the hand without the third.
    let three = ["a b", "a", "[ 5♠ 5♠ 5♠ 6♠ ]", "7♥", "a"];
    let (_, wants, remarks) = played(&three);
    let Awaits::Decision(PlayerDecision { view, .. }) = wants else { panic!("our turn") };
    assert_eq!((view.hand().len(), remarks.len()), (3, 1));
}
