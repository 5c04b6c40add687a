//! The value of a round's end, before the next refill is known: the expected result of the match. A weighted sum of
//! features of the two boards, fitted to playouts by `engines-train azul-outlook`.

use super::policy::result;
use crate::games::azul::rules::{Board, COLOURS, Line, Position, ROWS};
use crate::search_kit::curve::softsign;

/// Features of a position.
pub const FEATURES: usize = 31;
/// The unit of the weights: a lead of one unit gives 3/4 of the score.
pub const UNIT: i32 = 1_000;
/// The feature of the seat that begins the next round.
pub const BEGIN: usize = 30;
/// Stages of a match: the number of tiles in the fullest row, 0 to 4. Each stage has weights of its own.
pub const STAGES: usize = 5;

/// Weights for each stage of a match, in thousandths.
pub type OutlookWeights = [[i32; FEATURES]; STAGES];

/// The engine's.
pub static WEIGHTS: OutlookWeights = include!("outlook.txt");

/// The stage of the match.
pub fn stage(position: &Position) -> usize {
    let rows = |board: &Board| (0..ROWS).map(|row| board.wall.in_row(row)).max().unwrap_or(0) as usize;
    rows(&position.boards[0]).max(rows(&position.boards[1])).min(STAGES - 1)
}

/// Calls `each` with the features of a board that are not 0, by their numbers.
#[inline]
pub fn features(board: &Board, mut each: impl FnMut(usize, i32)) {
    let wall = board.wall;
    each(0, i32::from(board.score));
    for i in 0..COLOURS {
        for (first, count) in [(1, wall.in_column(i)), (6, wall.of_colour(i)), (11, wall.in_row(i))] {
            if count > 0 {
                each(first + count as usize - 1, 1);
            }
        }
    }
    for (row, Line { count, colour }) in board.lines.iter().enumerate() {
        if *count == 0 {
            continue;
        }
        let colour = usize::from(*colour);
        each(16 + row * row.saturating_sub(1) / 2 + usize::from(*count) - 1, 1);
        let share = 60 * i32::from(*count) / (row as i32 + 1);
        each(26, share * i32::from(wall.points(row, colour)) / 12);
        each(27, share * wall.in_column((row + colour) % COLOURS) as i32 / 12);
        each(28, share * wall.of_colour(colour) as i32 / 12);
    }
    let empty = (0..ROWS).flat_map(|row| (0..COLOURS).map(move |colour| (row, colour)));
    let neighbours = empty.filter(|(row, colour)| !wall.has(*row, *colour));
    each(29, neighbours.map(|(row, colour)| i32::from(wall.points(row, colour)) - 1).sum());
}

/// The expected result for seat 0 of a position at a round's end.
pub fn outlook(weights: &OutlookWeights, position: &Position) -> f32 {
    if position.has_row() {
        return result(position);
    }
    let weights = &weights[stage(position)];
    let mut lead = if position.to_move.0 == 0 { weights[BEGIN] } else { -weights[BEGIN] };
    features(&position.boards[0], |i, n| lead += weights[i] * n);
    features(&position.boards[1], |i, n| lead -= weights[i] * n);
    softsign(lead as f32 / UNIT as f32)
}
