//! The numbers by which the policy rates a move without a search, and their meaning. Fitted to searches by
//! `engines-train azul-move-prior`.

use crate::games::azul::rules::{Board, COLOURS, FLOOR_SLOTS, Position, ROWS};

/// Numbers of a move prior. The first 15 are the worth of a tile beyond its points by the number of tiles already in its column,
/// of its colour and in its row, five each; the others begin at the places below.
pub const NUMBERS: usize = 94;
/// For each step on a line the share of the tile's worth that it earns.
pub const SHARE: usize = 15;
/// For each step on a line the points that it earns in addition.
pub const STEP: usize = 50;
/// The cost of a floor line of 1 to 7 tiles.
pub const COST: usize = 85;
/// The gain of taking the starting marker.
pub const TAKE_MARKER: usize = 92;
/// The additional cost of each tile that goes straight to the floor.
pub const DUMP: usize = 93;

/// Stages of a match: the number of tiles in the fullest row, 0 to 4. Each stage has numbers of its own.
pub const STAGES: usize = 5;

/// The stage of the match.
pub fn stage(position: &Position) -> usize {
    let rows = |board: &Board| (0..ROWS).map(|row| board.wall.in_row(row)).max().unwrap_or(0) as usize;
    rows(&position.boards[0]).max(rows(&position.boards[1])).min(STAGES - 1)
}

/// The numbers, in thousandths.
const FITTED: [[i32; NUMBERS]; STAGES] = include!("move_prior.txt");

/// The engine's policy.
pub static POLICY: Policy = policy(&FITTED);

/// A move prior for each stage of a match.
pub type Policy = [MovePrior; STAGES];

/// The fast rating of moves. Points here are about the game's points.
pub struct MovePrior {
    /// The worth of a tile beyond its points, by the number of tiles in its column.
    pub column: [f32; COLOURS],
    /// The same by the tiles of its colour.
    pub colour: [f32; COLOURS],
    /// The same by the tiles in its row.
    pub row: [f32; COLOURS],
    /// By the line, its tiles before and its tiles after: the share of the tile's worth, and the points added to it.
    pub steps: [[[(f32, f32); ROWS + 1]; ROWS + 1]; ROWS],
    /// The cost of a floor line, by its number of tiles.
    pub cost: [f32; FLOOR_SLOTS as usize + 1],
    /// The gain of taking the starting marker.
    pub begin: f32,
    /// The cost of each tile that goes straight to the floor.
    pub dump: f32,
}

/// The index of the step on a line from `from` tiles to `to` tiles.
pub const fn step(line: usize, from: usize, to: usize) -> usize {
    const BEFORE: [usize; ROWS] = [0, 1, 4, 10, 20];
    // Steps from an empty line come first, there are `line + 1` of them; then one less, and so on.
    BEFORE[line] + from * (2 * line + 3 - from) / 2 + to - from - 1
}

/// The policy of these numbers, in thousandths.
pub const fn policy(numbers: &[[i32; NUMBERS]; STAGES]) -> Policy {
    [
        move_prior(&numbers[0]),
        move_prior(&numbers[1]),
        move_prior(&numbers[2]),
        move_prior(&numbers[3]),
        move_prior(&numbers[4]),
    ]
}

const fn move_prior(numbers: &[i32; NUMBERS]) -> MovePrior {
    let mut move_prior = MovePrior {
        column: [0.0; COLOURS],
        colour: [0.0; COLOURS],
        row: [0.0; COLOURS],
        steps: [[[(0.0, 0.0); ROWS + 1]; ROWS + 1]; ROWS],
        cost: [0.0; FLOOR_SLOTS as usize + 1],
        begin: points(numbers[TAKE_MARKER]),
        dump: points(numbers[DUMP]),
    };
    let mut i = 0;
    while i < ROWS {
        move_prior.column[i] = points(numbers[i]);
        move_prior.colour[i] = points(numbers[5 + i]);
        move_prior.row[i] = points(numbers[10 + i]);
        let mut from = 0;
        while from <= i {
            let mut to = from + 1;
            while to <= i + 1 {
                let step = step(i, from, to);
                move_prior.steps[i][from][to] = (points(numbers[SHARE + step]), points(numbers[STEP + step]));
                to += 1;
            }
            from += 1;
        }
        i += 1;
    }
    let mut tiles = 1;
    while tiles <= FLOOR_SLOTS as usize {
        move_prior.cost[tiles] = points(numbers[COST + tiles - 1]);
        tiles += 1;
    }
    move_prior
}

const fn points(thousandths: i32) -> f32 {
    thousandths as f32 / 1_000.0
}
