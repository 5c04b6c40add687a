//! The recorded side of a replay: goes through a whole match turn by turn, and is the referee of one seat.

use std::time::Duration;

use super::recording::{RecordedAnswer, RecordedTurn, ReplayMatch};
use crate::arena::play::decision::{BotFault, RefereeSide};
use crate::erased::{AnyGame, AnyTable, Refusal};
use crate::game::{Seat, Turn, Viewer};
use crate::protocol::{Lines, Settings};

/// A turn of the replayed seat.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OwnTurn {
    /// Moves made before it; in a dialogue that does not say how many, the answers of the bot before it.
    pub ply: u32,
    pub recorded: RecordedAnswer,
    /// How long the recorded answer took.
    pub taken: Option<Duration>,
    /// The time left at the beginning of the turn.
    pub left: Option<Duration>,
}

/// The recorded side of the dialogue.
pub(super) trait Course: RefereeSide {
    /// Goes on to the next turn of the seat; `None`: there is none.
    ///
    /// # Errors
    /// When the recorded moves cannot be played; one sentence.
    fn next_turn(&mut self) -> Result<Option<OwnTurn>, String>;
    /// An answer to this turn, spelled as in the official protocol.
    ///
    /// # Errors
    /// The mistake, if it is not legal.
    fn judged(&self, answer: &str) -> Result<String, BotFault>;
    /// Plays what was recorded at this turn.
    ///
    /// # Errors
    /// As [`Self::next_turn`].
    fn follow(&mut self) -> Result<(), String>;
    /// The recorded answers of the seat after this turn.
    fn left_out(&self) -> usize;
}

/// A whole match.
pub(super) struct MatchCourse<'r> {
    table: Box<dyn AnyTable>,
    seat: Seat,
    turns: &'r [RecordedTurn],
    at: usize,
}

impl<'r> MatchCourse<'r> {
    /// The match before its first turn. `referee`: the settings of the referee's side.
    ///
    /// # Errors
    /// When the match has no such seat, no bot can hold it, the start is none of this game, or a recorded move cannot be
    /// played; one sentence.
    pub(super) fn new(
        game: &dyn AnyGame,
        recorded: &'r ReplayMatch,
        seat: Seat,
        referee: &Settings,
    ) -> Result<Self, String> {
        let mut table =
            game.restore(&recorded.start).map_err(|e| format!("the start is not possible: {e}"))?;
        if seat.0 >= table.seats() {
            return Err(format!("there is no seat {seat}: the match has {} seats", table.seats()));
        }
        check_moves(table.fork(), &recorded.turns)?;
        table.seat_bot(seat, referee).map_err(|e| e.detail)?;
        Ok(Self { table, seat, turns: &recorded.turns, at: 0 })
    }

    fn play(&mut self, turn: &RecordedTurn) -> Result<(), String> {
        if let Some(notation) = &turn.played {
            self.table.play(turn.seat, notation).map_err(|e| unplayable(self.at, &e))?;
        }
        self.at += 1;
        Ok(())
    }
}

/// Plays all moves, so that a damaged file is found before a program starts.
fn check_moves(mut table: Box<dyn AnyTable>, turns: &[RecordedTurn]) -> Result<(), String> {
    for (ply, turn) in turns.iter().enumerate() {
        if let Some(notation) = &turn.played {
            table.play(turn.seat, notation).map_err(|e| unplayable(ply, &e))?;
        }
    }
    Ok(())
}

fn unplayable(ply: usize, why: &Refusal) -> String {
    format!("the recorded move at ply {ply} cannot be played: {why}")
}

impl RefereeSide for MatchCourse<'_> {
    fn prompt(&mut self, seat: Seat, clock: Option<Duration>) {
        self.table.prompt(seat, clock);
    }

    fn take_lines(&mut self, seat: Seat) -> Lines {
        self.table.take_lines(seat)
    }

    fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<String>, Refusal> {
        self.table.hear(seat, line)
    }

    fn unfinished(&self, text: &str) -> Option<String> {
        self.table.move_text(text).ok().map(|mv| mv.notation)
    }
}

impl Course for MatchCourse<'_> {
    fn next_turn(&mut self) -> Result<Option<OwnTurn>, String> {
        let turns = self.turns;
        while let Some(turn) = turns.get(self.at) {
            if turn.seat == self.seat && turn.answer != RecordedAnswer::NotAsked {
                return Ok(Some(OwnTurn {
                    ply: self.table.ply(),
                    recorded: turn.answer.clone(),
                    taken: turn.taken,
                    left: turn.left,
                }));
            }
            self.play(turn)?;
        }
        // The file of a start asks for the first answer.
        let is_start = turns.is_empty() && self.at == 0 && self.table.turn() == Turn::Of(self.seat);
        Ok(is_start.then_some(OwnTurn { ply: 0, recorded: RecordedAnswer::Unknown, taken: None, left: None }))
    }

    fn judged(&self, answer: &str) -> Result<String, BotFault> {
        let checked = self.table.view(Viewer::Seat(self.seat)).check(answer);
        checked.map(|mv| mv.notation).map_err(|e| BotFault::of(&e))
    }

    fn follow(&mut self) -> Result<(), String> {
        match self.turns.get(self.at) {
            Some(turn) => self.play(turn),
            None => {
                self.at += 1;
                Ok(())
            }
        }
    }

    fn left_out(&self) -> usize {
        let rest = self.turns.get(self.at + 1..).unwrap_or_default().iter();
        rest.filter(|turn| turn.seat == self.seat && turn.answer != RecordedAnswer::NotAsked).count()
    }
}
