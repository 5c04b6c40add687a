//! The part of a match of Azul that a viewer may know: the whole table, but not the future refills.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Azul;
use super::rules::{
    Board, COLOURS, Colour, Counts, Line, Move, Position, ROWS, SOURCES, State, Wall, column,
};
use crate::game::{Seat, Turn, Viewer};
use crate::rng::Rng;

/// The most values of a position: 30 numbers of tiles on the displays and in the centre; two boards of five lines, five rows,
/// floor and score; marker, seat to move and viewer.
pub(super) const MOST_VALUES: usize = SOURCES * COLOURS + 2 * (3 * ROWS + 2) + 3;

/// A position as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "RawView", into = "RawView")]
#[schemars(with = "RawView")]
pub struct View {
    position: Position,
    viewer: Viewer,
}

/// A position in Azul. Tiles are counted in the order green, orange, blue, yellow, red.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AzulView")]
struct RawView {
    /// The five factory displays, numbers 1 to 5 in moves: 4 tiles each, or none. All empty only when the match is
    /// over.
    displays: [Counts; 5],
    /// Tiles in the centre, number 0 in moves.
    centre: Counts,
    /// The seat that holds the starting marker; null while it lies in the centre.
    marker: Option<Seat>,
    /// The boards of seats 0 and 1.
    boards: [RawBoard; 2],
    /// The seat to move; in a finished match, the seat that would have begun the next round.
    to_move: Seat,
    /// The viewer; the seat to move if absent.
    viewer: Option<Viewer>,
}

/// A position without a viewer, as states store it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPosition {
    displays: [Counts; 5],
    centre: Counts,
    marker: Option<Seat>,
    boards: [RawBoard; 2],
    to_move: Seat,
}

/// One player's board.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AzulBoard")]
struct RawBoard {
    /// The pattern lines from the top; line `l` has room for `l + 1` tiles.
    lines: [RawLine; ROWS],
    /// The wall's rows from the top, five characters each: the letter of the tile's colour, or `.` for none. A row
    /// can hold a colour only in its own column: column = (colour + row) mod 5.
    wall: [String; ROWS],
    /// Length of the floor line, 0 to 7, the marker included.
    floor: u8,
    /// Points, never below 0.
    score: i16,
}

/// A pattern line.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AzulLine")]
struct RawLine {
    /// Tiles on it.
    count: u8,
    /// Their colour; null when it is empty.
    #[serde(default)]
    colour: Option<Colour>,
}

/// A row of the wall as five letters or dots.
pub(super) fn wall_row(wall: Wall, row: usize) -> [char; ROWS] {
    let mut letters = ['.'; ROWS];
    for colour in Colour::ALL {
        if wall.has(row, colour.index()) {
            letters[column(row, colour.index())] = colour.letter();
        }
    }
    letters
}

/// Puts the tiles of a row given as letters or dots on the wall.
///
/// # Errors
/// If the row has other letters; the text says what is allowed.
pub(super) fn read_wall_row(
    wall: &mut Wall,
    row: usize,
    letters: impl Iterator<Item = char>,
) -> Result<(), String> {
    let pattern: String = (0..ROWS)
        .filter_map(|c| Colour::ALL.iter().find(|k| column(row, k.index()) == c))
        .map(|k| k.letter())
        .collect();
    let wrong = || format!("row {row} is five of '.' and the letters of {pattern} in their places");
    let mut at = 0;
    for letter in letters {
        let own = pattern.chars().nth(at).ok_or_else(wrong)?;
        if letter == own {
            let colour = Colour::ALL.into_iter().find(|k| k.letter() == own).ok_or_else(wrong)?;
            wall.put(row, colour.index());
        } else if letter != '.' {
            return Err(wrong());
        }
        at += 1;
    }
    if at == ROWS { Ok(()) } else { Err(wrong()) }
}

impl TryFrom<RawBoard> for Board {
    type Error = String;

    fn try_from(raw: RawBoard) -> Result<Self, String> {
        let mut board = Self { floor: raw.floor, score: raw.score, ..Self::default() };
        for (l, (line, given)) in board.lines.iter_mut().zip(&raw.lines).enumerate() {
            *line = match (given.count, given.colour) {
                (0, None) => Line::default(),
                (0, Some(_)) => return Err(format!("lines[{l}].colour: null in an empty line")),
                (_, None) => return Err(format!("lines[{l}].colour: missing, though there are tiles")),
                (count, Some(colour)) => Line { count, colour: colour as u8 },
            };
        }
        for (row, text) in raw.wall.iter().enumerate() {
            read_wall_row(&mut board.wall, row, text.chars()).map_err(|e| format!("wall: {e}"))?;
        }
        Ok(board)
    }
}

