//! Tests of the search on games whose best play is a small calculation.

use super::*;
use crate::search_kit::fast_rng::FastRng;

/// One player counts to 12 by adding 1, 2 or the throw of a fair die (3), four times at most; exactly 12 wins.
/// `truth` calculates the best play.
struct Counting(FastRng);

#[derive(Clone)]
struct CountingGame {
    sum: u8,
    left: u8,
}

impl SearchModel for Counting {
    type Position = CountingGame;
    type Move = u8;
    type Outcome = u8;
    type Values = [f32; 1];

    fn seat(&self, _: &CountingGame) -> u8 {
        0
    }
    fn is_over(&self, count: &CountingGame) -> bool {
        count.left == 0 || count.sum >= 12
    }
    fn moves(&mut self, _: &CountingGame, _: usize, _: bool, out: &mut Vec<(u8, f32)>) -> Option<[f32; 1]> {
        out.extend([1, 2, 3].map(|mv| (mv, 1.0)));
        normalize(out);
        None
    }
    fn play(&mut self, count: &mut CountingGame, mv: u8, _: u32, known: Option<u8>) -> AfterMove<u8> {
        count.left -= 1;
        let throws = mv == 3;
        let add = if throws { known.unwrap_or_else(|| 1 + self.0.below(6) as u8) } else { mv };
        count.sum += add;
        if throws { AfterMove::Sampled(add) } else { AfterMove::Fixed(add) }
    }
    fn value(&mut self, mut count: CountingGame, _: Option<usize>) -> [f32; 1] {
        while !self.is_over(&count) {
            let mv = 1 + self.0.below(3) as u8;
            self.play(&mut count, mv, 0, None);
        }
        [if count.sum == 12 { 1.0 } else { 0.0 }]
    }
}

fn after(count: &CountingGame, mv: u8) -> f64 {
    let to = |add: u8| truth(&CountingGame { sum: count.sum + add, left: count.left - 1 }).1;
    if mv == 3 { (1..=6).map(to).sum::<f64>() / 6.0 } else { to(mv) }
}

/// The best move and the chance to win by it.
fn truth(count: &CountingGame) -> (u8, f64) {
    if count.left == 0 || count.sum >= 12 {
        return (0, if count.sum == 12 { 1.0 } else { 0.0 });
    }
    (1..=3).map(|mv| (mv, after(count, mv))).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
}

const SETTINGS: PuctSettings = PuctSettings {
    exploration: 1.0,
    untried: 0.0,
    first_outcomes: 2.0,
    outcome_growth: 1.0,
    expand_at: 2,
    most_nodes: 100_000,
};

fn searched(roots: &[CountingGame], settings: PuctSettings, iterations: u32) -> PuctTree<Counting> {
    let mut tree = PuctTree::new(Counting(FastRng::new(1)), settings, roots.to_vec());
    for _ in 0..iterations {
        tree.iterate();
    }
    tree
}

fn best(tree: &PuctTree<Counting>) -> &PuctEdge<u8> {
    tree.root_moves().max_by_key(|edge| edge.visits).unwrap()
}

#[test]
fn search_finds_the_best_move_and_its_value() {
    for expand_at in [1, 2] {
        for (sum, left) in [(9, 2), (8, 2), (5, 3), (0, 4), (10, 1)] {
            let root = CountingGame { sum, left };
            let tree = searched(std::slice::from_ref(&root), PuctSettings { expand_at, ..SETTINGS }, 20_000);
            let (edge, (_, value)) = (best(&tree), truth(&root));
            assert!((after(&root, edge.mv) - value).abs() < 0.01, "{sum}, {left} left: {}", edge.mv);
            let mean = edge.mean().unwrap();
            // Exploration of worse moves lowers the mean; the deeper the tree, the more.
            let least = value - 0.05 * f64::from(left);
            assert!((least..value + 0.05).contains(&mean), "{sum}, {left} left: {mean} for {value}");
        }
    }
}

#[test]
fn outcomes_grow_with_visits_and_are_visited_evenly() {
    let tree = searched(&[CountingGame { sum: 6, left: 1 }], SETTINGS, 10_000);
    let edge = best(&tree);
    assert_eq!(edge.mv, 3, "only the die can add 6");
    let visits: Vec<u32> = tree.outcomes(edge).map(|(_, node)| node.reached).collect();
    assert_eq!((visits.len(), visits.iter().sum::<u32>()), (6, edge.visits));
    let few = searched(
        &[CountingGame { sum: 6, left: 1 }],
        PuctSettings { outcome_growth: 0.0, ..SETTINGS },
        1_000,
    );
    assert!(few.nodes.len() <= 1 + 2 + 2, "two fixed moves and two throws: {}", few.nodes.len() - 1);
}

#[test]
fn every_guess_gets_its_share_and_full_trees_stop_growing() {
    let roots = [CountingGame { sum: 4, left: 3 }, CountingGame { sum: 5, left: 3 }];
    let tree = searched(&roots, PuctSettings { most_nodes: 10, ..SETTINGS }, 1_001);
    assert_eq!(tree.nodes.iter().filter(|node| node.edges > 0).count(), 10);
    let more = searched(&roots, PuctSettings { most_nodes: 10, ..SETTINGS }, 10_000);
    assert_eq!(more.nodes.len(), tree.nodes.len(), "a full tree takes no more memory");
    assert_eq!((tree.nodes[0].visits, tree.nodes[1].visits), (501, 500));
    assert_eq!(tree.root_moves().map(|edge| edge.visits).sum::<u32>(), 1_001);
}

#[test]
fn last_places_of_a_tree_go_to_positions_that_are_reached_often() {
    let settings = PuctSettings { most_nodes: 40, ..SETTINGS };
    let root = [CountingGame { sum: 0, left: 8 }];
    let early = searched(&root, settings, 200).expanded;
    assert!((20..40).contains(&early), "{early}");
    let tree = searched(&root, settings, 20_000);
    assert_eq!(tree.expanded, 40);
    // Nodes have the places of their moves in the order in which they got them.
    let mut nodes: Vec<&PuctNode<u8>> = tree.nodes[1..].iter().filter(|node| node.edges > 0).collect();
    nodes.sort_by_key(|node| node.first);
    for (node, before) in nodes.iter().zip(1..) {
        let needed = 2 * (40 / (40 - before));
        assert!(node.reached >= needed, "{before} before it: {} of {needed}", node.reached);
    }
}

#[test]
fn expected_line_follows_the_most_visits() {
    let tree = searched(&[CountingGame { sum: 9, left: 2 }], SETTINGS, 5_000);
    let line = tree.line(1, true);
    assert_eq!(line, [1, 2], "9 + 1 + 2 is 12");
    assert_eq!(searched(&[CountingGame { sum: 2, left: 4 }], SETTINGS, 5_000).line(3, false), [3]);
    assert_eq!(tree.deepest(), 2);
}
