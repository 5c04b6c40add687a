//! The referee's side: writes the pits at the start and the opponent's moves. Checks no legality.

use std::time::Duration;

use super::super::Ioiwari;
use super::super::rules::{Move, State};
use crate::game::Seat;
use crate::protocol::{Lines, ProtocolError, Referee};

/// The referee's side for the bot of one seat.
pub(crate) struct RefereeDialogue {
    seat: Seat,
}

impl RefereeDialogue {
    pub(in super::super) fn new(seat: Seat) -> Self {
        Self { seat }
    }
}

impl Referee<Ioiwari> for RefereeDialogue {
    fn open(&mut self, state: &State, out: &mut Lines) {
        out.push(state.pits.map(|p| p.to_string()).join(" "));
    }

    fn prompt(&mut self, _: &State, _: Option<Duration>, _: &mut Lines) {}

    fn line(&mut self, _: &State, line: &str) -> Result<Option<Move>, ProtocolError> {
        line.parse().map(Some).map_err(ProtocolError)
    }

    fn moved(&mut self, _: &State, by: Seat, mv: &Move, _: &State, out: &mut Lines) {
        if by != self.seat {
            out.push(mv.to_string());
        }
    }
}
