//! The bot's side: prints the input format, joins lines to turns, and follows the match by updates if it reads nothing
//! else. If the referee contradicts the rules, it plays on with the nearest possible position.

use std::time::Duration;

use super::repair::{nearest_position, safest_move};
use super::text::{ReadMode, TurnError, TurnInput, read};
use super::{InputFormat, TableUpdate};
use crate::game::{BadOptions, Seat, Viewer};
use crate::games::azul::rules::{COLOURS, Counts, FLOOR, Move, Position, SOURCES};
use crate::games::azul::{Azul, View};
use crate::protocol::{Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Settings};

/// How long the bot waits for the rest of a turn after an impossible word in it.
const REST_OF_TURN_TIMEOUT: Duration = Duration::from_millis(200);
/// Limit for the words of a turn; real turns are shorter.
const MOST_WORDS: usize = 400;

/// The bot's side.
pub(crate) struct PlayerDialogue {
    format: InputFormat,
    /// Whether the first word is already printed.
    opened: bool,
    /// Words read of the current turn.
    words: Vec<String>,
    /// The own seat; `None` before the first turn.
    seat: Option<Seat>,
    /// The position after everything read so far; bare between the end of a round and the next refill.
    position: Position,
    /// Whether a decision is due.
    thinking: bool,
    /// Whether the current turn contains an impossible word.
    lenient: bool,
}

impl PlayerDialogue {
    /// A dialogue with these settings; see [`Azul`].
    ///
    /// # Errors
    /// If a setting is unknown or its value is not allowed.
    pub(crate) fn new(settings: &Settings) -> Result<Self, BadOptions> {
        settings.only(&["input", "opened"])?;
        let word = settings.choice("input", &InputFormat::WORDS)?;
        let format = InputFormat::of_word(word).unwrap_or(InputFormat::State);
        let opened = settings.choice("opened", &["no", "yes"])? == "yes";
        let position = Position::empty();
        Ok(Self { format, opened, words: Vec::new(), seat: None, position, thinking: false, lenient: false })
    }

    /// The own seat, found out from the first turn: before it the first player has seen only a refill, the second player
    /// a refill and a move. A dialogue that begins in mid-match does not reveal the seat, so seat 0 is assumed. That
    /// changes no decision, because seats only determine the player who begins the match.
    fn seat(&mut self, turn: &TurnInput) -> Seat {
        *self.seat.get_or_insert_with(|| {
            let second = match &turn.position {
                Some(position) => position.is_second_turn(),
                None => turn.updates.iter().any(|u| matches!(u, TableUpdate::Move(_))),
            };
            Seat(u8::from(second))
        })
    }

    /// Applies a turn that was read completely.
    ///
    /// # Errors
    /// If the turn contradicts the match so far. Nothing has changed then.
    fn turn(&mut self, turn: &TurnInput) -> Result<PlayerAwaits<Azul>, ProtocolError> {
        let before = (self.position, self.seat);
        let seat = self.seat(turn);
        let followed = match &turn.position {
            // The position is complete, so it overrides the updates.
            Some(position) => {
                self.position = position.at(seat);
                Ok(())
            }
            None => self.follow(&turn.updates, seat),
        };
        if let Err(e) = followed.and_then(|()| self.check()) {
            (self.position, self.seat) = before;
            return Err(e);
        }
        Ok(self.think(seat, turn.clock_ms))
    }

    fn check(&self) -> Result<(), ProtocolError> {
        self.position.audit().map_err(|e| ProtocolError(format!("the position is impossible: {e}")))?;
        if self.position.is_over() {
            return Err(ProtocolError::new("a turn came after the end of the match"));
        }
        Ok(())
    }

    fn think(&mut self, seat: Seat, clock_ms: u64) -> PlayerAwaits<Azul> {
        self.thinking = true;
        let view = Box::new(View::new(self.position, Viewer::Seat(seat)));
        Awaits::Decision(PlayerDecision { view, clock: Some(Duration::from_millis(clock_ms)) })
    }

    /// Reads a turn with impossible words as far as possible; `before`: the number of its words before the last line.
    fn read_leniently(&mut self, before: usize, out: &mut Lines) -> PlayerAwaits<Azul> {
        match read(self.format, &self.words, ReadMode::Lenient) {
            Ok(turn) => return self.turn_leniently(&turn, out),
            Err(TurnError::Incomplete) if self.words.len() < MOST_WORDS => {}
            // Ignore the line.
            Err(_) => self.words.truncate(before),
        }
        self.lenient = !self.words.is_empty();
        if self.lenient { Awaits::EntryWithin(REST_OF_TURN_TIMEOUT) } else { Awaits::Entry }
    }

    /// Applies a turn that contradicts the match: asks for a decision on the nearest possible position, or plays the
    /// safest move at once if there is none.
    fn turn_leniently(&mut self, turn: &TurnInput, out: &mut Lines) -> PlayerAwaits<Azul> {
        self.words.clear();
        self.lenient = false;
        let seat = self.seat(turn);
        match &turn.position {
            Some(position) => self.position = position.at(seat),
            None => self.follow_leniently(&turn.updates, seat),
        }
        self.position.to_move = seat;
        let legality_known = turn.position.as_ref().is_none_or(|position| position.legality_known);
        match nearest_position(&self.position, seat) {
            Some(position) if legality_known => {
                self.position = position;
                self.think(seat, turn.clock_ms)
            }
            _ => self.played(&safest_move(&self.position, seat, legality_known), out),
        }
    }

