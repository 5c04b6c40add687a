//! Tree search for games with chance and hidden cards. Moves are tried by PUCT (Rosin, "Multi-armed bandits with episode
//! context", 2011; Silver et al., "Mastering the game of Go", 2016) with a model's priors. The outcomes of chance are
//! sampled: the more often a move is tried, the more of them (progressive widening, Couetoux et al., "Continuous upper
//! confidence trees", 2011). Hidden parts are guessed several times, and each guess has a root of its own
//! (determinization). The tree knows no game: a [`SearchModel`] does.

#[cfg(test)]
mod tests;

use std::ops::Range;

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterMove<O> {
    /// One position, always the same: chance has no part in it. The outcome names it.
    Fixed(O),
    /// One of several positions: chance made this one.
    Sampled(O),
    /// The walk through the tree ends here and is valued: the match is over, or the search does not look beyond chance yet.
    End,
}

/// A game as the search uses it: positions, moves with priors, chance, and the value of a leaf. It owns the random
/// numbers of the search.
pub trait SearchModel {
    /// A position without hidden parts.
    type Position: Clone;
    /// A move.
    type Move: Copy + PartialEq;
    /// The outcome of chance after a move: small, ideally an index. Equal outcomes of a move lead to the same position.
    type Outcome: Copy + PartialEq;
    /// The value of a position to each seat, 0 to 1, by the seat's number.
    type Values: AsRef<[f32]>;

    /// The number of the seat to move.
    fn seat(&self, position: &Self::Position) -> u8;

    /// Whether the match is over, so that there is no move.
    fn is_over(&self, position: &Self::Position) -> bool;

    /// Appends the moves to consider and their priors, the highest first; at least one. A prior is the share of the tries
    /// that a move gets while nothing is known of it. [`keep_best`] sorts and shortens a list. `is_root`: the search
    /// decides this position, so no move should be left out. `node`: the number of the position in the tree. A model that
    /// finds the value of the position on the way returns it, so that [`Self::value`] need not be called.
    fn moves(
        &mut self,
        position: &Self::Position,
        node: usize,
        is_root: bool,
        out: &mut Vec<(Self::Move, f32)>,
    ) -> Option<Self::Values>;

    /// Plays a move that was tried `visits` times before. `known`: the outcome that chance must have again; `None`: any.
    fn play(
        &mut self,
        position: &mut Self::Position,
        mv: Self::Move,
        visits: u32,
        known: Option<Self::Outcome>,
    ) -> AfterMove<Self::Outcome>;

    /// The value of a position; the match may be over in it. `node`: its number in the tree, if it has one.
    fn value(&mut self, position: Self::Position, node: Option<usize>) -> Self::Values;
}

/// The parameters of a search.
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
    /// The visit of an outcome at which it becomes a node with moves; at earlier visits its value is used. Use 1 if a
    /// network gives priors and value at once, 2 if moves are expensive and most outcomes are seen only once.
    pub expand_at: u32,
    /// Maximum number of nodes with moves. Then the tree stops growing and only gathers results.
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
    /// The node of the last outcome found: the head of the list of all outcomes. 0 while there is none.
    last: u32,
    /// Sum of the values to the seat that moves.
    pub sum: f64,
}

impl<M> PuctEdge<M> {
    /// The mean value to the seat that moves; `None` while it is untried.
    pub fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.sum / f64::from(self.visits))
    }
}

/// A position in the tree: a root, or an outcome of a move. Once it is expanded it has moves of its own.
struct PuctNode<O> {
    /// The outcome of the previous move; `None` at a root.
    outcome: Option<O>,
    /// Whether the previous move always leads here.
    fixed: bool,
    /// Whether `sum` has one value more than there are visits: the one that the model found with the moves.
    valued: bool,
    /// The first of its moves.
    first: u32,
    /// Number of its moves; 0 until it is expanded.
    edges: u32,
    /// The next outcome of the same move; 0 for none, as node 0 is a root.
    next: u32,
    /// How often the search came here.
    reached: u32,
    /// How often it went on from here.
    visits: u32,
    /// Sum of the values to the seat that moves.
    sum: f64,
}

impl<O> PuctNode<O> {
    fn new(outcome: Option<O>, fixed: bool, next: u32) -> Self {
        Self { outcome, fixed, valued: false, first: 0, edges: 0, next, reached: 0, visits: 0, sum: 0.0 }
    }

