//! A baseline: alpha-beta to the end of the round, where it counts the secured points. It does not look across rounds
//! and gives no value to a wall's future.

use super::DISPLAYED;
use crate::games::azul::rules::{Board, Colour, FLOOR, FLOOR_COST, FLOOR_SLOTS, Move, Position, SOURCES};
use crate::games::azul::{Azul, View};
use crate::search::{Candidate, Decision, Engine, EngineSpec, Search};
use crate::search_kit::curve;

/// The engine's entry in the game's list.
pub const ALPHABETA: EngineSpec<Azul> = EngineSpec {
    name: "alphabeta",
    version: 1,
    instant: false,
    summary: "Alpha-beta to the end of the round, by the points that are secured there; a baseline.",
    make: || Box::new(AlphaBeta),
};

struct AlphaBeta;

impl Engine<Azul> for AlphaBeta {
    /// A node is a position reached by a move.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Azul> {
        search.ask_every(512);
        let SearchResult { mv, lead, depth } = best(view.position(), search);
        let value = curve::lead(f64::from(lead), DISPLAYED);
        let candidates = vec![Candidate { mv, value, visits: 1 }];
        Decision { mv, value, candidates, line: Vec::new(), depth }
    }
}

/// The best move, and how far the search came.
pub struct SearchResult {
    /// The best move.
    pub mv: Move,
    /// The mover's lead at the end of the round, in secured points.
    pub lead: i16,
    /// Plies of the last search that was finished.
    pub depth: u32,
}

/// The best move to the end of the round, within the search's limits.
pub fn best(position: &Position, search: &mut Search<'_>) -> SearchResult {
    Seeker { search, killers: Vec::new(), spare: Vec::new(), cut: false }.deepen(position)
}

/// The mover's lead if the round ended now: after tiling and floor costs, with the bonuses if the match ends.
pub fn secured(position: &Position) -> i16 {
    let mut after = *position;
    after.end_round();
    let [a, b] = after.boards.map(|b| b.score);
    if position.to_move.0 == 0 { a - b } else { b - a }
}

/// A number beyond any lead.
const MOST: i16 = i16::MAX;

struct Seeker<'a, 'h> {
    search: &'a mut Search<'h>,
    /// By ply, the last move that refuted its parent.
    killers: Vec<Option<Move>>,
    /// Move lists to use again.
    spare: Vec<Vec<(i16, Move)>>,
    /// Whether the depth limit ended a line before the round's end.
    cut: bool,
}

impl Seeker<'_, '_> {
    /// Deepens by one ply at a time until every line reaches the round's end or the search must stop. An unfinished
    /// depth counts as far as it got, since it tries the best move of the previous depth first.
    fn deepen(&mut self, position: &Position) -> SearchResult {
        let mut moves = Vec::new();
        promising(position, None, &mut moves);
        moves.sort_by_key(|(promise, _)| -promise);
        let mut found = SearchResult { mv: moves[0].1, lead: secured(position), depth: 0 };
        if moves.len() < 2 {
            return found;
        }
        for depth in 1.. {
            self.cut = false;
            let mut best = -MOST;
            for at in 0..moves.len() {
                let mv = moves[at].1;
                let Some(lead) = self.after(position, &mv, depth, 0, best, MOST) else { return found };
                if lead > best {
                    best = lead;
                    (found.mv, found.lead) = (mv, lead);
                    // Moved to the front, so that the next search tries it first.
                    moves[..=at].rotate_right(1);
                }
            }
            found.depth = depth;
            if !self.cut {
                break;
            }
        }
        found
    }

    /// The mover's lead after this move; `None` when the search must end.
    fn after(
        &mut self,
        position: &Position,
        mv: &Move,
        depth: u32,
        ply: usize,
        alpha: i16,
        beta: i16,
    ) -> Option<i16> {
        if !self.search.tick() {
            return None;
        }
        let mut next = *position;
        next.take(mv);
        self.lead(&next, depth - 1, ply + 1, -beta, -alpha).map(|lead| -lead)
    }

    fn lead(
        &mut self,
        position: &Position,
        depth: u32,
        ply: usize,
        mut alpha: i16,
        beta: i16,
    ) -> Option<i16> {
        let is_bare = position.is_bare();
        if depth == 0 || is_bare {
            self.cut |= !is_bare;
            return Some(secured(position));
        }
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, None);
        }
        let mut moves = self.spare.pop().unwrap_or_default();
        moves.clear();
        promising(position, self.killers[ply], &mut moves);
        let mut best = -MOST;
        for at in 0..moves.len() {
            let most = (at..moves.len()).max_by_key(|i| (moves[*i].0, std::cmp::Reverse(*i))).unwrap_or(at);
            moves.swap(at, most);
            let mv = moves[at].1;
            best = best.max(self.after(position, &mv, depth, ply, alpha, beta)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                self.killers[ply] = Some(mv);
                break;
            }
        }
        self.spare.push(moves);
        Some(best)
    }
}

/// The legal moves with their priorities; the highest is tried first. Of equal displays only the first is listed.
fn promising(position: &Position, killer: Option<Move>, out: &mut Vec<(i16, Move)>) {
    let board = &position.boards[position.to_move.index()];
    for display in 0..SOURCES {
        let tiles = &position.sources[display];
        if display > 1 && position.sources[1..display].contains(tiles) {
            continue;
        }
        let marker = u8::from(display == 0 && position.marker.is_none());
        for colour in Colour::ALL {
            let tiles = tiles[colour.index()];
            if tiles == 0 {
                continue;
            }
            for line in (0..=FLOOR).filter(|line| board.accepts(colour.index(), *line)) {
                let mv = Move { display: display as u8, colour, line };
                let promise = if killer == Some(mv) { 1_000 } else { promise(board, tiles, marker, &mv) };
                out.push((promise, mv));
            }
        }
    }
}

/// A rough priority in tenths of points: the tile's points if the line is full now, else a little for its tiles, less
/// the cost of the floor.
fn promise(board: &Board, tiles: u8, marker: u8, mv: &Move) -> i16 {
    let cost = |more: u8| {
        let after = (board.floor + more).min(FLOOR_SLOTS);
        10 * (FLOOR_COST[usize::from(after)] - FLOOR_COST[usize::from(board.floor)])
    };
    if mv.line == FLOOR {
        return -cost(tiles + marker);
    }
    let row = usize::from(mv.line);
    let room = mv.line + 1 - board.lines[row].count;
    let gain = if tiles >= room {
        10 * board.wall.points(row, mv.colour.index()) + 2 * i16::from(mv.line)
    } else {
        6 * i16::from(tiles) / i16::from(room)
    };
    gain - cost(marker + tiles.saturating_sub(room))
}
