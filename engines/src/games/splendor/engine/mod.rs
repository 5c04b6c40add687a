//! Splendor's engines: `splendor` searches, `greedy` follows only the judgement; the baselines have a file of their own.
//! They see only a view.

mod baselines;
mod compounds;
mod ending;
pub mod inputs;
mod memo;
mod moves;
pub mod net;
pub mod policy;
pub mod position;
pub mod search;
#[cfg(test)]
mod tests;

pub use baselines::{CASUAL, PLAIN};
pub use moves::sift;
use policy::{Assessment, TUNED};
use position::{Act, FastTable};
use search::{SplendorSettings, SplendorTree};

use super::rules::Move;
use super::{Splendor, View};
use crate::game::View as _;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};
use crate::search_kit::fast_rng::FastRng;
use crate::search_kit::handicap;
use crate::search_kit::puct::{GrowingTree as _, PuctEdge, PuctSettings, grow, keep_best};

/// The searching engine's entry in the game's list.
pub const SPEC: EngineSpec<Splendor> = EngineSpec {
    name: "splendor",
    version: 9,
    instant: false,
    summary: "Monte Carlo tree search guided by a network that learned by self-play.",
    make: || Box::new(SplendorEngine),
};

/// The entry of the engine by judgement alone in the game's list.
pub const GREEDY: EngineSpec<Splendor> = EngineSpec {
    name: "greedy",
    version: 1,
    instant: true,
    summary: "The best action by judgement, one ply deep: buys, takes chips towards good cards, or reserves.",
    make: || Box::new(GreedySplendor),
};

/// The handicap of a level.
struct Strength {
    /// Maximum number of iterations. `None`: as many as the limits allow.
    iterations: Option<u64>,
    /// The share of slips: decisions in which any action that no other dominates is played.
    slips: f64,
}

/// The handicap of each level; the README compares the levels.
fn strength(level: Level) -> Strength {
    let (iterations, slips) = match level {
        Level::Easy => (Some(60), 0.5),
        Level::Medium => (Some(60), 0.36),
        Level::Hard => (Some(60), 0.22),
        Level::Max => (None, 0.0),
    };
    Strength { iterations, slips }
}

/// The actions that judgement considers, best first; all are legal.
pub fn judged(view: &View, pos: &FastTable, rng: &mut FastRng) -> Vec<(Act, f32)> {
    let mut all = Vec::new();
    Assessment::new(pos, &TUNED, 0.0, rng).all(pos, &TUNED, &mut all);
    all.retain(|(act, _)| view.is_legal(&act.to_move()));
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    if all.is_empty() {
        all.push((Act::PASS, 0.0));
    }
    all
}

/// The parameters of the search in use; the README says how they were found.
pub static SETTINGS: SplendorSettings = SplendorSettings {
    tree: PuctSettings {
        exploration: 0.7,
        untried: 0.12,
        first_outcomes: 3.0,
        outcome_growth: 0.25,
        expand_at: 2,
        // Some 160 MB.
        most_nodes: 400_000,
    },
    margin: 0.06,
    worlds: 8,
    kept: 32,
    least_prior: 0.002,
};

/// The tree of a table, with the network for its number of seats.
fn tree_of(root: &FastTable, seed: u64) -> SplendorTree {
    SplendorTree::new(root, net::for_seats(root.seats), &SETTINGS, seed)
}

/// The actions to choose from, the highest prior first: those that no other dominates; all are legal.
fn candidates(view: &View, pos: &FastTable, rng: &mut FastRng) -> Vec<(Act, f32)> {
    let mut acts = Vec::new();
    moves::undominated(pos, &mut acts);
    acts.retain(|act| view.is_legal(&act.to_move()));
    let mut rated: Vec<_> = acts.into_iter().map(|act| (act, 0.0)).collect();
    if rated.is_empty() {
        return judged(view, pos, rng);
    }
    let (net, seen) = (net::for_seats(pos.seats), pos.as_seen());
    net.rate(&seen, &net.hidden(&seen), &mut rated);
    keep_best(&mut rated, usize::MAX);
    rated
}

