//! The tree search of version 3. Judgement ranks the actions and plays on for two actions from a leaf; a small network
//! values the position that it reaches.

use super::net::{self, ValueNet};
use engines::games::splendor::engine::policy::{Assessment, PolicyWeights};
use engines::games::splendor::engine::position::{Act, FastTable, KnownCard, NotedCard};
use engines::games::splendor::engine::sift;
use engines::games::splendor::rules::SEATS;
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::puct::{
    AfterMove, PuctEdge, PuctSettings, PuctTree, SearchModel, keep_best, normalize,
};

/// The parameters of the search.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The judgement that ranks actions and plays on.
    pub weights: &'static PolicyWeights,
    /// The parameters of the tree.
    pub tree: PuctSettings,
    /// An action that scores this much less than the best one has a quarter of its prior.
    pub sharpness: f32,
    /// Random share in the cards' ranks in playouts.
    pub noise: f32,
    /// Share of the margin, not of the victory, in the value of a finished match.
    pub margin: f32,
    /// Actions by judgement from a leaf on, before the network values the position.
    pub horizon: u32,
    /// Number of guesses of the cards hidden in other hands; each guess has a tree of its own.
    pub worlds: usize,
}

/// Actions kept at a node below the root, those with the highest priors.
const KEPT: usize = 24;

/// The game for the tree search, with the random numbers of one search.
pub(crate) struct FormerModel {
    shape: &'static Shape,
    net: Option<&'static ValueNet>,
    rng: FastRng,
}

/// The search tree of a position.
pub(crate) struct FormerTree(PuctTree<FormerModel>);

impl FormerTree {
    /// The tree of a position that is not over.
    pub(crate) fn new(root: &FastTable, shape: &'static Shape, seed: u64) -> Self {
        let mut rng = FastRng::new(seed);
        let worlds = if root.hides() { shape.worlds } else { 1 };
        let settled = |_| {
            let mut world = root.clone();
            world.settle(&mut rng);
            world
        };
        let worlds: Vec<FastTable> = (0..worlds).map(settled).collect();
        let model = FormerModel { shape, net: net::for_seats(root.seats), rng };
        Self(PuctTree::new(model, shape.tree, worlds))
    }

    /// One iteration: descends, values the new position, and remembers the value.
    pub(crate) fn iterate(&mut self) {
        let _ = self.0.iterate();
    }

    /// The root's actions, once for each guess.
    pub(crate) fn root(&self) -> impl Iterator<Item = &PuctEdge<Act>> + Clone {
        self.0.root_moves()
    }
}

impl SearchModel for FormerModel {
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
        _: usize,
        is_root: bool,
        out: &mut Vec<(Act, f32)>,
    ) -> Option<[f32; SEATS]> {
        let weights = self.shape.weights;
        Assessment::new(table, weights, 0.0, &mut self.rng).all(table, weights, out);
        sift(table, out, |(act, _)| *act);
        let best = out.iter().map(|(_, score)| *score).fold(f32::MIN, f32::max);
        for (_, score) in &mut *out {
            // A rational stand-in for the exponential, the same on every machine.
            let behind = 1.0 + (best - *score) / self.shape.sharpness;
            *score = 1.0 / (behind * behind);
        }
        normalize(out);
        keep_best(out, if is_root { usize::MAX } else { KEPT });
        None
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

    /// Judgement plays on for some actions, until the result is certain or the network is asked. For a player alone at
    /// the table only the number of rounds counts, so there the match is played to its end.
    fn value(&mut self, mut table: FastTable, _: Option<usize>) -> [f32; SEATS] {
        let shape = self.shape;
        for ply in 0u32.. {
            if table.over() {
                break;
            }
            if let Some(worth) = table.forced(shape.margin) {
                return worth;
            }
            if let Some(net) = self.net.filter(|_| ply >= shape.horizon) {
                return net.worth(&table);
            }
            let assessment = Assessment::new(&table, shape.weights, shape.noise, &mut self.rng);
            let act = assessment.best(&table, shape.weights);
            table.play(act, &mut self.rng);
        }
        table.worth(shape.margin)
    }
}
