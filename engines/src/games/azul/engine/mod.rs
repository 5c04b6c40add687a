//! Engines of Azul: they see views and search on positions. They know no dialogue.

pub mod alphabeta;
mod casual;
mod greedy;
pub mod mid_round_net;
pub mod move_prior;
mod plain;
pub mod policy;
pub mod refill;
pub mod round_end_net;
pub mod score;
pub mod search;
pub mod solve;

pub use alphabeta::ALPHABETA;
pub use casual::CASUAL;
pub use greedy::GREEDY;
pub use plain::PLAIN;

use self::score::expected_score;
use self::search::{AzulTree, Guide, rank_exactly};
use super::rules::Move;
pub use super::rules::{Board, COLOURS, Colour, FLOOR, FLOOR_COST, FLOOR_SLOTS, Position, ROWS};
use super::{Azul, View};
use crate::rng::Rng;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Limits, Search};
use crate::search_kit::fast_rng::FastRng;
use crate::search_kit::puct::{PuctEdge, grow};

/// The engine's entry in the game's list.
pub const SPEC: EngineSpec<Azul> = EngineSpec {
    name: "azul",
    version: 8,
    instant: false,
    summary: "Monte Carlo tree search across rounds, guided by two networks, with exact play late in a round.",
    make: || Box::new(AzulEngine),
};

/// Maximum number of nodes: more than any time limit allows, but a bound if only the host would end the search.
const MOST_NODES: u64 = 4_000_000;
/// Approximate iterations a second, which a search under a time limit expects.
const SPEED: f64 = 450_000.0;
/// The lead in points at which the baselines show an expected score of 3/4; a rough scale for display.
const DISPLAYED: f64 = 15.0;

struct AzulEngine;

/// The handicap of a level: iterations at most, and how much less than the best one's the value of a chosen move may be.
/// All moves in that range are equally likely; untried ones are not among them.
fn handicap_of(level: Level) -> (u64, f64) {
    match level {
        Level::Easy => (40, 0.135),
        Level::Medium => (80, 0.08),
        Level::Hard => (150, 0.045),
        Level::Max => (MOST_NODES, 0.0),
    }
}

/// The candidate to play: the first, or for a weaker level any of the moves about as good.
fn choose(candidates: &[Candidate<Move>], slack: f64, rng: &mut Rng) -> usize {
    let least = candidates[0].value - slack;
    let near = |i: &usize| candidates[*i].visits > 0 && candidates[*i].value >= least;
    let near: Vec<usize> = (0..candidates.len()).filter(near).collect();
    if slack > 0.0 { rng.pick(&near).copied().unwrap_or(0) } else { 0 }
}

impl Engine<Azul> for AzulEngine {
    /// A node is an iteration, some 2 microseconds.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Azul> {
        let guide = Guide::in_use();
        // These come before the budget is capped: a search with a node budget knows no time, and borrows no cores.
        let exact = exact_play(&guide, view.position(), search);
        let level = search.limits().level;
        let cores = search.cores().filter(|_| level == Level::Max);
        let (nodes, slack) = handicap_of(level);
        search.cap_nodes(nodes);
        search.ask_every(32);
        let seed = search.rng().next_u64();
        let tree_of = |seed| AzulTree::with_exact(guide.clone(), *view.position(), exact.clone(), seed);
        let mut tree = tree_of(seed);
        let others = if tree.moves().nth(1).is_some() {
            let another = |number| tree_of(FastRng::new(seed.wrapping_add(number)).next_u64());
            grow(&mut tree, search, cores, another, |tree, search| {
                search.tell(&decision(tree, rank(tree, &[]), 0));
            })
        } else {
            Vec::new()
        };
        let candidates = rank(&tree, &others);
        let chosen = choose(&candidates, slack, search.rng());
        decision(&tree, candidates, chosen)
    }
}

/// The moves by exact play. Only for the full level: the others have few iterations and choose among several moves. Uses at
/// most half of the time.
fn exact_play(guide: &Guide, position: &Position, search: &mut Search<'_>) -> Vec<(Move, f32)> {
    let Limits { level, nodes, .. } = *search.limits();
    if level != Level::Max || search.done() {
        return Vec::new();
    }
    let expected = search.remaining().map(|left| (SPEED * left.as_secs_f64()) as u64);
    // A search whose end is unknown gets the iterations of a search of one second.
    let iterations = expected.or(nodes).unwrap_or(SPEED as u64).min(MOST_NODES);
    rank_exactly(guide, position, iterations, &mut || {
        !search.done() && search.used().is_none_or(|used| used < 0.5)
    })
}

/// The decision for one of the candidates, with values as expected scores.
fn decision(tree: &AzulTree, mut candidates: Vec<Candidate<Move>>, chosen: usize) -> Decision<Azul> {
    candidates.iter_mut().for_each(|c| c.value = expected_score(c.value));
    let Candidate { mv, value, .. } = candidates[chosen];
    Decision { mv, value, depth: tree.depth(), line: tree.line(mv), candidates }
}

/// The root's moves, the most visited first, with the visits and values of the `others`, the same moves in other trees. Equal
/// ones keep the policy's order; without a search it is the only order.
fn rank(tree: &AzulTree, others: &[PuctEdge<Move>]) -> Vec<Candidate<Move>> {
    let added_up = |edge: &PuctEdge<Move>| {
        let same = others.iter().filter(|other| other.mv == edge.mv);
        same.fold(*edge, |sum, other| sum.and(other))
    };
    let mut edges: Vec<_> = tree.moves().map(added_up).collect();
    edges.sort_by_key(|e| std::cmp::Reverse(e.visits));
    let candidate = |e: &PuctEdge<Move>| Candidate {
        mv: e.mv,
        value: e.mean().unwrap_or_else(|| f64::from(tree.immediate_value(e.mv))),
        visits: u64::from(e.visits),
    };
    edges.iter().map(candidate).collect()
}
