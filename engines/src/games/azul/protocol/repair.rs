//! The nearest position that can be, where the one that was told cannot; and the safest move where there is none. Knows
//! no lines.

use crate::game::Seat;
use crate::games::azul::rules::{
    Board, COLOURS, Colour, FLOOR, FLOOR_SLOTS, Line, Move, Position, ROWS, Wall,
};

/// A position with tiles on the table that obeys the rules and in which `own` has the same legal moves: displays,
/// centre, and the own lines and wall are as told; scores, floor lines, the marker and the other board give way.
pub fn reading(told: &Position, own: Seat) -> Option<Position> {
    let can_be = |position: &Position| position.on_table() > 0 && position.audit().is_ok();
    if can_be(told) {
        return Some(*told);
    }
    let other = own.other();
    let markers = [told.marker, Some(other), Some(own), None];
    let mut base = *told;
    clamp_score(&mut base.boards[own.index()]);
    let others = [possible(&told.boards[other.index()]), Board::default()];
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
                    can_be(&position).then_some(position)
                })
            })
        })
    })
}

/// The board without the lines that it cannot hold, and without a wall that would have ended the match.
fn possible(board: &Board) -> Board {
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

/// A tile on the wall is worth ten points at the most.
fn clamp_score(board: &mut Board) {
    board.score = board.score.clamp(0, 10 * board.wall.tiles() as i16);
}

/// The move that a referee is the likeliest to accept: few tiles that are there, on a line that takes them where the
/// own board is known (`sure`), else on the floor, which is always open. With no tile known, a guess.
pub fn safest(position: &Position, own: Seat, sure: bool) -> Move {
    let board = &position.boards[own.index()];
    let sources = (0..).zip(&position.sources);
    let there = sources.flat_map(|(display, counts)| {
        let colours = Colour::ALL.into_iter().filter(|colour| counts[colour.index()] > 0);
        colours.map(move |colour| (counts[colour.index()], display, colour))
    });
    let lost = |tiles: u8, line: u8| if line < FLOOR { tiles.saturating_sub(line + 1) } else { tiles };
    let lines = |colour: Colour| {
        (0..=FLOOR).filter(move |l| *l == FLOOR || sure && board.accepts(colour.index(), *l))
    };
    let moves = there.flat_map(|(tiles, display, colour)| {
        lines(colour).map(move |line| (lost(tiles, line), Move { display, colour, line }))
    });
    let least = moves.min_by_key(|(lost, mv)| (*lost, mv.display, mv.colour, mv.line));
    least.map_or(Move { display: 1, colour: Colour::ALL[COLOURS - 1], line: FLOOR }, |(_, mv)| mv)
}
