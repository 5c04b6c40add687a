//! The dialogue of two-player games of perfect information, with moves in turn: the bot reads the start as numbers; then both
//! sides exchange moves, one word each. Both halves are here; a game says how its start is written. Chooses no moves.

use std::time::Duration;

use super::{PerfectInformationGame, PublicState, PublicView};
use crate::game::{Game, Seat, State, Turn, View, Viewer};
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Referee};

/// How long the bot waits for a move after a line that contains none.
const MISSING_MOVE_TIMEOUT: Duration = Duration::from_millis(300);

/// A two-player game of perfect information with this dialogue. The text of a move is one word.
pub trait Alternating: PerfectInformationGame {
    /// The line that the bot in seat 0 reads before the start. `None`: it reads the start at once.
    const FIRST: Option<&'static str> = Some("first");
    /// The line that the bot in seat 1 reads before the start.
    const SECOND: &'static str = "second";
    /// What a number of the start is, for messages.
    const NUMBER: &'static str = "number";
    /// The greatest number of a start.
    const MOST: u8;

    /// The numbers that tell a start.
    fn numbers(start: &Self::State) -> Vec<u8>;

    /// The start that these numbers tell, each from 0 to [`Self::MOST`]; `None` if more must follow. It may be impossible:
    /// [`State::audit`] checks it.
    fn start(numbers: &[u8]) -> Option<Self::State>;

    /// Hands the turn on without a move: the referee went on after something that our rules forbid.
    fn pass(state: &mut Self::State);

    /// A possible state with the same moves as this one, which lines against the rules may have made impossible.
    fn mended(state: &Self::State) -> Self::State {
        state.clone()
    }
}

/// Whether the referee's first lines tell that a match begins with this state: see [`Game::can_tell`].
///
/// # Errors
/// If a bot that reads the numbers of the start believes in another state.
pub fn can_tell_start<G: Alternating>(start: &G::State) -> Result<(), String> {
    match G::start(&G::numbers(start)).as_ref() == Some(start) {
        true => Ok(()),
        false => Err("a position other than a start with seat 0 to move".to_owned()),
    }
}

/// Plays a move. One that the rules forbid changes nothing and passes the turn.
fn play_or_pass<G: Alternating>(state: &mut G::State, mv: &G::Move) {
    if state.allows(mv) { state.play(mv) } else { G::pass(state) }
}

/// The bot's side, in either seat: reads the start and the opponent's moves, asks for decisions and prints them. If a line
/// contradicts the rules, it plays on with the nearest possible position.
#[derive(Clone)]
pub struct AlternatingPlayer<G: Game> {
    /// The bot's seat.
    own: Seat,
    /// The numbers of the start read so far.
    numbers: Vec<u8>,
    /// The position; `None` until the whole start is read.
    state: Option<G::State>,
    /// Whether the opponent's line contained no readable move, so that the opponent may already have moved.
    opponent_move_unread: bool,
}

impl<G: Game> Default for AlternatingPlayer<G> {
    fn default() -> Self {
        Self { own: Seat(0), numbers: Vec::new(), state: None, opponent_move_unread: false }
    }
}

impl<G: Alternating> AlternatingPlayer<G> {
    /// Reads a line by the rules.
    fn read(&mut self, line: &str) -> Result<(), ProtocolError> {
        if self.state.is_none() && self.numbers.is_empty() {
            let seat = if line.trim() == G::SECOND { Some(Seat(1)) } else { None };
            if let Some(seat) = seat.or((Some(line.trim()) == G::FIRST).then_some(Seat(0))) {
                self.own = seat;
                return self.begin();
            }
        }
        for word in line.split_whitespace() {
            if self.step() != Awaits::Entry {
                return Err(ProtocolError(format!("{word:?} came when it was not the opponent's turn")));
            }
            self.read_word(word)?;
        }
        Ok(())
    }

    fn read_word(&mut self, word: &str) -> Result<(), ProtocolError> {
        let Some(state) = &mut self.state else {
            let number = word.parse::<u8>().ok().filter(|number| *number <= G::MOST);
            let refusal = || ProtocolError(format!("{word:?} is not a {} from 0 to {}", G::NUMBER, G::MOST));
            self.numbers.push(number.ok_or_else(refusal)?);
            return self.begin();
        };
        let mv: G::Move = word.parse().map_err(|e| ProtocolError(format!("{word:?}: {e}")))?;
        let opponent = state.view(Viewer::Seat(self.own.other()));
        if !opponent.is_legal(&mv) {
            return Err(ProtocolError(format!("the opponent cannot play {mv} here")));
        }
        state.play(&mv);
        Ok(())
    }

