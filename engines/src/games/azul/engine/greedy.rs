//! The yardstick: looks one move ahead and at nothing the opponent may do.

use crate::games::azul::rules::{FLOOR, Move, Position};
use crate::games::azul::{Azul, View};
use crate::search::{Candidate, Decision, Engine, EngineSpec, Search};

/// The engine's entry in the game's list.
pub const GREEDY: EngineSpec<Azul> = EngineSpec {
    name: "greedy",
    version: 1,
    instant: true,
    summary: "Takes the most points that tiling would give if the round ended now.",
    make: || Box::new(Greedy),
};

struct Greedy;

/// Points of the mover if the round ended after this move. Among equals, full lines and then fuller lines are
/// better: the second part is below one point.
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
    // A score cannot fall below 0; the floor's cost counts all the same here.
    let before = board.score + 100;
    board.score = before;
    board.tile();
    f64::from(board.score - before) + 0.9 * filled
}

impl Engine<Azul> for Greedy {
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
        let candidate = |(mv, gain): (Move, f64)| Candidate { mv, value: squash(gain), visits: 1 };
        let candidates: Vec<_> = ranked.into_iter().map(candidate).collect();
        let best = candidates.first().expect("an engine is asked only where there is a move");
        Decision { mv: best.mv, value: best.value, depth: 1, line: Vec::new(), candidates }
    }
}

/// Points as a share of the score to expect; a rough scale for display, no more.
fn squash(points: f64) -> f64 {
    0.5 + 0.5 * points / (points.abs() + 15.0)
}
