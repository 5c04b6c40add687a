//! The dialogue of a seat as text, made from the start and the moves of a match.

use super::course::{Course, MatchCourse};
use super::recording::{RecordedAnswer, ReplayMatch};
use crate::arena::play::decision::RefereeSide;
use crate::erased::AnyGame;
use crate::game::{Process, Seat};
use crate::protocol::{Entry, Settings};

/// The dialogue of a seat: the lines that a bot in it reads, and its recorded answers. A remark `turn PLY MS` comes before the
/// lines of each turn (without MS if the time is not known), and a remark `foul: WHAT` in the place of an answer that was a foul.
/// A match does not record what its bot wrote before it read anything, so the game's own bot says it. `until`: ends before this
/// ply.
///
/// # Errors
/// When there is no such seat, no bot can hold it, or the recorded moves cannot be played; one sentence.
pub fn seat_dialogue(
    game: &dyn AnyGame,
    recorded: &ReplayMatch,
    seat: Seat,
    referee: &Settings,
    until: Option<u32>,
) -> Result<Vec<Entry>, String> {
    let mut course = MatchCourse::new(game, recorded, seat, referee)?;
    let mut entries = Vec::new();
    let greeting = game.session(&Settings::default()).map_err(|e| e.detail)?.take_lines();
    for line in greeting {
        course.hear(seat, &line).map_err(|e| e.detail)?;
        entries.push(Entry::Printed(line));
    }
    while let Some(turn) = course.next_turn()? {
        if until.is_some_and(|until| turn.ply >= until) {
            return Ok(entries);
        }
        let left = turn.left.map(|left| format!(" {}", left.as_millis())).unwrap_or_default();
        entries.push(Entry::Remark(format!("turn {}{left}", turn.ply)));
        course.prompt(seat, turn.left);
        entries.extend(course.take_lines(seat).into_iter().map(Entry::Read));
        if game.info().process == Process::PerMove {
            entries.push(Entry::End);
        }
        match turn.recorded {
            RecordedAnswer::Move(notation) => entries.push(Entry::Printed(notation)),
            RecordedAnswer::Fault(what) => {
                entries.push(Entry::Remark(format!("foul: {}", what.replace(['\r', '\n'], " "))));
            }
            RecordedAnswer::NotAsked | RecordedAnswer::Unknown => {}
        }
        course.follow()?;
    }
    if game.info().process == Process::PerMatch {
        entries.extend(course.take_lines(seat).into_iter().map(Entry::Read));
        entries.push(Entry::End);
    }
    Ok(entries)
}
