//! Tests of replays: real programs in matches and dialogues of every game.
#![cfg(unix)]

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use engines::arena::{
    FaultKind, NoPrograms, PlayerSpec, RecordedAnswer, RecordedTurn, Recording, Replay, ReplayBot,
    ReplayCounts, ReplayEnd, ReplayMatch, ReplaySeat, Verdict, games_of, replay, seat_dialogue,
};
use engines::erased::AnyGame;
use engines::game::{Process, Seat, Turn, Viewer};
use engines::games::find;
use engines::harness_file::{BotDialogue, DialogueFault};
use engines::protocol::{Entry, Settings};
use engines::rng::Seed;
use serde_json::json;

use crate::games_under_test;

/// Enough moves for several turns of each seat.
const PLIES: u32 = 60;
/// A limit that only a bot without an answer reaches, even on a busy machine.
const AMPLE: Duration = Duration::from_secs(20);
/// A limit that is reached on purpose.
const SHORT: Duration = Duration::from_millis(500);

/// The beginning of a match of the game.
fn played(game: &dyn AnyGame) -> ReplayMatch {
    let mut table = game.deal(&json!({}), &Seed::from(3)).unwrap();
    let start = table.state_json();
    let mut turns = Vec::new();
    while table.ply() < PLIES {
        let Turn::Of(seat) = table.turn() else { break };
        let legal = table.view(Viewer::Seat(seat)).legal_moves();
        let notation = legal[(table.ply() as usize * 7) % legal.len()].notation.clone();
        table.play(seat, &notation).unwrap();
        let answer = RecordedAnswer::Move(notation.clone());
        turns.push(RecordedTurn { seat, answer, played: Some(notation), taken: None, left: None });
    }
    let seat = |n| ReplaySeat { name: format!("bot {n}"), is_bot: true, ..ReplaySeat::default() };
    ReplayMatch { start, turns, seats: (0..table.seats()).map(seat).collect() }
}

fn run(game: &dyn AnyGame, recording: &Recording, seat: Seat, words: &[String], limit: Duration) -> Replay {
    run_until(game, recording, seat, words, limit, None, &mut |_, _| panic!("it does not stop"))
}

fn run_until(
    game: &dyn AnyGame,
    recording: &Recording,
    seat: Seat,
    words: &[String],
    limit: Duration,
    until: Option<u32>,
    pause: &mut dyn FnMut(u32, u32),
) -> Replay {
    let stop = AtomicBool::new(false);
    let spec = PlayerSpec::Command { words: words.to_vec(), referee: Settings::default() };
    let bot = ReplayBot {
        spec: &spec,
        programs: &NoPrograms,
        referee: None,
        move_limit: Some(limit),
        until,
        stop: &stop,
    };
    replay(game, recording, seat, &bot, pause)
}

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

fn sower(vice: &str) -> Vec<String> {
    let script = format!("{}/tests/bots/sower.sh", env!("CARGO_MANIFEST_DIR"));
    ["sh", &script, vice].map(str::to_owned).to_vec()
}

/// A bot that prints the lines of this dialogue. A process for one move knows its turn by the second line that it reads.
fn parrot(game: &dyn AnyGame, dialogue: &[Entry]) -> Vec<String> {
    if game.info().process == Process::PerMatch {
        let printed = |entry: &Entry| match entry {
            Entry::Printed(line) => Some(format!("echo '{line}'; ")),
            _ => None,
        };
        let lines: String = dialogue.iter().filter_map(printed).collect();
        return shell(&format!("{lines} exec cat > /dev/null"));
    }
    let mut cases = String::new();
    let mut read = Vec::new();
    for entry in dialogue {
        match entry {
            Entry::Read(line) => read.push(line.clone()),
            Entry::Printed(line) => {
                cases += &format!("'{}') echo '{line}';; ", read[1]);
                read.clear();
            }
            _ => {}
        }
    }
    shell(&format!("read a; read b; case $b in {cases} esac; cat > /dev/null"))
}

fn dialogue_of(game: &dyn AnyGame, recorded: &ReplayMatch, seat: Seat, until: Option<u32>) -> Vec<Entry> {
    let lines = seat_dialogue(game, recorded, seat, &Settings::default(), until).unwrap();
    assert!(lines.iter().all(|line| until.is_none_or(|until| line.ply < until)), "lines of later turns");
    lines.into_iter().map(|line| line.entry).collect()
}

fn counts(replay: &Replay) -> ReplayCounts {
    let mut counts = ReplayCounts::default();
    counts.add(replay);
    counts
}

/// The index of the last printed line.
fn last_printed(dialogue: &[Entry]) -> usize {
    dialogue.iter().rposition(|entry| matches!(entry, Entry::Printed(_))).unwrap()
}

