//! The engines: `splendor` searches, `greedy` follows the judgement alone; the yardsticks are in a file of their own.
//! All see a view and nothing else.

mod ending;
pub mod net;
pub mod policy;
pub mod position;
#[cfg(test)]
mod tests;
pub mod tree;
mod yardsticks;

use std::time::Duration;

use policy::{Survey, TUNED};
use position::{Act, Dice, Pos};
use tree::{Edge, Shape, Tree, sift};
pub use yardsticks::{CASUAL, PLAIN};

use super::rules::Move;
use super::{Splendor, View};
use crate::cores::{Leave, together};
use crate::game::View as _;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};
use crate::search_kit::handicap;

/// The searching engine's entry in the game's list.
pub const SPEC: EngineSpec<Splendor> = EngineSpec {
    name: "splendor",
    version: 3,
    instant: false,
    summary: "Monte Carlo tree search with few outcomes of chance; a trained network tells what a position is worth.",
    make: || Box::new(Searcher(&SHAPE)),
};

/// The yardstick's entry in the game's list.
pub const GREEDY: EngineSpec<Splendor> = EngineSpec {
    name: "greedy",
    version: 1,
    instant: true,
    summary: "The best action by judgement, one ply deep: buys, takes chips towards good cards, or reserves.",
    make: || Box::new(Greedy),
};

/// Iterations and share of slips of a level; `None`: as many as the limits allow.
fn strength(level: Level) -> (Option<u64>, f64) {
    match level {
        Level::Easy => (Some(20), 0.85),
        Level::Medium => (Some(40), 0.4),
        Level::Hard => (Some(120), 0.0),
        Level::Max => (None, 0.0),
    }
}

/// The actions that judgement thinks of, best first, all legal.
fn judged(view: &View, pos: &Pos, dice: &mut Dice) -> Vec<(Act, f32)> {
    let mut all = Vec::new();
    Survey::new(pos, &TUNED, 0.0, dice).all(pos, &TUNED, &mut all);
    all.retain(|(act, _)| view.is_legal(&act.to_move()));
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    if all.is_empty() {
        all.push((Act::PASS, 0.0));
    }
    all
}

/// The shape of the search at play; see the README for how its numbers were found.
pub static SHAPE: Shape = Shape {
    taste: &TUNED,
    exploration: 1.2,
    sharpness: 4.8,
    noise: 0.5,
    untried: 0.0,
    margin: 0.06,
    horizon: 2,
    outcomes: 3.0,
    growth: 0.25,
    worlds: 8,
};

struct Greedy;

impl Engine<Splendor> for Greedy {
    /// A node is an action judged.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Splendor> {
        let pos = Pos::of(view);
        let mut dice = Dice(0);
        let candidates: Vec<_> = judged(view, &pos, &mut dice)
            .into_iter()
            .map(|(act, _)| {
                search.tick();
                Candidate { mv: act.to_move(), value: 0.5, visits: 1 }
            })
            .collect();
        Decision { mv: candidates[0].mv, value: 0.5, candidates, line: Vec::new(), depth: 1 }
    }
}

/// Whoever plays weaker on purpose chooses among the actions tried at least one part in so many as often as the best.
const NEAR: u64 = 4;
/// Iterations at most where there is one action to choose from: enough to tell its value.
const ALONE: u64 = 200;
/// Trees at most besides the first, where cores are free: each takes memory of its own.
const HELPERS: usize = 3;
/// Searches shorter than this have no help.
const WORTH_HELP: Duration = Duration::from_millis(20);
/// From this worth on nobody plays weaker on purpose.
const SURE: f64 = 0.95;

struct Searcher(&'static Shape);

impl Engine<Splendor> for Searcher {
    /// A node is an iteration: one descent, one valuation; some microseconds.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Splendor> {
        let (cap, slips) = strength(search.limits().level);
        cap.into_iter().for_each(|cap| search.cap_nodes(cap));
        search.ask_every(4);
        let root = Pos::of(view);
        let mut dice = Dice(0);
        // Alone at the table there is none in the value.
        let margin = if root.seats == 1 { 0.0 } else { f64::from(self.0.margin) };
        let mut judged = judged(view, &root, &mut dice);
        sift(&root.as_seen(), &mut judged);
        if judged.len() == 1 {
            search.cap_nodes(ALONE);
        }
        let seed = search.rng().next_u64();
        let mut tree = Tree::new(&root, self.0, seed);
        // Where cores are free, each grows a tree of its own from other chances; what all found at the root is added up.
        let help = |number: usize, leave: &Leave<'_>| {
            let other = Dice(seed.wrapping_add(1 + number as u64)).bits();
            let mut tree = Tree::new(&root, self.0, other);
            let mut iterations = 0;
            while leave.go_on() {
                tree.iterate();
                iterations += 1;
            }
            (tree.root().copied().collect::<Vec<Edge>>(), iterations)
        };
        // A short search is over before a thread is up.
        let cores = search.cores().filter(|_| search.remaining().is_some_and(|time| time >= WORTH_HELP));
        let ((), helped) = together(cores, HELPERS, help, || {
            while search.tick() {
                tree.iterate();
                if search.is_asked() {
                    search.tell(&decision(&tree, rank(&judged, tree.root(), margin), 0));
                }
            }
        });
        search.count(helped.iter().map(|(_, iterations)| iterations).sum());
        let roots = tree.root().chain(helped.iter().flat_map(|(root, _)| root));
        let candidates = rank(&judged, roots, margin);
        // A slip is a near-best action, not any, and no win at hand is let go.
        let best = &candidates[0];
        let near = candidates.iter().filter(|c| NEAR * c.visits >= best.visits).count();
        let near = if best.value > told(SURE, margin) { 1 } else { near };
        let choice = handicap::choose(&candidates[..near], slips, search.rng());
        decision(&tree, candidates, choice)
    }
}

/// The decision for one of the candidates.
fn decision(tree: &Tree, candidates: Vec<Candidate<Move>>, chosen: usize) -> Decision<Splendor> {
    let Candidate { mv, value, .. } = candidates[chosen];
    Decision { mv, value, line: tree.line(mv), candidates, depth: tree.deepest }
}

/// What is told of a worth: the chance to win, without the share of the margin that is in it for the search's sake.
fn told(worth: f64, margin: f64) -> f64 {
    ((worth - margin / 2.0) / (1.0 - margin)).clamp(0.0, 1.0)
}

/// The judged actions by their visits at the root, then by worth, then as judged; the untried ones last.
fn rank<'a>(
    judged: &[(Act, f32)],
    root: impl Iterator<Item = &'a Edge> + Clone,
    margin: f64,
) -> Vec<Candidate<Move>> {
    let candidate = |(act, _): &(Act, f32)| {
        let same = root.clone().filter(|e| e.act == *act);
        let (visits, worth) = same.fold((0, 0.0), |(n, sum), e| (n + e.visits, sum + e.worth));
        let value = if visits > 0 { told(worth / f64::from(visits), margin) } else { 0.5 };
        Candidate { mv: act.to_move(), value, visits: u64::from(visits) }
    };
    let mut all: Vec<_> = judged.iter().map(candidate).collect();
    // The sort is stable, so what judgement put first stays first among equals.
    all.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)));
    all
}
