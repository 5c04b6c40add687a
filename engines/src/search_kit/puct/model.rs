//! What a game tells the search: its moves, its chance and its values; and the parameters of a search.

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
    /// The moves of the game, in any form that is quick to compare.
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
    /// network gives priors and value at once, 2 if moves are expensive and most outcomes are seen only once. Once the tree
    /// is half full, outcomes need more visits, the more the fuller it is.
    pub expand_at: u32,
    /// Maximum number of nodes with moves. A full tree only gathers results.
    pub most_nodes: usize,
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
