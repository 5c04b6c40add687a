//! The search tree: open-loop Monte Carlo tree search over information sets. An edge is an action whatever chance
//! brought before it; every iteration guesses the hidden cards anew. It speaks only of the engine's own table.

use super::super::rules::{Move, SEATS};
use super::policy::{Survey, Taste};
use super::position::{Act, Dice, Pos};

/// The numbers that shape the search.
pub struct Shape {
    /// The judgement that ranks actions and plays matches to their end.
    pub taste: &'static Taste,
    /// How much the judgement's favourites are tried first.
    pub exploration: f32,
    /// An action that scores this much less than the best one is tried a quarter as readily.
    pub sharpness: f32,
    /// Random share in the cards' ranks in playouts.
    pub noise: f32,
    /// An untried action is expected to be this much worse than what its position is worth so far.
    pub untried: f32,
    /// Share of the margin, not of the victory, in what a finished match is worth.
    pub margin: f32,
    /// Rounds that judgement plays on from a leaf; what stands then is estimated.
    pub horizon: u8,
}

/// No more nodes than this (some 50 MB); the search goes on without growing.
const MOST_NODES: usize = 400_000;
/// An action tried at a node.
#[derive(Clone, Copy)]
pub struct Edge {
    pub act: Act,
    pub visits: u32,
    /// Sum of what the iterations through here were worth to the seat that moves.
    pub worth: f64,
    /// The node behind it; 0 while there is none.
    child: u32,
}

#[derive(Default)]
struct Node {
    edges: Vec<Edge>,
}

/// A tree and its tools.
pub struct Tree {
    nodes: Vec<Node>,
    shape: &'static Shape,
    dice: Dice,
    moves: Vec<(Act, f32)>,
    path: Vec<(u32, u32, u8)>,
    pub deepest: u32,
}

impl Tree {
    pub fn new(shape: &'static Shape, seed: u64) -> Self {
        Self {
            nodes: vec![Node::default()],
            shape,
            dice: Dice(seed),
            moves: Vec::with_capacity(64),
            path: Vec::with_capacity(64),
            deepest: 0,
        }
    }

    /// The root's actions.
    pub fn root(&self) -> &[Edge] {
        &self.nodes[0].edges
    }

    /// This move, and the actions that were tried most after it, as long as they were tried more than once.
    pub fn line(&self, mv: Move) -> Vec<Move> {
        let mut line = vec![mv];
        let mut next = self.root().iter().find(|e| e.act.to_move() == mv).map_or(0, |e| e.child);
        while next != 0 {
            // The first of those tried equally often, on every machine.
            let edges = self.nodes[next as usize].edges.iter().filter(|e| e.visits > 1);
            let Some(best) = edges.rev().max_by_key(|e| e.visits) else { break };
            line.push(best.act.to_move());
            next = best.child;
        }
        line
    }

    /// One iteration from `root`: guess, descend, play out, remember.
    pub fn iterate(&mut self, root: &Pos) {
        let mut pos = root.clone();
        pos.settle(&mut self.dice);
        self.path.clear();
        let mut node = 0usize;
        while !pos.over() {
            let edge = self.select(node, &pos);
            self.path.push((node as u32, edge as u32, pos.to_move));
            let Edge { act, child, visits, .. } = self.nodes[node].edges[edge];
            pos.play(act, &mut self.dice);
            if child == 0 {
                if visits > 0 && self.nodes.len() < MOST_NODES {
                    self.nodes[node].edges[edge].child = self.nodes.len() as u32;
                    self.nodes.push(Node::default());
                }
                break;
            }
            node = child as usize;
        }
        self.deepest = self.deepest.max(self.path.len() as u32);
        let worth = self.play_out(pos);
        for (node, edge, seat) in &self.path {
            let edge = &mut self.nodes[*node as usize].edges[*edge as usize];
            edge.visits += 1;
            edge.worth += f64::from(worth[usize::from(*seat)]);
        }
    }

    /// The edge to follow: among the actions possible in this guess, what they were worth so far, and a bonus for
    /// what the judgement likes and what was seldom tried (PUCT).
    fn select(&mut self, node: usize, pos: &Pos) -> usize {
        Survey::new(pos, self.shape.taste, 0.0, &mut self.dice).all(pos, self.shape.taste, &mut self.moves);
        let best = self.moves.iter().map(|(_, score)| *score).fold(f32::MIN, f32::max);
        let mut all = 0.0;
        for (_, score) in &mut self.moves {
            // A rational stand-in for the exponential, the same on every machine.
            let behind = 1.0 + (best - *score) / self.shape.sharpness;
            *score = 1.0 / (behind * behind);
            all += *score;
        }
        let edges = &self.nodes[node].edges;
        let (mut visits, mut worth) = (0u32, 0.0f64);
        let mut known = [usize::MAX; 64];
        for (i, (act, _)) in self.moves.iter().enumerate() {
            if let Some(at) = edges.iter().position(|e| e.act == *act) {
                known[i] = at;
                visits += edges[at].visits;
                worth += edges[at].worth;
            }
        }
        let expected = if visits > 0 { (worth / f64::from(visits)) as f32 } else { 0.5 };
        let reach = self.shape.exploration * (visits as f32 + 1.0).sqrt() / all;
        let mut chosen = (0, f32::MIN);
        for (i, (_, prior)) in self.moves.iter().enumerate() {
            let (n, value) = match known[i] {
                usize::MAX => (0, expected - self.shape.untried),
                at => (edges[at].visits, (edges[at].worth / f64::from(edges[at].visits.max(1))) as f32),
            };
            let score = value + reach * prior / (1.0 + n as f32);
            if score > chosen.1 {
                chosen = (i, score);
            }
        }
        match known[chosen.0] {
            usize::MAX => {
                let act = self.moves[chosen.0].0;
                self.nodes[node].edges.push(Edge { act, visits: 0, worth: 0.0, child: 0 });
                self.nodes[node].edges.len() - 1
            }
            at => at,
        }
    }

    /// Plays on by judgement: to the end, or for some rounds and then estimates. Alone at the table the number of
    /// rounds is what counts, so there it is always to the end.
    fn play_out(&mut self, mut pos: Pos) -> [f32; SEATS] {
        let last = if pos.seats == 1 { u8::MAX } else { pos.round.saturating_add(self.shape.horizon) };
        while !pos.over() {
            if pos.round >= last && pos.to_move == 0 {
                return pos.estimate();
            }
            let act = Survey::new(&pos, self.shape.taste, self.shape.noise, &mut self.dice)
                .best(&pos, self.shape.taste);
            pos.play(act, &mut self.dice);
        }
        pos.worth(self.shape.margin)
    }
}
