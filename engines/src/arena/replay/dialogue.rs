//! The dialogue of a seat as text, made from the start and the moves of a match.

use std::time::Duration;

use super::course::{Course, MatchCourse};
use super::recording::{RecordedAnswer, ReplayMatch};
use crate::arena::play::decision::RefereeSide;
use crate::erased::{AnyGame, AnySession, Awaits};
use crate::game::{Process, Seat};
use crate::protocol::{Entry, Settings};

/// A line of the dialogue of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogueLine {
    /// Moves made before the turn to which it belongs.
    pub ply: u32,
    /// The line.
    pub entry: Entry,
    /// How long the player took, where this line is the decision of the turn and the time is known.
    pub taken: Option<Duration>,
}

/// The dialogue of a seat: the lines that a bot in it reads, and its recorded answers. A remark `turn PLY MS` comes before the
/// lines of each turn (without MS if the time is not known), and a remark `foul: WHAT` in the place of an answer that was a foul.
/// A match records no line of its bot that is no move, such as a first word, so the game's own bot says those. `until`: ends
/// before this ply.
///
/// # Errors
/// When there is no such seat, no bot can hold it, or the recorded moves cannot be played; one sentence.
pub fn seat_dialogue(
    game: &dyn AnyGame,
    recorded: &ReplayMatch,
    seat: Seat,
    referee: &Settings,
    until: Option<u32>,
) -> Result<Vec<DialogueLine>, String> {
    let mut course = MatchCourse::new(game, recorded, seat, referee)?;
    let mut writer = DialogueWriter {
        seat,
        process: game.info().process,
        session: game.session(&Settings::default()).map_err(|e| e.detail)?,
        ply: 0,
        lines: Vec::new(),
    };
    writer.speak(&mut course);
    while let Some(turn) = course.next_turn()? {
        if until.is_some_and(|until| turn.ply >= until) {
            return Ok(writer.lines);
        }
        writer.ply = turn.ply;
        let left = turn.left.map(|left| format!(" {}", left.as_millis())).unwrap_or_default();
        writer.push(Entry::Remark(format!("turn {}{left}", turn.ply)));
        course.prompt(seat, turn.left);
        writer.read(&mut course);
        match turn.recorded {
            RecordedAnswer::Move(notation) => writer.answer(notation, turn.taken),
            RecordedAnswer::Fault(what) => {
                let foul = Entry::Remark(format!("foul: {}", what.replace(['\r', '\n'], " ")));
                writer.push_decision(foul, turn.taken);
            }
            RecordedAnswer::NotAsked | RecordedAnswer::Unknown => {}
        }
        course.follow()?;
    }
    if writer.process == Process::PerMatch {
        writer.read(&mut course);
        writer.push(Entry::End);
    }
    Ok(writer.lines)
}

struct DialogueWriter {
    seat: Seat,
    process: Process,
    /// The game's own bot.
    session: Box<dyn AnySession>,
    /// The ply of the current turn.
    ply: u32,
    lines: Vec<DialogueLine>,
}

impl DialogueWriter {
    fn push(&mut self, entry: Entry) {
        self.lines.push(DialogueLine { ply: self.ply, entry, taken: None });
    }

    fn push_decision(&mut self, entry: Entry, taken: Option<Duration>) {
        self.lines.push(DialogueLine { ply: self.ply, entry, taken });
    }

    /// Writes the lines that the bot reads now, and what it says to them besides moves.
    fn read(&mut self, course: &mut MatchCourse) {
        let read: Vec<Entry> = course.take_lines(self.seat).into_iter().map(Entry::Read).collect();
        read.iter().cloned().for_each(|entry| self.push(entry));
        match self.process {
            Process::PerMove => self.push(Entry::End),
            Process::PerMatch => {
                self.session.push(read);
                // What contradicts the rules makes no difference here: it only leaves the bot without words.
                if matches!(self.session.advance(), Ok(Awaits::EntryWithin(_))) {
                    self.session.silence();
                }
                self.speak(course);
            }
        }
    }

    /// Writes the lines of the bot that are no moves, as far as the referee expects them.
    fn speak(&mut self, course: &mut MatchCourse) {
        for line in self.session.take_lines() {
            if matches!(course.hear(self.seat, &line), Ok(None)) {
                self.push(Entry::Printed(line));
            }
        }
    }

    /// Writes a move of the bot.
    fn answer(&mut self, notation: String, taken: Option<Duration>) {
        if self.process == Process::PerMatch && self.session.decide(&notation).is_ok() {
            // The first line is the move.
            self.session.take_lines();
        }
        self.push_decision(Entry::Printed(notation), taken);
    }
}