impl From<Board> for RawBoard {
    fn from(board: Board) -> Self {
        let colour = |line: Line| (line.count > 0).then(|| Colour::ALL[usize::from(line.colour)]);
        Self {
            lines: board.lines.map(|line| RawLine { count: line.count, colour: colour(line) }),
            wall: std::array::from_fn(|row| wall_row(board.wall, row).iter().collect()),
            floor: board.floor,
            score: board.score,
        }
    }
}

impl TryFrom<RawPosition> for Position {
    type Error = String;

    fn try_from(raw: RawPosition) -> Result<Self, String> {
        let mut sources = [raw.centre; SOURCES];
        sources[1..].copy_from_slice(&raw.displays);
        let [first, second] = raw.boards;
        let board = |seat: u8, raw: RawBoard| Board::try_from(raw).map_err(|e| format!("boards[{seat}].{e}"));
        let position = Self {
            sources,
            marker: raw.marker,
            boards: [board(0, first)?, board(1, second)?],
            to_move: raw.to_move,
        };
        position.audit()?;
        Ok(position)
    }
}

impl From<Position> for RawPosition {
    fn from(position: Position) -> Self {
        let [centre, displays @ ..] = position.sources;
        Self {
            displays,
            centre,
            marker: position.marker,
            boards: position.boards.map(RawBoard::from),
            to_move: position.to_move,
        }
    }
}

impl TryFrom<RawView> for View {
    type Error = String;

    fn try_from(raw: RawView) -> Result<Self, String> {
        let RawView { displays, centre, marker, boards, to_move, viewer } = raw;
        let position = Position::try_from(RawPosition { displays, centre, marker, boards, to_move })?;
        let viewer = viewer.unwrap_or(Viewer::Seat(to_move));
        if matches!(viewer, Viewer::Seat(seat) if seat.0 > 1) {
            return Err("viewer: there are seats 0 and 1".to_owned());
        }
        Ok(Self { position, viewer })
    }
}

impl From<View> for RawView {
    fn from(view: View) -> Self {
        let RawPosition { displays, centre, marker, boards, to_move } = view.position.into();
        Self { displays, centre, marker, boards, to_move, viewer: Some(view.viewer) }
    }
}

impl View {
    /// The view of `viewer` of a position that obeys the rules.
    pub(super) fn new(position: Position, viewer: Viewer) -> Self {
        Self { position, viewer }
    }

    /// The table.
    pub fn position(&self) -> &Position {
        &self.position
    }

    fn is_viewers_turn(&self) -> bool {
        matches!(crate::game::View::turn(self), Turn::Of(seat) if self.viewer == Viewer::Seat(seat))
    }
}

impl crate::game::View<Azul> for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    fn turn(&self) -> Turn {
        if self.position.is_over() { Turn::Over } else { Turn::Of(self.position.to_move) }
    }

    fn legal(&self, out: &mut Vec<Move>) {
        if self.is_viewers_turn() {
            self.position.legal(out);
        }
    }

    /// Moves from a display, unless the other seat's move may end the round: until then nothing but the display's own tiles lies on
    /// it. The centre may have got more tiles.
    fn premoves(&self, out: &mut Vec<Move>) {
        let (Viewer::Seat(own), Turn::Of(seat)) = (self.viewer, crate::game::View::turn(self)) else {
            return;
        };
        if own == seat || self.position.choices() < 2 {
            return;
        }
        let mut moves = Vec::new();
        Position { to_move: own, ..self.position }.legal(&mut moves);
        out.extend(moves.into_iter().filter(|mv| mv.display > 0));
    }

    fn is_legal(&self, mv: &Move) -> bool {
        self.is_viewers_turn() && self.position.allows(mv)
    }

    fn picture(&self) -> Option<String> {
        Some(super::picture::picture(&self.position))
    }

    fn guess(&self, rng: &mut Rng) -> State {
        State::at(self.position, rng.seed())
    }
}