    /// The places of its moves.
    fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.edges) as usize
    }

    /// The mean value so far to the seat that moves; `None` while there is none.
    fn mean(&self) -> Option<f64> {
        let values = self.visits + u32::from(self.valued);
        (values > 0).then(|| self.sum / f64::from(values))
    }
}

/// A search tree with its model.
pub struct PuctTree<G: SearchModel> {
    /// The game.
    pub model: G,
    settings: PuctSettings,
    roots: Vec<G::Position>,
    /// The root of the next iteration.
    turn: usize,
    nodes: Vec<PuctNode<G::Outcome>>,
    /// Number of nodes with moves.
    expanded: usize,
    edges: Vec<PuctEdge<G::Move>>,
    /// Scratch memory: the moves of a node, the way down.
    moves: Vec<(G::Move, f32)>,
    path: Vec<(u32, u32, u8)>,
    deepest: u32,
}

impl<G: SearchModel> PuctTree<G> {
    /// The tree of a position, given as guesses of its hidden parts; one guess if nothing is hidden. The match is over in
    /// none of them.
    ///
    /// # Panics
    /// If there is no guess.
    pub fn new(model: G, settings: PuctSettings, roots: Vec<G::Position>) -> Self {
        assert!(!roots.is_empty(), "a search needs a position");
        let mut tree = Self {
            model,
            settings,
            roots,
            turn: 0,
            nodes: Vec::new(),
            expanded: 0,
            edges: Vec::new(),
            moves: Vec::with_capacity(64),
            path: Vec::with_capacity(64),
            deepest: 0,
        };
        for root in 0..tree.roots.len() {
            tree.nodes.push(PuctNode::new(None, true, 0));
            let position = tree.roots[root].clone();
            tree.expand(root, &position);
        }
        tree
    }

    /// The moves of the roots. A move is listed once for each guess in which it can be played.
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

    fn edges_of(&self, node: &PuctNode<G::Outcome>) -> &[PuctEdge<G::Move>] {
        &self.edges[node.range()]
    }

    /// The outcomes of a move, with their places, the last found first.
    fn outcomes(&self, edge: &PuctEdge<G::Move>) -> impl Iterator<Item = (usize, &PuctNode<G::Outcome>)> {
        let node = |at: u32| (at != 0).then(|| (at as usize, &self.nodes[at as usize]));
        std::iter::successors(node(edge.last), move |(_, before)| node(before.next))
    }