    /// Begins the match if the start is complete.
    fn begin(&mut self) -> Result<(), ProtocolError> {
        let state = G::start(&self.numbers);
        state.as_ref().map_or(Ok(()), State::audit).map_err(ProtocolError)?;
        self.state = state;
        Ok(())
    }

    /// Reads a line that breaks the rules: numbers outside of the range, a start that is impossible, a move that is illegal.
    /// A number that is no move is a pass; other words say nothing.
    fn read_leniently(&mut self, line: &str) {
        for word in line.split_whitespace() {
            let number = word.parse::<i64>().ok();
            match (&mut self.state, number) {
                (None, Some(number)) => {
                    self.numbers.push(number.clamp(0, i64::from(G::MOST)) as u8);
                    self.state = G::start(&self.numbers);
                }
                (Some(state), number) if state.to_move() != self.own => match word.parse() {
                    Ok(mv) => play_or_pass::<G>(state, &mv),
                    Err(_) if number.is_some() => G::pass(state),
                    Err(_) => {}
                },
                _ => {}
            }
        }
        self.opponent_move_unread = self.state.as_ref().is_some_and(|state| state.to_move() != self.own);
    }

    fn step(&self) -> PlayerAwaits<G> {
        match &self.state {
            Some(state) if state.turn() == Turn::Over => Awaits::Nothing,
            Some(state) if state.turn() == Turn::Of(self.own) => Awaits::Decision(PlayerDecision {
                view: Box::new(PublicView::new(G::mended(state), Viewer::Seat(self.own))),
                clock: None,
            }),
            _ if self.opponent_move_unread => Awaits::EntryWithin(MISSING_MOVE_TIMEOUT),
            _ => Awaits::Entry,
        }
    }

    /// The next step. If no possible position fits the referee's lines, plays the first move at once.
    fn step_or_move(&mut self, out: &mut Lines) -> PlayerAwaits<G> {
        let Some(state) = &self.state else { return Awaits::Entry };
        let mut moves = Vec::new();
        state.moves(&mut moves);
        match moves.first() {
            Some(safest) if state.to_move() == self.own && G::mended(state).audit().is_err() => {
                self.played(safest, out)
            }
            _ => self.step(),
        }
    }
}

impl<G: Alternating> Player<G> for AlternatingPlayer<G> {
    fn start(&mut self, _: &mut Lines) -> PlayerAwaits<G> {
        Awaits::Entry
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<G>, ProtocolError> {
        let mut next = Self { opponent_move_unread: false, ..self.clone() };
        next.read(line)?;
        *self = next;
        Ok(self.step_or_move(out))
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<G> {
        self.read_leniently(line.unwrap_or_default());
        self.step_or_move(out)
    }

    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<G> {
        if std::mem::take(&mut self.opponent_move_unread)
            && let Some(state) = &mut self.state
            && state.to_move() != self.own
        {
            G::pass(state);
        }
        self.step_or_move(out)
    }

    fn played(&mut self, mv: &G::Move, out: &mut Lines) -> PlayerAwaits<G> {
        out.push(mv.to_string());
        if let Some(state) = &mut self.state {
            play_or_pass::<G>(state, mv);
        }
        self.step()
    }
}

/// The referee's side: writes the start and the opponent's moves. Checks no legality.
pub struct AlternatingReferee {
    seat: Seat,
}

impl AlternatingReferee {
    /// The referee's side for the bot of this seat.
    pub fn new(seat: Seat) -> Self {
        Self { seat }
    }
}

impl<G: Alternating> Referee<G> for AlternatingReferee {
    fn open(&mut self, state: &G::State, out: &mut Lines) {
        let seat = if self.seat == Seat(0) { G::FIRST } else { Some(G::SECOND) };
        out.extend(seat.map(str::to_owned));
        let numbers: Vec<String> = G::numbers(state).iter().map(u8::to_string).collect();
        out.extend((!numbers.is_empty()).then(|| numbers.join(" ")));
    }

    fn prompt(&mut self, _: &G::State, _: Option<Duration>, _: &mut Lines) {}

    fn line(&mut self, _: &G::State, line: &str) -> Result<Option<G::Move>, ProtocolError> {
        line.parse().map(Some).map_err(|e: <G::Move as std::str::FromStr>::Err| ProtocolError(e.to_string()))
    }

    fn moved(&mut self, _: &G::State, by: Seat, mv: &G::Move, _: &G::State, out: &mut Lines) {
        if by != self.seat {
            out.push(mv.to_string());
        }
    }
}
