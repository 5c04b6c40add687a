//! Tests of both sides of the official dialogue, and of inputs that contradict the rules.

use super::*;
use crate::games::splendor::protocol::write_input;
use crate::protocol::{Awaits, Entry, PlayerDecision, Referee};
use crate::session::Session;

fn start_of_two(header: [&str; 2]) -> Vec<String> {
    let rest = "4 4 4 4 4 5\n36 1 2 3 4\n26 41 42 43 44\n16 71 72 73 74\n3 1 2 3\n\
                0 0 0 0 0 0\n0\n0\n0\n0 0 0 0 0 0\n0\n0\n0";
    header.into_iter().chain(rest.lines()).map(str::to_owned).collect()
}

fn referee(seat: u8) -> RefereeDialogue {
    RefereeDialogue::new(Seat(seat), &Settings::default()).unwrap()
}

#[test]
fn referee_writes_the_position() {
    let state = table(2);
    let mut lines = Lines::new();
    referee(0).prompt(&state, None, &mut lines);
    assert_eq!(lines, start_of_two(["2 1", "1"]));
    let mut state = table(2);
    for text in ["3 -2", "3 3", "1 3 0 1 2", "2 4"] {
        play(&mut state, text);
    }
    lines.clear();
    referee(0).prompt(&state, None, &mut lines);
    let own = "2 1\n3\n3 3 3 4 2 3\n35 1 2 5 4\n25 41 42 43 44\n16 71 72 73 74\n3 1 2 3\n\
               1 1 1 0 0 1\n0\n1 45\n0\n0 0 0 0 2 1\n0\n1 3\n0";
    assert_eq!(lines.join("\n"), own);
    play(&mut state, "1 0");
    lines.clear();
    referee(1).prompt(&state, None, &mut lines);
    assert_eq!(lines.join("\n"), own.replacen("2 1", "2 2", 1).replacen("1 45", "1 -2", 1));
}

#[test]
fn referee_reads_one_action_across_line_breaks() {
    let state = table(2);
    let read = |lines: &[&str]| {
        let mut referee = referee(0);
        let mut last = Ok(None);
        for line in lines {
            assert_eq!(last, Ok(None), "{lines:?} is decided early");
            last = referee.line(&state, line);
        }
        last.map(|mv| mv.map(|mv| mv.to_string())).map_err(|e| e.0)
    };
    let action = |text: &str| Ok(Some(text.to_owned()));
    assert_eq!(read(&["1 3 2 0 1"]), action("1 3 0 1 2"));
    assert_eq!(read(&["", "1 3", " 0\t1 ", "2"]), action("1 3 0 1 2"));
    assert_eq!(read(&["4", "90"]), action("4 90"));
    assert_eq!(read(&["1 3 0"]), Ok(None));
    for bad in ["1 3 0 1 2 0", "2 0 0", "4 1 1", "1 4", "x", "1 01", "+1", "1.0", "7", "-1", "1 -1", "3 0"] {
        assert!(read(&[bad]).is_err(), "{bad} is read");
    }
    let mut full = state.clone();
    give(&mut full, 0, [2, 2, 2, 2, 2, 0], &[]);
    let mut referee = referee(0);
    assert_eq!(referee.line(&full, "1 2 0 2"), Ok(None), "two colours must come back");
    assert_eq!(referee.line(&full, "2 0"), Ok(Some(mv("1 2 0 2 0 2"))));
    assert_eq!(referee.line(&full, "3 1"), Ok(None));
    referee.prompt(&full, None, &mut Lines::new());
    assert_eq!(
        referee.line(&full, "1 0"),
        Ok(Some(Move::PASS)),
        "an incomplete action of an earlier turn is dropped"
    );
}

