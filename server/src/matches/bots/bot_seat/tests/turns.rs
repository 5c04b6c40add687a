//! Single turns: answers, fouls, late lines, and the remarks on them.

use crate::matches::bots::bot_seat::tests::*;

/// A match of the first game with this kind of process, at a turn of the bot.
fn at_turn(process: Process) -> TestMatch {
    let game = GAMES.iter().find(|game| game.info().process == process).unwrap();
    let mut host = TestMatch::new(*game, Seat(game.info().bot_seats[0]), 1, Some(CLOCK));
    host.others_move();
    host
}

fn foul_of(claim: Option<Claim>) -> (FoulKind, String) {
    match claim {
        Some(Claim::Foul { kind, detail, .. }) => (kind, detail),
        other => panic!("{other:?}"),
    }
}

fn remarks(bot: &mut BotSeat) -> Vec<String> {
    let text = |e| if let Entry::Remark(text) = e { Some(text) } else { None };
    bot.take_entries().filter_map(text).collect()
}

#[test]
fn fouls_are_claimed_once_with_the_reason() {
    let at = Instant::now();
    for process in [Process::PerMatch, Process::PerMove] {
        let host = at_turn(process);
        let mut bot = host.referee();
        bot.advance(host.now).unwrap();
        bot.wrote("what?".to_owned(), at);
        bot.advance(host.now).unwrap();
        let (kind, detail) = foul_of(bot.claim());
        assert!(kind == FoulKind::BadLine && detail.starts_with("\"what?\": "), "{detail}");
        assert_eq!(bot.claim(), None);

        let mut bot = host.referee();
        bot.advance(host.now).unwrap();
        bot.program_ended("signal: 9", at);
        bot.advance(host.now).unwrap();
        assert_eq!(foul_of(bot.claim()), (FoulKind::Crash, "no move: signal: 9".to_owned()));
    }
}

#[test]
fn illegal_move_becomes_a_foul() {
    let host = at_turn(Process::PerMove);
    let mut bot = host.referee();
    bot.advance(host.now).unwrap();
    bot.wrote("4 90".to_owned(), Instant::now());
    bot.program_ended("", Instant::now());
    bot.advance(host.now).unwrap();
    assert!(matches!(bot.claim(), Some(Claim::Move { .. })));
    bot.refused(host.truth.ply(), "the rules forbid it");
    assert_eq!(foul_of(bot.claim()), (FoulKind::IllegalMove, "\"4 90\": the rules forbid it".to_owned()));
}

#[test]
fn answer_of_a_process_for_one_move_is_all_its_output() {
    let at = Instant::now();
    let host = at_turn(Process::PerMove);
    let answer = |lines: &[&str], ends: bool| {
        let mut bot = host.referee();
        bot.advance(host.now).unwrap();
        for line in lines {
            bot.wrote((*line).to_owned(), at);
            bot.advance(host.now).unwrap();
        }
        if ends {
            bot.program_ended("exit status: 0", at);
            bot.advance(host.now).unwrap();
        }
        bot
    };
    let mut open = answer(&["1 2", "", " 0 2 "], false);
    assert_eq!((open.claim(), open.settles_at()), (None, Some(at + SETTLE_TIME)));
    open.settle();
    assert!(matches!(open.claim(), Some(Claim::Move { notation, .. }) if notation == "1 2 0 2"));
    assert!(matches!(answer(&["1 2 0 2", ""], true).claim(), Some(Claim::Move { .. })));
    let (_, detail) = foul_of(answer(&["1 2 0 2", "1 0"], false).claim());
    assert!(detail.contains("after a complete answer"), "{detail}");
    let (kind, detail) = foul_of(answer(&["1 2"], true).claim());
    assert!(kind == FoulKind::BadLine && detail.contains("no whole move"), "{detail}");
}

