//! A baseline: plain Monte Carlo tree search. UCB1 chooses in the tree, playouts are uniformly random to the end of
//! the match, with refills as they come.

use super::refill::refill;
use crate::game::Seat;
use crate::games::azul::rules::{COLOURS, Colour, FLOOR, Move, Position};
use crate::games::azul::{Azul, View};
use crate::search::{Candidate, Decision, Engine, EngineSpec, Search};
use crate::search_kit::fast_rng::FastRng;

/// The engine's entry in the game's list.
pub const PLAIN: EngineSpec<Azul> = EngineSpec {
    name: "plain",
    version: 1,
    instant: false,
    summary: "Monte Carlo tree search by UCB1 with uniformly random playouts to the end of the match; a baseline.",
    make: || Box::new(PlainAzul),
};

struct PlainAzul;

/// Maximum number of edges of a tree; when it is full it only gathers results.
const MOST_EDGES: usize = 8_000_000;
/// Euler's constant: the sum of 1/k up to n is about ln n plus this.
const EULER: f32 = 0.577_215_7;

/// A move in the tree and the position after it.
struct UctNode {
    mv: Move,
    /// Playouts through it, and the sum of their results for the seat that made the move.
    visits: u32,
    sum: f32,
    /// Sum of 1/k up to its visits. It replaces a logarithm, which is not the same on every machine.
    harmonic: f32,
    /// The moves from here; none before it is expanded, and none at a round's end.
    first: u32,
    moves: u32,
}

impl Engine<Azul> for PlainAzul {
    /// A node is a playout.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Azul> {
        search.ask_every(8);
        let mut tree =
            UctTree { root: *view.position(), nodes: Vec::new(), rng: FastRng::new(search.rng().next_u64()) };
        tree.nodes.push(node(Move { display: 0, colour: Colour::Green, line: FLOOR }));
        tree.expand(0, view.position());
        if tree.nodes[0].moves > 1 {
            while search.tick() {
                tree.play();
            }
        }
        let mut tried: Vec<_> = tree.nodes[1..=tree.nodes[0].moves as usize].iter().collect();
        tried.sort_by_key(|n| std::cmp::Reverse(n.visits));
        let candidates: Vec<_> = tried
            .into_iter()
            .map(|n| Candidate {
                mv: n.mv,
                value: f64::from(if n.visits > 0 { n.sum / n.visits as f32 } else { 0.5 }),
                visits: u64::from(n.visits),
            })
            .collect();
        let Candidate { mv, value, .. } = candidates[0];
        Decision { mv, value, candidates, line: Vec::new(), depth: 1 }
    }
}

fn node(mv: Move) -> UctNode {
    UctNode { mv, visits: 0, sum: 0.0, harmonic: 0.0, first: 0, moves: 0 }
}

struct UctTree {
    root: Position,
    nodes: Vec<UctNode>,
    rng: FastRng,
}

impl UctTree {
    /// Adds all moves of a position, in random order, so that no first one is preferred.
    fn expand(&mut self, at: usize, position: &Position) {
        let mut moves = Vec::new();
        position.legal(&mut moves);
        for i in 0..moves.len() {
            let other = i + self.rng.below(moves.len() - i);
            moves.swap(i, other);
        }
        self.nodes[at].first = self.nodes.len() as u32;
        self.nodes[at].moves = moves.len() as u32;
        self.nodes.extend(moves.into_iter().map(node));
    }

    /// The first untried move; if all were tried, the one that UCB1 prefers.
    fn select(&self, at: usize) -> usize {
        let UctNode { first, moves, harmonic, .. } = self.nodes[at];
        let log = (harmonic - EULER).max(0.0);
        let mut best = (0, f32::NEG_INFINITY);
        for child in first as usize..(first + moves) as usize {
            let UctNode { visits, sum, .. } = self.nodes[child];
            if visits == 0 {
                return child;
            }
            let score = sum / visits as f32 + (2.0 * log / visits as f32).sqrt();
            if score > best.1 {
                best = (child, score);
            }
        }
        best.0
    }

    /// One playout. The tree ends at the round's end, because no refill comes a second time. A node is expanded when
    /// it is reached for the second time.
    fn play(&mut self) {
        let mut position = self.root;
        let mut path: Vec<(usize, Seat)> = vec![(0, position.to_move)];
        let mut at = 0;
        while !position.is_bare() {
            if self.nodes[at].moves == 0 {
                if self.nodes[at].visits == 0 || self.nodes.len() > MOST_EDGES {
                    break;
                }
                self.expand(at, &position);
            }
            at = self.select(at);
            path.push((at, position.to_move));
            position.take(&self.nodes[at].mv);
        }
        play_out(&mut position, &mut self.rng);
        let [a, b] = position.boards.map(|b| (b.score, b.wall.rows()));
        for (node, seat) in path {
            let node = &mut self.nodes[node];
            let (own, other) = if seat.0 == 0 { (a, b) } else { (b, a) };
            node.visits += 1;
            node.harmonic += 1.0 / node.visits as f32;
            node.sum += match own.cmp(&other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
}

/// Plays legal moves, each equally likely, to the end of the match.
fn play_out(position: &mut Position, rng: &mut FastRng) {
    loop {
        while !position.is_bare() {
            let mv = any_move(position, rng);
            position.take(&mv);
        }
        position.end_round();
        if position.has_row() {
            return;
        }
        refill(position, rng);
    }
}

fn any_move(position: &Position, rng: &mut FastRng) -> Move {
    let board = &position.boards[position.to_move.index()];
    let mut lines = [1u8 << FLOOR; COLOURS];
    for (colour, lines) in lines.iter_mut().enumerate() {
        *lines |= (0..FLOOR).map(|line| u8::from(board.accepts(colour, line)) << line).sum::<u8>();
    }
    let ways = lines.map(|lines| lines.count_ones() as usize);
    let count =
        |tiles: &[u8; COLOURS]| (0..COLOURS).filter(|c| tiles[*c] > 0).map(|c| ways[c]).sum::<usize>();
    let counts = position.sources.each_ref().map(count);
    let mut left = rng.below(counts.iter().sum());
    for (display, count) in counts.into_iter().enumerate() {
        if left >= count {
            left -= count;
            continue;
        }
        for colour in Colour::ALL {
            let c = colour.index();
            if position.sources[display][c] == 0 {
                continue;
            }
            if left >= ways[c] {
                left -= ways[c];
                continue;
            }
            let line = (0..=FLOOR).filter(|line| lines[c] >> line & 1 == 1).nth(left).unwrap_or(FLOOR);
            return Move { display: display as u8, colour, line };
        }
    }
    unreachable!("the number was below the sum of all")
}
