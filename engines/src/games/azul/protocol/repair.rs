//! Repairs an impossible position: the nearest possible one, or the safest move if there is none. Must not read or write
//! lines.

use crate::game::Seat;
use crate::games::azul::rules::{
    Board, COLOURS, Colour, FLOOR, FLOOR_SLOTS, Line, Move, Position, ROWS, Wall,
};

/// The nearest possible position with tiles on the table in which `own` has the same legal moves. Displays, centre and the
/// own lines and wall stay as received; scores, floor lines, the marker and the other board may change. `None` if there
/// is no such position.
pub(super) fn nearest_position(received: &Position, own: Seat) -> Option<Position> {
    let is_possible = |position: &Position| position.on_table() > 0 && position.audit().is_ok();
    if is_possible(received) {
        return Some(*received);
    }
    let other = own.other();
    let markers = [received.marker, Some(other), Some(own), None];
    let mut base = *received;
    clamp_score(&mut base.boards[own.index()]);
    let others = [possible_board(&received.boards[other.index()]), Board::default()];
    others.into_iter().find_map(|board| {
        base.boards[other.index()] = board;
        let floors = |seat: Seat| [base.boards[seat.index()].floor, FLOOR_SLOTS, 0, 1];
        markers.into_iter().find_map(|marker| {
            floors(other).into_iter().find_map(|theirs| {
                floors(own).into_iter().find_map(|ours| {
                    let mut position = base;
                    position.marker = marker;
                    position.boards[other.index()].floor = theirs;
                    position.boards[own.index()].floor = ours;
                    is_possible(&position).then_some(position)
                })
            })
        })
    })
}

/// The board without impossible lines, and without a wall that would have ended the match.
fn possible_board(board: &Board) -> Board {
    let mut board = *board;
    if board.wall.rows() > 0 {
        board.wall = Wall::default();
    }
    for row in 0..ROWS {
        let Line { count, colour } = board.lines[row];
        if usize::from(count) > row + 1 || board.wall.has(row, usize::from(colour)) {
            board.lines[row] = Line::default();
        }
    }
    clamp_score(&mut board);
    board
}

/// Limits the score to what the wall can have earned: at most ten points per tile.
fn clamp_score(board: &mut Board) {
    board.score = board.score.clamp(0, 10 * board.wall.tiles() as i16);
}

/// The move that the referee most likely accepts: few tiles from a known source, on a line that accepts them if the own
/// board is known (`legality_known`), otherwise on the floor, which accepts every tile. A guess if no tile is known.
pub(super) fn safest_move(position: &Position, own: Seat, legality_known: bool) -> Move {
    let board = &position.boards[own.index()];
    let sources = (0..).zip(&position.sources);
    let there = sources.flat_map(|(display, counts)| {
        let colours = Colour::ALL.into_iter().filter(|colour| counts[colour.index()] > 0);
        colours.map(move |colour| (counts[colour.index()], display, colour))
    });
    let lost = |tiles: u8, line: u8| if line < FLOOR { tiles.saturating_sub(line + 1) } else { tiles };
    let lines = |colour: Colour| {
        (0..=FLOOR).filter(move |l| *l == FLOOR || legality_known && board.accepts(colour.index(), *l))
    };
    let moves = there.flat_map(|(tiles, display, colour)| {
        lines(colour).map(move |line| (lost(tiles, line), Move { display, colour, line }))
    });
    let least = moves.min_by_key(|(lost, mv)| (*lost, mv.display, mv.colour, mv.line));
    least.map_or(Move { display: 1, colour: Colour::ALL[COLOURS - 1], line: FLOOR }, |(_, mv)| mv)
}
