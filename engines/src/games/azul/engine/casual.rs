//! A baseline: an occasional player. Fills lines, wastes little, and considers neither points nor the opponent.

use crate::games::azul::rules::{FLOOR, Move, Position};
use crate::games::azul::{Azul, View};
use crate::search::{Decision, Engine, EngineSpec, Search};

/// The engine's entry in the game's list.
pub const CASUAL: EngineSpec<Azul> = EngineSpec {
    name: "casual",
    version: 1,
    instant: true,
    summary: "Takes the most tiles that fit a line, likes to finish one, spills as few as it can; a baseline.",
    make: || Box::new(CasualAzul),
};

struct CasualAzul;

/// The appeal of a move: counts tiles that find room, a line that is full then, and tiles that do not fit.
fn appeal(position: &Position, mv: &Move) -> i32 {
    let tiles = i32::from(position.sources[usize::from(mv.display)][mv.colour.index()]);
    let marker = i32::from(mv.display == 0 && position.marker.is_none());
    if mv.line == FLOOR {
        return -2 * (tiles + marker);
    }
    let board = &position.boards[position.to_move.index()];
    let room = i32::from(mv.line + 1 - board.lines[usize::from(mv.line)].count);
    let finished = 2 * i32::from(tiles >= room);
    tiles.min(room) + finished - 2 * ((tiles - room).max(0) + marker)
}

impl Engine<Azul> for CasualAzul {
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Azul> {
        let position = view.position();
        let mut moves = Vec::new();
        position.legal(&mut moves);
        search.tick();
        let most = moves.iter().map(|mv| appeal(position, mv)).max();
        moves.retain(|mv| Some(appeal(position, mv)) == most);
        Decision::by_rule(*search.rng().pick(&moves).expect("an engine is asked only where there is a move"))
    }
}
