//! Engines of Azul: they see views, and search on positions. Know no dialogue.

mod alphabeta;
mod casual;
mod glance;
mod greedy;
mod noise;
mod outlook;
mod plain;
mod policy;
mod told;
mod tree;

pub use alphabeta::ALPHABETA;
#[cfg(test)]
pub use alphabeta::{best, secured};
pub use casual::CASUAL;
#[cfg(test)]
pub use glance::{BEGIN as TAKE_MARKER, COST, DUMP, Glance, NUMBERS, POLICY, SHARE, STEP, policy, step};
pub use greedy::GREEDY;
#[cfg(test)]
pub use noise::Noise;
#[cfg(test)]
pub use outlook::{BEGIN, FEATURES, STAGES, UNIT, Weights, features, squash, stage};
pub use plain::PLAIN;
#[cfg(test)]
pub use policy::{Worth, each_move, play_round, result};
#[cfg(test)]
pub use told::told;
#[cfg(test)]
pub use tree::{GUIDE, Guide, Tree};

#[cfg(not(test))]
use self::noise::Noise;
#[cfg(not(test))]
use self::told::told;
use self::tree::Edge;
#[cfg(not(test))]
use self::tree::{GUIDE, Tree};
use super::rules::Move;
use super::{Azul, View};
use crate::rng::Rng;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};

/// The engine's entry in the game's list.
pub const SPEC: EngineSpec<Azul> = EngineSpec {
    name: "azul",
    version: 3,
    instant: false,
    summary: "Monte Carlo tree search across rounds, refills sampled, with a fitted outlook at a round's end.",
    make: || Box::new(Searcher),
};

/// More playouts than any time limit here allows; the end of a search that nobody ends.
const MOST_NODES: u64 = 4_000_000;

struct Searcher;

/// How a level plays weaker: playouts at the most, and by how much the value of a move that it may choose is less than
/// the best one's. All moves so near are equally likely; those never tried are not among them.
fn handicap_of(level: Level) -> (u64, f64) {
    match level {
        Level::Easy => (40, 0.13),
        Level::Medium => (80, 0.03),
        Level::Hard => (300, 0.0),
        Level::Max => (MOST_NODES, 0.0),
    }
}

/// The candidate to play: the first, or for a weaker level any of those about as good.
fn choose(candidates: &[Candidate<Move>], slack: f64, rng: &mut Rng) -> usize {
    let least = candidates[0].value - slack;
    let near = |i: &usize| candidates[*i].visits > 0 && candidates[*i].value >= least;
    let near: Vec<usize> = (0..candidates.len()).filter(near).collect();
    if slack > 0.0 { rng.pick(&near).copied().unwrap_or(0) } else { 0 }
}

impl Engine<Azul> for Searcher {
    /// A node is a playout to the end of a round, some 3 microseconds.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Azul> {
        let (nodes, slack) = handicap_of(search.limits().level);
        search.cap_nodes(nodes);
        search.ask_every(32);
        let noise = Noise::new(search.rng().next_u64());
        let mut tree = Tree::new(&GUIDE, *view.position(), noise);
        if tree.moves().len() > 1 {
            while search.tick() {
                tree.play();
                if search.is_asked() {
                    search.tell(&decision(&tree, rank(&tree), 0));
                }
            }
        }
        let candidates = rank(&tree);
        let chosen = choose(&candidates, slack, search.rng());
        decision(&tree, candidates, chosen)
    }
}

/// The decision for one of the candidates, with the values as they are told.
fn decision(tree: &Tree, mut candidates: Vec<Candidate<Move>>, chosen: usize) -> Decision<Azul> {
    candidates.iter_mut().for_each(|c| c.value = told(c.value));
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
        value: f64::from(e.mean().unwrap_or_else(|| tree.glimpse(e.mv))),
        visits: u64::from(e.visits),
    };
    edges.into_iter().map(candidate).collect()
}
