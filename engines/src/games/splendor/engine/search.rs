//! Splendor for the tree search: the actions and their priors, the cards that chance may bring, and the value of a
//! position. Works on the engine's own table only.

use std::sync::Arc;

use super::memo::HiddenMemo;
use super::moves::{sift, undominated};
use super::net::PolicyNet;
use super::position::{Act, FastTable, KnownCard, NotedCard};
use crate::games::splendor::rules::{Move, SEATS};
use crate::search_kit::fast_rng::FastRng;
use crate::search_kit::puct::{AfterMove, GrowingTree, PuctEdge, PuctSettings, PuctTree, SearchModel};

/// The parameters of the search.
#[derive(Clone, Debug)]
pub struct SplendorSettings {
    /// The parameters of the tree.
    pub tree: PuctSettings,
    /// Share of the margin, not of the victory, in the value of a finished match.
    pub margin: f32,
    /// Maximum number of guesses of the cards hidden in other hands; each guess has a tree of its own.
    pub worlds: usize,
    /// Actions kept at a node below the root, those with the highest priors.
    pub kept: usize,
    /// The least prior of an action kept at a node below the root; the first action is kept whatever its prior. An action
    /// with a lower one is tried only after thousands of visits.
    pub least_prior: f32,
}

/// The game for the tree search, with the random numbers of one search.
pub struct SplendorModel {
    margin: f32,
    kept: usize,
    least_prior: f32,
    net: Arc<PolicyNet>,
    memo: HiddenMemo,
    rng: FastRng,
    /// Scratch memory.
    acts: Vec<Act>,
}

/// The search tree of a position.
pub struct SplendorTree(PuctTree<SplendorModel>);

impl SplendorTree {
    /// The tree of a position that is not over. `settings.worlds`: the number of guesses if there are hidden cards.
    pub fn new(root: &FastTable, net: Arc<PolicyNet>, settings: &SplendorSettings, seed: u64) -> Self {
        let mut rng = FastRng::new(seed);
        let worlds = if root.hides() { settings.worlds } else { 1 };
        let settled = |_| {
            let mut world = root.clone();
            world.settle(&mut rng);
            world
        };
        let worlds: Vec<FastTable> = (0..worlds).map(settled).collect();
        let &SplendorSettings { tree, margin, kept, least_prior, .. } = settings;
        let (memo, acts) = (HiddenMemo::default(), Vec::with_capacity(256));
        let model = SplendorModel { margin, kept, least_prior, net, memo, rng, acts };
        Self(PuctTree::new(model, tree, worlds))
    }

    /// One iteration: descends, values the new position, remembers the value, and returns it.
    pub fn iterate(&mut self) -> [f32; SEATS] {
        self.0.iterate()
    }

    /// One iteration through action number `at` of the first guess.
    pub fn iterate_through(&mut self, at: usize) -> [f32; SEATS] {
        self.0.iterate_through(at)
    }

    /// The root's actions, once for each guess.
    pub fn root(&self) -> impl Iterator<Item = &PuctEdge<Act>> + Clone {
        self.0.root_moves()
    }

    /// Length of the longest way down, in plies.
    pub fn deepest(&self) -> u32 {
        self.0.deepest()
    }

    /// This move, and the actions most visited after it, as long as they were tried more than once.
    pub fn line(&self, mv: Move) -> Vec<Move> {
        let act = self.root().map(|edge| edge.mv).find(|act| act.to_move() == mv);
        act.map_or_else(|| vec![mv], |act| self.0.line(act, true).into_iter().map(Act::to_move).collect())
    }
}

impl GrowingTree for SplendorTree {
    type Move = Act;

    fn step(&mut self) {
        self.iterate();
    }

    fn root_edges(&self) -> Vec<PuctEdge<Act>> {
        self.root().copied().collect()
    }
}

