//! Ioiwari's official dialogue: the bot is player 1, reads seven numbers once, then pits are told in turn.

use super::rules::{Move, PITS, State};
use super::{Ioiwari, View};
use crate::game::{Seat, State as _, Turn, View as _, Viewer};
use crate::protocol::{Lines, Player, ProtocolError, Referee, Step};

/// The bot's side.
#[derive(Default)]
pub struct Bot {
    /// The start's numbers read so far.
    start: Vec<u8>,
    state: Option<State>,
}

impl Bot {
    fn token(&mut self, token: &str) -> Result<(), ProtocolError> {
        match &mut self.state {
            Some(state) => {
                let mv: Move = token.parse().map_err(|e| ProtocolError(format!("{token:?}: {e}")))?;
                let foe = state.view(Viewer::Seat(Seat(1)));
                if !foe.is_legal(&mv) {
                    return Err(ProtocolError(format!("the opponent cannot play {mv} here")));
                }
                state.play(&mv);
            }
            None => {
                let beads =
                    token.parse().map_err(|_| ProtocolError(format!("{token:?} is no number of beads")))?;
                self.start.push(beads);
                if let Ok(pits) = <[u8; PITS]>::try_from(self.start.as_slice()) {
                    let state = State { pits, banks: [0, 0], to_move: Seat(0) };
                    state.audit().map_err(ProtocolError)?;
                    self.state = Some(state);
                }
            }
        }
        Ok(())
    }

    fn step(&self) -> Step<Ioiwari> {
        match &self.state {
            Some(state) if state.turn() == Turn::Over => Step::Bye,
            Some(state) if state.turn() == Turn::Of(Seat(0)) => {
                Step::Think { view: Box::new(View::new(state.clone(), Viewer::Seat(Seat(0)))), clock: None }
            }
            _ => Step::Listen,
        }
    }
}

impl Player<Ioiwari> for Bot {
    fn start(&mut self, _: &mut Lines) -> Step<Ioiwari> {
        Step::Listen
    }

    fn line(&mut self, line: &str, _: &mut Lines) -> Result<Step<Ioiwari>, ProtocolError> {
        for token in line.split_whitespace() {
            if self.step() != Step::Listen {
                return Err(ProtocolError(format!("{token:?} came though it was not the opponent's turn")));
            }
            self.token(token)?;
        }
        Ok(self.step())
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> Step<Ioiwari> {
        out.push(mv.to_string());
        if let Some(state) = &mut self.state {
            state.play(mv);
        }
        self.step()
    }
}

/// The referee's side.
pub struct Judge {
    seat: Seat,
}

impl Judge {
    pub(super) fn new(seat: Seat) -> Self {
        Self { seat }
    }
}

impl Referee<Ioiwari> for Judge {
    fn open(&mut self, state: &State, out: &mut Lines) {
        out.push(state.pits.map(|p| p.to_string()).join(" "));
    }

    fn prompt(&mut self, _: &State, _: Option<std::time::Duration>, _: &mut Lines) {}

    fn line(&mut self, _: &State, line: &str) -> Result<Option<Move>, ProtocolError> {
        line.parse().map(Some).map_err(ProtocolError)
    }

    fn moved(&mut self, _: &State, by: Seat, mv: &Move, _: &State, out: &mut Lines) {
        if by != self.seat {
            out.push(mv.to_string());
        }
    }
}
