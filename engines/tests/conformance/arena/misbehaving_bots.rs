//! Tests with misbehaving programs as real processes: faults lose, harmless oddities do not, and no process is left
//! running.
#![cfg(unix)]

use std::time::{Duration, Instant};

use engines::arena::{ArenaRecord, FaultKind, PlanOptions, RunSummary, TimeLimits};

use super::{BRIEF_GAME, CHATTY_GAME, MS, play, sowing, wanted};

/// The command of the sowing bot with this misbehaviour. A token in its environment identifies its descendants.
fn sower(vice: &str) -> String {
    format!("Bot=cmd:env {}=1 sh '{}/tests/bots/sower.sh' {vice}", token(vice), env!("CARGO_MANIFEST_DIR"))
}

fn token(vice: &str) -> String {
    format!("KIBITZ_ZOO_{}_{vice}", std::process::id())
}

/// A limit that only a bot without an answer reaches, even on a busy machine.
const AMPLE: Duration = Duration::from_secs(8);
/// A limit that is reached on purpose.
const SHORT: Duration = Duration::from_millis(700);
/// A limit for a bot whose first answer is in time and whose second one, after 5 s, is late.
const SECOND_ANSWER_LATE: Duration = Duration::from_secs(3);
/// How long a hanging bot sleeps. A run that takes less time did not wait for it.
const BOT_SLEEP: Duration = Duration::from_secs(1000);

/// Plays two games against the bot and asserts that no process of it is left.
fn against(vice: &str, limit: Duration) -> (Vec<ArenaRecord>, RunSummary) {
    let limits = TimeLimits { per_move: Some(limit), per_match: None };
    let players = [&sower(vice), "E=engine:nodes=10"];
    let started = Instant::now();
    let (records, summary) = play(sowing(), PlanOptions { limits, ..wanted(sowing(), &players, 2) });
    assert!(started.elapsed() < BOT_SLEEP, "{vice} took {:?}", started.elapsed());
    none_is_left(vice);
    (records, summary)
}

fn none_is_left(vice: &str) {
    if !cfg!(target_os = "linux") {
        return;
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let left = running(&token(vice));
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "{vice} left processes: {left:?}");
        std::thread::sleep(10 * MS);
    }
}