#[test]
fn header_base_is_found_from_the_header() {
    let state = table(2);
    let view = state.view(Viewer::Seat(Seat(0)));
    for header in [["2 0", "0"], ["2 1", "1"]] {
        assert_eq!(view_of_lines(&start_of_two(header), &[]), Ok(view.clone()), "{header:?}");
    }
    assert_eq!(view_of_lines(&start_of_two(["2 1", "0"]), &[]).unwrap().turn(), Turn::Of(Seat(1)));
    assert_eq!(view_of_lines(&start_of_two(["2 2", "1"]), &[]).unwrap().turn(), Turn::Of(Seat(1)));
    // Line breaks and spaces do not matter.
    assert_eq!(view_of_lines(&[start_of_two(["2 0", "0"]).join(" ")], &[]), Ok(view.clone()));
    let loose: Vec<String> = start_of_two(["2 0", "0"])
        .iter()
        .flat_map(|l| l.split(' '))
        .flat_map(|t| [String::new(), format!("  {t}\t")])
        .collect();
    assert_eq!(view_of_lines(&loose, &[]), Ok(view));
    // The setting forces the base.
    let seat =
        |lines: &[String], base| view_of_lines(lines, &[("base", base)]).map(|v| (v.turn(), v.board().round));
    assert_eq!(seat(&start_of_two(["2 1", "1"]), "0"), Ok((Turn::Of(Seat(1)), 1)));
    assert_eq!(seat(&start_of_two(["2 1", "1"]), "1"), Ok((Turn::Of(Seat(0)), 0)));
    assert!(seat(&start_of_two(["2 0", "0"]), "1").is_err());
    assert!(seat(&start_of_two(["2 2", "1"]), "0").is_err());
    assert!(view_of_lines(&[], &[("base", "2")]).unwrap_err().contains("auto, 0, 1"));
    assert!(view_of_lines(&[], &[("think", "2")]).unwrap_err().contains("base"));
}

/// In an input of seat 1 counted from 0, id 1 and a round above 0 leave the base open.
#[test]
fn table_decides_if_the_header_leaves_the_base_open() {
    let seen = |actions: &[&str], base: u8| {
        let mut state = table(3);
        actions.iter().for_each(|text| play(&mut state, text));
        let Turn::Of(seat) = state.turn() else { panic!("the match is over") };
        let view = state.view(Viewer::Seat(seat));
        let mut lines = Lines::new();
        write_input(&view, base, &mut lines);
        (view, lines)
    };
    // A card hidden from its owner.
    let (view, lines) = seen(&["3 -1", "1 0", "1 0", "1 0"], 0);
    assert_eq!(lines[..2], ["3 1", "1"]);
    assert_eq!(view_of_lines(&lines, &[]), Ok(view));
    // More than the turns allow: seat 0 would have had no turn, then one with six chips.
    let (view, lines) = seen(&["1 1 0", "1 0", "1 0", "1 0"], 0);
    assert_eq!(view_of_lines(&lines, &[]), Ok(view));
    let six = ["1 3 0 1 2", "1 0", "1 0", "1 3 0 1 2", "1 0", "1 0", "1 0"];
    let (view, lines) = seen(&six, 0);
    assert_eq!(lines[..2], ["3 1", "2"]);
    assert_eq!(view_of_lines(&lines, &[]), Ok(view));
    // Chips paid for cards count too: card 2 costs three red.
    assert_eq!(super::super::rules::card(2).cost, [3, 0, 0, 0, 0]);
    let bought = ["1 3 0 1 2", "1 0", "1 0", "1 3 0 1 2", "1 0", "1 0", "1 1 0", "1 0", "1 0", "4 2"];
    let (view, lines) = seen(&bought, 0);
    assert_eq!(lines[..2], ["3 1", "3"]);
    assert_eq!(view_of_lines(&lines, &[]), Ok(view));
    // No contradiction: the header counts from 1.
    let (view, lines) = seen(&["1 0"; 3], 1);
    assert_eq!(lines[..2], ["3 1", "2"]);
    assert_eq!(view_of_lines(&lines, &[]), Ok(view));
    // A session remembers what an earlier position proved.
    let mut bot = PlayerDialogue::new(&Settings::default()).unwrap();
    for (actions, i) in [(&["1 0"][..], 0), (&["1 0"; 4], 1), (&["1 0"; 7], 2)] {
        let (view, lines) = seen(actions, 0);
        assert_eq!(lines[1], i.to_string());
        let step = bot.line(&lines.join(" "), &mut Lines::new());
        assert_eq!(step, Ok(Awaits::Decision(PlayerDecision { view: Box::new(view), clock: None })));
        assert!(bot.line("1", &mut Lines::new()).is_err(), "an action is due");
        assert_eq!(bot.played(&Move::PASS, &mut Lines::new()), Awaits::Entry);
    }
    assert_eq!(bot.eof(), Ok(Awaits::Nothing));
}

