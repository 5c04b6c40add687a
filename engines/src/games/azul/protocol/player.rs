//! The bot's side: says what it wants to read, puts turns together from lines, follows the match where it is told
//! updates only.

use std::time::Duration;

use super::text::{Told, Unread, read};
use super::{Input, Update};
use crate::game::{BadOptions, Seat, Viewer};
use crate::games::azul::rules::{COLOURS, Counts, Move, Position};
use crate::games::azul::{Azul, View};
use crate::protocol::{Lines, Player, ProtocolError, Settings, Step};

/// The bot's side.
pub struct Bot {
    input: Input,
    opened: bool,
    /// Words of the turn that is being read.
    words: Vec<String>,
    /// The own seat, known from the first turn on.
    seat: Option<Seat>,
    /// The position after all that is known; bare between a round's end and the refill that is told later.
    position: Position,
    thinking: bool,
}

impl Bot {
    /// A dialogue with these settings, see [`Azul`].
    ///
    /// # Errors
    /// When a setting is unknown or has no such value.
    pub fn new(settings: &Settings) -> Result<Self, BadOptions> {
        settings.only(&["input", "opened"])?;
        let word = settings.choice("input", &Input::WORDS)?;
        let input = Input::of_word(word).unwrap_or(Input::State);
        let opened = settings.choice("opened", &["no", "yes"])? == "yes";
        let position = Position::empty();
        Ok(Self { input, opened, words: Vec::new(), seat: None, position, thinking: false })
    }

    /// The seat: kept from the first turn, which tells it. The first player's first turn follows a refill alone, the
    /// second's a refill and a move. A dialogue that begins in the middle of a match does not tell it; it is seat 0
    /// then, which changes no decision, since nothing depends on seats but the begin of the match.
    fn seat(&mut self, told: &Told) -> Seat {
        *self.seat.get_or_insert_with(|| {
            let second = match &told.seen {
                Some(seen) => seen.is_second_turn(),
                None => told.updates.iter().any(|u| matches!(u, Update::Move(_))),
            };
            Seat(u8::from(second))
        })
    }

    /// A turn was read completely.
    fn turn(&mut self, told: &Told) -> Result<Step<Azul>, ProtocolError> {
        let seat = self.seat(told);
        match &told.seen {
            // The position is complete, so it is believed whatever the updates beside it say.
            Some(seen) => self.position = seen.at(seat),
            None => self.follow(&told.updates, seat)?,
        }
        self.position.audit().map_err(|e| ProtocolError(format!("the position cannot be: {e}")))?;
        if self.position.is_over() {
            return Err(ProtocolError::new("a turn came though the match is over"));
        }
        self.thinking = true;
        let view = Box::new(View::new(self.position, Viewer::Seat(seat)));
        Ok(Step::Think { view, clock: Some(Duration::from_millis(told.clock_ms)) })
    }

    /// Applies updates until it is the own turn. Refills and moves may come mixed in any order: a refill fits only
    /// when the table is bare, a move only when it is not.
    fn follow(&mut self, updates: &[Update], seat: Seat) -> Result<(), ProtocolError> {
        let mut restocks = updates.iter().filter_map(|u| match u {
            Update::Restock(displays) => Some(displays),
            Update::Move(_) => None,
        });
        let mut moves = updates.iter().filter_map(|u| match u {
            Update::Move(mv) => Some(mv),
            Update::Restock(_) => None,
        });
        loop {
            if self.position.is_bare() && !self.position.has_row() {
                let displays = restocks.next().ok_or_else(|| ProtocolError::new("no refill was told"))?;
                self.restock(displays)?;
            } else if self.position.is_bare() || self.position.to_move == seat {
                break;
            } else {
                let mv =
                    moves.next().ok_or_else(|| ProtocolError::new("no move of the opponent was told"))?;
                if !self.position.allows(mv) {
                    return Err(ProtocolError(format!("the opponent cannot play {mv} here")));
                }
                self.play(mv);
            }
        }
        match (restocks.next(), moves.next()) {
            (None, None) => Ok(()),
            (Some(_), _) => Err(ProtocolError::new("a refill was told while there are tiles on the table")),
            (None, Some(mv)) => Err(ProtocolError(format!("the move {mv} was told out of turn"))),
        }
    }

    fn restock(&mut self, displays: &[Counts; 5]) -> Result<(), ProtocolError> {
        if displays.contains(&[0; COLOURS]) {
            return Err(ProtocolError::new("a refill leaves no display empty"));
        }
        self.position.sources[1..].copy_from_slice(displays);
        self.position.audit().map_err(|e| ProtocolError(format!("the refill cannot be: {e}")))
    }

    fn play(&mut self, mv: &Move) {
        self.position.take(mv);
        if self.position.is_bare() {
            self.position.end_round();
        }
    }
}

impl Player<Azul> for Bot {
    fn start(&mut self, out: &mut Lines) -> Step<Azul> {
        if !self.opened {
            out.push(self.input.word().to_owned());
        }
        Step::Listen
    }

    fn line(&mut self, line: &str, _: &mut Lines) -> Result<Step<Azul>, ProtocolError> {
        if self.thinking {
            return Err(ProtocolError::new("a line came before the move was made"));
        }
        self.words.extend(line.split_whitespace().map(str::to_owned));
        if self.words.is_empty() {
            return Ok(Step::Listen);
        }
        match read(self.input, &self.words) {
            Ok(told) => {
                self.words.clear();
                self.turn(&told)
            }
            Err(Unread::More) => Ok(Step::Listen),
            Err(Unread::Wrong(e)) => Err(e),
        }
    }

    fn eof(&mut self) -> Result<Step<Azul>, ProtocolError> {
        if self.words.is_empty() {
            Ok(Step::Bye)
        } else {
            Err(ProtocolError::new("the input ended within a turn"))
        }
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> Step<Azul> {
        out.push(mv.to_string());
        self.thinking = false;
        self.play(mv);
        Step::Listen
    }
}
