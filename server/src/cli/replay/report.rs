//! What a replay prints: in full for one match, in a line for each of many, and the summary.

use std::fmt::Write;
use std::time::Duration;

use engines::arena::{Comparison, RecordedAnswer, Replay, ReplayCounts, ReplayEnd, Verdict};

use super::choice::ChosenSeat;
use crate::matches::record::match_file::FoundMatch;
use crate::matches::record::plain;

/// The most lines of standard error, and of the input, that are shown.
const LINES_SHOWN: usize = 12;

/// The report on one match.
pub(super) fn in_full(found: &FoundMatch, seat: &ChosenSeat, replay: &Replay) -> String {
    let mut text = format!("{}: {}\n", plain(&found.label), holder(found, seat));
    for one in &replay.comparisons {
        if one.verdict() == Verdict::Same {
            continue;
        }
        line(&mut text, &compared(one));
        let is_first = replay.first_difference().is_some_and(|first| std::ptr::eq(first, one));
        if is_first || one.answer.is_err() {
            lines(&mut text, "it had read:", one.read.iter().map(String::as_str));
            lines(&mut text, "its standard error:", one.errors.iter().map(|error| error.text.as_str()));
        }
    }
    line(&mut text, &counted(&count(replay)));
    match &replay.end {
        ReplayEnd::Diverged => line(
            &mut text,
            "The replay ends here: the rest of the dialogue follows the recorded move, which the bot did not make.",
        ),
        ReplayEnd::Until => line(&mut text, "The replay ends at this ply, as asked."),
        ReplayEnd::Stopped => line(&mut text, "The replay was stopped."),
        ReplayEnd::Complete | ReplayEnd::Void(_) => {}
    }
    text
}

/// The report on one of many matches: a line, and one more for each answer that is not as recorded.
pub(super) fn in_short(found: &FoundMatch, seat: &ChosenSeat, replay: &Replay) -> String {
    let mut text = format!("{}: {}: ", plain(&found.label), holder(found, seat));
    match &replay.end {
        ReplayEnd::Void(why) => line(&mut text, &format!("not replayed: {}", plain(why))),
        ReplayEnd::Stopped => line(&mut text, "stopped"),
        _ => line(&mut text, &counted(&count(replay))),
    }
    for one in replay.comparisons.iter().filter(|one| one.verdict() != Verdict::Same) {
        line(&mut text, &format!("  {}", compared(one)));
    }
    text
}

/// The summary of many matches.
pub(super) fn summary(counts: &ReplayCounts) -> String {
    let replays = number(counts.replays, "match", "matches");
    format!("\n{replays} replayed: {}", counted(counts))
}

fn count(replay: &Replay) -> ReplayCounts {
    let mut counts = ReplayCounts::default();
    counts.add(replay);
    counts
}

fn line(text: &mut String, line: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(text, "{line}");
}

/// Lines of the bot's input or output, the last ones if there are many.
fn lines<'l>(text: &mut String, title: &str, all: impl Iterator<Item = &'l str>) {
    let all: Vec<&str> = all.collect();
    if all.is_empty() {
        return;
    }
    line(text, &format!("  {title}"));
    let left_out = all.len().saturating_sub(LINES_SHOWN);
    if left_out > 0 {
        line(text, &format!("    ({left_out} lines more)"));
    }
    all[left_out..].iter().for_each(|one| line(text, &format!("    | {}", plain(one))));
}

fn holder(found: &FoundMatch, seat: &ChosenSeat) -> String {
    let name = if seat.name.is_empty() { String::new() } else { format!(" ({})", plain(&seat.name)) };
    format!("{}, seat {}{name}", found.game.info().slug, seat.seat)
}

/// One answer beside the recorded one.
fn compared(one: &Comparison) -> String {
    let ply = one.ply;
    let before = one.recorded_taken.map(|taken| format!(" ({})", ms(taken))).unwrap_or_default();
    let recorded = match &one.recorded {
        RecordedAnswer::Move(notation) => format!("recorded {}{before}", plain(notation)),
        RecordedAnswer::Fault(what) => format!("recorded a fault{before}: {}", plain(what)),
        RecordedAnswer::NotAsked | RecordedAnswer::Unknown => "nothing is recorded".to_owned(),
    };
    let now = match &one.answer {
        Ok(notation) => format!("now {} ({})", plain(notation), ms(one.taken)),
        Err(fault) => format!("now a fault ({}): {}: {}", ms(one.taken), fault.kind, plain(&fault.detail)),
    };
    let word = match one.verdict() {
        Verdict::Same => "the same",
        Verdict::Different => "DIFFERENT",
        Verdict::FaultGone => "THE FAULT IS GONE",
        Verdict::FaultAgain => "THE FAULT IS STILL THERE",
        Verdict::NewFault => "A NEW FAULT",
        Verdict::Unrecorded => "an answer",
    };
    format!("ply {ply}: {word}: {recorded}; {now}")
}

fn ms(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

fn number(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// The counts in words; those that are 0 are left out, except the answers as recorded.
fn counted(counts: &ReplayCounts) -> String {
    let mut parts = vec![format!("{} as recorded", number(counts.same, "answer", "answers"))];
    for (count, one, more) in [
        (counts.different, "answer differs", "answers differ"),
        (counts.faults_gone, "fault is gone", "faults are gone"),
        (counts.faults_again, "fault is still there", "faults are still there"),
        (counts.new_faults, "new fault", "new faults"),
        (counts.unrecorded, "answer where nothing is recorded", "answers where nothing is recorded"),
        (counts.left_out, "recorded answer not compared", "recorded answers not compared"),
    ] {
        if count > 0 {
            parts.push(number(count, one, more));
        }
    }
    parts.join(", ")
}
