//! The search tree: Monte Carlo tree search in which chance has few outcomes a node, more as it is visited more. What is
//! hidden in others' hands is guessed some ways, each a world with a tree of its own. Knows only the engine's own table.

use super::super::rules::{Move, SEATS};
use super::net::{self, Net};
use super::policy::{Survey, Taste};
use super::position::{Act, Dice, Known, Noted, Pos};

/// The numbers that shape the search.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The judgement that ranks actions and plays on.
    pub taste: &'static Taste,
    /// How much the favourites are tried first.
    pub exploration: f32,
    /// An action that scores this much less than the best one is tried a quarter as readily.
    pub sharpness: f32,
    /// Random share in the cards' ranks in playouts.
    pub noise: f32,
    /// An untried action is expected to be this much worse than what its position is worth so far.
    pub untried: f32,
    /// Share of the margin, not of the victory, in what a finished match is worth.
    pub margin: f32,
    /// Actions by judgement from a leaf on, before the network values what stands then.
    pub horizon: u32,
    /// Outcomes of chance that an action has at first.
    pub outcomes: f32,
    /// How their number grows with the root of the action's visits.
    pub growth: f32,
    /// How often what is hidden in others' hands is guessed.
    pub worlds: usize,
}

/// No more nodes than this (some 150 MB); the search goes on without growing.
const MOST_NODES: usize = 200_000;
/// Actions kept at a node below the root, the readiest ones.
const KEPT: usize = 24;

/// An action at a node.
#[derive(Clone, Copy)]
pub struct Edge {
    /// The action.
    pub act: Act,
    /// The share of the tries that it gets unseen.
    pub prior: f32,
    /// How often it was tried.
    pub visits: u32,
    /// The first of its outcomes in their list; 0 while there is none.
    outcome: u32,
    /// Sum of what the iterations through here were worth to the seat that moves.
    pub worth: f64,
}

/// What chance made of an action.
struct Outcome {
    /// The card that came, 0 for none.
    card: u8,
    visits: u32,
    /// The node behind it; 0 while there is none.
    node: u32,
    /// The next outcome of the same action; 0 for none.
    next: u32,
}

#[derive(Clone, Copy)]
struct Node {
    first: u32,
    edges: u32,
    visits: u32,
}

/// A tree and its tools.
pub struct Tree {
    worlds: Vec<Pos>,
    turn: usize,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    outcomes: Vec<Outcome>,
    shape: &'static Shape,
    net: Option<&'static Net>,
    dice: Dice,
    moves: Vec<(Act, f32)>,
    priors: Vec<f32>,
    path: Vec<(u32, u32, u8)>,
    /// The longest way down so far.
    pub deepest: u32,
}

impl Tree {
    /// The tree of a position that is not over.
    pub fn new(root: &Pos, shape: &'static Shape, seed: u64) -> Self {
        let mut dice = Dice(seed);
        let worlds = if root.hides() { shape.worlds } else { 1 };
        let settled = |_| {
            let mut world = root.clone();
            world.settle(&mut dice);
            world
        };
        let worlds: Vec<Pos> = (0..worlds).map(settled).collect();
        let blank = Outcome { card: 0, visits: 0, node: 0, next: 0 };
        let mut tree = Self {
            worlds,
            turn: 0,
            nodes: Vec::new(),
            edges: Vec::new(),
            outcomes: vec![blank],
            shape,
            net: net::for_seats(root.seats),
            dice,
            moves: Vec::with_capacity(64),
            priors: Vec::with_capacity(64),
            path: Vec::with_capacity(64),
            deepest: 0,
        };
        for world in 0..tree.worlds.len() {
            let pos = tree.worlds[world].clone();
            tree.expand(&pos, usize::MAX);
        }
        tree
    }

    /// The root's actions, once for each world.
    pub fn root(&self) -> impl Iterator<Item = &Edge> + Clone {
        self.nodes[..self.worlds.len()].iter().flat_map(|node| self.of(node))
    }

    fn of(&self, node: &Node) -> &[Edge] {
        &self.edges[node.first as usize..(node.first + node.edges) as usize]
    }

    /// This move, and the actions that were tried most after it, as long as they were tried more than once.
    pub fn line(&self, mv: Move) -> Vec<Move> {
        let mut line = vec![mv];
        // The first of those tried equally often, on every machine.
        let mut edge = self.root().find(|e| e.act.to_move() == mv);
        while let Some(from) = edge {
            let mut best = 0;
            let mut at = from.outcome;
            while at != 0 {
                let outcome = &self.outcomes[at as usize];
                if outcome.node != 0 && outcome.visits > self.outcomes[best as usize].visits {
                    best = at;
                }
                at = outcome.next;
            }
            if best == 0 {
                break;
            }
            let next = &self.nodes[self.outcomes[best as usize].node as usize];
            edge = self.of(next).iter().filter(|e| e.visits > 1).rev().max_by_key(|e| e.visits);
            line.extend(edge.map(|e| e.act.to_move()));
        }
        line
    }

    /// One iteration: descend, value what is new, remember.
    pub fn iterate(&mut self) {
        let mut node = self.turn;
        let mut pos = self.worlds[self.turn].clone();
        self.turn = (self.turn + 1) % self.worlds.len();
        self.path.clear();
        let worth = loop {
            let edge = self.select(node);
            self.path.push((node as u32, edge as u32, pos.to_move));
            let outcome = self.follow(edge, &mut pos);
            self.outcomes[outcome].visits += 1;
            if pos.over() {
                break pos.worth(self.shape.margin);
            }
            let known = &self.outcomes[outcome];
            if known.node == 0 {
                if known.visits < 2 || self.nodes.len() >= MOST_NODES {
                    break self.value_of(pos);
                }
                self.outcomes[outcome].node = self.nodes.len() as u32;
                self.expand(&pos, KEPT);
            }
            node = self.outcomes[outcome].node as usize;
        };
        self.deepest = self.deepest.max(self.path.len() as u32);
        for (node, edge, seat) in &self.path {
            self.nodes[*node as usize].visits += 1;
            let edge = &mut self.edges[*edge as usize];
            edge.visits += 1;
            edge.worth += f64::from(worth[usize::from(*seat)]);
        }
    }

