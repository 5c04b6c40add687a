//! The texts of a turn, word by word: writing and reading the updates and the position. Knows no dialogue.

use super::{Input, Update};
use crate::game::Seat;
use crate::games::azul::rules::{Board, COLOURS, Colour, Counts, FLOOR, Line, Move, Position, ROWS};
use crate::games::azul::view::{read_wall_row, wall_row};
use crate::protocol::{Lines, ProtocolError};

/// More updates than a turn can hold: at most the end of a round, a refill and the first move of the next.
const MOST_UPDATES: usize = 8;

fn spaced<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|i| i.to_string()).collect::<Vec<_>>().join(" ")
}

/// Writes the updates with their number before them.
pub fn write_updates(updates: &[Update], out: &mut Lines) {
    out.push(updates.len().to_string());
    for update in updates {
        match update {
            Update::Restock(displays) => {
                out.push("restock".to_owned());
                out.extend(displays.iter().map(spaced));
            }
            Update::Move(mv) => {
                out.push("move".to_owned());
                out.push(mv.to_string());
            }
        }
    }
}

/// Writes the position as `seat` reads it.
pub fn write_state(position: &Position, seat: Seat, out: &mut Lines) {
    let [centre, displays @ ..] = &position.sources;
    out.push(spaced(centre.iter().copied().chain([u8::from(position.marker.is_none())])));
    out.extend(displays.iter().map(spaced));
    let holder = match position.marker {
        None => "none",
        Some(holder) if holder == seat => "you",
        Some(_) => "opponent",
    };
    out.push(holder.to_owned());
    for who in [seat, seat.other()] {
        let board = &position.boards[who.index()];
        for line in &board.lines {
            let letter = if line.count > 0 { Colour::ALL[usize::from(line.colour)].letter() } else { '.' };
            out.push(format!("{} {letter}", line.count));
        }
        out.extend((0..ROWS).map(|row| spaced(wall_row(board.wall, row))));
        out.push(format!("{} {}", board.floor, board.score));
    }
}

/// A turn as it was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    /// Milliseconds left for all remaining turns.
    pub clock_ms: u64,
    /// What has happened, as far as it was asked for.
    pub updates: Vec<Update>,
    /// The position, if it was asked for.
    pub seen: Option<Seen>,
}

/// A position as the one to move reads it: it does not tell seats.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    centre: Counts,
    displays: [Counts; 5],
    /// Who holds the marker: the reader (`true`), the opponent, nobody.
    marker: Option<bool>,
    own: Board,
    other: Board,
    /// Whether everything that decides which moves are legal was read unchanged: displays, centre and the own board.
    pub sure: bool,
}

impl Seen {
    /// Whether this can only be the second player's first turn: the opponent has moved and nobody else ever has.
    pub fn is_second_turn(&self) -> bool {
        let untouched = |b: &Board| *b == Board::default();
        let full = self.displays.iter().filter(|d| **d != [0; COLOURS]).count();
        untouched(&self.own) && !untouched(&self.other) && full == 4 && self.other.wall.tiles() == 0
    }

    /// The position, the reader being `seat`.
    pub fn at(&self, seat: Seat) -> Position {
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

/// How words that cannot be are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// They are refused.
    Strict,
    /// They are read as the nearest that can be.
    Lenient,
}

/// Words read so far, taken one by one.
struct Words<'w> {
    left: std::slice::Iter<'w, String>,
    care: Care,
    /// How many words were not read as they stand.
    guessed: u32,
}

/// Why no turn came out of the words.
pub enum Unread {
    /// There are more words to come.
    More,
    /// This cannot be.
    Wrong(ProtocolError),
}

type Read<T> = Result<T, Unread>;

fn wrong<T>(word: &str, expected: &str) -> Read<T> {
    let word: String = word.chars().take(40).collect();
    Err(Unread::Wrong(ProtocolError(format!("{word:?} came where {expected} was expected"))))
}

