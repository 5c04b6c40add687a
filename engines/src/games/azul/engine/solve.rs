//! Exact play to the end of a round. Inside a round nothing is left to chance, so alpha-beta with a table of positions
//! finds the values of the moves. The round-end network values the round's end.

use super::move_prior::{MovePrior, Policy, stage};
use super::policy::{Worth, each_move, for_seat};
use super::round_end_net::RoundEndNet;
use crate::games::azul::rules::{Board, Line, Move, Position};
use crate::search_kit::fast_rng::FastRng;

/// Places of the table, a power of two, 16 bytes each.
const PLACES: usize = 1 << 18;
/// Positions with at most this many choices are not kept in the table: their search is faster.
const FEW_CHOICES: usize = 2;
/// Number of visited positions after which the caller is asked whether to go on.
const ASK_EVERY: u64 = 1_024;
/// Average number of positions that a search visits, by the number of (source, colour) choices.
const USUAL: [u64; 13] = [0, 1, 8, 40, 150, 500, 1_500, 4_500, 15_000, 50_000, 170_000, 600_000, 2_000_000];

/// Whether exact play of this position is likely to end within this many visited positions.
pub fn is_solvable(position: &Position, most: u64) -> bool {
    USUAL.get(position.choices()).is_some_and(|usual| 2 * usual <= most)
}

/// The moves and their values to the seat to move, the best first; of equal displays only the first has moves. The value of
/// a move that is worse than the best by more than `window` is an upper bound. `None` if that takes more than `most`
/// positions, or when `go_on` says no. The position has a move.
pub fn solve(
    policy: &Policy,
    round_end_net: &RoundEndNet,
    position: &Position,
    window: f32,
    most: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Vec<(Move, f32)>> {
    let table = vec![[0; 2]; PLACES];
    let move_prior = &policy[stage(position)];
    let mut solver = Solver { move_prior, round_end_net, table, nodes: 0, most, go_on, spare: Vec::new() };
    let mut moves = Vec::new();
    solver.list(position, &mut moves);
    let mut best = 0.0f32;
    for (mv, value) in &mut moves {
        *value = solver.after(position, mv, (best - window).max(0.0), 1.0)?;
        best = best.max(*value);
    }
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    Some(moves)
}

/// A search of one round.
struct Solver<'a> {
    move_prior: &'a MovePrior,
    round_end_net: &'a RoundEndNet,
    /// The key of a position, 0 in a free place, and bits: a lower and an upper bound of its value to the seat to move.
    table: Vec<[u64; 2]>,
    /// Positions visited.
    nodes: u64,
    /// Maximum number of positions to visit.
    most: u64,
    go_on: &'a mut dyn FnMut() -> bool,
    /// Move lists to use again.
    spare: Vec<Vec<(Move, f32)>>,
}

impl Solver<'_> {
    /// The value of the position after a move, to the seat that moved: exact between the bounds, else a bound beyond them.
    /// `None` when the search must end.
    fn after(&mut self, position: &Position, mv: &Move, alpha: f32, beta: f32) -> Option<f32> {
        self.nodes += 1;
        if self.nodes > self.most || (self.nodes.is_multiple_of(ASK_EVERY) && !(self.go_on)()) {
            return None;
        }
        let mut next = *position;
        next.take(mv);
        if !next.is_bare() {
            return Some(1.0 - self.value(&next, 1.0 - beta, 1.0 - alpha)?);
        }
        next.end_round();
        Some(for_seat(self.round_end_net.value(&next), position.to_move))
    }

    /// The value to the seat to move, in the same form.
    fn value(&mut self, position: &Position, alpha: f32, beta: f32) -> Option<f32> {
        if position.choices() <= FEW_CHOICES {
            return self.best(position, alpha, beta);
        }
        let key = key(position);
        let place = key as usize & (PLACES - 1);
        let [found, bits] = self.table[place];
        let [mut least, mut most] = if found == key { unpack(bits) } else { [0.0, 1.0] };
        if least >= beta || least == most {
            return Some(least);
        }
        if most <= alpha {
            return Some(most);
        }
        let (alpha, beta) = (alpha.max(least), beta.min(most));
        let best = self.best(position, alpha, beta)?;
        if best < beta {
            most = best;
        }
        if best > alpha {
            least = best;
        }
        self.table[place] = [key, pack([least, most])];
        Some(best)
    }

    /// The value of the best move, in the same form, by trying the moves.
    fn best(&mut self, position: &Position, mut alpha: f32, beta: f32) -> Option<f32> {
        let mut moves = self.spare.pop().unwrap_or_default();
        self.list(position, &mut moves);
        let mut best = 0.0f32;
        for (mv, _) in &moves {
            best = best.max(self.after(position, mv, alpha, beta)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        self.spare.push(moves);
        Some(best)
    }

    /// The moves, the most promising first; of equal displays only the first has moves.
    fn list(&self, position: &Position, out: &mut Vec<(Move, f32)>) {
        out.clear();
        let board = &position.boards[position.to_move.index()];
        let sources = &position.sources;
        each_move(self.move_prior, position, &Worth::of(self.move_prior, board), |mv, promise| {
            let display = usize::from(mv.display);
            if display < 2 || !sources[1..display].contains(&sources[display]) {
                out.push((mv, promise));
            }
        });
        out.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
}

/// Two bounds as bits.
fn pack(bounds: [f32; 2]) -> u64 {
    let [least, most] = bounds.map(|bound| u64::from(bound.to_bits()));
    least << 32 | most
}

/// The bounds of these bits.
fn unpack(bits: u64) -> [f32; 2] {
    [(bits >> 32) as u32, bits as u32].map(f32::from_bits)
}

/// A number for the parts of a position that change within a round. The order of the displays does not change it.
fn key(position: &Position) -> u64 {
    let [centre, displays @ ..] = &position.sources;
    let counts = |counts: &[u8; 5]| counts.iter().fold(0u64, |sum, n| sum << 8 | u64::from(*n));
    let displays = displays.iter().fold(0u64, |sum, display| sum.wrapping_add(mix(counts(display))));
    let turn = u64::from(position.to_move.0) << 2 | position.marker.map_or(0, |seat| 1 + u64::from(seat.0));
    let board = |board: &Board| {
        let line = |sum: u64, line: &Line| sum << 6 | u64::from(line.count << 3 | line.colour);
        board.lines.iter().fold(u64::from(board.floor), line)
    };
    let table = mix(displays ^ mix(counts(centre) << 4 | turn));
    let [first, second] = [board(&position.boards[0]), board(&position.boards[1])];
    mix(mix(table.wrapping_add(mix(first))).wrapping_add(second)) | 1
}

/// Spreads the bits of a number: the steps of SplitMix64.
fn mix(number: u64) -> u64 {
    FastRng::new(number).next_u64()
}
