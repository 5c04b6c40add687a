//! The referee's side: writes the same lines as the course's `buraco.js`.

use std::time::Duration;

use super::super::Buraco;
use super::super::rules::{Move, State, bracketed};
use crate::game::{Seat, State as _, Turn};
use crate::protocol::{Lines, ProtocolError, Referee};

/// The ids of the bots. The official referee makes them of `p1.` or `p2.` and the name of the bot's program.
const IDS: [&str; 2] = ["p1.bot", "p2.bot"];

/// The referee's side for the bot of one seat.
pub(crate) struct RefereeDialogue {
    seat: Seat,
}

impl RefereeDialogue {
    pub(in super::super) fn new(seat: Seat) -> Self {
        Self { seat }
    }
}

/// Writes the line that begins a turn: the id of the seat to move.
fn turn_line(state: &State, out: &mut Lines) {
    if let Turn::Of(seat) = state.turn() {
        out.push(IDS[seat.index()].to_owned());
    }
}

impl Referee<Buraco> for RefereeDialogue {
    fn open(&mut self, state: &State, out: &mut Lines) {
        out.push(IDS.join(" "));
        out.push(IDS[self.seat.index()].to_owned());
        out.push(bracketed(&state.hands[self.seat.index()]));
        out.extend(state.open.pile().last().map(|top| top.to_string()));
        turn_line(state, out);
    }

    fn prompt(&mut self, _: &State, _: Option<Duration>, _: &mut Lines) {}

    fn line(&mut self, _: &State, line: &str) -> Result<Option<Move>, ProtocolError> {
        line.parse().map(Some).map_err(ProtocolError)
    }

    fn moved(&mut self, before: &State, by: Seat, mv: &Move, after: &State, out: &mut Lines) {
        if by != self.seat {
            out.push(mv.to_string());
        } else {
            match mv {
                Move::GetStock => out.extend(before.stock.last().map(|card| card.to_string())),
                // The answer leaves out the top card, which went into the meld.
                Move::GetDiscard { .. } => {
                    let rest = before.open.pile().split_last().map_or(&[][..], |(_, rest)| rest);
                    out.push(bracketed(rest));
                }
                Move::MeldNew { .. } | Move::MeldJoin { .. } | Move::Discard { .. } => {}
            }
        }
        if matches!(mv, Move::Discard { .. }) {
            turn_line(after, out);
        }
    }
}