struct GreedySplendor;

impl Engine<Splendor> for GreedySplendor {
    /// A node is an action judged.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Splendor> {
        let pos = FastTable::of(view);
        let mut rng = FastRng::new(0);
        let candidates: Vec<_> = judged(view, &pos, &mut rng)
            .into_iter()
            .map(|(act, _)| {
                search.tick();
                Candidate { mv: act.to_move(), value: 0.5, visits: 1 }
            })
            .collect();
        Decision { mv: candidates[0].mv, value: 0.5, candidates, line: Vec::new(), depth: 1 }
    }
}

/// Maximum number of iterations if there is only one action: enough to estimate its value.
const ALONE: u64 = 200;
/// From this value on a level makes no slips.
const SURE: f64 = 0.95;

struct SplendorEngine;

impl Engine<Splendor> for SplendorEngine {
    /// A node is an iteration: one descent and one valuation, some microseconds.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Splendor> {
        search.ask_every(4);
        let root = FastTable::of(view);
        let Strength { iterations, slips } = strength(search.limits().level);
        iterations.into_iter().for_each(|cap| search.cap_nodes(cap));
        let mut rng = FastRng::new(0);
        // A player alone at the table has no margin in its values.
        let margin = if root.seats == 1 { 0.0 } else { f64::from(SETTINGS.margin) };
        let mut rated = candidates(view, &root, &mut rng);
        sift(&root.as_seen(), &mut rated, |(act, _)| *act);
        if rated.len() == 1 {
            search.cap_nodes(ALONE);
        }
        let seed = search.rng().next_u64();
        let mut tree = tree_of(&root, seed);
        let another = |number| tree_of(&root, FastRng::new(seed.wrapping_add(number)).next_u64());
        let cores = search.cores();
        let others = grow(&mut tree, search, cores, another, |tree, search| {
            search.tell(&decision(tree, rank(&rated, &tree.root_edges(), margin), 0));
        });
        let roots = [tree.root_edges(), others].concat();
        let candidates = rank(&rated, &roots, margin);
        // A slip never gives up a win at hand.
        let near = if candidates[0].value > chance_to_win(SURE, margin) { 1 } else { candidates.len() };
        let choice = handicap::choose(&candidates[..near], slips, search.rng());
        decision(&tree, candidates, choice)
    }
}

/// The decision for one of the candidates.
fn decision(tree: &SplendorTree, candidates: Vec<Candidate<Move>>, chosen: usize) -> Decision<Splendor> {
    let Candidate { mv, value, .. } = candidates[chosen];
    Decision { mv, value, line: tree.line(mv), candidates, depth: tree.deepest() }
}

/// The chance to win for a value of the search: without the share of the margin, which only guides the search.
pub fn chance_to_win(worth: f64, margin: f64) -> f64 {
    ((worth - margin / 2.0) / (1.0 - margin)).clamp(0.0, 1.0)
}

/// The actions by visits at the root, then by value, then by prior; untried ones come last.
fn rank(rated: &[(Act, f32)], roots: &[PuctEdge<Act>], margin: f64) -> Vec<Candidate<Move>> {
    let candidate = |(act, _): &(Act, f32)| {
        let same = roots.iter().filter(|e| e.mv == *act);
        let (visits, worth) = same.fold((0, 0.0), |(n, sum), e| (n + e.visits, sum + e.sum));
        let value = if visits > 0 { chance_to_win(worth / f64::from(visits), margin) } else { 0.5 };
        Candidate { mv: act.to_move(), value, visits: u64::from(visits) }
    };
    let mut all: Vec<_> = rated.iter().map(candidate).collect();
    // The sort is stable: among equals the order of priors stays.
    all.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)));
    all
}