#[test]
fn late_answer_is_never_taken_for_the_next_turn() {
    let at = Instant::now();
    let mut host = at_turn(Process::PerMove);
    let mut bot = host.referee();
    bot.advance(host.now).unwrap();
    let prompt: Vec<Entry> = bot.take_entries().collect();
    // Its time runs out, a pass is played, and its next turn begins.
    let (seat, ply) = (host.seat, host.truth.ply());
    let instead = host.truth.foul(seat, "late").unwrap();
    let foul = Fouled {
        seat,
        ply,
        kind: FoulKind::Time,
        detail: "no move in time".to_owned(),
        instead,
        times: MoveTimes::default(),
        left_ms: None,
    };
    host.happens(Event::Fouled(foul));
    host.others_move();
    let mut late = host.referee();
    host.log[1..].iter().for_each(|stamped| bot.happened(stamped).unwrap());
    bot.advance(host.now).unwrap();
    let told = remarks(&mut bot);
    assert!(told.iter().any(|text| text.starts_with("foul: no move in time; played instead")), "{told:?}");
    // The same on a server that knows the first program only from the transcript.
    late.resume(prompt, host.now, at).unwrap();
    for mut bot in [bot, late] {
        bot.wrote("1 0".to_owned(), at);
        bot.advance(host.now).unwrap();
        assert_eq!(bot.claim(), None);
        assert!(remarks(&mut bot).iter().any(|text| text.starts_with("late: ")));
        bot.program_ended("killed", at);
        bot.wrote("1 0".to_owned(), at);
        bot.program_ended("exit status: 0", at);
        bot.advance(host.now).unwrap();
        assert!(matches!(bot.claim(), Some(Claim::Move { .. })));
    }
}

#[test]
fn counted_answer_is_not_called_late_when_the_dialogue_resumes() {
    let at = Instant::now();
    let mut host = at_turn(Process::PerMove);
    let mut bot = host.referee();
    bot.advance(host.now).unwrap();
    let mut transcript: Vec<Entry> = bot.take_entries().collect();
    // Its move is on disk, but the connection breaks before it learns that.
    transcript.push(Entry::Printed("1 0".to_owned()));
    transcript.push(Entry::Remark("ended exit status: 0".to_owned()));
    host.plays(host.seat, "1 0".to_owned());
    host.others_move();
    let mut again = host.referee();
    again.resume(transcript, host.now, at).unwrap();
    let told = remarks(&mut again);
    assert!(!told.iter().any(|text| text.starts_with("late: ")), "{told:?}");
    again.wrote("1 0".to_owned(), at);
    again.program_ended("exit status: 0", at);
    again.advance(host.now).unwrap();
    assert!(matches!(again.claim(), Some(Claim::Move { .. })), "its next program is heard");
}

#[test]
fn prompt_names_the_remaining_time() {
    let mut host = at_turn(Process::PerMatch);
    let turn = |bot: &mut BotSeat, now| {
        bot.advance(now).unwrap();
        // The bots of this game may have to speak first.
        (0..bot.greetings).for_each(|_| bot.wrote("state".to_owned(), Instant::now()));
        bot.advance(now).unwrap();
        remarks(bot).into_iter().find(|text| text.starts_with("turn ")).unwrap()
    };
    let began = host.now;
    let ply = host.truth.ply();
    assert_eq!(turn(&mut host.referee(), began + 2_000), format!("turn {ply} 88000"));
    host.now += 60_000;
    host.happens(Event::Resumed { away_ms: 59_000, grace_ms: 0, vacation: false });
    assert_eq!(turn(&mut host.referee(), began + 62_000), format!("turn {ply} 87000"));
    let mut again = host.referee();
    again.prompted_ms.insert(ply, Some(5));
    again.advance(began).unwrap();
    assert_eq!(remarks(&mut again), [""; 0], "a resumed dialogue already has this remark");
}

#[test]
fn end_of_the_match_is_sent_whatever_the_bot_does() {
    for process in [Process::PerMatch, Process::PerMove] {
        let mut host = at_turn(process);
        let mut bot = host.referee();
        bot.advance(host.now).unwrap();
        host.ends();
        bot.happened(host.log.last().unwrap()).unwrap();
        bot.advance(host.now).unwrap();
        assert!(bot.is_over());
        let entries: Vec<_> = bot.take_entries().collect();
        assert!(matches!(entries.last(), Some(Entry::Remark(text)) if text.starts_with("over: ")));
        assert!(entries.contains(&Entry::End), "{entries:?}");
        let mut late = host.referee();
        late.advance(host.now).unwrap();
        assert!(late.is_over() && late.claim().is_none());
    }
}