/// The processes with this token in their environment.
fn running(token: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let has = |path: &std::path::Path| {
        let environ = std::fs::read(path.join("environ")).unwrap_or_default();
        environ.split(|b| *b == 0).any(|v| v.starts_with(token.as_bytes()))
    };
    entries.filter(|e| has(&e.path())).map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

/// Asserts that the bot loses both games by a fault of this kind.
fn loses_by(vice: &str, kind: FaultKind) -> Vec<ArenaRecord> {
    let limit = match (kind, vice) {
        (FaultKind::Time, "late") => SECOND_ANSWER_LATE,
        (FaultKind::Time, _) => SHORT,
        _ => AMPLE,
    };
    let (records, summary) = against(vice, limit);
    let (bot, engine) = (&summary.players[0], &summary.players[1]);
    assert_eq!((summary.games, bot.losses, engine.wins), (2, 2, 2), "{vice}: {records:?}");
    assert_eq!((bot.faults.of(kind), bot.faults.total(), bot.forfeits), (2, 2, 2), "{vice}: {records:?}");
    assert!(records.iter().all(|r| r.outcome.as_ref().unwrap().reason.contains(kind.name())));
    records
}

#[test]
fn honest_program_plays_its_matches() {
    let players = [&sower("honest"), "E=engine:name=random"];
    let (records, summary) = play(sowing(), wanted(sowing(), &players, 12));
    none_is_left("honest");
    let bot = &summary.players[0];
    assert_eq!((summary.games, bot.played, bot.faults.total()), (12, 12, 0), "{records:?}");
    assert!(bot.wins > 0 && bot.losses > 0, "against random moves it wins and loses: {summary}");
    assert_eq!(bot.seats.len(), 1, "it can take only one seat");
    assert!(records.iter().all(|r| r.outcome.as_ref().unwrap().points.iter().sum::<i32>() == 20));
}

#[test]
fn harmless_oddities_cost_nothing() {
    for vice in ["crlf", "chatters", "leaves_children", "ignores_signals"] {
        let (records, summary) = against(vice, AMPLE);
        assert_eq!((summary.games, summary.players[0].faults.total()), (2, 0), "{vice}: {records:?}");
        let ended = |r: &ArenaRecord| r.outcome.as_ref().unwrap().points.iter().sum::<i32>() == 20;
        assert!(records.iter().all(ended), "{vice}: {records:?}");
    }
}

#[test]
fn bot_without_an_answer_in_time_loses_by_time() {
    for vice in ["hangs", "half", "deaf"] {
        let records = loses_by(vice, FaultKind::Time);
        let took = records[0].seats[0].times_us[0];
        let took = Duration::from_micros(took);
        assert!((SHORT..BOT_SLEEP).contains(&took), "{vice}: {took:?}");
    }
    let late = loses_by("late", FaultKind::Time);
    assert_eq!(late[0].faults[0].ply, 2, "its first answer was in time");
}

#[test]
fn bot_with_invalid_lines_loses_by_them() {
    for vice in ["floods", "floods_without_end", "garbage"] {
        loses_by(vice, FaultKind::BadLine);
    }
    loses_by("cheats", FaultKind::IllegalMove);
}

#[test]
fn bot_that_exits_early_loses_by_a_crash() {
    let records = loses_by("dies", FaultKind::Crash);
    let fault = &records[0].faults[0];
    assert!(fault.detail.contains("exit status: 3"), "{fault:?}");
    let said = &fault.errors[0];
    assert_eq!((fault.errors.len(), said.ply, said.text.as_str()), (1, fault.ply, "no thanks"));
    assert_eq!(loses_by("dies_later", FaultKind::Crash)[0].faults[0].ply, 4);
    loses_by("closes", FaultKind::Crash);
    let killed = loses_by("is_killed", FaultKind::Crash);
    assert!(killed[0].faults[0].detail.contains("signal: 9"), "{:?}", killed[0].faults);
}

#[test]
fn program_that_cannot_start_voids_the_match() {
    let players = ["Bot=cmd:/nowhere/at-all", "E=engine"];
    let (records, summary) = play(sowing(), wanted(sowing(), &players, 3));
    assert_eq!((summary.games, summary.players[0].losses, summary.players[1].wins), (0, 0, 0));
    assert!(
        records.iter().all(|r| r.outcome.is_none() && r.void.as_ref().unwrap().contains("cannot be started"))
    );
}

/// The bot of this game speaks first and checks that the clock it reads runs down.
#[test]
fn bot_that_speaks_first_is_read_and_gets_its_clock() {
    let script = r#"sleep 0.1; printf "hello\r\n"; last=8000
        while read -r left clock; do
            if [ "$clock" -gt "$last" ]; then echo "the clock went up"; fi
            last=$((clock - 20)); sleep 0.03; printf "take 1\r\n"
        done"#;
    let bot = format!("Bot=cmd:sh -c '{script}'");
    let play = |bot: &str, limit| {
        let limits = TimeLimits { per_move: None, per_match: Some(limit) };
        play(&CHATTY_GAME, PlanOptions { limits, ..wanted(&CHATTY_GAME, &[bot, "E=engine"], 2) })
    };
    let (records, summary) = play(&bot, AMPLE);
    assert_eq!((summary.games, summary.players[0].faults.total()), (2, 0), "{records:?}");
    let (_, summary) = play("Bot=cmd:sh -c 'echo take 1; sleep 9'", AMPLE);
    assert_eq!(summary.players[0].faults.bad_line, 2);
    let (_, summary) = play("Bot=cmd:sh -c 'echo hello; sleep 99'", SHORT);
    assert_eq!(summary.players[0].faults.time, 2);
}

/// With a process per move, the whole output is the answer, and the input ends after the position.
#[test]
fn program_for_one_move_is_started_for_every_move() {
    let play = |script: &str| {
        let bot = format!("Bot=cmd:sh -c '{script}'");
        play(&BRIEF_GAME, wanted(&BRIEF_GAME, &[&bot, "E=engine"], 2))
    };
    let (records, summary) = play("cat >/dev/null; echo take; echo; printf 1");
    assert_eq!((summary.games, summary.players[0].faults.total()), (2, 0), "{records:?}");
    let lingers = "read left clock; echo take 1; sleep 100";
    let (records, summary) = play(lingers);
    assert_eq!((summary.games, summary.players[0].faults.total()), (2, 0), "{records:?}");
    let usual = summary.players[0].p50_ms;
    assert!(usual < 50_000.0, "lingering for 100 s does not count as thinking: {usual} ms");
}

#[test]
fn mistake_that_costs_a_move_is_a_voided_action() {
    for (script, kind) in [
        ("echo take 9", FaultKind::IllegalMove),
        ("echo take 1 1", FaultKind::BadLine),
        ("exit 1", FaultKind::Crash),
        ("sleep 100", FaultKind::Time),
    ] {
        let bot = format!("Bot=cmd:sh -c '{script}'");
        let limit = if kind == FaultKind::Time { 100 * MS } else { AMPLE };
        let limits = TimeLimits { per_move: Some(limit), per_match: None };
        let (records, summary) =
            play(&BRIEF_GAME, PlanOptions { limits, ..wanted(&BRIEF_GAME, &[&bot, "E=engine"], 2) });
        let bot = &summary.players[0];
        assert!(bot.decisions > 2, "{script}: the match goes on");
        assert_eq!((bot.faults.of(kind), bot.voided_actions), (bot.decisions, bot.decisions), "{records:?}");
        assert_eq!(records[0].faults[0].instead.as_deref(), Some("take 1"));
        assert_eq!(bot.forfeits, 0, "the mistake loses no match");
        assert_eq!(records[0].moves.as_ref().unwrap().len() as u32, records[0].plies);
    }
}
