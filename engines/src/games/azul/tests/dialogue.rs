//! The official dialogue, byte for byte and in all three kinds of input; positions that cannot be.

use super::*;
use crate::protocol::{Awaits, Entry, PlayerDecision};
use crate::session::Session;

/// The specification's example, without its remarks.
const EXAMPLE: &str = "28220\n1\nmove\n0 g 0\n0 0 1 1 0 0\n0 0 0 0 0\n0 1 1 1 1\n1 1 1 0 1\n0 1 1 1 1\n0 0 0 0 0\n\
    opponent\n0 .\n2 r\n0 .\n2 b\n3 g\n. . b y .\n. . o b .\n. . . o b\n. . . . .\n. . . . .\n0 7\n\
    1 g\n0 .\n2 g\n3 y\n3 y\n. o . . .\n. g o . .\ny . . . .\n. . r . .\n. . . . .\n1 6";

fn settings(pairs: &[(&str, &str)]) -> Settings {
    Settings(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
}

fn bot(input: &str) -> Bot {
    Bot::new(&settings(&[("input", input)])).unwrap()
}

/// Lets the bot read lines; the view it is to think about.
fn tell(bot: &mut Bot, lines: &[String]) -> View {
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

/// The example's position, built by hand; the reader has seat 1 here.
fn example_position(own: Seat) -> Position {
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
fn the_example_is_written_byte_for_byte() {
    for seat in [Seat(0), Seat(1)] {
        let after = State::at(example_position(seat), Seed::from(0));
        assert_eq!(after.audit(), Ok(()));
        // One move before: the opponent was to take the one green tile from the centre.
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
        let mut judge = Judge::new(seat);
        let mut out = Lines::new();
        judge.prompt(&after, Some(Duration::from_millis(28_220)), &mut out);
        assert_eq!(out, Lines::new(), "the bot has not said yet what it wants to read");
        assert_eq!(judge.line(&before, " both "), Ok(None));
        judge.moved(&before, seat.other(), &mv("0 g 0"), &after, &mut out);
        judge.prompt(&after, Some(Duration::from_millis(28_220)), &mut out);
        assert_eq!(out.join("\n"), EXAMPLE);
        assert_eq!(judge.line(&after, "3 r 2"), Ok(Some(mv("3 r 2"))));
        for bad in ["", "both", "3 r", "3 r 6", "6 r 0", "3 R 0", "3 r 2 1", "-1 r 0", "3r2", "03 r 2"] {
            assert!(judge.line(&after, bad).is_err(), "{bad:?}");
        }
        assert!(Judge::new(seat).line(&before, "3 r 2").is_err(), "a first word is missing");
    }
}

#[test]
fn the_example_is_read_and_written_back() {
    let view = tell(&mut bot("both"), &example());
    assert_eq!(view, State::at(example_position(Seat(0)), Seed::from(0)).view(Viewer::Seat(Seat(0))));
    let mut state_only = example();
    state_only.drain(1..4);
    assert_eq!(tell(&mut bot("state"), &state_only), view);
    let mut judge = Judge::new(Seat(0));
    let state = view.guess(&mut Rng::new(&Seed::from(0)));
    judge.line(&state, "state").unwrap();
    let mut out = Lines::new();
    judge.prompt(&state, Some(Duration::from_millis(28_220)), &mut out);
    assert_eq!(out, state_only);
}

#[test]
fn spaces_and_empty_lines_do_not_matter_and_words_that_cannot_be_do() {
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
        (10, "nobody"),
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

/// A whole match, told to both seats in all three ways: every view is the truth's; a refill may stand anywhere.
#[test]
fn all_inputs_tell_the_same() {
    for seed in 0..20 {
        let mut rng = Rng::new(&Seed::from(seed));
        let mut state = deal(seed);
        let mut parties: Vec<(Seat, bool, Bot, Judge)> = Vec::new();
        for seat in [Seat(0), Seat(1)] {
            for (input, mixed) in [("state", false), ("update", false), ("update", true), ("both", false)] {
                let mut bot = bot(input);
                let mut said = Lines::new();
                bot.start(&mut said);
                assert_eq!(said, [input]);
                let mut judge = Judge::new(seat);
                judge.open(&state, &mut Lines::new());
                assert_eq!(judge.line(&state, input), Ok(None));
                parties.push((seat, mixed, bot, judge));
            }
        }
        while let Turn::Of(mover) = state.turn() {
            let view = state.view(Viewer::Seat(mover));
            for (_, mixed, bot, judge) in parties.iter_mut().filter(|(seat, ..)| *seat == mover) {
                let mut lines = Lines::new();
                judge.prompt(&state, None, &mut lines);
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
            for (seat, _, bot, judge) in &mut parties {
                if *seat == mover {
                    let mut said = Lines::new();
                    assert_eq!(bot.played(&chosen, &mut said), Awaits::Entry);
                    assert_eq!(said, [chosen.to_string()]);
                }
                let mut out = Lines::new();
                judge.moved(&before, mover, &chosen, &state, &mut out);
                assert_eq!(out, Lines::new());
            }
        }
        assert!(parties.iter_mut().all(|(.., bot, _)| bot.eof() == Ok(Awaits::Nothing)));
    }
}

/// Puts the restocks of a turn behind its moves.
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
fn the_first_turns_hold_what_the_specification_says() {
    let state = deal(1);
    let mut judges = [Judge::new(Seat(0)), Judge::new(Seat(1))];
    for judge in &mut judges {
        judge.open(&state, &mut Lines::new());
        judge.line(&state, "update").unwrap();
    }
    let mut out = Lines::new();
    judges[0].prompt(&state, Some(Duration::from_secs(30)), &mut out);
    assert_eq!(out[..3], ["30000", "1", "restock"]);
    assert_eq!(out.len(), 8);
    let mut moves = Vec::new();
    state.view(Viewer::Seat(Seat(0))).legal(&mut moves);
    let mut after = state.clone();
    after.play(&moves[0]);
    judges.iter_mut().for_each(|j| j.moved(&state, Seat(0), &moves[0], &after, &mut Lines::new()));
    let mut second = Lines::new();
    judges[1].prompt(&after, Some(Duration::from_secs(30)), &mut second);
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

/// The referee stands by what it tells, whatever our rules say: every turn is answered.
#[test]
fn turns_that_cannot_be_are_answered() {
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
        let said = session.take_lines();
        assert!(said.len() == 1 && said[0].parse::<Move>().is_ok(), "{lines:?}: {said:?}");
        assert!(!session.take_remarks().is_empty(), "{lines:?}");
    }
}

#[test]
fn settings_are_checked_and_the_first_word_can_have_been_said() {
    let mut said = Lines::new();
    Bot::new(&settings(&[])).unwrap().start(&mut said);
    Bot::new(&settings(&[("opened", "yes")])).unwrap().start(&mut said);
    assert_eq!(said, ["state"]);
    for bad in [("input", "all"), ("opened", "1"), ("seat", "0")] {
        assert!(Bot::new(&settings(&[bad])).is_err(), "{bad:?}");
    }
    let mut half = bot("state");
    half.line("30000", &mut Lines::new()).unwrap();
    assert!(half.eof().is_err(), "the input ended within a turn");
}

#[test]
fn impossible_positions_are_refused_by_name() {
    let good =
        serde_json::to_value(State::at(example_position(Seat(0)), Seed::from(0)).view(Viewer::Spectator));
    let good = good.unwrap();
    let parse = |json: serde_json::Value| serde_json::from_value::<View>(json).map_err(|e| e.to_string());
    assert!(parse(good.clone()).is_ok());
    let mut default = good.clone();
    default.as_object_mut().unwrap().remove("viewer");
    assert_eq!(parse(default).unwrap().viewer(), Viewer::Seat(Seat(0)));
    for (path, value, part) in [
        ("/to_move", "2", "to_move"),
        ("/viewer", r#"{"seat":9}"#, "viewer"),
        ("/marker", "3", "marker"),
        ("/marker", "0", "boards[0].floor: the marker"),
        ("/centre", "[0,0,1,1,0,0]", "length"),
        ("/centre", "[0,0,200,200,200]", "centre"),
        ("/centre", "[0,0,2,3,1]", "marker: its holder took"),
        ("/displays/0", "[1,0,0,0,0]", "displays[0]"),
        ("/displays/0", "[255,255,255,255,255]", "displays[0]"),
        ("/displays/0", "[0,0,0,5,0]", "displays[0]"),
        ("/boards/0/lines/0", r#"{"count":1}"#, "boards[0].lines[0].colour"),
        ("/boards/0/lines/0", r#"{"count":0,"colour":"g"}"#, "boards[0].lines[0].colour"),
        ("/boards/0/lines/0", r#"{"count":2,"colour":"g"}"#, "boards[0].lines[0]"),
        ("/boards/0/lines/0", r#"{"count":1,"colour":"b"}"#, "already"),
        ("/boards/0/lines/0", r#"{"count":1,"colour":"x"}"#, "variant"),
        ("/boards/0/wall/0", r#""..by""#, "row 0"),
        ("/boards/0/wall/0", r#""..yb.""#, "row 0"),
        ("/boards/0/wall/0", r#""..by..""#, "row 0"),
        ("/boards/0/wall/0", r#""gobyr""#, "complete row"),
        ("/boards/1/floor", "8", "boards[1].floor"),
        ("/boards/1/floor", "6", "of this round"),
        ("/boards/1/floor", "300", "u8"),
        ("/boards/0/score", "-1", "boards[0].score"),
        ("/boards/0/score", "61", "boards[0].score"),
        ("/boards/0/score", "99999", "i16"),
    ] {
        let mut json = good.clone();
        *json.pointer_mut(path).unwrap() = serde_json::from_str(value).unwrap();
        let error = parse(json).expect_err(&format!("{path} {value} was accepted"));
        assert!(error.contains(part), "{path} {value}: {error}");
    }
    let mut unknown = good.clone();
    unknown["bag"] = serde_json::json!([1]);
    assert!(parse(unknown).is_err());
    let mut bare = good;
    bare["displays"] = serde_json::json!([[0u8; 5]; 5].to_vec());
    bare["centre"] = serde_json::json!([0u8; 5].to_vec());
    assert!(parse(bare).unwrap_err().contains("end of the match"));
}

/// Changes one number, letter or null somewhere in a position's JSON.
fn mutate(json: &mut serde_json::Value, rng: &mut Rng) {
    use serde_json::{Value, json};
    match json {
        Value::Array(items) if !items.is_empty() => {
            let at = rng.below(items.len());
            mutate(&mut items[at], rng);
        }
        Value::Object(fields) if !fields.is_empty() => {
            let at = rng.below(fields.len());
            if let Some(field) = fields.values_mut().nth(at) {
                mutate(field, rng);
            }
        }
        Value::String(row) if row.len() == 5 => {
            let pattern = ["gobyr", "rgoby", "yrgob", "byrgo", "obyrg"];
            let at = rng.below(5);
            let letter = if rng.below(2) == 0 { "." } else { &pattern[rng.below(5)][at..=at] };
            row.replace_range(at..=at, letter);
        }
        Value::String(letter) => *letter = Colour::ALL[rng.below(5)].letter().to_string(),
        other => {
            *other = match rng.below(12) {
                0 => Value::Null,
                1 => json!(255),
                2 => json!(i64::MIN),
                n => json!(n - 3),
            }
        }
    }
}

/// Whatever JSON comes: it is refused, or it is a position that can be guessed and played to the end.
#[test]
fn what_parses_can_be_played() {
    let mut rng = Rng::new(&Seed::from(77));
    let mut accepted = 0;
    for seed in 0..10_000 {
        let mut state = deal(seed % 40);
        for _ in 0..rng.below(60) {
            let Turn::Of(seat) = state.turn() else { break };
            let mut moves = Vec::new();
            state.view(Viewer::Seat(seat)).legal(&mut moves);
            state.play(rng.pick(&moves).unwrap());
        }
        let mut json = serde_json::to_value(state.view(Viewer::Spectator)).unwrap();
        for _ in 0..1 + rng.below(3) {
            mutate(&mut json, &mut rng);
        }
        let Ok(view) = serde_json::from_value::<View>(json) else { continue };
        accepted += 1;
        let mut played = view.guess(&mut rng);
        assert_eq!(played.view(view.viewer()), view);
        while let Turn::Of(seat) = played.turn() {
            let mut moves = Vec::new();
            played.view(Viewer::Seat(seat)).legal(&mut moves);
            played.play(rng.pick(&moves).unwrap());
            assert_eq!(played.audit(), Ok(()));
        }
        assert!(played.outcome().is_some());
    }
    assert!((500..9_000).contains(&accepted), "{accepted} were accepted: the test says little");
}

/// Whatever lines come, in every mode: an error or a position, never a panic.
#[test]
fn no_line_breaks_the_bot() {
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
