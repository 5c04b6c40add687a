//! What a move promises, at a glance: the first order of the moves in the tree, and the hand that plays on from its
//! leaves. Points here are the game's points, as far as they can be told without looking ahead.

use super::noise::Noise;
use crate::game::Seat;
use crate::games::azul::rules::{
    Board, COLOURS, Colour, FLOOR, FLOOR_COST, FLOOR_SLOTS, Move, Position, ROWS, SOURCES,
};

/// Points that one more tile in a column or of a colour is worth, by how many are there: the bonus at the end (7 and
/// 10) by and by, as it comes nearer. The last step is most of the bonus.
const IN_COLUMN: [f32; 5] = [0.2, 0.5, 1.0, 2.0, 5.0];
const OF_COLOUR: [f32; 5] = [0.2, 0.5, 1.2, 2.5, 7.0];
/// The same for a row, which is worth 2 and ends the match.
const IN_ROW: [f32; 5] = [0.0, 0.1, 0.2, 0.3, 1.7];
/// Share of a tile's worth that a line has when it is as good as full; a share of it by its tiles.
const PARTIAL: f32 = 0.6;
/// To begin the next round.
const BEGIN: f32 = 1.0;
/// Tiles that go straight to the floor take away choices too.
const DUMP: f32 = 0.3;

/// What a tile of each colour in each row would be worth to a player now, if its line were full.
#[derive(Clone, Copy)]
pub struct Worth([[f32; COLOURS]; ROWS]);

impl Worth {
    /// For this board; lines that are full count as laid.
    pub fn of(board: &Board) -> Self {
        let mut wall = board.wall;
        for (row, line) in board.lines.iter().enumerate() {
            if usize::from(line.count) > row {
                wall.put(row, usize::from(line.colour));
            }
        }
        let mut worth = [[0.0; COLOURS]; ROWS];
        for (row, of_row) in worth.iter_mut().enumerate() {
            let in_row = wall.in_row(row) as usize;
            for (colour, worth) in of_row.iter_mut().enumerate() {
                if !wall.has(row, colour) {
                    let in_column = wall.in_column((row + colour) % COLOURS) as usize;
                    *worth = f32::from(wall.points(row, colour))
                        + IN_COLUMN[in_column]
                        + OF_COLOUR[wall.of_colour(colour) as usize]
                        + IN_ROW[in_row];
                }
            }
        }
        Self(worth)
    }
}

/// What it costs that so many more tiles fall to the floor.
#[inline]
fn floor_cost(board: &Board, more: u8) -> f32 {
    let after = (board.floor + more).min(FLOOR_SLOTS);
    f32::from(FLOOR_COST[usize::from(after)] - FLOOR_COST[usize::from(board.floor)])
}

/// Calls `each` with every legal move and what it promises, in points.
#[inline]
pub fn each_move(position: &Position, worth: &Worth, mut each: impl FnMut(Move, f32)) {
    let board = &position.boards[position.to_move.index()];
    for display in 0..SOURCES as u8 {
        let takes_marker = display == 0 && position.marker.is_none();
        let marker = u8::from(takes_marker);
        let begin = if takes_marker { BEGIN } else { 0.0 };
        for colour in Colour::ALL {
            let tiles = position.sources[usize::from(display)][colour.index()];
            if tiles == 0 {
                continue;
            }
            for line in 0..FLOOR {
                if !board.accepts(colour.index(), line) {
                    continue;
                }
                let row = usize::from(line);
                let held = board.lines[row].count;
                let room = line + 1 - held;
                let surplus = tiles.saturating_sub(room);
                let size = f32::from(line + 1);
                let before = PARTIAL * f32::from(held) / size;
                let after = if tiles >= room { 1.0 } else { PARTIAL * f32::from(held + tiles) / size };
                let gain = worth.0[row][colour.index()] * (after - before);
                each(Move { display, colour, line }, begin + gain - floor_cost(board, marker + surplus));
            }
            let cost = floor_cost(board, marker + tiles) + DUMP * f32::from(tiles);
            each(Move { display, colour, line: FLOOR }, begin - cost);
        }
    }
}

/// Plays on by the glance, with some noise, to the end of the match.
pub fn play_out(position: &mut Position, noise: &mut Noise, spread: f32) {
    let mut worth = position.boards.each_ref().map(Worth::of);
    loop {
        while !position.is_bare() {
            let seat = position.to_move.index();
            let mut best: Option<(Move, f32)> = None;
            each_move(position, &worth[seat], |mv, promise| {
                let promise = promise + spread * noise.unit();
                if best.is_none_or(|(_, most)| promise > most) {
                    best = Some((mv, promise));
                }
            });
            let (mv, _) = best.expect("any tile can go to the floor");
            position.take(&mv);
            let board = &position.boards[seat];
            if mv.line < FLOOR && board.lines[usize::from(mv.line)].count > mv.line {
                worth[seat] = Worth::of(board);
            }
        }
        position.end_round();
        if position.has_row() {
            return;
        }
        noise.refill(position);
        worth = position.boards.each_ref().map(Worth::of);
    }
}

/// What a finished match is worth for seat 0, 0 to 1: mostly who won, a little by how much, so that a search in a
/// decided match still plays for points.
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

/// Share of a result that is the margin's.
const BY_MARGIN: f32 = 0.3;

/// The seat's own side of a value for seat 0.
#[inline]
pub fn for_seat(value: f32, seat: Seat) -> f32 {
    if seat.0 == 0 { value } else { 1.0 - value }
}
