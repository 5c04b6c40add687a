//! The engines: `splendor` searches, `greedy` follows the judgement alone; the yardsticks are in a file of their own.
//! All see a view and nothing else.

mod policy;
mod position;
#[cfg(test)]
mod tests;
mod tree;
mod yardsticks;

use policy::{Survey, TUNED};
use position::{Act, Dice, Pos};
use tree::{Shape, Tree};
pub use yardsticks::{CASUAL, PLAIN};

use super::rules::Move;
use super::{Splendor, View};
use crate::game::View as _;
use crate::kit::handicap;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};

/// The searching engine's entry in the game's list.
pub const SPEC: EngineSpec<Splendor> = EngineSpec {
    name: "splendor",
    version: 2,
    instant: false,
    summary: "Monte Carlo tree search over guessed decks; a tuned judgement plays on for some rounds, then estimates.",
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
        Level::Easy => (Some(20), 0.66),
        Level::Medium => (Some(50), 0.3),
        Level::Hard => (Some(200), 0.0),
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
static SHAPE: Shape = Shape {
    taste: &TUNED,
    exploration: 1.8,
    sharpness: 4.8,
    noise: 0.5,
    untried: 0.0,
    margin: 0.06,
    horizon: 8,
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
/// From this value on nobody plays weaker on purpose.
const SURE: f64 = 0.95;

struct Searcher(&'static Shape);

impl Engine<Splendor> for Searcher {
    /// A node is an iteration: one guess, one descent, one playout; some microseconds.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Splendor> {
        let (cap, slips) = strength(search.limits().level);
        search.cap_nodes(cap.unwrap_or(u64::MAX));
        search.ask_every(4);
        let root = Pos::of(view);
        let mut tree = Tree::new(self.0, search.rng().next_u64());
        let mut dice = Dice(0);
        let judged = judged(view, &root, &mut dice);
        while judged.len() > 1 && search.tick() {
            tree.iterate(&root);
            if search.is_asked() {
                search.tell(&decision(&tree, rank(&judged, &tree), 0));
            }
        }
        let candidates = rank(&judged, &tree);
        // A slip is a near-best action, not any, and no win at hand is let go.
        let best = &candidates[0];
        let near = candidates.iter().filter(|c| NEAR * c.visits >= best.visits).count();
        let near = if best.value > SURE { 1 } else { near };
        let choice = handicap::choose(&candidates[..near], slips, search.rng());
        decision(&tree, candidates, choice)
    }
}

/// The decision for one of the candidates.
fn decision(tree: &Tree, candidates: Vec<Candidate<Move>>, chosen: usize) -> Decision<Splendor> {
    let Candidate { mv, value, .. } = candidates[chosen];
    Decision { mv, value, line: tree.line(mv), candidates, depth: tree.deepest }
}

/// The judged actions by visits, then by worth, then as judged; the untried ones last.
fn rank(judged: &[(Act, f32)], tree: &Tree) -> Vec<Candidate<Move>> {
    let candidate = |(act, _): &(Act, f32)| {
        let edge = tree.root().iter().find(|e| e.act == *act);
        let (visits, worth) = edge.map_or((0, 0.0), |e| (e.visits, e.worth));
        let value = if visits > 0 { worth / f64::from(visits) } else { 0.5 };
        Candidate { mv: act.to_move(), value: value.clamp(0.0, 1.0), visits: u64::from(visits) }
    };
    let mut all: Vec<_> = judged.iter().map(candidate).collect();
    // The sort is stable, so what judgement put first stays first among equals.
    all.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)));
    all
}
