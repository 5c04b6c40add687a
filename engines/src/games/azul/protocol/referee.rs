//! The referee's side for one seat: waits for the bot's first word, then writes its turns as it asked for them.

use std::time::Duration;

use super::text::{write_state, write_updates};
use super::{Input, Update};
use crate::game::{Seat, State as _, Turn};
use crate::games::azul::Azul;
use crate::games::azul::rules::{COLOURS, Counts, Move, Position, State};
use crate::protocol::{Lines, ProtocolError, Referee};

/// The referee's side.
pub struct Judge {
    seat: Seat,
    /// What the bot asked for with its first word; nothing is written before.
    input: Option<Input>,
    /// What has happened since the bot was prompted.
    updates: Vec<Update>,
}

impl Judge {
    /// For the bot of this seat.
    pub fn new(seat: Seat) -> Self {
        Self { seat, input: None, updates: Vec::new() }
    }
}

fn displays(position: &Position) -> [Counts; COLOURS] {
    let [_, displays @ ..] = position.sources;
    displays
}

impl Referee<Azul> for Judge {
    fn open(&mut self, state: &State, _: &mut Lines) {
        self.updates.push(Update::Restock(displays(state.position())));
    }

    /// Writes nothing before the first word has come: a host prompts when [`Self::line`] has heard it.
    fn prompt(&mut self, state: &State, clock: Option<Duration>, out: &mut Lines) {
        let Some(input) = self.input else { return };
        // A host without a clock tells the official time as if none of it were used yet.
        let clock = clock.or(<Azul as crate::game::Game>::INFO.match_limit).unwrap_or_default();
        out.push(clock.as_millis().to_string());
        let updates = std::mem::take(&mut self.updates);
        if input.has_updates() {
            write_updates(&updates, out);
        }
        if input.has_state() {
            write_state(state.position(), self.seat, out);
        }
    }

    fn line(&mut self, _: &State, line: &str) -> Result<Option<Move>, ProtocolError> {
        if self.input.is_some() {
            return line.parse().map(Some).map_err(ProtocolError);
        }
        self.input = Input::of_word(line.trim());
        if self.input.is_some() {
            Ok(None)
        } else {
            Err(ProtocolError::new("the first line is 'update', 'state' or 'both'"))
        }
    }

    fn moved(&mut self, before: &State, by: Seat, mv: &Move, after: &State, _: &mut Lines) {
        if by != self.seat {
            self.updates.push(Update::Move(*mv));
        }
        if after.turn() != Turn::Over && after.round() != before.round() {
            self.updates.push(Update::Restock(displays(after.position())));
        }
    }
}
