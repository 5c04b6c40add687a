//! Tree search for games with chance and hidden cards: moves are tried by PUCT (Rosin, "Multi-armed bandits with episode
//! context", 2011; Silver et al., "Mastering the game of Go", 2016) with a model's priors; the outcomes of chance are
//! sampled, the more of them the more often a move is tried (progressive widening, Couetoux et al., "Continuous upper
//! confidence trees", 2011); what is hidden is guessed several times, and each guess has a root of its own
//! (determinization). The tree knows no game: a [`SearchModel`] does.

#[cfg(test)]
mod tests;

/// What comes after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterMove<O> {
    /// One position, always the same: chance has no part in it. The outcome names it.
    Fixed(O),
    /// One of several positions: chance made this one.
    Sampled(O),
    /// The walk through the tree ends here and is valued, because the match is over or chance is not looked behind yet.
    End,
}

/// A game as the search uses it: positions, moves with priors, chance, and the value of a leaf. It owns the random
/// numbers of the search.
pub trait SearchModel {
    /// A position without hidden parts.
    type Position: Clone;
    /// A move.
    type Move: Copy + PartialEq;
    /// What chance made of a move: small, best an index. Equal outcomes of a move lead to the same position.
    type Outcome: Copy + PartialEq;
    /// The value of a position to each seat, 0 to 1, by the seat's number.
    type Values: AsRef<[f32]>;

    /// The number of the seat to move.
    fn seat(&self, position: &Self::Position) -> u8;

    /// Whether the match is over, so that there is no move.
    fn is_over(&self, position: &Self::Position) -> bool;

    /// Appends the moves to consider and their priors; at least one. A prior is the share of the tries that a move gets
    /// while nothing is known of it; of moves that promise the same the first is tried. [`keep_best`] sorts and shortens a
    /// list. `is_root`: the position is the one to decide, where no move should be left out. A model that finds the value
    /// of the position on the way returns it, so that [`Self::value`] need not be asked.
    fn moves(
        &mut self,
        position: &Self::Position,
        is_root: bool,
        out: &mut Vec<(Self::Move, f32)>,
    ) -> Option<Self::Values>;

    /// Plays a move that was tried `visits` times before. With `known` chance must make that of it again; else anything.
    fn play(
        &mut self,
        position: &mut Self::Position,
        mv: Self::Move,
        visits: u32,
        known: Option<Self::Outcome>,
    ) -> AfterMove<Self::Outcome>;

    /// The value of a position, which may be over.
    fn value(&mut self, position: Self::Position) -> Self::Values;
}

/// The numbers that shape a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuctSettings {
    /// Weight of the priors against the results; about 1.
    pub exploration: f32,
    /// An untried move is expected to be worth this much less than its position so far (first play urgency).
    pub untried: f32,
    /// Outcomes of chance that a move has at first.
    pub first_outcomes: f32,
    /// How many more it has for each unit of the square root of its visits.
    pub outcome_growth: f32,
    /// The visit of an outcome at which it becomes a node with moves; at earlier ones its value is used. 1 where a network
    /// gives priors and value at once, 2 where moves are dear and most outcomes are seen only once.
    pub expand_at: u32,
    /// Nodes at most; then the tree stops growing and only gathers results.
    pub most_nodes: usize,
}

/// A move at a node.
#[derive(Clone, Copy, Debug)]
pub struct PuctEdge<M> {
    /// The move.
    pub mv: M,
    /// The share of the tries that it gets while nothing is known of it.
    pub prior: f32,
    /// How often it was tried.
    pub visits: u32,
    /// The last outcome found, which begins the list of all; 0 while there is none.
    branch: u32,
    /// Sum of the values to the seat that moves.
    pub sum: f64,
}

impl<M> PuctEdge<M> {
    /// The mean value to the seat that moves; `None` while it is untried.
    pub fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.sum / f64::from(self.visits))
    }
}

/// An outcome of a move.
struct Branch<O> {
    /// `None` only for the blank at place 0.
    outcome: Option<O>,
    fixed: bool,
    visits: u32,
    /// The node behind it; 0 while there is none, as node 0 is a root.
    node: u32,
    /// The next outcome of the same move; 0 for none.
    next: u32,
}

#[derive(Clone, Copy)]
struct PuctNode {
    first: u32,
    edges: u32,
    visits: u32,
    /// How many values are in `sum`: one for each visit, and the one that the model may have found with the moves.
    values: u32,
    /// Sum of the values to the seat that moves.
    sum: f64,
}

