//! The referee's side for one seat: waits for the bot's first word, then writes turns in the format it asked for.

use std::time::Duration;

use super::text::{write_state, write_updates};
use super::{InputFormat, TableUpdate};
use crate::game::{Seat, State as _, Turn};
use crate::games::azul::Azul;
use crate::games::azul::rules::{COLOURS, Counts, Move, Position, State};
use crate::protocol::{Lines, ProtocolError, Referee};

/// The referee's side for the bot of one seat.
pub(crate) struct RefereeDialogue {
    seat: Seat,
    /// The format that the bot asked for with its first word; `None` before that word.
    format: Option<InputFormat>,
    /// The events since the bot's last prompt.
    updates: Vec<TableUpdate>,
    /// Whether the match began with another position than a deal, which updates cannot tell.
    untold: bool,
}

impl RefereeDialogue {
    /// A dialogue with the bot of this seat.
    pub(crate) fn new(seat: Seat) -> Self {
        Self { seat, format: None, updates: Vec::new(), untold: false }
    }
}

fn displays(position: &Position) -> [Counts; COLOURS] {
    let [_, displays @ ..] = position.sources;
    displays
}

impl Referee<Azul> for RefereeDialogue {
    fn open(&mut self, state: &State, _: &mut Lines) {
        let displays = displays(state.position());
        let mut dealt = Position::empty();
        dealt.sources[1..].copy_from_slice(&displays);
        self.untold = dealt != *state.position();
        if !self.untold {
            self.updates.push(TableUpdate::Restock(displays));
        }
    }

    /// Writes nothing before the bot's first word: a host prompts only after [`Self::line`] has read that word.
    fn prompt(&mut self, state: &State, clock: Option<Duration>, out: &mut Lines) {
        let Some(format) = self.format else { return };
        // A host without a clock sends the full official time.
        let clock = clock.or(<Azul as crate::game::Game>::INFO.match_limit).unwrap_or_default();
        out.push(clock.as_millis().to_string());
        let updates = std::mem::take(&mut self.updates);
        if format.has_updates() {
            write_updates(&updates, out);
        }
        if format.has_state() {
            write_state(state.position(), self.seat, out);
        }
    }

    fn line(&mut self, _: &State, line: &str) -> Result<Option<Move>, ProtocolError> {
        if self.format.is_some() {
            return line.parse().map(Some).map_err(ProtocolError);
        }
        let format = InputFormat::of_word(line.trim())
            .ok_or_else(|| ProtocolError::new("the first line is 'update', 'state' or 'both'"))?;
        if self.untold && !format.has_state() {
            return Err(ProtocolError::new(
                "the match began from a position, which 'update' cannot tell: ask for 'state' or 'both'",
            ));
        }
        self.format = Some(format);
        Ok(None)
    }

    fn moved(&mut self, before: &State, by: Seat, mv: &Move, after: &State, _: &mut Lines) {
        if by != self.seat {
            self.updates.push(TableUpdate::Move(*mv));
        }
        if after.turn() != Turn::Over && after.round() != before.round() {
            self.updates.push(TableUpdate::Restock(displays(after.position())));
        }
    }
}
