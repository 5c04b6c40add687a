//! Azul for the tree search: the move prior and the mid-round network give the priors of moves, and refills are sampled as
//! chance. A leaf's value comes from the mid-round network, or from a playout to the end of the round and the round-end
//! network there, or from both.

use std::sync::Arc;

use super::mid_round_net::{MidRoundNet, mid_round_net};
use super::move_prior::{POLICY, Policy, stage};
use super::policy::{Worth, each_move, for_seat, play_round};
use super::refill::refill;
use super::round_end_net::{RoundEndNet, round_end_net};
use super::solve::{is_solvable, solve};
use crate::game::Seat;
use crate::games::azul::rules::{COLOURS, Counts, Move, Position};
use crate::search_kit::fast_rng::FastRng;
use crate::search_kit::puct::{
    AfterMove, GrowingTree, PuctEdge, PuctSettings, PuctTree, SearchModel, keep_best, normalize,
};

/// Moves kept at a node below the root.
const WIDTH: usize = 20;
/// The round-end network values a round's end this many times before the search goes on to later rounds.
const VISITS_BEFORE_REFILL: u32 = 8;
/// The outcome of a move without chance.
const NO_REFILL: u32 = u32::MAX;

/// About e^-x for x of 0 and more: the reciprocal of the first terms of e^x. Written out because a library's `exp` may
/// differ in its last bit between machines.
fn decay(x: f32) -> f32 {
    1.0 / (1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0))))
}

/// The temper in use, see [`Guide::temper`].
pub const TEMPER: f32 = 6.0;

/// The parts that guide a search.
#[derive(Clone)]
pub struct Guide {
    /// The fast rating of moves.
    pub policy: &'static Policy,
    /// The value of a round's end.
    pub round_end_net: Arc<RoundEndNet>,
    /// The value of a position inside a round, and the ratings of its moves.
    pub mid_round_net: Arc<MidRoundNet>,
    /// The mid-round network's share in the value of a position that a playout values too.
    pub share: f32,
    /// The fewest and the most choices of a position that both value. With fewer choices only the playout values it, with
    /// more only the mid-round network, because more choices make playouts longer and less reliable.
    pub both: [usize; 2],
    /// How sharply the move prior prefers moves with a higher promise: points per factor e.
    pub temper: f32,
    /// Spread of the noise in playouts, in points.
    pub spread: f32,
    /// Positions that exact play may visit for each iteration of the search: 0 for no exact play. A position costs about a
    /// tenth of an iteration.
    pub exact: u64,
    /// The parameters of the tree.
    pub tree: PuctSettings,
}

impl Guide {
    /// The engine's guide.
    pub fn in_use() -> Self {
        Self {
            policy: &POLICY,
            round_end_net: round_end_net(),
            mid_round_net: mid_round_net(),
            share: 0.5,
            both: [3, 8],
            temper: TEMPER,
            spread: 4.5,
            exact: 5,
            tree: TREE,
        }
    }

    /// The value of a position to seat 0, 0 to 1, without a search.
    fn value(&self, mut position: Position, rng: &mut FastRng) -> f32 {
        if position.is_bare() {
            return self.round_end_net.value(&position);
        }
        let [least, most] = self.both;
        let choices = position.choices();
        let early = (choices >= least).then(|| {
            for_seat(self.mid_round_net.value(&self.mid_round_net.activations(&position)), position.to_move)
        });
        if let Some(early) = early
            && choices > most
        {
            return early;
        }
        play_round(self.policy, &mut position, rng, self.spread);
        let late = self.round_end_net.value(&position);
        early.map_or(late, |early| self.share * early + (1.0 - self.share) * late)
    }
}

/// The parameters of the engine's tree.
pub const TREE: PuctSettings = PuctSettings {
    exploration: 0.6,
    untried: 0.05,
    first_outcomes: 0.0,
    outcome_growth: 1.0,
    expand_at: 2,
    // Some 170 MB.
    most_nodes: 300_000,
};

/// A move worth this much less than the best by exact play gets a prior smaller by a factor e.
const EXACT_TEMPER: f32 = 0.03;
/// Share of the move prior in the priors of a root that exact play has ranked.
const MOVE_PRIOR_SHARE: f32 = 0.2;

/// The game for the tree search, with the random numbers of one search.
pub struct AzulModel {
    guide: Guide,
    rng: FastRng,
    /// The displays of the refills sampled so far; outcomes are places in this list.
    refills: Vec<[Counts; COLOURS]>,
    /// The root's moves and their values by exact play; empty without it.
    exact: Vec<(Move, f32)>,
}