#[test]
fn bot_that_answers_as_recorded_differs_nowhere() {
    for game in games_under_test() {
        let slug = game.info().slug;
        let recorded = played(game);
        for seat in
            game.info().bot_seats.iter().copied().filter(|seat| usize::from(*seat) < recorded.seats.len())
        {
            let seat = Seat(seat);
            let dialogue = dialogue_of(game, &recorded, seat, None);
            let bot = parrot(game, &dialogue);
            let own = recorded.turns.iter().filter(|turn| turn.seat == seat).count();
            let whole = run(game, &Recording::Match(Box::new(recorded.clone())), seat, &bot, AMPLE);
            assert_eq!(whole.end, ReplayEnd::Complete, "{slug}");
            let expected = ReplayCounts { replays: 1, same: own, ..ReplayCounts::default() };
            assert_eq!(counts(&whole), expected, "{slug}: {:?}", whole.first_difference());
            // The dialogue alone has the first word of a bot that speaks first, too, and may ask for one more answer.
            assert!(games_of(&dialogue).iter().any(|one| one.info().slug == slug), "{slug}");
            let printed = dialogue.iter().filter(|entry| matches!(entry, Entry::Printed(_))).count();
            let cut = dialogue[..=last_printed(&dialogue)].to_vec();
            let part = Recording::Dialogue(BotDialogue { entries: cut, ..BotDialogue::default() });
            let part = run(game, &part, seat, &bot, AMPLE);
            assert_eq!(part.end, ReplayEnd::Complete, "{slug}");
            assert_eq!((counts(&part).same, counts(&part).left_out), (printed, 0), "{slug}: {part:?}");
        }
    }
}

/// A bot with one process a move is asked about each position of the match. Another one does not read its own moves.
#[test]
fn replay_goes_on_after_a_difference_only_if_each_move_has_a_process() {
    for game in games_under_test() {
        let (slug, process) = (game.info().slug, game.info().process);
        let recorded = played(game);
        let seat = Seat(*game.info().bot_seats.last().filter(|seat| **seat == 1).unwrap_or(&0));
        let dialogue = dialogue_of(game, &recorded, seat, None);
        let turns: Vec<usize> =
            (0..recorded.turns.len()).filter(|ply| recorded.turns[*ply].seat == seat).collect();
        let at = turns.len() / 2;
        // The same bot, but the match has another move in the middle: a turn with a choice.
        let mut table = game.restore(&recorded.start).unwrap();
        let mut changed = None;
        for (ply, turn) in recorded.turns.iter().enumerate() {
            let legal = table.view(Viewer::Seat(turn.seat)).legal_moves();
            let own = turn.played.as_deref().unwrap();
            if turn.seat == seat && ply >= turns[at] && changed.is_none() {
                let other = legal.iter().find(|mv| mv.notation != own);
                changed = other.map(|mv| (ply, mv.notation.clone(), own.to_owned()));
            }
            table.play(turn.seat, own).unwrap();
        }
        let Some((ply, other, own)) = changed else { panic!("{slug}: no turn has a choice") };
        let before = turns.iter().filter(|turn| **turn < ply).count();
        // The move is the last line before the next turn; a bot may have other words to say before it.
        let turn = dialogue.iter().position(|entry| *entry == Entry::Remark(format!("turn {ply}"))).unwrap();
        let is_remark = |entry: &Entry| matches!(entry, Entry::Remark(_));
        let next = dialogue[turn + 1..].iter().position(is_remark).map_or(dialogue.len(), |n| turn + 1 + n);
        let answer = turn + last_printed(&dialogue[turn..next]);
        assert_eq!(dialogue[answer], Entry::Printed(own.clone()), "{slug}");
        let mut bot_lines = dialogue.clone();
        bot_lines[answer] = Entry::Printed(other.clone());
        let bot = parrot(game, &bot_lines);
        let found = run(game, &Recording::Match(Box::new(recorded.clone())), seat, &bot, AMPLE);
        let difference = found.first_difference().unwrap();
        assert_eq!((difference.ply as usize, difference.verdict()), (ply, Verdict::Different), "{slug}");
        assert_eq!(difference.recorded, RecordedAnswer::Move(own.clone()), "{slug}");
        assert_eq!(difference.answer, Ok(other.clone()), "{slug}");
        assert!(!difference.read.is_empty() || before == 0, "{slug}");
        let rest = turns.len() - before - 1;
        let all = counts(&found);
        match process {
            Process::PerMove => {
                assert_eq!((all.same, all.different, all.left_out), (turns.len() - 1, 1, 0), "{slug}");
                assert_eq!(found.end, ReplayEnd::Complete, "{slug}");
            }
            Process::PerMatch => {
                assert_eq!((all.same, all.different, all.left_out), (before, 1, rest), "{slug}");
                let end = if rest > 0 { ReplayEnd::Diverged } else { ReplayEnd::Complete };
                assert_eq!(found.end, end, "{slug}");
            }
        }
    }
}

