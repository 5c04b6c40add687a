//! The bot's side: says what it wants to read, puts turns together from lines, follows the match where it is told
//! updates only. What the referee tells against the rules is believed as far as it can be.

use std::time::Duration;

use super::reading::{reading, safest};
use super::text::{Care, Told, Unread, read};
use super::{Input, Update};
use crate::game::{BadOptions, Seat, Viewer};
use crate::games::azul::rules::{COLOURS, Counts, FLOOR, Move, Position, SOURCES};
use crate::games::azul::{Azul, View};
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Settings};

/// How long the rest of a turn is waited for after a word in it that cannot be.
const PATIENCE: Duration = Duration::from_millis(200);
/// More words than a turn has.
const MOST_WORDS: usize = 400;

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
    /// Whether the turn that is being read holds a word that cannot be.
    lenient: bool,
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
        Ok(Self { input, opened, words: Vec::new(), seat: None, position, thinking: false, lenient: false })
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
    ///
    /// # Errors
    /// When the match cannot have come to it; nothing has changed then.
    fn turn(&mut self, told: &Told) -> Result<PlayerAwaits<Azul>, ProtocolError> {
        let before = (self.position, self.seat);
        let seat = self.seat(told);
        let followed = match &told.seen {
            // The position is complete, so it is believed whatever the updates beside it say.
            Some(seen) => {
                self.position = seen.at(seat);
                Ok(())
            }
            None => self.follow(&told.updates, seat),
        };
        if let Err(e) = followed.and_then(|()| self.check()) {
            (self.position, self.seat) = before;
            return Err(e);
        }
        Ok(self.think(seat, told.clock_ms))
    }

    fn check(&self) -> Result<(), ProtocolError> {
        self.position.audit().map_err(|e| ProtocolError(format!("the position cannot be: {e}")))?;
        if self.position.is_over() {
            return Err(ProtocolError::new("a turn came though the match is over"));
        }
        Ok(())
    }

    fn think(&mut self, seat: Seat, clock_ms: u64) -> PlayerAwaits<Azul> {
        self.thinking = true;
        let view = Box::new(View::new(self.position, Viewer::Seat(seat)));
        Awaits::Decision(PlayerDecision { view, clock: Some(Duration::from_millis(clock_ms)) })
    }

    /// Reads the words of a turn that holds what cannot be, as well as they can be read.
    fn read_leniently(&mut self, words: Vec<String>, out: &mut Lines) -> PlayerAwaits<Azul> {
        match read(self.input, &words, Care::Lenient) {
            Ok(told) => return self.turn_leniently(&told, out),
            Err(Unread::More) if words.len() < MOST_WORDS => self.words = words,
            // The line is passed over.
            Err(_) => {}
        }
        self.lenient = !self.words.is_empty();
        if self.lenient { Awaits::EntryWithin(PATIENCE) } else { Awaits::Entry }
    }

    /// A turn that cannot be was read: the nearest position that can be, or else the safest move at once.
    fn turn_leniently(&mut self, told: &Told, out: &mut Lines) -> PlayerAwaits<Azul> {
        self.words.clear();
        self.lenient = false;
        let seat = self.seat(told);
        match &told.seen {
            Some(seen) => self.position = seen.at(seat),
            None => self.follow_leniently(&told.updates, seat),
        }
        self.position.to_move = seat;
        let sure = told.seen.as_ref().is_none_or(|seen| seen.sure);
        match reading(&self.position, seat) {
            Some(position) if sure => {
                self.position = position;
                self.think(seat, told.clock_ms)
            }
            _ => self.played(&safest(&self.position, seat, sure), out),
        }
    }

    /// Does what the updates say, in their order, whatever the rules say.
    fn follow_leniently(&mut self, updates: &[Update], seat: Seat) {
        for update in updates {
            match update {
                Update::Restock(displays) => {
                    if !self.position.is_bare() {
                        self.position.sources = [[0; COLOURS]; SOURCES];
                        self.position.end_round();
                    }
                    self.position.sources[1..].copy_from_slice(displays);
                }
                Update::Move(mv) => {
                    self.position.to_move = seat.other();
                    self.play(mv);
                }
            }
        }
    }

    /// The words of the turn so far, and those of this line.
    fn with(&self, line: &str) -> Vec<String> {
        self.words.iter().cloned().chain(line.split_whitespace().map(str::to_owned)).collect()
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

    /// Plays a move. Tiles that the rules do not allow on their line went to the floor; tiles that are not there
    /// cannot be taken.
    fn play(&mut self, mv: &Move) {
        let there = self.position.sources[usize::from(mv.display)][mv.colour.index()] > 0;
        if self.position.allows(mv) {
            self.position.take(mv);
        } else if there {
            self.position.take(&Move { line: FLOOR, ..*mv });
        } else {
            self.position.to_move = self.position.to_move.other();
            return;
        }
        if self.position.is_bare() {
            self.position.end_round();
        }
    }
}

impl Player<Azul> for Bot {
    fn start(&mut self, out: &mut Lines) -> PlayerAwaits<Azul> {
        if !self.opened {
            out.push(self.input.word().to_owned());
        }
        Awaits::Entry
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Azul>, ProtocolError> {
        if self.thinking {
            return Err(ProtocolError::new("a line came before the move was made"));
        }
        let words = self.with(line);
        if words.is_empty() {
            return Ok(Awaits::Entry);
        }
        if self.lenient {
            return Ok(self.read_leniently(words, out));
        }
        match read(self.input, &words, Care::Strict) {
            Ok(told) => {
                let step = self.turn(&told)?;
                self.words.clear();
                Ok(step)
            }
            Err(Unread::More) => {
                self.words = words;
                Ok(Awaits::Entry)
            }
            Err(Unread::Wrong(e)) => Err(e),
        }
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Azul> {
        match line {
            Some(line) if !self.thinking => {
                let words = self.with(line);
                self.read_leniently(words, out)
            }
            _ => Awaits::Entry,
        }
    }

    /// The rest of a turn that could not be read does not come: it is answered by what is known.
    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<Azul> {
        if !self.lenient {
            return Awaits::Entry;
        }
        let mut words = std::mem::take(&mut self.words);
        words.resize(words.len() + MOST_WORDS, "?".to_owned());
        match read(self.input, &words, Care::Lenient) {
            Ok(told) => self.turn_leniently(&told, out),
            Err(_) => self.turn_leniently(&Told { clock_ms: 0, updates: Vec::new(), seen: None }, out),
        }
    }

    fn eof(&mut self) -> Result<PlayerAwaits<Azul>, ProtocolError> {
        if self.words.is_empty() {
            Ok(Awaits::Nothing)
        } else {
            Err(ProtocolError::new("the input ended within a turn"))
        }
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Azul> {
        out.push(mv.to_string());
        self.thinking = false;
        self.play(mv);
        Awaits::Entry
    }
}