impl SplendorModel {
    /// Keeps the actions with the highest priors, in any order.
    fn keep_promising(&self, moves: &mut Vec<(Act, f32)>) {
        let best = moves.iter().map(|(_, prior)| *prior).fold(0.0, f32::max);
        moves.retain(|(_, prior)| *prior >= self.least_prior.min(best));
        if moves.len() > self.kept {
            moves.select_nth_unstable_by(self.kept, |a, b| b.1.total_cmp(&a.1));
            moves.truncate(self.kept);
        }
    }
}

impl SearchModel for SplendorModel {
    type Position = FastTable;
    type Move = Act;
    /// The card that came; 0 if none did.
    type Outcome = u8;
    type Values = [f32; SEATS];

    fn seat(&self, table: &FastTable) -> u8 {
        table.to_move
    }

    fn is_over(&self, table: &FastTable) -> bool {
        table.over()
    }

    /// If the mover can win at once, lists only the actions that do. Else lists none that lets the next seat win at once,
    /// unless all do.
    fn moves(
        &mut self,
        table: &FastTable,
        node: usize,
        is_root: bool,
        out: &mut Vec<(Act, f32)>,
    ) -> Option<[f32; SEATS]> {
        undominated(table, &mut self.acts);
        sift(table, &mut self.acts, |act| *act);
        out.extend(self.acts.iter().map(|act| (*act, 0.0)));
        let value = match self.memo.find(node) {
            Some(hidden) => self.net.rate(table, hidden, out),
            None => self.net.rate(table, &self.net.hidden(table), out),
        };
        if !is_root {
            self.keep_promising(out);
        }
        // As `keep_best`, but equal ones may come in any order: that is faster.
        out.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
        Some(table.forced(self.margin).unwrap_or(value))
    }

    fn play(&mut self, table: &mut FastTable, act: Act, _: u32, known: Option<u8>) -> AfterMove<u8> {
        let card = if let Some(card) = known {
            table.play(act, &mut KnownCard(card));
            card
        } else {
            let mut noted = NotedCard(&mut self.rng, 0);
            table.play(act, &mut noted);
            noted.1
        };
        if card == 0 { AfterMove::Fixed(card) } else { AfterMove::Sampled(card) }
    }

    fn value(&mut self, table: FastTable, node: Option<usize>) -> [f32; SEATS] {
        if table.over() {
            return table.worth(self.margin);
        }
        if let Some(worth) = table.forced(self.margin) {
            return worth;
        }
        let Some(node) = node else {
            return self.net.value(&table, &self.net.hidden(&table));
        };
        // A fuller tree comes back to a position several times before it gives it moves.
        if let Some(hidden) = self.memo.find(node) {
            return self.net.value(&table, hidden);
        }
        let hidden = self.net.hidden(&table);
        let value = self.net.value(&table, &hidden);
        self.memo.keep(node, hidden);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::splendor::engine::{SETTINGS, net, position::ActionKind};

    #[test]
    fn below_the_root_the_best_and_the_promising_actions_are_kept() {
        let SplendorSettings { margin, kept, least_prior, .. } = SETTINGS;
        let (memo, rng, acts) = (HiddenMemo::default(), FastRng::new(1), Vec::new());
        let model = SplendorModel { margin, kept, least_prior, net: net::for_seats(2), memo, rng, acts };
        let left = |priors: &[f32]| {
            let mut moves: Vec<_> = priors
                .iter()
                .zip(1..)
                .map(|(prior, card)| (Act::new(ActionKind::Buy, card), *prior))
                .collect();
            model.keep_promising(&mut moves);
            moves.iter().map(|(act, _)| act.arg).collect::<Vec<u8>>()
        };
        assert_eq!(left(&[0.5, 0.0019, 0.002, 0.4]), [1, 3, 4]);
        assert_eq!(left(&[0.0005, 0.001, 0.0007]), [2], "one action is kept whatever its prior");
        assert_eq!(left(&[0.02; 50]).len(), SETTINGS.kept);
    }
}