/// A search tree with its model.
pub struct PuctTree<G: SearchModel> {
    /// The game.
    pub model: G,
    settings: PuctSettings,
    roots: Vec<G::Position>,
    /// The root of the next iteration.
    turn: usize,
    nodes: Vec<PuctNode>,
    edges: Vec<PuctEdge<G::Move>>,
    branches: Vec<Branch<G::Outcome>>,
    /// Scratch memory: the moves of a node, the way down.
    moves: Vec<(G::Move, f32)>,
    path: Vec<(u32, u32, u8)>,
    deepest: u32,
}

impl<G: SearchModel> PuctTree<G> {
    /// The tree of a position, given as guesses of what is hidden in it: one where nothing is. None of them is over.
    ///
    /// # Panics
    /// If there is no guess.
    pub fn new(model: G, settings: PuctSettings, roots: Vec<G::Position>) -> Self {
        assert!(!roots.is_empty(), "a search needs a position");
        let blank = Branch { outcome: None, fixed: false, visits: 0, node: 0, next: 0 };
        let mut tree = Self {
            model,
            settings,
            roots,
            turn: 0,
            nodes: Vec::new(),
            edges: Vec::new(),
            branches: vec![blank],
            moves: Vec::with_capacity(64),
            path: Vec::with_capacity(64),
            deepest: 0,
        };
        for root in 0..tree.roots.len() {
            let position = tree.roots[root].clone();
            tree.expand(&position, true);
        }
        tree
    }

    /// The moves of the roots: once for each guess, where they can be played in it.
    pub fn root_moves(&self) -> impl Iterator<Item = &PuctEdge<G::Move>> + Clone {
        self.nodes[..self.roots.len()].iter().flat_map(|node| self.edges_of(node))
    }

    /// The first guess.
    pub fn root(&self) -> &G::Position {
        &self.roots[0]
    }

    /// Length of the longest way down so far, in plies.
    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    fn edges_of(&self, node: &PuctNode) -> &[PuctEdge<G::Move>] {
        &self.edges[node.first as usize..(node.first + node.edges) as usize]
    }

    /// A move of the root and the most visited moves after it, as far as they were tried more than once: the principal
    /// variation. `through_chance`: go on behind the most visited outcome where chance has a part.
    pub fn line(&self, mv: G::Move, through_chance: bool) -> Vec<G::Move> {
        let mut line = vec![mv];
        let mut edge = self.root_moves().find(|edge| edge.mv == mv);
        while let Some(from) = edge {
            let (mut best, mut at) = (0, from.branch);
            while at != 0 {
                let branch = &self.branches[at as usize];
                let usable = branch.node != 0 && (branch.fixed || through_chance);
                if usable && branch.visits > self.branches[best as usize].visits {
                    best = at;
                }
                at = branch.next;
            }
            if best == 0 {
                break;
            }
            let next = &self.nodes[self.branches[best as usize].node as usize];
            // The first of the moves tried equally often.
            edge = self
                .edges_of(next)
                .iter()
                .filter(|edge| edge.visits > 1)
                .rev()
                .max_by_key(|edge| edge.visits);
            line.extend(edge.map(|edge| edge.mv));
        }
        line
    }

    /// One iteration: goes down the tree, values what it reaches, and adds the value to all moves on the way. Returns the
    /// value.
    pub fn iterate(&mut self) -> G::Values {
        let root = self.turn;
        self.turn = (self.turn + 1) % self.roots.len();
        let edge = self.select(root);
        self.descend(root, edge)
    }

    /// One iteration that begins with move number `at` of the first root, for searches that choose the root's moves
    /// themselves.
    ///
    /// # Panics
    /// If the first root has no such move.
    pub fn iterate_through(&mut self, at: usize) -> G::Values {
        let root = self.nodes[0];
        assert!(at < root.edges as usize, "the root has {} moves", root.edges);
        self.descend(0, root.first as usize + at)
    }

    /// Goes down from a root through this edge.
    fn descend(&mut self, root: usize, first: usize) -> G::Values {
        let mut position = self.roots[root].clone();
        let (mut node, mut edge) = (root, first);
        let mut value = None;
        self.path.clear();
        loop {
            self.path.push((node as u32, edge as u32, self.model.seat(&position)));
            let Some(at) = self.follow(edge, &mut position) else { break };
            let branch = &mut self.branches[at];
            branch.visits += 1;
            if self.model.is_over(&position) {
                break;
            }
            if branch.node == 0 {
                if branch.visits < self.settings.expand_at || self.nodes.len() >= self.settings.most_nodes {
                    break;
                }
                branch.node = self.nodes.len() as u32;
                let found = self.expand(&position, false);
                if self.settings.expand_at == 1 {
                    value = found;
                    break;
                }
            }
            node = self.branches[at].node as usize;
            edge = self.select(node);
        }
        self.deepest = self.deepest.max(self.path.len() as u32);
        let values = value.unwrap_or_else(|| self.model.value(position));
        for (node, edge, seat) in &self.path {
            let value = f64::from(values.as_ref()[usize::from(*seat)]);
            let node = &mut self.nodes[*node as usize];
            node.visits += 1;
            node.values += 1;
            node.sum += value;
            let edge = &mut self.edges[*edge as usize];
            edge.visits += 1;
            edge.sum += value;
        }
        values
    }

