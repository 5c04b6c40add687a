//! Writes and reads the words of a turn: the updates and the position. Must not know the course of the dialogue.

use super::{InputFormat, TableUpdate};
use crate::game::Seat;
use crate::games::azul::rules::{Board, COLOURS, Colour, Counts, FLOOR, Line, Move, Position, ROWS};
use crate::games::azul::view::{read_wall_row, wall_row};
use crate::protocol::{Lines, ProtocolError};

/// Limit for the number of updates. A real turn has at most three: a move, a refill and a move.
const MOST_UPDATES: usize = 8;

fn spaced<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|i| i.to_string()).collect::<Vec<_>>().join(" ")
}

/// Writes the number of updates, then the updates.
pub(super) fn write_updates(updates: &[TableUpdate], out: &mut Lines) {
    out.push(updates.len().to_string());
    for update in updates {
        match update {
            TableUpdate::Restock(displays) => {
                out.push("restock".to_owned());
                out.extend(displays.iter().map(spaced));
            }
            TableUpdate::Move(mv) => {
                out.push("move".to_owned());
                out.push(mv.to_string());
            }
        }
    }
}

/// Writes the position for the bot of `seat`.
pub(super) fn write_state(position: &Position, seat: Seat, out: &mut Lines) {
    let [centre, displays @ ..] = &position.sources;
    out.push(spaced(centre.iter().copied().chain([u8::from(position.marker.is_none())])));
    out.extend(displays.iter().map(spaced));
    let holder = match position.marker {
        None => "none",
        Some(holder) if holder == seat => "you",
        Some(_) => "opponent",
    };
    out.push(holder.to_owned());
    for owner in [seat, seat.other()] {
        let board = &position.boards[owner.index()];
        for line in &board.lines {
            let letter = if line.count > 0 { Colour::ALL[usize::from(line.colour)].letter() } else { '.' };
            out.push(format!("{} {letter}", line.count));
        }
        out.extend((0..ROWS).map(|row| spaced(wall_row(board.wall, row))));
        out.push(format!("{} {}", board.floor, board.score));
    }
}

/// One turn's input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TurnInput {
    /// Milliseconds left for all remaining turns.
    pub clock_ms: u64,
    /// The events since the last turn; empty if the bot did not ask for updates.
    pub updates: Vec<TableUpdate>,
    /// The position; `None` if the bot did not ask for it.
    pub position: Option<RelativePosition>,
}

/// A position in the view of the seat to move. It does not name the seats.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RelativePosition {
    centre: Counts,
    displays: [Counts; 5],
    /// The holder of the marker: `true` for the reader, `false` for the opponent, `None` while it is in the centre.
    marker: Option<bool>,
    own: Board,
    other: Board,
    /// Whether displays, centre and the own board, which decide the legal moves, were read without a guess.
    pub legality_known: bool,
}

impl RelativePosition {
    /// Whether this can only be the second player's first turn: the opponent has made the only move of the match.
    pub(super) fn is_second_turn(&self) -> bool {
        let untouched = |b: &Board| *b == Board::default();
        let full = self.displays.iter().filter(|d| **d != [0; COLOURS]).count();
        untouched(&self.own) && !untouched(&self.other) && full == 4 && self.other.wall.tiles() == 0
    }

    /// The position if the reader has this seat.
    pub(super) fn at(&self, seat: Seat) -> Position {
        let mut position = Position::empty();
        position.sources[0] = self.centre;
        position.sources[1..].copy_from_slice(&self.displays);
        position.marker = self.marker.map(|own| if own { seat } else { seat.other() });
        position.boards[seat.index()] = self.own;
        position.boards[seat.other().index()] = self.other;
        position.to_move = seat;
        position
    }
}

/// The treatment of impossible words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadMode {
    /// Refuse them.
    Strict,
    /// Read them as the nearest possible value.
    Lenient,
}

/// Takes the words of a turn one by one.
struct WordReader<'w> {
    rest: std::slice::Iter<'w, String>,
    mode: ReadMode,
    /// Number of words that were replaced by a guess.
    guessed: u32,
}

/// The reason why the words are not a turn.
pub(super) enum TurnError {
    /// More words must come.
    Incomplete,
    /// No further word can make this a turn.
    Invalid(ProtocolError),
}

type ReadResult<T> = Result<T, TurnError>;

fn wrong<T>(word: &str, expected: &str) -> ReadResult<T> {
    let word: String = word.chars().take(40).collect();
    Err(TurnError::Invalid(ProtocolError(format!("{word:?} came where {expected} was expected"))))
}