impl<'w> Words<'w> {
    fn next(&mut self) -> Read<&'w str> {
        self.left.next().map(String::as_str).ok_or(Unread::More)
    }

    /// The guess in the stead of a word that cannot be, or the refusal of the word.
    fn guess<T>(&mut self, guess: T, word: &str, expected: &str) -> Read<T> {
        if self.care == Care::Strict {
            return wrong(word, expected);
        }
        self.guessed += 1;
        Ok(guess)
    }

    fn number(&mut self, most: u8, expected: &str) -> Read<u8> {
        let word = self.next()?;
        match word.parse::<i64>() {
            Ok(n) if (0..=i64::from(most)).contains(&n) && !word.starts_with('-') => Ok(n as u8),
            Ok(n) => self.guess(n.clamp(0, i64::from(most)) as u8, word, expected),
            Err(_) => self.guess(0, word, expected),
        }
    }

    fn counts(&mut self) -> Read<Counts> {
        let mut counts = [0; COLOURS];
        for n in &mut counts {
            *n = self.number(20, "a number of tiles, 0 to 20,")?;
        }
        Ok(counts)
    }

    fn displays(&mut self) -> Read<[Counts; 5]> {
        let mut displays = [[0; COLOURS]; 5];
        for display in &mut displays {
            *display = self.counts()?;
        }
        Ok(displays)
    }

    /// An update; `None` for a move of which not even the tiles can be guessed.
    fn update(&mut self) -> Read<Option<Update>> {
        match self.next()? {
            "restock" => Ok(Some(Update::Restock(self.displays()?))),
            "move" => {
                let (display, colour, line) = (self.next()?, self.next()?, self.next()?);
                let text = format!("{display} {colour} {line}");
                match text.parse() {
                    Ok(mv) => Ok(Some(Update::Move(mv))),
                    // Where the tiles went is the opponent's matter; that they are gone is ours too.
                    Err(e) => {
                        let gone: Option<Move> = format!("{display} {colour} {FLOOR}").parse().ok();
                        self.guess(gone.map(Update::Move), &text, &e)
                    }
                }
            }
            word => wrong(word, "'restock' or 'move'"),
        }
    }

    fn board(&mut self) -> Read<Board> {
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
        // Past the seventh slot nothing is lost, so a longer floor line is a full one.
        board.floor = self.number(u8::MAX, "the length of a floor line")?.min(7);
        let score = self.next()?;
        board.score = match score.parse() {
            Ok(score) => score,
            Err(_) => self.guess(0, score, "a score")?,
        };
        Ok(board)
    }

    fn wall_row(&mut self, board: &mut Board, row: usize) -> Read<()> {
        let mut letters = String::new();
        for _ in 0..ROWS {
            letters += self.next()?;
        }
        if let Err(e) = read_wall_row(&mut board.wall, row, letters.chars()) {
            // Tiles that have their place in the row stay.
            self.guess((), &letters, &format!("a row of a wall ({e})"))?;
        }
        Ok(())
    }

    fn seen(&mut self) -> Read<Seen> {
        let centre = self.counts()?;
        let marker_lies = self.number(1, "0 or 1 for the marker")?;
        let displays = self.displays()?;
        let table_sure = self.guessed == 0;
        let marker = match (self.next()?, marker_lies) {
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
        let sure = table_sure && self.guessed == before;
        Ok(Seen { centre, displays, marker, own, other: self.board()?, sure })
    }
}

/// Reads a turn.
///
/// # Errors
/// [`Unread::More`] when words are missing, [`Unread::Wrong`] when there is one that cannot be; read leniently, only
/// where the turn has no milliseconds or an update of no known kind.
pub fn read(input: Input, words: &[String], care: Care) -> Read<Told> {
    let mut left = Words { left: words.iter(), care, guessed: 0 };
    let word = left.next()?;
    // A clock that has run out may be told as a negative number.
    let clock_ms = match word.parse::<i64>() {
        Ok(ms) => u64::try_from(ms).unwrap_or(0),
        Err(_) => return wrong(word, "a number of milliseconds"),
    };
    let mut updates = Vec::new();
    if input.has_updates() {
        let count = left.number(MOST_UPDATES as u8, "a number of updates, at most 8,")?;
        for _ in 0..count {
            updates.extend(left.update()?);
        }
    }
    left.guessed = 0;
    let seen = if input.has_state() { Some(left.seen()?) } else { None };
    match left.left.next() {
        Some(word) if care == Care::Strict => wrong(word, "the end of the turn"),
        _ => Ok(Told { clock_ms, updates, seen }),
    }
}
