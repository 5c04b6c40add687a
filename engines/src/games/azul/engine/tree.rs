//! Monte Carlo tree search over moves and refills. A node's moves are tried by PUCT (Rosin 2011; Silver et al. 2016)
//! with the policy's glance as prior; refills are sampled, the more of them the more often a round's end is reached
//! (progressive widening, Couetoux et al. 2011); leaves are played out to the end of the round, and judged by the outlook.

use super::glance::{POLICY, Policy};
use super::noise::Noise;
use super::outlook::{WEIGHTS, Weights, outlook, stage};
use super::policy::{Worth, each_move, for_seat, play_round};
use crate::game::Seat;
use crate::games::azul::rules::{COLOURS, Counts, Move, Position};

/// How much worse than its node an untried move is taken to be.
const UNTRIED: f32 = 0.05;
/// Moves kept in a node below the root.
const WIDTH: usize = 20;
/// So often a round's end is taken for what it promises, before the rounds behind it are searched.
const PATIENCE: u32 = 8;
/// Edges the tree may have (20 bytes each); when it is full it only gathers results.
const MOST_EDGES: usize = 3_000_000;
/// No node yet.
const NONE: u32 = u32::MAX;

/// About e^-x for x of 0 and more. Written out, because a library's `exp` may differ in its last bit between machines,
/// and a search must not.
fn trust(x: f32) -> f32 {
    1.0 / (1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0))))
}

/// A move in the tree.
pub struct Edge {
    /// The move.
    pub mv: Move,
    /// Share of the policy's trust.
    prior: f32,
    /// Playouts through it.
    pub visits: u32,
    /// Sum of their results for the seat that moves.
    sum: f32,
    /// Where it leads: a node, or a round's end when the table is bare then.
    child: u32,
}

impl Edge {
    /// Mean result for the seat that moves.
    pub fn mean(&self) -> Option<f32> {
        (self.visits > 0).then(|| self.sum / self.visits as f32)
    }
}

/// A position in the tree: its edges, best prior first; none before it is expanded.
#[derive(Default)]
struct Node {
    first: u32,
    edges: u16,
    visits: u32,
}

/// The end of a round: the refills sampled so far.
#[derive(Default)]
struct Refills {
    visits: u32,
    sampled: Vec<([Counts; COLOURS], u32)>,
}

/// What a search goes by.
pub struct Guide {
    /// How moves are judged at a glance.
    pub policy: &'static Policy,
    /// What a round's end is worth.
    pub outlook: &'static Weights,
    /// How sharply the prior prefers what promises more: points per factor e.
    pub temper: f32,
    /// Spread of the noise in playouts, in points.
    pub spread: f32,
    /// Weight of the prior against the results.
    pub explore: f32,
}

/// The engine's.
pub static GUIDE: Guide =
    Guide { policy: &POLICY, outlook: &WEIGHTS, temper: 6.0, spread: 4.5, explore: 0.8 };

/// The tree.
pub struct Tree {
    guide: &'static Guide,
    root: Position,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    refills: Vec<Refills>,
    noise: Noise,
    /// Edges and seats of the current walk.
    path: Vec<(u32, Seat)>,
    deepest: usize,
}

impl Tree {
    /// A tree of one node. The seat to move has a move there.
    pub fn new(guide: &'static Guide, root: Position, noise: Noise) -> Self {
        let mut tree = Self {
            guide,
            root,
            nodes: vec![Node::default()],
            edges: Vec::new(),
            refills: Vec::new(),
            noise,
            path: Vec::new(),
            deepest: 0,
        };
        tree.expand(0, &root, usize::from(u16::MAX));
        tree
    }

    /// The root's moves, best prior first.
    pub fn moves(&self) -> &[Edge] {
        self.edges_of(0)
    }

    /// What a move that was never tried is worth for the seat that moves, without any search: after it, the rest of the
    /// round is played by the policy.
    pub fn glimpse(&self, mv: Move) -> f32 {
        let (mut position, seat) = (self.root, self.root.to_move);
        position.take(&mv);
        play_round(self.guide.policy, &mut position, &mut Noise::new(0), 0.0);
        for_seat(outlook(self.guide.outlook, &position), seat)
    }

    /// Longest walk in plies.
    pub fn depth(&self) -> u32 {
        self.deepest as u32
    }

    /// This move, and those that were tried most after it, as long as they were tried more than once and no refill
    /// lies between.
    pub fn line(&self, mv: Move) -> Vec<Move> {
        let mut line = vec![mv];
        let mut position = self.root;
        let mut edge = self.moves().iter().find(|e| e.mv == mv);
        while let Some(Edge { mv, child, .. }) = edge {
            position.take(mv);
            if *child == NONE || position.is_bare() {
                break;
            }
            // The first of those tried equally often.
            let tried = self.edges_of(*child as usize).iter().filter(|e| e.visits > 1);
            edge = tried.rev().max_by_key(|e| e.visits);
            line.extend(edge.map(|e| e.mv));
        }
        line
    }

