//! The bot's side, in either seat: reads the start and the opponent's pits, asks for decisions and prints them. If a line
//! contradicts the rules, it plays on with the nearest possible position.

use std::time::Duration;

use super::super::rules::{BEADS, Move, PITS, State};
use super::super::{Ioiwari, View};
use super::{PLAYER_1, SECOND};
use crate::game::{Seat, State as _, Turn, View as _, Viewer};
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError};

/// How long the bot waits for a pit after a line that contains none. The official limit for a move is one second.
const MISSING_PIT_TIMEOUT: Duration = Duration::from_millis(300);

/// The bot's side.
#[derive(Clone)]
pub(crate) struct PlayerDialogue {
    /// The bot's seat.
    own: Seat,
    /// The numbers of the start position read so far.
    start: Vec<u8>,
    /// The position; `None` until all seven numbers of the start are read.
    state: Option<State>,
    /// Whether the opponent's line contained no readable pit, so that the opponent may already have moved.
    opponent_move_unread: bool,
}

impl Default for PlayerDialogue {
    fn default() -> Self {
        Self { own: PLAYER_1, start: Vec::new(), state: None, opponent_move_unread: false }
    }
}

impl PlayerDialogue {
    fn token(&mut self, token: &str) -> Result<(), ProtocolError> {
        match &mut self.state {
            Some(state) => {
                let mv: Move = token.parse().map_err(|e| ProtocolError(format!("{token:?}: {e}")))?;
                let opponent = state.view(Viewer::Seat(self.own.other()));
                if !opponent.is_legal(&mv) {
                    return Err(ProtocolError(format!("the opponent cannot play {mv} here")));
                }
                state.play(&mv);
            }
            None => {
                let beads: Option<u8> = token.parse().ok().filter(|beads| *beads <= BEADS);
                let refusal =
                    || ProtocolError(format!("{token:?} is not a number of beads from 0 to {BEADS}"));
                self.start.push(beads.ok_or_else(refusal)?);
                if let Ok(pits) = <[u8; PITS]>::try_from(self.start.as_slice()) {
                    let state = State { pits, banks: [0, 0], to_move: PLAYER_1 };
                    state.audit().map_err(ProtocolError)?;
                    self.state = Some(state);
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, line: &str) -> Result<(), ProtocolError> {
        if self.start.is_empty() && line.trim() == SECOND {
            self.own = PLAYER_1.other();
            return Ok(());
        }
        for token in line.split_whitespace() {
            if self.step() != Awaits::Entry {
                return Err(ProtocolError(format!("{token:?} came when it was not the opponent's turn")));
            }
            self.token(token)?;
        }
        Ok(())
    }

    /// Reads a line that breaks the rules: a start with other numbers, an empty pit (which moves nothing) or no pit at
    /// all.
    fn read_leniently(&mut self, line: &str) {
        for number in line.split_whitespace().filter_map(|token| token.parse::<i64>().ok()) {
            match &mut self.state {
                None => {
                    self.start.push(number.clamp(0, i64::from(BEADS)) as u8);
                    if let Ok(pits) = <[u8; PITS]>::try_from(self.start.as_slice()) {
                        self.state = Some(State { pits, banks: [0, 0], to_move: PLAYER_1 });
                    }
                }
                Some(state) if state.to_move != self.own => match u8::try_from(number) {
                    Ok(pit @ 1..=7) => play(state, &Move { pit }),
                    _ => state.to_move = self.own,
                },
                Some(_) => {}
            }
        }
        self.opponent_move_unread = self.state.as_ref().is_some_and(|state| state.to_move != self.own);
    }

    fn step(&self) -> PlayerAwaits<Ioiwari> {
        match &self.state {
            Some(state) if state.turn() == Turn::Over => Awaits::Nothing,
            Some(state) if state.turn() == Turn::Of(self.own) => Awaits::Decision(PlayerDecision {
                view: Box::new(View::new(completed(state), Viewer::Seat(self.own))),
                clock: None,
            }),
            _ if self.opponent_move_unread => Awaits::EntryWithin(MISSING_PIT_TIMEOUT),
            _ => Awaits::Entry,
        }
    }

    /// The next step. If no possible position fits the referee's lines, plays the first pit that holds beads at once.
    fn step_or_move(&mut self, out: &mut Lines) -> PlayerAwaits<Ioiwari> {
        let Some(state) = &self.state else { return Awaits::Entry };
        let safest = (1..).zip(&state.pits).find(|(_, beads)| **beads > 0);
        match safest {
            Some((pit, _)) if state.to_move == self.own && completed(state).audit().is_err() => {
                self.played(&Move { pit }, out)
            }
            _ => self.step(),
        }
    }
}

/// Plays a move. An empty pit moves no beads and passes the turn.
fn play(state: &mut State, mv: &Move) {
    if state.pits[usize::from(mv.pit - 1)] > 0 {
        state.play(mv);
    } else {
        state.to_move = state.to_move.other();
    }
}

/// The position with its missing beads shared between both banks, to make 20 in all. Only the pits decide which moves are
/// legal and best.
fn completed(state: &State) -> State {
    let beads = state.pits.iter().chain(&state.banks).fold(0u8, |sum, n| sum.saturating_add(*n));
    let missing = BEADS.saturating_sub(beads);
    let banks = [state.banks[0] + missing / 2, state.banks[1] + missing - missing / 2];
    State { banks, ..state.clone() }
}

impl Player<Ioiwari> for PlayerDialogue {
    fn start(&mut self, _: &mut Lines) -> PlayerAwaits<Ioiwari> {
        Awaits::Entry
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Ioiwari>, ProtocolError> {
        let mut next = Self { opponent_move_unread: false, ..self.clone() };
        next.read(line)?;
        *self = next;
        Ok(self.step_or_move(out))
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Ioiwari> {
        self.read_leniently(line.unwrap_or_default());
        self.step_or_move(out)
    }

    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<Ioiwari> {
        if std::mem::take(&mut self.opponent_move_unread)
            && let Some(state) = &mut self.state
        {
            state.to_move = self.own;
        }
        self.step_or_move(out)
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Ioiwari> {
        out.push(mv.to_string());
        if let Some(state) = &mut self.state {
            play(state, mv);
        }
        self.step()
    }
}