    /// Plays the action and what chance makes of it: something new while it has few outcomes for its visits, else what
    /// came least often so far, as all are equally likely.
    fn follow(&mut self, edge: usize, pos: &mut Pos) -> usize {
        let Edge { act, visits, outcome: first, .. } = self.edges[edge];
        let (mut n, mut rarest, mut at) = (0u32, 0, first);
        while at != 0 {
            let outcome = &self.outcomes[at as usize];
            n += 1;
            if rarest == 0 || outcome.visits < self.outcomes[rarest as usize].visits {
                rarest = at;
            }
            at = outcome.next;
        }
        let fixed = first != 0 && self.outcomes[first as usize].card == 0;
        let most = self.shape.outcomes + self.shape.growth * (visits as f32).sqrt();
        if fixed || (first != 0 && n as f32 + 1.0 > most) {
            pos.play(act, &mut Known(self.outcomes[rarest as usize].card));
            return rarest as usize;
        }
        let mut noted = Noted(&mut self.dice, 0);
        pos.play(act, &mut noted);
        let card = noted.1;
        let mut at = first;
        while at != 0 {
            if self.outcomes[at as usize].card == card {
                return at as usize;
            }
            at = self.outcomes[at as usize].next;
        }
        let new = self.outcomes.len();
        self.outcomes.push(Outcome { card, visits: 0, node: 0, next: first });
        self.edges[edge].outcome = new as u32;
        new
    }

    /// A new node: its actions, readiest first. Where the mover can win at once only that is kept; what lets the next
    /// one win at once is left out if there is anything else.
    fn expand(&mut self, pos: &Pos, most: usize) {
        let mut moves = std::mem::take(&mut self.moves);
        Survey::new(pos, self.shape.taste, 0.0, &mut self.dice).all(pos, self.shape.taste, &mut moves);
        sift(pos, &mut moves);
        self.priors.clear();
        let best = moves.iter().map(|(_, score)| *score).fold(f32::MIN, f32::max);
        // A rational stand-in for the exponential, the same on every machine.
        let behind = |score: f32| 1.0 + (best - score) / self.shape.sharpness;
        self.priors.extend(moves.iter().map(|(_, score)| 1.0 / (behind(*score) * behind(*score))));
        let all: f32 = self.priors.iter().sum();
        let first = self.edges.len();
        let new = moves.iter().zip(&self.priors).map(|((act, _), prior)| Edge {
            act: *act,
            prior: *prior / all,
            visits: 0,
            outcome: 0,
            worth: 0.0,
        });
        self.edges.extend(new);
        self.edges[first..].sort_by(|a, b| b.prior.total_cmp(&a.prior));
        self.edges.truncate(first.saturating_add(most));
        let edges = (self.edges.len() - first) as u32;
        self.nodes.push(Node { first: first as u32, edges, visits: 0 });
        self.moves = moves;
    }

    /// The edge to follow: what the actions were worth so far, and a bonus for what is liked and was seldom tried (PUCT).
    fn select(&self, node: usize) -> usize {
        let Node { first, visits, .. } = self.nodes[node];
        let edges = self.of(&self.nodes[node]);
        let worth: f64 = edges.iter().map(|e| e.worth).sum();
        let expected = if visits > 0 { (worth / f64::from(visits)) as f32 - self.shape.untried } else { 0.5 };
        let reach = self.shape.exploration * (visits as f32 + 1.0).sqrt();
        let mut chosen = (0, f32::MIN);
        for (i, e) in edges.iter().enumerate() {
            let value = if e.visits == 0 { expected } else { (e.worth / f64::from(e.visits)) as f32 };
            let score = value + reach * e.prior / (1.0 + e.visits as f32);
            if score > chosen.1 {
                chosen = (i, score);
            }
        }
        first as usize + chosen.0
    }

    /// What a position is worth that is not over: judgement plays on for a little, until the result is certain or the
    /// network is asked. Alone at the table the number of rounds is what counts, so there it is played to the end.
    fn value_of(&mut self, mut pos: Pos) -> [f32; SEATS] {
        for ply in 0u32.. {
            if pos.over() {
                break;
            }
            if let Some(worth) = pos.forced(self.shape.margin) {
                return worth;
            }
            if let Some(net) = self.net.filter(|_| ply >= self.shape.horizon) {
                return net.worth(&pos);
            }
            let act = Survey::new(&pos, self.shape.taste, self.shape.noise, &mut self.dice)
                .best(&pos, self.shape.taste);
            pos.play(act, &mut self.dice);
        }
        pos.worth(self.shape.margin)
    }
}

/// Keeps what wins at once where something does; else leaves out what lets the next one win, if anything does not.
pub fn sift(pos: &Pos, moves: &mut Vec<(Act, f32)>) {
    if !pos.is_late() {
        return;
    }
    let decided: Vec<Option<bool>> = moves.iter().map(|(act, _)| pos.decided_by(*act)).collect();
    let keep = if decided.contains(&Some(true)) {
        |d: &Option<bool>| *d == Some(true)
    } else if decided.iter().any(|d| *d != Some(false)) {
        |d: &Option<bool>| *d != Some(false)
    } else {
        return;
    };
    let mut at = decided.iter();
    moves.retain(|_| at.next().is_some_and(keep));
}
