//! A baseline: looks one move ahead and ignores what the opponent may do.

use super::DISPLAYED;
use crate::games::azul::rules::{FLOOR, Move, Position};
use crate::games::azul::{Azul, View};
use crate::search::{Candidate, Decision, Engine, EngineSpec, Search};
use crate::search_kit::curve::lead;

/// The engine's entry in the game's list.
pub const GREEDY: EngineSpec<Azul> = EngineSpec {
    name: "greedy",
    version: 1,
    instant: true,
    summary: "Takes the most points that tiling would give if the round ended now.",
    make: || Box::new(GreedyAzul),
};

struct GreedyAzul;

/// Points of the mover if the round ended after this move, and less than one point for how full the move's line is, so
/// that fuller lines win among equals.
fn gain(position: &Position, mv: &Move) -> f64 {
    let seat = position.to_move.index();
    let mut after = *position;
    after.take(mv);
    let board = &mut after.boards[seat];
    let filled = if mv.line == FLOOR {
        0.0
    } else {
        f64::from(board.lines[usize::from(mv.line)].count) / f64::from(mv.line + 1)
    };
    // Far above 0, where a score would stop falling: the floor must count in full.
    let before = board.score + 100;
    board.score = before;
    board.tile();
    f64::from(board.score - before) + 0.9 * filled
}

impl Engine<Azul> for GreedyAzul {
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Azul> {
        let position = view.position();
        let mut moves = Vec::new();
        position.legal(&mut moves);
        let mut ranked: Vec<(Move, f64)> = moves
            .into_iter()
            .map(|mv| {
                search.tick();
                (mv, gain(position, &mv))
            })
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let candidate = |(mv, gain): (Move, f64)| Candidate { mv, value: lead(gain, DISPLAYED), visits: 1 };
        let candidates: Vec<_> = ranked.into_iter().map(candidate).collect();
        let best = candidates.first().expect("an engine is asked only where there is a move");
        Decision { mv: best.mv, value: best.value, depth: 1, line: Vec::new(), candidates }
    }
}