    fn edges_of(&self, node: usize) -> &[Edge] {
        let Node { first, edges, .. } = self.nodes[node];
        &self.edges[first as usize..first as usize + usize::from(edges)]
    }

    fn expand(&mut self, node: usize, position: &Position, width: usize) {
        let board = &position.boards[position.to_move.index()];
        let first = self.edges.len();
        let edges = &mut self.edges;
        let glance = &self.guide.policy[stage(position)];
        each_move(glance, position, &Worth::of(glance, board), |mv, prior| {
            edges.push(Edge { mv, prior, visits: 0, sum: 0.0, child: NONE });
        });
        edges[first..].sort_by(|a, b| b.prior.total_cmp(&a.prior));
        edges.truncate(first + width.min(usize::from(u16::MAX)));
        let best = edges[first].prior;
        edges[first..].iter_mut().for_each(|e| e.prior = trust((best - e.prior) / self.guide.temper));
        let total: f32 = edges[first..].iter().map(|e| e.prior).sum();
        edges[first..].iter_mut().for_each(|e| e.prior /= total);
        self.nodes[node].first = first as u32;
        self.nodes[node].edges = (edges.len() - first) as u16;
    }

    /// The edge to try: the best sum of result so far and trust not yet tested.
    fn select(&self, node: usize) -> u32 {
        let Node { first, visits, .. } = self.nodes[node];
        let edges = self.edges_of(node);
        let (sum, tried) = edges.iter().fold((0.0, 0), |(s, n), e| (s + e.sum, n + e.visits));
        let untried = if tried > 0 { sum / tried as f32 - UNTRIED } else { 0.5 };
        let trust = self.guide.explore * (visits.max(1) as f32).sqrt();
        let mut best = (0, f32::NEG_INFINITY);
        for (i, edge) in edges.iter().enumerate() {
            let score = edge.mean().unwrap_or(untried) + trust * edge.prior / (1 + edge.visits) as f32;
            if score > best.1 {
                best = (i, score);
            }
        }
        first + best.0 as u32
    }

    /// One playout: down the tree, on to the end of a round, and its outlook or the match's result back up.
    pub fn play(&mut self) {
        let mut position = self.root;
        let mut node = 0;
        self.path.clear();
        loop {
            self.nodes[node].visits += 1;
            if self.nodes[node].edges == 0 {
                // A node is expanded when it is reached for the second time: most never are.
                if self.nodes[node].visits < 2 || self.edges.len() > MOST_EDGES {
                    play_round(self.guide.policy, &mut position, &mut self.noise, self.guide.spread);
                    break;
                }
                self.expand(node, &position, WIDTH);
            }
            let edge = self.select(node);
            let Edge { mv, child, .. } = self.edges[edge as usize];
            self.path.push((edge, position.to_move));
            position.take(&mv);
            node = if position.is_bare() {
                position.end_round();
                if position.has_row() || self.edges[edge as usize].visits < PATIENCE {
                    break;
                }
                self.refill(edge, child, &mut position)
            } else if child == NONE {
                let new = self.new_node();
                self.edges[edge as usize].child = new;
                new as usize
            } else {
                child as usize
            };
        }
        self.deepest = self.deepest.max(self.path.len());
        let value = outlook(self.guide.outlook, &position);
        for (edge, seat) in &self.path {
            let edge = &mut self.edges[*edge as usize];
            edge.visits += 1;
            edge.sum += for_seat(value, *seat);
        }
    }

    fn new_node(&mut self) -> u32 {
        self.nodes.push(Node::default());
        self.nodes.len() as u32 - 1
    }

    /// Goes on behind a round's end with a refill: a new one, or one of those sampled before.
    fn refill(&mut self, edge: u32, child: u32, position: &mut Position) -> usize {
        let at = if child == NONE {
            self.refills.push(Refills::default());
            self.edges[edge as usize].child = self.refills.len() as u32 - 1;
            self.refills.len() - 1
        } else {
            child as usize
        };
        self.refills[at].visits += 1;
        let Refills { visits, sampled } = &self.refills[at];
        let known = sampled.len();
        if known * known < *visits as usize {
            self.noise.refill(position);
            let node = self.new_node();
            let [_, displays @ ..] = position.sources;
            self.refills[at].sampled.push((displays, node));
            return node as usize;
        }
        let (displays, node) = self.refills[at].sampled[self.noise.below(known)];
        position.sources[1..].copy_from_slice(&displays);
        node as usize
    }
}