    /// Applies the updates in order, even against the rules.
    fn follow_leniently(&mut self, updates: &[TableUpdate], seat: Seat) {
        for update in updates {
            match update {
                TableUpdate::Restock(displays) => {
                    if !self.position.is_bare() {
                        self.position.sources = [[0; COLOURS]; SOURCES];
                        self.position.end_round();
                    }
                    self.position.sources[1..].copy_from_slice(displays);
                }
                TableUpdate::Move(mv) => {
                    self.position.to_move = seat.other();
                    self.play(mv);
                }
            }
        }
    }

    /// Adds the words of this line to those of the turn so far. Returns how many there were before.
    fn add_words(&mut self, line: &str) -> usize {
        let before = self.words.len();
        self.words.extend(line.split_whitespace().map(str::to_owned));
        before
    }

    /// Applies updates until it is the own turn. Refills and moves may come in any order, because a refill fits only a
    /// bare table and a move only a table with tiles.
    fn follow(&mut self, updates: &[TableUpdate], seat: Seat) -> Result<(), ProtocolError> {
        let mut restocks = updates.iter().filter_map(|u| match u {
            TableUpdate::Restock(displays) => Some(displays),
            TableUpdate::Move(_) => None,
        });
        let mut moves = updates.iter().filter_map(|u| match u {
            TableUpdate::Move(mv) => Some(mv),
            TableUpdate::Restock(_) => None,
        });
        loop {
            if self.position.is_bare() && !self.position.has_row() {
                let displays = restocks.next().ok_or_else(|| ProtocolError::new("the refill is missing"))?;
                self.restock(displays)?;
            } else if self.position.is_bare() || self.position.to_move == seat {
                break;
            } else {
                let mv = moves.next().ok_or_else(|| ProtocolError::new("the opponent's move is missing"))?;
                if !self.position.allows(mv) {
                    return Err(ProtocolError(format!("the opponent cannot play {mv} here")));
                }
                self.play(mv);
            }
        }
        match (restocks.next(), moves.next()) {
            (None, None) => Ok(()),
            (Some(_), _) => Err(ProtocolError::new("a refill came while there are tiles on the table")),
            (None, Some(mv)) => Err(ProtocolError(format!("the move {mv} came out of turn"))),
        }
    }

    fn restock(&mut self, displays: &[Counts; 5]) -> Result<(), ProtocolError> {
        if displays.contains(&[0; COLOURS]) {
            return Err(ProtocolError::new("a refill leaves no display empty"));
        }
        self.position.sources[1..].copy_from_slice(displays);
        self.position.audit().map_err(|e| ProtocolError(format!("the refill is impossible: {e}")))
    }

    /// Plays a move. Tiles on a line that is closed to them go to the floor. A move of missing tiles only passes the
    /// turn.
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

impl Player<Azul> for PlayerDialogue {
    fn start(&mut self, out: &mut Lines) -> PlayerAwaits<Azul> {
        if !self.opened {
            out.push(self.format.word().to_owned());
        }
        Awaits::Entry
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Azul>, ProtocolError> {
        if self.thinking {
            return Err(ProtocolError::new("a line came before the bot had moved"));
        }
        let before = self.add_words(line);
        if self.words.is_empty() {
            return Ok(Awaits::Entry);
        }
        if self.lenient {
            return Ok(self.read_leniently(before, out));
        }
        let step = match read(self.format, &self.words, ReadMode::Strict) {
            Ok(turn) => self.turn(&turn),
            Err(TurnError::Incomplete) => return Ok(Awaits::Entry),
            Err(TurnError::Invalid(e)) => Err(e),
        };
        self.words.truncate(if step.is_ok() { 0 } else { before });
        step
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Azul> {
        match line {
            Some(line) if !self.thinking => {
                let before = self.add_words(line);
                self.read_leniently(before, out)
            }
            _ => Awaits::Entry,
        }
    }

    /// Answers with what the bot knows, since the rest of an unreadable turn does not come.
    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<Azul> {
        if !self.lenient {
            return Awaits::Entry;
        }
        let mut words = std::mem::take(&mut self.words);
        words.resize(words.len() + MOST_WORDS, "?".to_owned());
        match read(self.format, &words, ReadMode::Lenient) {
            Ok(turn) => self.turn_leniently(&turn, out),
            Err(_) => {
                self.turn_leniently(&TurnInput { clock_ms: 0, updates: Vec::new(), position: None }, out)
            }
        }
    }

    fn eof(&mut self) -> Result<PlayerAwaits<Azul>, ProtocolError> {
        if self.words.is_empty() {
            Ok(Awaits::Nothing)
        } else {
            Err(ProtocolError::new("the input ended in the middle of a turn"))
        }
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Azul> {
        out.push(mv.to_string());
        self.thinking = false;
        self.play(mv);
        Awaits::Entry
    }
}