/// The values of a position's moves by exact play to the end of the round, for a search of this many iterations. Empty if
/// that would take too long, or once `go_on` says no.
pub fn rank_exactly(
    guide: &Guide,
    position: &Position,
    iterations: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Vec<(Move, f32)> {
    let most = guide.exact.saturating_mul(iterations);
    if !is_solvable(position, most) {
        return Vec::new();
    }
    let window = 3.0 * EXACT_TEMPER;
    solve(guide.policy, &guide.round_end_net, position, window, most, go_on).unwrap_or_default()
}

/// The search tree of a position.
pub struct AzulTree(PuctTree<AzulModel>);

impl AzulTree {
    /// The tree of a position whose seat to move has a move.
    pub fn new(guide: Guide, root: Position, seed: u64) -> Self {
        Self::with_exact(guide, root, Vec::new(), seed)
    }

    /// The tree of a position whose moves have values by exact play; see [`rank_exactly`].
    pub fn with_exact(guide: Guide, root: Position, exact: Vec<(Move, f32)>, seed: u64) -> Self {
        let tree = guide.tree;
        let model = AzulModel { guide, rng: FastRng::new(seed), refills: Vec::new(), exact };
        Self(PuctTree::new(model, tree, vec![root]))
    }

    /// One iteration: descends, plays the round on from a new position, and adds the result to the moves on the way.
    pub fn iterate(&mut self) {
        self.0.iterate();
    }

    /// The root's moves, best prior first.
    pub fn moves(&self) -> impl Iterator<Item = &PuctEdge<Move>> + Clone {
        self.0.root_moves()
    }

    /// The root's most visited move, the first of equal ones.
    pub fn most_visited(&self) -> &PuctEdge<Move> {
        let moves: Vec<_> = self.moves().collect();
        moves.into_iter().rev().max_by_key(|edge| edge.visits).expect("a position to search has moves")
    }

    /// The value of an untried move to the seat that moves, without any search: the policy plays the rest of the round.
    pub fn immediate_value(&self, mv: Move) -> f32 {
        let (mut position, seat) = (*self.0.root(), self.0.root().to_move);
        position.take(&mv);
        let guide = &self.0.model.guide;
        play_round(guide.policy, &mut position, &mut FastRng::new(0), 0.0);
        for_seat(guide.round_end_net.value(&position), seat)
    }

    /// Length of the longest way down, in plies.
    pub fn depth(&self) -> u32 {
        self.0.deepest()
    }

    /// This move and the most visited moves after it, as long as they were tried more than once, to the end of the round.
    pub fn line(&self, mv: Move) -> Vec<Move> {
        self.0.line(mv, false)
    }
}

impl GrowingTree for AzulTree {
    type Move = Move;

    fn step(&mut self) {
        self.iterate();
    }

    fn root_edges(&self) -> Vec<PuctEdge<Move>> {
        self.moves().copied().collect()
    }
}

impl AzulModel {
    /// Mixes the values of exact play into the priors of the root's moves.
    fn sharpen(&self, moves: &mut Vec<(Move, f32)>) {
        let best = self.exact[0].1;
        let share = |value: f32| decay((best - value) / EXACT_TEMPER);
        let all: f32 = self.exact.iter().map(|(_, value)| share(*value)).sum();
        for (mv, prior) in moves.iter_mut() {
            let found = self.exact.iter().find(|(other, _)| other == mv);
            let exact = found.map_or(0.0, |(_, value)| share(*value) / all);
            *prior = MOVE_PRIOR_SHARE * *prior + (1.0 - MOVE_PRIOR_SHARE) * exact;
        }
        keep_best(moves, usize::MAX);
    }
}

impl SearchModel for AzulModel {
    type Position = Position;
    type Move = Move;
    /// A refill's place in the list, or `NO_REFILL`.
    type Outcome = u32;
    type Values = [f32; 2];

    fn seat(&self, position: &Position) -> u8 {
        position.to_move.0
    }

    /// Ends of matches are ends of rounds, and no node comes after those.
    fn is_over(&self, _: &Position) -> bool {
        false
    }

    fn moves(
        &mut self,
        position: &Position,
        _: usize,
        is_root: bool,
        out: &mut Vec<(Move, f32)>,
    ) -> Option<Self::Values> {
        let board = &position.boards[position.to_move.index()];
        let move_prior = &self.guide.policy[stage(position)];
        each_move(move_prior, position, &Worth::of(move_prior, board), |mv, promise| out.push((mv, promise)));
        let Guide { mid_round_net, temper, .. } = &self.guide;
        let activations = mid_round_net.activations(position);
        for (mv, promise) in out.iter_mut() {
            *promise = *promise / temper + mid_round_net.rating(&activations, position, mv);
        }
        keep_best(out, if is_root { usize::MAX } else { WIDTH });
        let best = out[0].1;
        out.iter_mut().for_each(|(_, prior)| *prior = decay(best - *prior));
        normalize(out);
        if is_root && !self.exact.is_empty() {
            self.sharpen(out);
        }
        None
    }

    fn play(&mut self, position: &mut Position, mv: Move, visits: u32, known: Option<u32>) -> AfterMove<u32> {
        position.take(&mv);
        if !position.is_bare() {
            return AfterMove::Fixed(NO_REFILL);
        }
        position.end_round();
        if position.has_row() || visits < VISITS_BEFORE_REFILL {
            return AfterMove::End;
        }
        if let Some(at) = known {
            position.sources[1..].copy_from_slice(&self.refills[at as usize]);
            return AfterMove::Sampled(at);
        }
        refill(position, &mut self.rng);
        let [_, displays @ ..] = position.sources;
        self.refills.push(displays);
        AfterMove::Sampled(self.refills.len() as u32 - 1)
    }

    fn value(&mut self, position: Position, _: Option<usize>) -> [f32; 2] {
        let first = self.guide.value(position, &mut self.rng);
        [for_seat(first, Seat(0)), for_seat(first, Seat(1))]
    }
}