impl<'w> WordReader<'w> {
    fn next(&mut self) -> ReadResult<&'w str> {
        self.rest.next().map(String::as_str).ok_or(TurnError::Incomplete)
    }

    /// Replaces an impossible word by `guess`, or refuses it in strict mode.
    fn guess<T>(&mut self, guess: T, word: &str, expected: &str) -> ReadResult<T> {
        if self.mode == ReadMode::Strict {
            return wrong(word, expected);
        }
        self.guessed += 1;
        Ok(guess)
    }

    fn number(&mut self, most: u8, expected: &str) -> ReadResult<u8> {
        let word = self.next()?;
        match word.parse::<i64>() {
            Ok(n) if (0..=i64::from(most)).contains(&n) && !word.starts_with('-') => Ok(n as u8),
            Ok(n) => self.guess(n.clamp(0, i64::from(most)) as u8, word, expected),
            Err(_) => self.guess(0, word, expected),
        }
    }

    fn counts(&mut self) -> ReadResult<Counts> {
        let mut counts = [0; COLOURS];
        for n in &mut counts {
            *n = self.number(20, "a number of tiles, 0 to 20,")?;
        }
        Ok(counts)
    }

    fn displays(&mut self) -> ReadResult<[Counts; 5]> {
        let mut displays = [[0; COLOURS]; 5];
        for display in &mut displays {
            *display = self.counts()?;
        }
        Ok(displays)
    }

    /// An update; `None` for a move whose tiles cannot be guessed.
    fn update(&mut self) -> ReadResult<Option<TableUpdate>> {
        match self.next()? {
            "restock" => Ok(Some(TableUpdate::Restock(self.displays()?))),
            "move" => {
                let (display, colour, line) = (self.next()?, self.next()?, self.next()?);
                let text = format!("{display} {colour} {line}");
                match text.parse() {
                    Ok(mv) => Ok(Some(TableUpdate::Move(mv))),
                    // The line of the opponent's tiles matters little, but the tiles have left their source.
                    Err(e) => {
                        let gone: Option<Move> = format!("{display} {colour} {FLOOR}").parse().ok();
                        self.guess(gone.map(TableUpdate::Move), &text, &e)
                    }
                }
            }
            word => wrong(word, "'restock' or 'move'"),
        }
    }

    fn board(&mut self) -> ReadResult<Board> {
        let mut board = Board::default();
        for line in &mut board.lines {
            let count = self.number(5, "a number of tiles on a line, 0 to 5,")?;
            let letter = self.next()?;
            *line = match (count, Colour::of_letter(letter)) {
                (0, None) if letter == "." => Line::default(),
                (1.., Some(colour)) => Line { count, colour: colour as u8 },
                _ => self.guess(Line::default(), letter, "the colour of a line ('.' when it is empty)")?,
            };
        }
        for row in 0..ROWS {
            self.wall_row(&mut board, row)?;
        }
        // Tiles past the seventh slot cost nothing, so a longer floor line is a full one.
        board.floor = self.number(u8::MAX, "the length of a floor line")?.min(7);
        let score = self.next()?;
        board.score = match score.parse() {
            Ok(score) => score,
            Err(_) => self.guess(0, score, "a score")?,
        };
        Ok(board)
    }

    fn wall_row(&mut self, board: &mut Board, row: usize) -> ReadResult<()> {
        let mut letters = String::new();
        for _ in 0..ROWS {
            letters += self.next()?;
        }
        if let Err(e) = read_wall_row(&mut board.wall, row, letters.chars()) {
            // Valid tiles before the error stay on the wall.
            self.guess((), &letters, &format!("a row of a wall ({e})"))?;
        }
        Ok(())
    }

    fn position(&mut self) -> ReadResult<RelativePosition> {
        let centre = self.counts()?;
        let marker_in_centre = self.number(1, "0 or 1 for the marker")?;
        let displays = self.displays()?;
        let table_known = self.guessed == 0;
        let marker = match (self.next()?, marker_in_centre) {
            ("none", 1) => None,
            ("you", 0) => Some(true),
            ("opponent", 0) => Some(false),
            (word, _) => {
                let guess = ["you", "opponent"].contains(&word).then_some(word == "you");
                self.guess(guess, word, "the marker's holder ('none' if and only if it is in the centre)")?
            }
        };
        let before = self.guessed;
        let own = self.board()?;
        let legality_known = table_known && self.guessed == before;
        Ok(RelativePosition { centre, displays, marker, own, other: self.board()?, legality_known })
    }
}

/// Reads a turn.
///
/// # Errors
/// [`TurnError::Incomplete`] if words are missing, [`TurnError::Invalid`] at an impossible word. In lenient mode only a
/// missing number of milliseconds or an update of an unknown kind is invalid.
pub(super) fn read(format: InputFormat, words: &[String], mode: ReadMode) -> ReadResult<TurnInput> {
    let mut reader = WordReader { rest: words.iter(), mode, guessed: 0 };
    let word = reader.next()?;
    // A negative number means that the time has run out.
    let clock_ms = match word.parse::<i64>() {
        Ok(ms) => u64::try_from(ms).unwrap_or(0),
        Err(_) => return wrong(word, "a number of milliseconds"),
    };
    let mut updates = Vec::new();
    if format.has_updates() {
        let count = reader.number(MOST_UPDATES as u8, "a number of updates, at most 8,")?;
        for _ in 0..count {
            updates.extend(reader.update()?);
        }
    }
    reader.guessed = 0;
    let position = if format.has_state() { Some(reader.position()?) } else { None };
    match reader.rest.next() {
        Some(word) if mode == ReadMode::Strict => wrong(word, "the end of the turn"),
        _ => Ok(TurnInput { clock_ms, updates, position }),
    }
}