#[test]
fn impossible_inputs_are_refused() {
    let wrong = |from: &str, to: &str| {
        let text = start_of_two(["2 1", "1"]).join("\n");
        assert!(text.contains(from));
        let lines: Vec<String> = text.replacen(from, to, 1).lines().map(str::to_owned).collect();
        view_of_lines(&lines, &[]).unwrap_err()
    };
    for (from, to) in [
        ("2 1", "5 1"),
        ("2 1", "0 1"),
        ("2 1", "2 3"),
        ("2 1", "2 -1"),
        ("2 1\n1", "2 1\n101"),
        ("4 4 4 4 4 5", "4 4 4 4 4 6"),
        ("4 4 4 4 4 5", "4 4 4 4 4 4"),
        ("36 1", "36 0"),
        ("36 1", "35 1"),
        ("36 1", "36 2"),
        ("36 1", "36 41"),
        ("36 1", "36 91"),
        ("36 1", "36 1.0"),
        ("36 1", "36 01"),
        ("36 1", "x 1"),
        ("36 1", "999999999999999999999 1"),
        ("3 1 2 3", "3 1 2 2"),
        ("3 1 2 3", "3 1 2 11"),
        ("3 1 2 3", "2 1 2"),
        ("3 1 2 3", "9 1 2"),
    ] {
        assert!(!wrong(from, to).is_empty());
    }
    let mut late = start_of_two(["2 1", "1"]);
    late.last_mut().unwrap().push_str(" 7");
    assert!(view_of_lines(&late, &[]).unwrap_err().contains("after the end"));
    assert!(view_of_lines(&["1 ".repeat(100_000)], &[]).is_err());
    let mut bot = PlayerDialogue::new(&Settings::default()).unwrap();
    bot.line("2 1", &mut Lines::new()).unwrap();
    assert!(bot.eof().is_err(), "the input ended in the middle of a position");
}

/// The referee may accept what our rules forbid, so the bot prints one action, and remarks say what is wrong and how it went on.
#[test]
fn impossible_inputs_are_answered() {
    const REPAIRED: &str = "was repaired";
    const TAKES: &str = "takes chips";
    const PASSES: &str = "the bot passes";
    for (from, to, remark) in [
        ("2 1", "5 1", PASSES),
        ("2 1", "0 1", PASSES),
        ("2 1\n1", "2 1\n101", PASSES),
        ("4 4 4 4 4 5", "4 4 4 4 4 4", TAKES),
        ("36 1", "36 0", TAKES),
        ("36 1", "35 1", REPAIRED),
        ("36 1", "36 2", TAKES),
        ("36 1", "36 91", PASSES),
        ("36 1", "x 1", PASSES),
        ("3 1 2 3", "3 1 2 2", REPAIRED),
        ("3 1 2 3", "2 1 2", REPAIRED),
        ("3 1 2 3", "9 1 2", PASSES),
        ("3 1 2 3", "3 1 2 3 7", TAKES),
        ("3 1 2 3", "3", PASSES),
    ] {
        let text = start_of_two(["2 1", "1"]).join("\n").replacen(from, to, 1);
        let mut session = Session::new(Box::new(PlayerDialogue::new(&Settings::default()).unwrap()));
        session.push(text.lines().map(|line| Entry::Read(line.to_owned())).chain([Entry::End]));
        let wants = session.advance().unwrap_or_else(|e| panic!("{to}: {e}"));
        if let Awaits::Decision(PlayerDecision { view, .. }) = wants {
            let mut moves = Vec::new();
            view.legal(&mut moves);
            session.decide(&moves[0].to_string()).unwrap();
        }
        let printed = session.take_lines();
        assert!(printed.len() == 1 && printed[0].parse::<Move>().is_ok(), "{to}: {printed:?}");
        let remarks = session.take_remarks();
        assert!(remarks.len() > 1, "what is wrong, and how the bot went on: {remarks:?}");
        assert!(remarks.iter().any(|said| said.contains(remark)), "{to}: {remarks:?}");
    }
}

/// What the processes of all matches asked to keep, as the shim stores it.
struct KeptValues(Vec<String>);

impl KeptValues {
    /// A process that reads this position and answers with `mv`. Asserts that it reads the position by the right base.
    #[track_caller]
    fn plays(&mut self, view: &View, base: u8, mv: &Move) {
        assert!(self.reads(view, base, mv), "base {base}, with {:?}: {view:?}", self.0);
    }

    /// The same; returns whether the process reads the position by the right base.
    fn reads(&mut self, view: &View, base: u8, mv: &Move) -> bool {
        let mut lines = Lines::new();
        write_input(view, base, &mut lines);
        let settings = Settings([("base_before".to_owned(), self.0.join(","))].into());
        let mut bot = PlayerDialogue::new(&settings).unwrap();
        let step = bot.line(&lines.join(" "), &mut Lines::new());
        bot.played(mv, &mut Lines::new());
        for kept in bot.keep() {
            self.0.retain(|value| Some(value) != kept.replaces.as_ref());
            self.0.push(kept.value);
        }
        matches!(&step, Ok(Awaits::Decision(PlayerDecision { view: seen, .. })) if **seen == *view)
    }
}

