//! The referee's side: writes the position and reads one action. Checks no legality.

use std::time::Duration;

use super::super::Splendor;
use super::super::rules::{Board, Move, State, integer};
use super::input::write_input;
use crate::game::{BadOptions, Seat, Viewer};
use crate::protocol::{Lines, ProtocolError, Referee, Settings};

/// The setting with the number from which the header counts players and rounds: 1, like the referee of the contest, or 0,
/// like its first published text.
const BASE: &str = "base";

fn base_of(settings: &Settings) -> Result<u8, BadOptions> {
    Ok(if settings.choice(BASE, &["1", "0"])? == "0" { 0 } else { 1 })
}

/// The referee's side for the bot of one seat.
pub(crate) struct RefereeDialogue {
    seat: Seat,
    /// The number from which players and rounds count.
    base: u8,
    /// Numbers of an incomplete action, because line breaks are ordinary white space.
    tokens: Vec<i32>,
}

impl RefereeDialogue {
    pub(in super::super) fn new(seat: Seat, settings: &Settings) -> Result<Self, BadOptions> {
        settings.only(&[BASE])?;
        Ok(Self { seat, base: base_of(settings)?, tokens: Vec::new() })
    }

    /// The number of numbers in an action with this beginning; `None` while that is unknown.
    ///
    /// # Errors
    /// If no action begins like this.
    fn length(board: &Board, tokens: &[i32]) -> Result<Option<usize>, String> {
        let returns = |taken: Option<u8>| usize::from(board.returns_due(taken));
        match tokens {
            [] | [1] => Ok(None),
            [1, k @ 0..=3, ..] => {
                let k = k.unsigned_abs() as u8;
                Ok(Some(2 + usize::from(k) + returns(Some(k))))
            }
            [2, ..] => Ok(Some(2 + returns(Some(2)))),
            [3, ..] => Ok(Some(2 + returns(None))),
            [4, ..] => Ok(Some(2)),
            [0, ..] => Ok(Some(1)),
            [1, k, ..] => Err(format!("'1 k ..' takes 0 to 3 chips, not {k}")),
            [kind, ..] => Err(format!("an action begins with 1, 2, 3 or 4, not {kind}")),
        }
    }

    fn read(&mut self, board: &Board, line: &str) -> Result<Option<Move>, String> {
        for token in line.split_whitespace() {
            let n = integer(token).ok_or_else(|| {
                format!("{:?} is not a whole number", token.chars().take(40).collect::<String>())
            })?;
            self.tokens.push(n);
            if let Some(length) = Self::length(board, &self.tokens)?
                && self.tokens.len() > length
            {
                return Err(format!("this action has {length} numbers, but more came"));
            }
        }
        match Self::length(board, &self.tokens)? {
            Some(length) if self.tokens.len() == length => {
                let text: Vec<String> = self.tokens.iter().map(i32::to_string).collect();
                text.join(" ").parse().map(Some)
            }
            _ => Ok(None),
        }
    }
}

impl Referee<Splendor> for RefereeDialogue {
    fn open(&mut self, _: &State, _: &mut Lines) {}

    fn prompt(&mut self, state: &State, _: Option<Duration>, out: &mut Lines) {
        self.tokens.clear();
        let view = crate::game::State::view(state, Viewer::Seat(self.seat));
        write_input(&view, self.base, out);
    }

    /// Returns `None` while the action is incomplete.
    fn line(&mut self, state: &State, line: &str) -> Result<Option<Move>, ProtocolError> {
        let read = self.read(&state.board, line);
        if !matches!(read, Ok(None)) {
            self.tokens.clear();
        }
        read.map_err(ProtocolError)
    }

    /// The bot takes another seat for its own if it counts from another number.
    fn suits(&self, state: &State, text: &str, other: &Settings) -> bool {
        let Ok(other) = base_of(other) else { return false };
        let seat = (self.seat.0 + self.base).checked_sub(other).map(Seat);
        let Some(seat) = seat.filter(|seat| seat.index() < state.board.hands.len()) else { return false };
        let board = Board { to_move: seat, ..state.board.clone() };
        text.parse().is_ok_and(|mv| board.is_legal(&mv))
    }

    fn moved(&mut self, _: &State, by: Seat, _: &Move, _: &State, _: &mut Lines) {
        if by == self.seat {
            self.tokens.clear();
        }
    }
}
