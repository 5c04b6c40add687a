//! Tests of the official dialogue, byte for byte and in all three input formats, and of turns that contradict the rules.

use super::*;
use crate::protocol::{Awaits, Entry, PlayerDecision};
use crate::session::Session;

/// The specification's example without its comments.
const EXAMPLE: &str = "28220\n1\nmove\n0 g 0\n0 0 1 1 0 0\n0 0 0 0 0\n0 1 1 1 1\n1 1 1 0 1\n0 1 1 1 1\n0 0 0 0 0\n\
    opponent\n0 .\n2 r\n0 .\n2 b\n3 g\n. . b y .\n. . o b .\n. . . o b\n. . . . .\n. . . . .\n0 7\n\
    1 g\n0 .\n2 g\n3 y\n3 y\n. o . . .\n. g o . .\ny . . . .\n. . r . .\n. . . . .\n1 6";

fn settings(pairs: &[(&str, &str)]) -> Settings {
    Settings(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
}

fn bot(input: &str) -> PlayerDialogue {
    PlayerDialogue::new(&settings(&[("input", input)])).unwrap()
}

/// Lets the bot read lines and returns the view of the decision that it asks for.
fn tell(bot: &mut PlayerDialogue, lines: &[String]) -> View {
    let mut last = Awaits::Entry;
    for line in lines {
        assert_eq!(last, Awaits::Entry, "before {line:?}");
        last = bot.line(line, &mut Lines::new()).unwrap_or_else(|e| panic!("{line:?}: {e}"));
    }
    match last {
        Awaits::Decision(PlayerDecision { view, .. }) => *view,
        other => panic!("{other:?} after {lines:?}"),
    }
}

fn example() -> Vec<String> {
    EXAMPLE.lines().map(str::to_owned).collect()
}

/// The example's position, built by hand. `own` is the reader's seat.
pub(super) fn example_position(own: Seat) -> Position {
    let mut p = Position::empty();
    p.sources = [[0, 0, 1, 1, 0], [0; 5], [0, 1, 1, 1, 1], [1, 1, 1, 0, 1], [0, 1, 1, 1, 1], [0; 5]];
    p.marker = Some(own.other());
    p.to_move = own;
    let none = Line::default();
    p.boards[own.index()] = Board {
        lines: [none, line(2, Colour::Red), none, line(2, Colour::Blue), line(3, Colour::Green)],
        wall: wall(["..xx.", "..xx.", "...xx", ".....", "....."]),
        floor: 0,
        score: 7,
    };
    p.boards[own.other().index()] = Board {
        lines: [
            line(1, Colour::Green),
            none,
            line(2, Colour::Green),
            line(3, Colour::Yellow),
            line(3, Colour::Yellow),
        ],
        wall: wall([".x...", ".xx..", "x....", "..x..", "....."]),
        floor: 1,
        score: 6,
    };
    p
}

#[test]
fn example_is_written_byte_for_byte() {
    for seat in [Seat(0), Seat(1)] {
        let after = State::at(example_position(seat), Seed::from(0));
        assert_eq!(after.audit(), Ok(()));
        // One move earlier: the opponent takes the only green tile from the centre.
        let mut p = *after.position();
        p.sources[0][0] = 1;
        p.marker = None;
        p.to_move = seat.other();
        p.boards[seat.other().index()].lines[0] = Line::default();
        p.boards[seat.other().index()].floor = 0;
        let before = State::at(p, Seed::from(0));
        let mut played = before.clone();
        played.play(&mv("0 g 0"));
        assert_eq!(played, after);
        let mut referee = RefereeDialogue::new(seat);
        let mut out = Lines::new();
        referee.prompt(&after, Some(Duration::from_millis(28_220)), &mut out);
        assert_eq!(out, Lines::new(), "the bot has not yet asked for a format");
        assert_eq!(referee.line(&before, " both "), Ok(None));
        referee.moved(&before, seat.other(), &mv("0 g 0"), &after, &mut out);
        referee.prompt(&after, Some(Duration::from_millis(28_220)), &mut out);
        assert_eq!(out.join("\n"), EXAMPLE);
        assert_eq!(referee.line(&after, "3 r 2"), Ok(Some(mv("3 r 2"))));
        for bad in ["", "both", "3 r", "3 r 6", "6 r 0", "3 R 0", "3 r 2 1", "-1 r 0", "3r2", "03 r 2"] {
            assert!(referee.line(&after, bad).is_err(), "{bad:?}");
        }
        assert!(RefereeDialogue::new(seat).line(&before, "3 r 2").is_err(), "the first word is missing");
    }
}

#[test]
fn example_is_read_and_written_back() {
    let view = tell(&mut bot("both"), &example());
    assert_eq!(view, State::at(example_position(Seat(0)), Seed::from(0)).view(Viewer::Seat(Seat(0))));
    let mut state_only = example();
    state_only.drain(1..4);
    assert_eq!(tell(&mut bot("state"), &state_only), view);
    let mut referee = RefereeDialogue::new(Seat(0));
    let state = view.guess(&mut Rng::new(&Seed::from(0)));
    referee.line(&state, "state").unwrap();
    let mut out = Lines::new();
    referee.prompt(&state, Some(Duration::from_millis(28_220)), &mut out);
    assert_eq!(out, state_only);
}

#[test]
fn spaces_and_empty_lines_are_ignored_and_impossible_words_refused() {
    let loose: Vec<String> =
        example().iter().flat_map(|l| [l.replace(' ', "   ") + " ", String::new()]).collect();
    let view = tell(&mut bot("both"), &loose[..loose.len() - 1]);
    assert_eq!(view.position().boards[0].score, 7);
    for (at, bad) in [
        (0, "soon"),
        (1, "9"),
        (1, "99999999999999999999"),
        (2, "moved"),
        (3, "0 g 7"),
        (4, "0 0 1 1 0 1"),
        (4, "0 0 1 1 0 2"),
        (6, "0 1 1 1 2"),
        (6, "0 21 1 1 1"),
        (10, "none"),
        (10, "unknown"),
        (11, "1 ."),
        (11, "0 r"),
        (12, "3 r"),
        (16, ". . r y ."),
        (16, "g o b y r"),
        (21, "8 x"),
        (21, "0 32768"),
        (21, "0 -1"),
        (32, "1 6 1"),
    ] {
        let mut lines = example();
        lines[at] = bad.to_owned();
        let mut bot = bot("both");
        let wrong = lines.iter().any(|l| bot.line(l, &mut Lines::new()).is_err());
        assert!(wrong, "line {at}: {bad:?} was accepted");
    }
}

/// Both seats follow a whole match in all three formats, with refills at any place: every view equals the real one.
#[test]
fn all_input_formats_give_equal_views() {
    for seed in 0..20 {
        let mut rng = Rng::new(&Seed::from(seed));
        let mut state = deal(seed);
        let mut parties: Vec<(Seat, bool, PlayerDialogue, RefereeDialogue)> = Vec::new();
        for seat in [Seat(0), Seat(1)] {
            for (input, mixed) in [("state", false), ("update", false), ("update", true), ("both", false)] {
                let mut bot = bot(input);
                let mut printed = Lines::new();
                bot.start(&mut printed);
                assert_eq!(printed, [input]);
                let mut referee = RefereeDialogue::new(seat);
                referee.open(&state, &mut Lines::new());
                assert_eq!(referee.line(&state, input), Ok(None));
                parties.push((seat, mixed, bot, referee));
            }
        }
        while let Turn::Of(mover) = state.turn() {
            let view = state.view(Viewer::Seat(mover));
            for (_, mixed, bot, referee) in parties.iter_mut().filter(|(seat, ..)| *seat == mover) {
                let mut lines = Lines::new();
                referee.prompt(&state, None, &mut lines);
                if *mixed {
                    refills_last(&mut lines);
                }
                assert_eq!(tell(bot, &lines), view);
            }
            let mut moves = Vec::new();
            view.legal(&mut moves);
            let chosen = *rng.pick(&moves).unwrap();
            let before = state.clone();
            state.play(&chosen);
            for (seat, _, bot, referee) in &mut parties {
                if *seat == mover {
                    let mut printed = Lines::new();
                    assert_eq!(bot.played(&chosen, &mut printed), Awaits::Entry);
                    assert_eq!(printed, [chosen.to_string()]);
                }
                let mut out = Lines::new();
                referee.moved(&before, mover, &chosen, &state, &mut out);
                assert_eq!(out, Lines::new());
            }
        }
        assert!(parties.iter_mut().all(|(.., bot, _)| bot.eof() == Ok(Awaits::Nothing)));
    }
}

/// Moves the refills of a turn to the place after its moves.
fn refills_last(lines: &mut Lines) {
    let mut rest = lines.split_off(2);
    let mut refills = Lines::new();
    while let Some(at) = rest.iter().position(|l| l == "restock") {
        refills.extend(rest.drain(at..at + 6));
    }
    lines.append(&mut rest);
    lines.append(&mut refills);
}

#[test]
fn first_turns_follow_the_specification() {
    let state = deal(1);
    let mut referees = [RefereeDialogue::new(Seat(0)), RefereeDialogue::new(Seat(1))];
    for referee in &mut referees {
        referee.open(&state, &mut Lines::new());
        referee.line(&state, "update").unwrap();
    }
    let mut out = Lines::new();
    referees[0].prompt(&state, Some(Duration::from_secs(30)), &mut out);
    assert_eq!(out[..3], ["30000", "1", "restock"]);
    assert_eq!(out.len(), 8);
    let mut moves = Vec::new();
    state.view(Viewer::Seat(Seat(0))).legal(&mut moves);
    let mut after = state.clone();
    after.play(&moves[0]);
    referees.iter_mut().for_each(|j| j.moved(&state, Seat(0), &moves[0], &after, &mut Lines::new()));
    let mut second = Lines::new();
    referees[1].prompt(&after, Some(Duration::from_secs(30)), &mut second);
    assert_eq!(second[1], "2");
    assert_eq!(second[2..8], out[2..8]);
    assert_eq!(second[8..], ["move".to_owned(), moves[0].to_string()]);
}

#[test]
fn updates_that_contradict_the_match_are_refused() {
    let restock = ["restock", "1 1 1 1 0", "0 1 1 1 1", "4 0 0 0 0", "0 2 2 0 0", "0 0 2 2 0"];
    for (count, updates) in [
        ("0", vec![]),
        ("2", [&restock[..], &restock[..]].concat()),
        ("1", vec!["move", "1 g 0"]),
        ("2", [&restock[..], &["move", "1 r 0"]].concat()),
        ("3", [&restock[..], &["move", "1 g 0", "move", "2 o 1"]].concat()),
        ("1", vec!["restock", "1 1 1 1 0", "0 1 1 1 1", "4 0 0 0 0", "0 2 2 0 0", "0 0 0 0 0"]),
        ("1", vec!["restock", "4 0 0 0 0", "0 4 0 0 0", "4 0 0 0 0", "0 0 4 0 0", "0 0 0 4 0"]),
    ] {
        let mut bot = bot("update");
        let lines = ["30000", count].into_iter().chain(updates);
        let wrong = lines.map(|l| bot.line(l, &mut Lines::new())).any(|r| r.is_err());
        assert!(wrong, "{count} updates were accepted");
    }
}

/// The referee may accept what our rules forbid, so the bot answers every turn.
#[test]
fn impossible_turns_are_answered() {
    let restock = ["restock", "1 1 1 1 0", "0 1 1 1 1", "4 0 0 0 0", "0 2 2 0 0", "0 0 2 2 0"];
    let turns: [(&str, Vec<&str>); 7] = [
        ("0", vec![]),
        ("2", [&restock[..], &restock[..]].concat()),
        ("1", vec!["move", "1 g 0"]),
        ("2", [&restock[..], &["move", "1 r 0"]].concat()),
        ("2", [&restock[..], &["move", "1 g 9"]].concat()),
        ("3", [&restock[..], &["move", "1 g 0", "move", "2 o 1"]].concat()),
        ("1", vec!["restock", "4 0 0 0 0", "0 4 0 0 0", "4 0 0 0 0", "0 0 4 0 0", "0 0 0 4 0"]),
    ];
    let turns = turns.map(|(count, updates)| {
        ("update", ["30000", count].into_iter().chain(updates).map(str::to_owned).collect::<Vec<_>>())
    });
    let positions = [(4, "0 21 1 1 1"), (6, "0 1 x 1 2"), (11, "9 ."), (16, "g o b y r"), (21, "8 x")];
    let positions = positions.map(|(at, bad)| {
        let mut lines = example();
        lines[at] = bad.to_owned();
        ("both", lines)
    });
    for (input, lines) in turns.into_iter().chain(positions) {
        let mut session = Session::<Azul>::new(Box::new(bot(input)));
        assert_eq!(session.take_lines(), [input]);
        session.push(lines.iter().cloned().map(Entry::Read));
        let mut wants = session.advance().unwrap_or_else(|e| panic!("{lines:?}: {e}"));
        if matches!(wants, Awaits::EntryWithin(_)) {
            wants = session.silence();
        }
        if let Awaits::Decision(PlayerDecision { view, .. }) = wants {
            let mut moves = Vec::new();
            view.legal(&mut moves);
            session.decide(&moves[0].to_string()).unwrap();
        }
        let printed = session.take_lines();
        assert!(printed.len() == 1 && printed[0].parse::<Move>().is_ok(), "{lines:?}: {printed:?}");
        assert!(!session.take_remarks().is_empty(), "{lines:?}");
    }
}

#[test]
fn settings_are_checked_and_opened_skips_the_first_word() {
    let mut printed = Lines::new();
    PlayerDialogue::new(&settings(&[])).unwrap().start(&mut printed);
    PlayerDialogue::new(&settings(&[("opened", "yes")])).unwrap().start(&mut printed);
    assert_eq!(printed, ["state"]);
    for bad in [("input", "all"), ("opened", "1"), ("seat", "0")] {
        assert!(PlayerDialogue::new(&settings(&[bad])).is_err(), "{bad:?}");
    }
    let mut half = bot("state");
    half.line("30000", &mut Lines::new()).unwrap();
    assert!(half.eof().is_err(), "the input ended in the middle of a turn");
}

/// Random words give an error or a position in every format, never a panic.
#[test]
fn random_words_never_panic() {
    let mut rng = Rng::new(&Seed::from(78));
    let strange =
        ["", "-5", "0", "7", "255", "99999999999999999999", "g", ".", "x", "move", "restock", "é", "you"];
    for round in 0..4_000 {
        let mut bot = bot(["both", "state", "update"][round % 3]);
        let mut words: Vec<String> = EXAMPLE.split_whitespace().map(str::to_owned).collect();
        for _ in 0..rng.below(4) {
            let at = rng.below(words.len());
            words[at] = (*rng.pick(&strange).unwrap()).to_owned();
        }
        for word in &words {
            if !matches!(bot.line(word, &mut Lines::new()), Ok(Awaits::Entry)) {
                break;
            }
        }
    }
}
