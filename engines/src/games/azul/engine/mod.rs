//! Engines of Azul: they see views, and search on positions. Know no dialogue.

mod alphabeta;
mod greedy;
mod noise;
mod plain;
mod policy;
mod tree;

pub use alphabeta::ALPHABETA;
#[cfg(test)]
pub use alphabeta::{best, secured};
pub use greedy::GREEDY;
pub use plain::PLAIN;

use self::noise::Noise;
use self::tree::{Edge, Tree};
use super::rules::Move;
use super::{Azul, View};
use crate::kit::handicap;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};

/// The engine's entry in the game's list.
pub const SPEC: EngineSpec<Azul> = EngineSpec {
    name: "azul",
    version: 1,
    instant: false,
    summary: "Monte Carlo tree search across rounds, refills sampled, playouts guided by what moves promise.",
    make: || Box::new(Searcher),
};

/// More playouts than any time limit here allows; the end of a search that nobody ends.
const MOST_NODES: u64 = 4_000_000;

struct Searcher;

/// How a level plays weaker: playouts at the most, share of slips, and among how many of the best moves a slip picks.
fn handicap_of(level: Level) -> (u64, f64, usize) {
    match level {
        Level::Easy => (8, 0.5, 15),
        Level::Medium => (60, 0.2, 6),
        Level::Hard => (1_000, 0.05, 3),
        Level::Max => (MOST_NODES, 0.0, 1),
    }
}

impl Engine<Azul> for Searcher {
    /// A node is a playout, some 10 to 20 microseconds.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Azul> {
        let (nodes, slips, among) = handicap_of(search.limits().level);
        search.cap_nodes(nodes);
        search.ask_every(8);
        let noise = Noise::new(search.rng().next_u64());
        let mut tree = Tree::new(*view.position(), noise);
        if tree.moves().len() > 1 {
            while search.tick() {
                tree.play();
                if search.is_asked() {
                    search.tell(&decision(&tree, rank(&tree), 0));
                }
            }
        }
        let candidates = rank(&tree);
        let slip = &candidates[..candidates.len().min(among)];
        let chosen = handicap::choose(slip, slips, search.rng());
        decision(&tree, candidates, chosen)
    }
}

/// The decision for one of the candidates.
fn decision(tree: &Tree, candidates: Vec<Candidate<Move>>, chosen: usize) -> Decision<Azul> {
    let Candidate { mv, value, .. } = candidates[chosen];
    Decision { mv, value, depth: tree.depth(), line: tree.line(mv), candidates }
}

/// The root's moves, the most tried first. Equal numbers of visits keep the policy's order, the only one there is without
/// a search.
fn rank(tree: &Tree) -> Vec<Candidate<Move>> {
    let mut edges: Vec<_> = tree.moves().iter().collect();
    edges.sort_by_key(|e| std::cmp::Reverse(e.visits));
    let candidate = |e: &Edge| Candidate {
        mv: e.mv,
        value: e.mean().map_or(0.5, f64::from),
        visits: u64::from(e.visits),
    };
    edges.into_iter().map(candidate).collect()
}