/// The match of the sowing bot with itself, in which it may have crashed.
fn sowing_match(fault: Option<&str>) -> (&'static dyn AnyGame, Recording) {
    let game = find("ioiwari").unwrap();
    let entries = Entry::parse_all("< 4 3 2 4 2 3 2").unwrap();
    let fault = fault.map(|what| DialogueFault { printed: false, what: what.to_owned() });
    (game, Recording::Dialogue(BotDialogue { entries, fault, ..BotDialogue::default() }))
}

#[test]
fn faults_are_new_or_still_there_or_gone() {
    for (vice, kind) in [
        ("dies", FaultKind::Crash),
        ("is_killed", FaultKind::Crash),
        ("hangs", FaultKind::Time),
        ("half", FaultKind::Time),
        ("garbage", FaultKind::BadLine),
        ("floods", FaultKind::BadLine),
        ("floods_without_end", FaultKind::BadLine),
        ("closes", FaultKind::Crash),
    ] {
        let limit = if kind == FaultKind::Time { SHORT } else { AMPLE };
        for (fault, verdict) in [(None, Verdict::NewFault), (Some("it crashed"), Verdict::FaultAgain)] {
            let (game, recording) = sowing_match(fault);
            let found = run(game, &recording, Seat(0), &sower(vice), limit);
            let [one] = found.comparisons.as_slice() else { panic!("{vice}: {found:?}") };
            assert_eq!(one.verdict(), verdict, "{vice}");
            assert_eq!(one.answer.as_ref().unwrap_err().kind, kind, "{vice}");
            if vice == "dies" {
                assert_eq!(one.errors.len(), 1);
                assert_eq!(one.errors[0].text, "no thanks");
            }
        }
    }
    for (fault, verdict) in [(None, Verdict::Unrecorded), (Some("it crashed"), Verdict::FaultGone)] {
        let (game, recording) = sowing_match(fault);
        let found = run(game, &recording, Seat(0), &sower("honest"), AMPLE);
        assert_eq!(found.comparisons.iter().map(|one| one.verdict()).collect::<Vec<_>>(), [verdict]);
        assert_eq!(found.end, ReplayEnd::Complete);
    }
}

#[test]
fn replay_stops_before_the_input_of_a_ply() {
    for game in games_under_test() {
        let slug = game.info().slug;
        let recorded = played(game);
        let seat = Seat(game.info().bot_seats[0]);
        let dialogue = dialogue_of(game, &recorded, seat, None);
        let own: Vec<u32> =
            (0..).zip(&recorded.turns).filter(|(_, turn)| turn.seat == seat).map(|(ply, _)| ply).collect();
        let until = own[own.len() / 2];
        let mut paused = Vec::new();
        let found = run_until(
            game,
            &Recording::Match(Box::new(recorded.clone())),
            seat,
            &parrot(game, &dialogue),
            AMPLE,
            Some(until),
            &mut |ply, process| {
                assert!(std::fs::exists(format!("/proc/{process}")).unwrap() || !cfg!(target_os = "linux"));
                paused.push(ply);
            },
        );
        assert_eq!((paused.as_slice(), &found.end), (&[until][..], &ReplayEnd::Until), "{slug}");
        assert_eq!(found.comparisons.len(), own.len() / 2 + 1, "{slug}");
        let up_to = dialogue_of(game, &recorded, seat, Some(until));
        assert_eq!(up_to[..], dialogue[..up_to.len()], "{slug}");
        assert_eq!(dialogue[up_to.len()], Entry::Remark(format!("turn {until}")), "{slug}");
    }
}

#[test]
fn what_cannot_be_replayed_is_void() {
    let game = find("ioiwari").unwrap();
    let recorded = played(game);
    let void = |recorded: ReplayMatch, seat: u8, words: &[String]| match run(
        game,
        &Recording::Match(Box::new(recorded)),
        Seat(seat),
        words,
        AMPLE,
    )
    .end
    {
        ReplayEnd::Void(why) => why,
        other => panic!("{other:?}"),
    };
    assert!(void(recorded.clone(), 7, &sower("honest")).starts_with("there is no seat 7"));
    assert!(void(recorded.clone(), 1, &sower("honest")).contains("mirror=yes"));
    let missing = ["./no-such-program".to_owned()];
    assert!(void(recorded.clone(), 0, &missing).contains("cannot be started"));
    let mut wrong = recorded.clone();
    wrong.start = json!({"pits": 1});
    assert!(void(wrong, 0, &sower("honest")).starts_with("the start is not possible"));
    let mut wrong = recorded;
    wrong.turns[1].played = Some("9".to_owned());
    let dialogue = dialogue_of(game, &played(game), Seat(0), None);
    let why = void(wrong, 0, &parrot(game, &dialogue));
    assert!(why.starts_with("the recorded move at ply 1 cannot be played"), "{why}");
}
