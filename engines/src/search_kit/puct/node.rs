//! The records of the tree: positions and the moves at them.

use std::ops::Range;

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
    pub(super) last: u32,
    /// Sum of the values to the seat that moves.
    pub sum: f64,
}

impl<M> PuctEdge<M> {
    /// The mean value to the seat that moves; `None` while it is untried.
    pub fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.sum / f64::from(self.visits))
    }

    /// With the tries of the same move in another tree.
    pub fn and(self, other: &Self) -> Self {
        Self { visits: self.visits + other.visits, sum: self.sum + other.sum, ..self }
    }
}

/// A position in the tree: a root, or an outcome of a move. Once it is expanded it has moves of its own.
pub(super) struct PuctNode<O> {
    /// The outcome of the previous move; `None` at a root.
    pub(super) outcome: Option<O>,
    /// Whether the previous move always leads here.
    pub(super) fixed: bool,
    /// Whether `sum` has one value more than there are visits: the one that the model found with the moves.
    pub(super) valued: bool,
    /// The first of its moves.
    pub(super) first: u32,
    /// Number of its moves; 0 until it is expanded.
    pub(super) edges: u32,
    /// The next outcome of the same move; 0 for none, as node 0 is a root.
    pub(super) next: u32,
    /// How often the search came here.
    pub(super) reached: u32,
    /// How often it went on from here.
    pub(super) visits: u32,
    /// Sum of the values to the seat that moves.
    pub(super) sum: f64,
}

impl<O> PuctNode<O> {
    pub(super) fn new(outcome: Option<O>, fixed: bool, next: u32) -> Self {
        Self { outcome, fixed, valued: false, first: 0, edges: 0, next, reached: 0, visits: 0, sum: 0.0 }
    }

    /// The places of its moves.
    pub(super) fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.edges) as usize
    }

    /// The mean value so far to the seat that moves; `None` while there is none.
    pub(super) fn mean(&self) -> Option<f64> {
        let values = self.visits + u32::from(self.valued);
        (values > 0).then(|| self.sum / f64::from(values))
    }
}
