//! Ioiwari's official dialogue: the bot is player 1, reads seven numbers once, then pits are told in turn.

use std::time::Duration;

use super::rules::{BEADS, Move, PITS, State};
use super::{Ioiwari, View};
use crate::game::{Seat, State as _, Turn, View as _, Viewer};
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Referee};
use crate::rng::Rng;

/// The bot is player 1.
const OWN: Seat = Seat(0);
/// The other player.
const FOE: Seat = Seat(1);

/// How long a pit is waited for after a line that holds none. The official limit for a move is a second.
const PATIENCE: Duration = Duration::from_millis(300);

/// The bot's side.
#[derive(Clone, Default)]
pub struct Bot {
    /// The start's numbers read so far.
    start: Vec<u8>,
    state: Option<State>,
    /// Whether the opponent's pit could not be read, so that its turn may be over all the same.
    unread: bool,
}

impl Bot {
    fn token(&mut self, token: &str) -> Result<(), ProtocolError> {
        match &mut self.state {
            Some(state) => {
                let mv: Move = token.parse().map_err(|e| ProtocolError(format!("{token:?}: {e}")))?;
                let foe = state.view(Viewer::Seat(FOE));
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
                    let state = State { pits, banks: [0, 0], to_move: OWN };
                    state.audit().map_err(ProtocolError)?;
                    self.state = Some(state);
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, line: &str) -> Result<(), ProtocolError> {
        for token in line.split_whitespace() {
            if self.step() != Awaits::Entry {
                return Err(ProtocolError(format!("{token:?} came though it was not the opponent's turn")));
            }
            self.token(token)?;
        }
        Ok(())
    }

    /// Reads what our rules forbid: a start of other numbers, an empty pit, which moves nothing, or no pit at all.
    fn read_leniently(&mut self, line: &str) {
        for number in line.split_whitespace().filter_map(|token| token.parse::<i64>().ok()) {
            match &mut self.state {
                None => {
                    self.start.push(number.clamp(0, i64::from(BEADS)) as u8);
                    if let Ok(pits) = <[u8; PITS]>::try_from(self.start.as_slice()) {
                        self.state = Some(State { pits, banks: [0, 0], to_move: OWN });
                    }
                }
                Some(state) if state.to_move == FOE => match u8::try_from(number) {
                    Ok(pit @ 1..=7) => play(state, &Move { pit }),
                    _ => state.to_move = OWN,
                },
                Some(_) => {}
            }
        }
        self.unread = self.state.as_ref().is_some_and(|state| state.to_move == FOE);
    }

    fn step(&self) -> PlayerAwaits<Ioiwari> {
        match &self.state {
            Some(state) if state.turn() == Turn::Over => Awaits::Nothing,
            Some(state) if state.turn() == Turn::Of(OWN) => Awaits::Decision(PlayerDecision {
                view: Box::new(View::new(reading(state), Viewer::Seat(OWN))),
                clock: None,
            }),
            _ if self.unread => Awaits::EntryWithin(PATIENCE),
            _ => Awaits::Entry,
        }
    }

    /// The step; where no position can be made of what was told, a pit that holds beads is emptied at once.
    fn step_or_move(&mut self, out: &mut Lines) -> PlayerAwaits<Ioiwari> {
        let Some(state) = &self.state else { return Awaits::Entry };
        let safest = (1..).zip(&state.pits).find(|(_, beads)| **beads > 0);
        match safest {
            Some((pit, _)) if state.to_move == OWN && reading(state).audit().is_err() => {
                self.played(&Move { pit }, out)
            }
            _ => self.step(),
        }
    }
}

/// Plays a move; an empty pit moves nothing.
fn play(state: &mut State, mv: &Move) {
    if state.pits[usize::from(mv.pit - 1)] > 0 {
        state.play(mv);
    } else {
        state.to_move = state.to_move.other();
    }
}

/// The position with the beads that it lacks in both banks alike: only the pits decide what is legal and best.
fn reading(state: &State) -> State {
    let beads = state.pits.iter().chain(&state.banks).fold(0u8, |sum, n| sum.saturating_add(*n));
    let missing = BEADS.saturating_sub(beads);
    let banks = [state.banks[0] + missing / 2, state.banks[1] + missing - missing / 2];
    State { banks, ..state.clone() }
}

impl Player<Ioiwari> for Bot {
    fn start(&mut self, _: &mut Lines) -> PlayerAwaits<Ioiwari> {
        Awaits::Entry
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Ioiwari>, ProtocolError> {
        let mut next = Self { unread: false, ..self.clone() };
        next.read(line)?;
        *self = next;
        Ok(self.step_or_move(out))
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Ioiwari> {
        self.read_leniently(line.unwrap_or_default());
        self.step_or_move(out)
    }

    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<Ioiwari> {
        if std::mem::take(&mut self.unread)
            && let Some(state) = &mut self.state
        {
            state.to_move = OWN;
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

/// Puts a line without a pit before the opponent's, for tests.
pub fn distort(lines: &mut Lines, rng: &mut Rng) {
    if lines.len() == 1 && lines[0].len() == 1 && rng.below(2) == 0 {
        lines.insert(0, "your turn?".to_owned());
    }
}
