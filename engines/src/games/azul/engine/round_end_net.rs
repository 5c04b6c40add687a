//! The value of a round's end, before the next refill is known: the expected result of the match. A small network, trained
//! by `engines-train azul-round-end`.

use std::sync::{Arc, LazyLock};

use super::policy::{for_seat, result};
use crate::games::azul::rules::{Board, COLOURS, Line, Position, ROWS};
use crate::search_kit::curve::algebraic;
use crate::search_kit::net::{Network, WrongLength, rectify, to_float};

/// Hidden units.
pub const HIDDEN: usize = 64;

/// Start of each group of inputs about a board, counted from the board's first.
const WALL: usize = 0;
const BY_ROW: usize = WALL + ROWS * COLOURS;
const BY_COLUMN: usize = BY_ROW + ROWS * 6;
const BY_COLOUR: usize = BY_COLUMN + COLOURS * 6;
const LINE: usize = BY_COLOUR + COLOURS * 6;
const PROMISED: usize = LINE + ROWS * COLOURS * ROWS;
/// Inputs about one board.
pub(super) const BOARD: usize = PROMISED + ROWS * ROWS * POINT_PLACES;
/// Places for the points of a tile: 0 to 9, and 10.
const POINT_PLACES: usize = 11;
/// The largest lead that has a place of its own, to both sides; a larger one counts as this one.
pub(super) const MOST_LEAD: i16 = 40;

/// Number of inputs: two boards, and the lead.
pub const INPUTS: usize = 2 * BOARD + 2 * MOST_LEAD as usize + 1;

/// Calls `tell` with every input that is true of a round's end, once each. The board of the seat that begins the next
/// round comes first.
pub fn each_input(position: &Position, mut tell: impl FnMut(usize)) {
    let first = position.to_move;
    let boards = [&position.boards[first.index()], &position.boards[first.other().index()]];
    for (i, board) in boards.into_iter().enumerate() {
        each_of_board(board, |input| tell(i * BOARD + input));
    }
    let lead = (boards[0].score - boards[1].score).clamp(-MOST_LEAD, MOST_LEAD);
    tell(2 * BOARD + (lead + MOST_LEAD) as usize);
}

#[inline]
pub(super) fn each_of_board(board: &Board, mut tell: impl FnMut(usize)) {
    let wall = board.wall;
    let mut spaces = wall.0;
    while spaces != 0 {
        tell(WALL + spaces.trailing_zeros() as usize);
        spaces &= spaces - 1;
    }
    for i in 0..ROWS {
        tell(BY_ROW + 6 * i + wall.in_row(i) as usize);
        tell(BY_COLUMN + 6 * i + wall.in_column(i) as usize);
        tell(BY_COLOUR + 6 * i + wall.of_colour(i) as usize);
    }
    for (row, Line { count, colour }) in board.lines.iter().enumerate() {
        if *count > 0 {
            let (tiles, colour) = (usize::from(*count) - 1, usize::from(*colour));
            tell(LINE + (row * COLOURS + colour) * ROWS + tiles);
            let points = (wall.points(row, colour) as usize).min(POINT_PLACES - 1);
            tell(PROMISED + (row * ROWS + tiles) * POINT_PLACES + points);
        }
    }
}

/// A network that values ends of rounds.
pub struct RoundEndNet(Network<HIDDEN>);

impl RoundEndNet {
    /// The network in a file.
    ///
    /// # Errors
    /// When the length does not fit.
    pub fn read(file: &[u8]) -> Result<Self, WrongLength> {
        Network::read(file, INPUTS, 1).map(Self)
    }

    /// The expected result for seat 0 of a position at a round's end, 0 to 1.
    pub fn value(&self, position: &Position) -> f32 {
        if position.has_row() {
            return result(position);
        }
        let Network { first, last } = &self.0;
        let mut sum = first.empty();
        each_input(position, |input| first.add(&mut sum, input));
        let value = algebraic(to_float(last.output(0, &rectify(&sum))));
        for_seat(value, position.to_move)
    }
}

/// The network in use.
pub fn round_end_net() -> Arc<RoundEndNet> {
    static NET: LazyLock<Arc<RoundEndNet>> = LazyLock::new(|| {
        let read = RoundEndNet::read(include_bytes!("round_end.net"));
        Arc::new(read.expect("the repository's network has its length"))
    });
    Arc::clone(&NET)
}