/// A match with random players, in which one seat is the bot's.
struct RandomMatch {
    state: State,
    rng: Rng,
    seat: Seat,
    base: u8,
}

impl RandomMatch {
    fn new(players: u8, deal: u64, seed: u64, seat: u8, base: u8) -> Self {
        let state = Splendor::deal(&Options { players }, &Seed::from(deal)).unwrap();
        Self { state, rng: Rng::stream(&Seed::from(seed), 3), seat: Seat(seat), base }
    }

    /// Plays until after the bot's next turn, of which `turn` gets the view and the action; `false`: the match is over.
    fn play_on(&mut self, mut turn: impl FnMut(&View, u8, &Move)) -> bool {
        while let Turn::Of(mover) = self.state.turn() {
            let view = self.state.view(Viewer::Seat(mover));
            let mut moves = Vec::new();
            view.legal(&mut moves);
            // Without passes, the table proves the base as late as possible.
            moves.retain(|m| !m.to_string().starts_with("1 0"));
            let mv = self.rng.pick(&moves).cloned().unwrap_or(Move::PASS);
            if mover == self.seat {
                turn(&view, self.base, &mv);
            }
            self.state.play(&mv);
            if mover == self.seat {
                return true;
            }
        }
        false
    }
}

/// One process per move, each with the settings that the previous one kept. No position is read with the wrong base, even
/// after a match with another base.
#[test]
fn base_found_by_the_first_process_serves_the_others() {
    for (base, seat, players, stale) in
        [(0, 1, 2, "1"), (1, 0, 2, "0"), (0, 1, 4, "1"), (0, 2, 4, "1"), (1, 1, 4, "0")]
    {
        for seed in 0..6 {
            let mut kept = KeptValues(vec![stale.to_owned()]);
            let mut played = RandomMatch::new(players, seed, seed, seat, base);
            while played.play_on(|view, base, mv| kept.plays(view, base, mv)) {}
        }
    }
}

/// The same user plays two matches with different bases at the same time: of one deal with the same actions, of one deal
/// with others, and of two deals.
#[test]
fn matches_at_the_same_time_keep_apart_what_they_found() {
    for players in [2, 3, 4] {
        for seed in 0..8 {
            for (deal, other) in [(seed, seed), (seed, seed + 100), (seed + 100, seed + 100)] {
                let mut kept = KeptValues(Vec::new());
                let mut one = RandomMatch::new(players, seed, seed, 1, 0);
                let mut two = RandomMatch::new(players, deal, other, 0, 1);
                // Later the hands of random players are full, and do not change any more.
                for _ in 0..30 {
                    let going = one.play_on(|view, base, mv| kept.plays(view, base, mv));
                    if !two.play_on(|view, base, mv| kept.plays(view, base, mv)) && !going {
                        break;
                    }
                }
                assert!(kept.0.len() <= 2, "one value for each match: {:?}", kept.0);
            }
        }
    }
}

/// Without the first processes of a match, or with a wrong base of them, a position can be misread. The next one shows the
/// error, unless the hand that was taken for the own one is unchanged, or its owner has happened to do the same.
#[test]
fn wrong_base_is_corrected_within_one_move() {
    let (mut misread, mut again) = (0, 0);
    for seed in 0..40 {
        for (base, seat) in [(0, 1), (1, 0)] {
            let mut kept = KeptValues(Vec::new());
            let mut played = RandomMatch::new(2, seed, seed, seat, base);
            let other = |view: &View| view.board().hands[1 - usize::from(seat)].clone();
            for _ in 0..4 + seed % 9 {
                assert!(played.play_on(|_, _, _| ()));
            }
            let mut before = None;
            let mut is_misread = false;
            played.play_on(|view, base, mv| {
                kept.0.push((1 - base).to_string());
                is_misread = !kept.reads(view, base, mv);
                kept.0.retain(|value| value.len() > 1);
                before = Some(other(view));
            });
            played.play_on(|view, base, mv| {
                let right = kept.reads(view, base, mv);
                if is_misread && before != Some(other(view)) {
                    misread += 1;
                    again += u32::from(!right);
                }
            });
        }
    }
    assert!(misread > 20 && again * 20 <= misread, "{again} of {misread}");
}
