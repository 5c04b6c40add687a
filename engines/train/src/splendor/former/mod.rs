//! Version 3 of the engine, against which training measures its networks: a search guided by judgement, with a network
//! that was fitted to matches of that judgement. It is not among the game's engines.

pub(crate) mod net;
pub(crate) mod search;

use search::{FormerTree, Shape};

use engines::games::splendor::View;
use engines::games::splendor::engine::policy::TUNED;
use engines::games::splendor::engine::position::{Act, FastTable};
use engines::games::splendor::engine::{judged, sift};
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::puct::PuctSettings;

/// The parameters of the search.
pub(crate) static SHAPE: Shape = Shape {
    weights: &TUNED,
    tree: PuctSettings {
        exploration: 1.2,
        untried: 0.0,
        first_outcomes: 3.0,
        outcome_growth: 0.25,
        expand_at: 2,
        // The first half, in which a tree grows at its full speed, is what version 3 had.
        most_nodes: 400_000,
    },
    sharpness: 4.8,
    noise: 0.5,
    margin: 0.06,
    horizon: 2,
    worlds: 8,
};

/// The actions of a position with the visits of a search of `iterations`, most visited first, and the value to the mover.
pub(crate) fn search(view: &View, iterations: u32, seed: u64) -> (Vec<(Act, u32)>, f64) {
    let root = FastTable::of(view);
    let mut actions = judged(view, &root, &mut FastRng::new(0));
    sift(&root.as_seen(), &mut actions, |(act, _)| *act);
    let mut tree = FormerTree::new(&root, &SHAPE, seed);
    (0..iterations).for_each(|_| tree.iterate());
    let visits = |act: Act| tree.root().filter(|e| e.mv == act).map(|e| e.visits).sum();
    let mut visited: Vec<(Act, u32)> = actions.iter().map(|(act, _)| (*act, visits(*act))).collect();
    visited.sort_by_key(|(_, visits)| std::cmp::Reverse(*visits));
    let best = tree.root().filter(|e| e.mv == visited[0].0);
    let (sum, tried) = best.fold((0.0, 0), |(sum, n), e| (sum + e.sum, n + e.visits));
    (visited, if tried > 0 { sum / f64::from(tried) } else { 0.5 })
}
