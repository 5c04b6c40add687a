//! The referee's side: writes the pits at the start and the opponent's moves; for player 2, whom the contest does not have, the
//! mirror dialogue. Checks no legality.

use std::time::Duration;

use super::super::Ioiwari;
use super::super::rules::{Move, State};
use super::{PLAYER_1, SECOND};
use crate::dialogue::{MIRROR, knows_mirror};
use crate::game::{BadOptions, Seat};
use crate::protocol::{Lines, ProtocolError, Referee, Settings};

/// The referee's side for the bot of one seat.
pub(crate) struct RefereeDialogue {
    seat: Seat,
}

impl RefereeDialogue {
    /// # Errors
    /// When player 2 does not know the mirror dialogue, or a setting is unknown.
    pub(in super::super) fn new(seat: Seat, settings: &Settings) -> Result<Self, BadOptions> {
        settings.only(&[MIRROR.name])?;
        settings.choice(MIRROR.name, &["no", "yes"])?;
        match seat == PLAYER_1 || knows_mirror(settings) {
            true => Ok(Self { seat }),
            false => {
                Err(BadOptions("the contest's bot is player 1; for player 2 it needs mirror=yes".to_owned()))
            }
        }
    }
}

impl Referee<Ioiwari> for RefereeDialogue {
    fn open(&mut self, state: &State, out: &mut Lines) {
        if self.seat != PLAYER_1 {
            out.push(SECOND.to_owned());
        }
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
