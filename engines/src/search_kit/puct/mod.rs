//! Tree search for games with chance and hidden cards. Moves are tried by PUCT (Rosin, "Multi-armed bandits with episode
//! context", 2011; Silver et al., "Mastering the game of Go", 2016) with a model's priors. The outcomes of chance are
//! sampled: the more often a move is tried, the more of them (progressive widening, Couetoux et al., "Continuous upper
//! confidence trees", 2011). Hidden parts are guessed several times, and each guess has a root of its own
//! (determinization). The tree knows no game: a [`SearchModel`] does.

mod model;
mod node;
mod side_by_side;
#[cfg(test)]
mod tests;

pub use model::{AfterMove, PuctSettings, SearchModel, keep_best, normalize};
pub use node::PuctEdge;
use node::PuctNode;
pub use side_by_side::{GrowingTree, grow};

/// Outcomes that a tree remembers for each node with moves that it may have; most are visited once.
const OUTCOMES: usize = 4;

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
                if self.nodes[node].reached < self.visits_to_expand() {
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
        if self.nodes.len() >= OUTCOMES * self.settings.most_nodes {
            return None;
        }
        self.nodes.push(PuctNode::new(Some(outcome), fixed, last));
        self.edges[edge].last = (self.nodes.len() - 1) as u32;
        Some(self.nodes.len() - 1)
    }

    /// The visit of an outcome at which it becomes a node with moves. The number grows with the tree's fill level, so that
    /// the last places go to positions that matter.
    fn visits_to_expand(&self) -> u32 {
        let most = self.settings.most_nodes;
        match most.saturating_sub(self.expanded) {
            0 => u32::MAX,
            left => self.settings.expand_at.saturating_mul((most / left) as u32),
        }
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