    /// Plays the move of an edge and finds the place of its outcome: a new sample while the move has few outcomes for its
    /// visits, else the one that came least often so far, since all samples are equally likely. `None`: the walk ends.
    fn follow(&mut self, edge: usize, position: &mut G::Position) -> Option<usize> {
        let PuctEdge { mv, visits, branch: first, .. } = self.edges[edge];
        let (mut n, mut rarest, mut at) = (0u32, first, first);
        while at != 0 {
            let branch = &self.branches[at as usize];
            n += 1;
            if branch.visits < self.branches[rarest as usize].visits {
                rarest = at;
            }
            at = branch.next;
        }
        let most = self.settings.first_outcomes + self.settings.outcome_growth * (visits as f32).sqrt();
        let fixed = self.branches[first as usize].fixed;
        if fixed || (first != 0 && n as f32 + 1.0 > most) {
            let known = self.branches[rarest as usize].outcome;
            return match self.model.play(position, mv, visits, known) {
                AfterMove::End => None,
                _ => Some(rarest as usize),
            };
        }
        let (outcome, fixed) = match self.model.play(position, mv, visits, None) {
            AfterMove::Fixed(outcome) => (outcome, true),
            AfterMove::Sampled(outcome) => (outcome, false),
            AfterMove::End => return None,
        };
        let mut at = first;
        while at != 0 {
            if self.branches[at as usize].outcome == Some(outcome) {
                return Some(at as usize);
            }
            at = self.branches[at as usize].next;
        }
        let new = self.branches.len();
        self.branches.push(Branch { outcome: Some(outcome), fixed, visits: 0, node: 0, next: first });
        self.edges[edge].branch = new as u32;
        Some(new)
    }

    /// Adds a node with its moves. Returns the value of the position if the model found it on the way.
    fn expand(&mut self, position: &G::Position, is_root: bool) -> Option<G::Values> {
        self.moves.clear();
        let value = self.model.moves(position, is_root, &mut self.moves);
        let first = self.edges.len() as u32;
        let edge = |(mv, prior): &(G::Move, f32)| PuctEdge {
            mv: *mv,
            prior: *prior,
            visits: 0,
            branch: 0,
            sum: 0.0,
        };
        self.edges.extend(self.moves.iter().map(edge));
        let seat = usize::from(self.model.seat(position));
        let found = value.as_ref().map(|value| f64::from(value.as_ref()[seat]));
        self.nodes.push(PuctNode {
            first,
            edges: self.moves.len() as u32,
            visits: 0,
            values: u32::from(found.is_some()),
            sum: found.unwrap_or(0.0),
        });
        value
    }

    /// The edge to follow: the best sum of the mean value so far and a bonus for what has a high prior and few visits; of
    /// equal ones the first.
    fn select(&self, node: usize) -> usize {
        let PuctNode { first, visits, values, sum, .. } = self.nodes[node];
        let edges = self.edges_of(&self.nodes[node]);
        let untried = if values > 0 { (sum / f64::from(values)) as f32 - self.settings.untried } else { 0.5 };
        let reach = self.settings.exploration * (visits as f32 + 1.0).sqrt();
        let mut chosen = (0, f32::MIN);
        for (at, edge) in edges.iter().enumerate() {
            let value = if edge.visits == 0 { untried } else { (edge.sum / f64::from(edge.visits)) as f32 };
            let score = value + reach * edge.prior / (1.0 + edge.visits as f32);
            if score > chosen.1 {
                chosen = (at, score);
            }
        }
        first as usize + chosen.0
    }
}

/// Sorts moves by their priors, the highest first, and keeps `most` of them. Equal ones stay in order.
pub fn keep_best<M>(moves: &mut Vec<(M, f32)>, most: usize) {
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    moves.truncate(most);
}

/// Divides priors by their sum, which is positive, so that they add up to 1.
pub fn normalize<M>(moves: &mut [(M, f32)]) {
    let all: f32 = moves.iter().map(|(_, prior)| prior).sum();
    moves.iter_mut().for_each(|(_, prior)| *prior /= all);
}
