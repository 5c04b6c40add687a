//! The promise of a move, its fast rating: it orders the moves at a new node, and it plays in the playouts. Promises are in the
//! game's points, as far as they can be estimated without looking ahead.

use super::move_prior::{MovePrior, Policy, stage};
use crate::game::Seat;
use crate::games::azul::rules::{Board, COLOURS, Colour, FLOOR, FLOOR_SLOTS, Move, Position, ROWS, SOURCES};
use crate::search_kit::fast_rng::FastRng;

/// The value of a tile in a line that does not accept its colour: below any other.
const CLOSED: f32 = f32::NEG_INFINITY;

/// The worth of a tile of each colour in each row to a player now, if its line were full; `CLOSED` if the line does not
/// take the colour.
#[derive(Clone, Copy)]
pub struct Worth([[f32; COLOURS]; ROWS]);

impl Worth {
    /// The worth for this board; full lines count as laid.
    pub fn of(move_prior: &MovePrior, board: &Board) -> Self {
        let mut wall = board.wall;
        for (row, line) in board.lines.iter().enumerate() {
            if usize::from(line.count) > row {
                wall.put(row, usize::from(line.colour));
            }
        }
        let columns: [f32; COLOURS] =
            std::array::from_fn(|c| move_prior.column[wall.in_column(c).min(4) as usize]);
        let colours: [f32; COLOURS] =
            std::array::from_fn(|c| move_prior.colour[wall.of_colour(c).min(4) as usize]);
        let mut worth = Self([[CLOSED; COLOURS]; ROWS]);
        for (row, line) in board.lines.iter().enumerate() {
            if usize::from(line.count) > row {
                continue;
            }
            let of_row = move_prior.row[wall.in_row(row).min(4) as usize];
            let held = usize::from(line.colour);
            for colour in if line.count > 0 { held..held + 1 } else { 0..COLOURS } {
                if !wall.has(row, colour) {
                    worth.0[row][colour] = f32::from(wall.points(row, colour))
                        + columns[(row + colour) % COLOURS]
                        + colours[colour]
                        + of_row;
                }
            }
        }
        worth
    }

    /// Updates the worth after a move to a line of this board.
    #[inline]
    fn update(&mut self, move_prior: &MovePrior, board: &Board, mv: &Move) {
        if mv.line == FLOOR {
            return;
        }
        let row = usize::from(mv.line);
        if board.lines[row].count > mv.line {
            *self = Self::of(move_prior, board);
        } else {
            let open = self.0[row][mv.colour.index()];
            self.0[row] = [CLOSED; COLOURS];
            self.0[row][mv.colour.index()] = open;
        }
    }
}

/// The cost of 0, 1, 2 and more tiles falling to the floor, up to the number of its slots.
#[inline]
fn floor_costs(move_prior: &MovePrior, board: &Board) -> [f32; 8] {
    let cost = |floor: u8| move_prior.cost[usize::from(floor.min(FLOOR_SLOTS))];
    std::array::from_fn(|more| cost(board.floor + more as u8) - cost(board.floor))
}

/// Calls `each` with every legal move and its promise, in points.
#[inline]
pub fn each_move(
    move_prior: &MovePrior,
    position: &Position,
    worth: &Worth,
    mut each: impl FnMut(Move, f32),
) {
    let board = &position.boards[position.to_move.index()];
    let costs = floor_costs(move_prior, board);
    for display in 0..SOURCES as u8 {
        let takes_marker = display == 0 && position.marker.is_none();
        let marker = u8::from(takes_marker);
        let begin = if takes_marker { move_prior.begin } else { 0.0 };
        for colour in Colour::ALL {
            let tiles = position.sources[usize::from(display)][colour.index()];
            if tiles == 0 {
                continue;
            }
            for line in 0..FLOOR {
                let row = usize::from(line);
                let worth = worth.0[row][colour.index()];
                if worth == CLOSED {
                    continue;
                }
                let held = board.lines[row].count;
                let room = line + 1 - held;
                let surplus = tiles.saturating_sub(room);
                let (share, more) =
                    move_prior.steps[row][usize::from(held)][usize::from(held + tiles.min(room))];
                let gain = worth * share + more;
                each(
                    Move { display, colour, line },
                    begin + gain - costs[usize::from((marker + surplus).min(FLOOR_SLOTS))],
                );
            }
            let cost =
                costs[usize::from((marker + tiles).min(FLOOR_SLOTS))] + move_prior.dump * f32::from(tiles);
            each(Move { display, colour, line: FLOOR }, begin - cost);
        }
    }
}

/// Plays by the move prior, with noise of up to `spread` points, to the end of the round and through its tiling.
pub fn play_round(policy: &Policy, position: &mut Position, rng: &mut FastRng, spread: f32) {
    let move_prior = &policy[stage(position)];
    let mut worth = position.boards.each_ref().map(|b| Worth::of(move_prior, b));
    let mut drawn = 0;
    while !position.is_bare() {
        let seat = position.to_move.index();
        let mut best: Option<(Move, f32)> = None;
        each_move(move_prior, position, &worth[seat], |mv, promise| {
            let promise = promise + spread * rng.coarse(&mut drawn);
            if best.is_none_or(|(_, most)| promise > most) {
                best = Some((mv, promise));
            }
        });
        let (mv, _) = best.expect("any tile can go to the floor");
        position.take(&mv);
        worth[seat].update(move_prior, &position.boards[seat], &mv);
    }
    position.end_round();
}

/// The value of a finished match for seat 0, 0 to 1: mostly the result, with a share of the margin, so that a search still
/// plays for points when the match is decided.
pub fn result(position: &Position) -> f32 {
    let [a, b] = position.boards.map(|b| (b.score, b.wall.rows()));
    let won = match a.cmp(&b) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let lead = f32::from(a.0 - b.0);
    let margin = 0.5 + 0.5 * lead / (lead.abs() + 20.0);
    (1.0 - BY_MARGIN) * won + BY_MARGIN * margin
}

/// Share of the margin in a result.
const BY_MARGIN: f32 = 0.3;

/// The seat's own side of a value for seat 0.
#[inline]
pub fn for_seat(value: f32, seat: Seat) -> f32 {
    if seat.0 == 0 { value } else { 1.0 - value }
}