    /// The principal variation: a move of the root and the most visited moves after it, as long as they were tried more
    /// than once. `through_chance`: go on after the most visited outcome of chance.
    pub fn line(&self, mv: G::Move, through_chance: bool) -> Vec<G::Move> {
        let mut line = vec![mv];
        let mut edge = self.root_moves().find(|edge| edge.mv == mv);
        while let Some(from) = edge {
            let usable = |node: &PuctNode<_>| node.edges > 0 && (node.fixed || through_chance);
            let outcomes = self.outcomes(from).map(|(_, node)| node).filter(|node| usable(node));
            let Some(next) =
                outcomes.reduce(|best, node| if node.reached > best.reached { node } else { best })
            else {
                break;
            };
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

    /// One iteration: goes down the tree, values the position that it reaches, and adds the value to all moves on the way.
    /// Returns the value.
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
        let moves = self.nodes[0].range();
        assert!(at < moves.len(), "the root has {} moves", moves.len());
        self.descend(0, moves.start + at)
    }

    /// Goes down from a root through this edge.
    fn descend(&mut self, root: usize, first: usize) -> G::Values {
        let mut position = self.roots[root].clone();
        let (mut node, mut edge) = (root, first);
        let mut leaf;
        let mut value = None;
        self.path.clear();
        loop {
            self.path.push((node as u32, edge as u32, self.model.seat(&position)));
            leaf = self.follow(edge, &mut position);
            let Some(next) = leaf else { break };
            node = next;
            self.nodes[node].reached += 1;
            if self.model.is_over(&position) {
                break;
            }
            if self.nodes[node].edges == 0 {
                let is_due = self.nodes[node].reached >= self.settings.expand_at;
                if !is_due || self.expanded >= self.settings.most_nodes {
                    break;
                }
                let found = self.expand(node, &position);
                if self.settings.expand_at == 1 {
                    value = found;
                    break;
                }
            }
            edge = self.select(node);
        }
        self.deepest = self.deepest.max(self.path.len() as u32);
        let values = value.unwrap_or_else(|| self.model.value(position, leaf));
        for (node, edge, seat) in &self.path {
            let value = f64::from(values.as_ref()[usize::from(*seat)]);
            let node = &mut self.nodes[*node as usize];
            node.visits += 1;
            node.sum += value;
            let edge = &mut self.edges[*edge as usize];
            edge.visits += 1;
            edge.sum += value;
        }
        values
    }

    /// Plays the move of an edge and finds the node of its outcome. The outcome is a new sample while the move has few
    /// outcomes for its visits. Else it is the one that came least often so far, since all samples are equally likely.
    /// `None`: the walk ends, and the position has no node.
    fn follow(&mut self, edge: usize, position: &mut G::Position) -> Option<usize> {
        let PuctEdge { mv, visits, last, .. } = self.edges[edge];
        let (mut n, mut rarest) = (0u32, None);
        for (at, node) in self.outcomes(&self.edges[edge]) {
            n += 1;
            if rarest.is_none_or(|(_, rarest): (_, &PuctNode<_>)| node.reached < rarest.reached) {
                rarest = Some((at, node));
            }
        }
        let most = self.settings.first_outcomes + self.settings.outcome_growth * (visits as f32).sqrt();
        if let Some((at, node)) = rarest
            && (node.fixed || n as f32 + 1.0 > most)
        {
            return match self.model.play(position, mv, visits, node.outcome) {
                AfterMove::End => None,
                _ => Some(at),
            };
        }
        let (outcome, fixed) = match self.model.play(position, mv, visits, None) {
            AfterMove::Fixed(outcome) => (outcome, true),
            AfterMove::Sampled(outcome) => (outcome, false),
            AfterMove::End => return None,
        };
        if let Some((at, _)) =
            self.outcomes(&self.edges[edge]).find(|(_, node)| node.outcome == Some(outcome))
        {
            return Some(at);
        }
        if self.expanded >= self.settings.most_nodes {
            return None;
        }
        self.nodes.push(PuctNode::new(Some(outcome), fixed, last));
        self.edges[edge].last = (self.nodes.len() - 1) as u32;
        Some(self.nodes.len() - 1)
    }

    /// Gives a node its moves. Returns the value of the position if the model found it on the way.
    fn expand(&mut self, node: usize, position: &G::Position) -> Option<G::Values> {
        self.moves.clear();
        let value = self.model.moves(position, node, node < self.roots.len(), &mut self.moves);
        debug_assert!(self.moves.is_sorted_by(|a, b| a.1 >= b.1), "the highest prior comes first");
        let first = self.edges.len() as u32;
        let edge =
            |(mv, prior): &(G::Move, f32)| PuctEdge { mv: *mv, prior: *prior, visits: 0, last: 0, sum: 0.0 };
        self.edges.extend(self.moves.iter().map(edge));
        let seat = usize::from(self.model.seat(position));
        let node = &mut self.nodes[node];
        (node.first, node.edges) = (first, self.moves.len() as u32);
        node.valued = value.is_some();
        node.sum = value.as_ref().map_or(0.0, |value| f64::from(value.as_ref()[seat]));
        self.expanded += 1;
        value
    }

    /// The edge to follow: the best sum of the mean value so far and a bonus for a high prior and few visits; of equal ones
    /// the first. Of untried moves only the first matters, as it has the highest prior. Below the roots, moves are tried in
    /// their order, so the loop ends at the first untried one.
    fn select(&self, node: usize) -> usize {
        let only_first = node >= self.roots.len();
        let node = &self.nodes[node];
        let untried = node.mean().map_or(0.5, |mean| mean as f32 - self.settings.untried);
        let reach = self.settings.exploration * (node.visits as f32 + 1.0).sqrt();
        let mut chosen = (0, f32::MIN);
        for (at, edge) in self.edges_of(node).iter().enumerate() {
            let value = edge.mean().map_or(untried, |mean| mean as f32);
            let score = value + reach * edge.prior / (1.0 + edge.visits as f32);
            if score > chosen.1 {
                chosen = (at, score);
            }
            if only_first && edge.visits == 0 {
                break;
            }
        }
        node.first as usize + chosen.0
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
