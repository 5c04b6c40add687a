//! Baselines to measure the search against: `plain`, the textbook's tree search with random playouts, and `casual`, which
//! plays like a person with one card in mind. They share the fast table with the search, but not its judgement.

use super::super::rules::{COLORS, GOLD, SEATS};
use super::super::{Splendor, View};
use super::moves::{lacking, legal};
use super::position::{Act, ActionKind, FAST, FastTable, sum};
use crate::game::View as _;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Search};
use crate::search_kit::fast_rng::FastRng;

/// The entry of the textbook search in the game's list.
pub const PLAIN: EngineSpec<Splendor> = EngineSpec {
    name: "plain",
    version: 1,
    instant: false,
    summary: "A baseline: plain tree search (UCT) over guessed decks, with uniformly random playouts.",
    make: || Box::new(PlainSplendor),
};

/// The entry of the casual player in the game's list.
pub const CASUAL: EngineSpec<Splendor> = EngineSpec {
    name: "casual",
    version: 1,
    instant: true,
    summary: "A baseline: buys what it can, else works towards the card that is nearest.",
    make: || Box::new(CasualSplendor),
};

struct UctEdge {
    act: Act,
    visits: u32,
    worth: f64,
    child: u32,
}

/// Open-loop UCT with a fresh guess of all hidden cards in every iteration.
struct Uct {
    nodes: Vec<Vec<UctEdge>>,
    rng: FastRng,
    moves: Vec<Act>,
}

/// How much the search explores, in UCB1.
const EXPLORATION: f64 = 0.7;
/// Maximum number of nodes of a tree.
const MOST_NODES: usize = 400_000;

impl Uct {
    fn iterate(&mut self, root: &FastTable) {
        let mut pos = root.clone();
        pos.settle(&mut self.rng);
        let mut path = Vec::with_capacity(32);
        let mut node = 0;
        while !pos.over() {
            let (edge, fresh) = self.select(node, &pos);
            path.push((node, edge, pos.to_move));
            pos.play(self.nodes[node][edge].act, &mut self.rng);
            if self.nodes[node][edge].child == 0 && self.nodes.len() < MOST_NODES {
                self.nodes[node][edge].child = self.nodes.len() as u32;
                self.nodes.push(Vec::new());
            }
            node = self.nodes[node][edge].child as usize;
            if fresh || node == 0 {
                break;
            }
        }
        let worth = self.play_out(pos);
        for (node, edge, seat) in path {
            let edge = &mut self.nodes[node][edge];
            edge.visits += 1;
            edge.worth += f64::from(worth[usize::from(seat)]);
        }
    }

    /// An untried action if there is one (`true`), else the best by UCB1 among those possible in this guess.
    fn select(&mut self, node: usize, pos: &FastTable) -> (usize, bool) {
        legal(pos, &mut self.moves);
        let edges = &mut self.nodes[node];
        let known = |edges: &[UctEdge], act: &Act| edges.iter().position(|e| e.act == *act);
        let start = self.rng.below(self.moves.len());
        let (late, early) = self.moves.split_at(start);
        if let Some(act) = early.iter().chain(late).find(|act| known(edges, act).is_none()) {
            edges.push(UctEdge { act: *act, visits: 0, worth: 0.0, child: 0 });
            return (edges.len() - 1, true);
        }
        let possible: Vec<usize> = self.moves.iter().filter_map(|act| known(edges, act)).collect();
        let all: u32 = possible.iter().map(|i| edges[*i].visits).sum();
        let reach = EXPLORATION * ln(all).sqrt();
        let score = |i: &usize| {
            let (visits, worth) = (f64::from(edges[*i].visits), edges[*i].worth);
            worth / visits + reach / visits.sqrt()
        };
        let best = possible.into_iter().max_by(|a, b| score(a).total_cmp(&score(b)));
        (best.expect("a position has an action"), false)
    }

    fn play_out(&mut self, mut pos: FastTable) -> [f32; SEATS] {
        while !pos.over() {
            legal(&pos, &mut self.moves);
            let act = self.moves[self.rng.below(self.moves.len())];
            pos.play(act, &mut self.rng);
        }
        pos.worth(0.06)
    }
}

/// The natural logarithm, linear between the powers of two: the same on every machine.
fn ln(n: u32) -> f64 {
    let bits = n.max(1).ilog2();
    (f64::from(bits) + f64::from(n.max(1)) / f64::from(1u32 << bits) - 1.0) * std::f64::consts::LN_2
}

struct PlainSplendor;

impl Engine<Splendor> for PlainSplendor {
    /// A node is an iteration: one guess, one descent, one playout.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Splendor> {
        search.ask_every(4);
        let root = FastTable::of(view);
        let mut uct =
            Uct { nodes: vec![Vec::new()], rng: FastRng::new(search.rng().next_u64()), moves: Vec::new() };
        legal(&root, &mut uct.moves);
        let first = uct.moves[0];
        while search.tick() {
            uct.iterate(&root);
        }
        uct.nodes[0].sort_by(|a, b| b.visits.cmp(&a.visits).then(b.worth.total_cmp(&a.worth)));
        let candidate = |e: &UctEdge| Candidate {
            mv: e.act.to_move(),
            value: (e.worth / f64::from(e.visits.max(1))).clamp(0.0, 1.0),
            visits: u64::from(e.visits),
        };
        let mut candidates: Vec<_> = uct.nodes[0].iter().map(candidate).collect();
        candidates.retain(|c| view.is_legal(&c.mv));
        if candidates.is_empty() {
            let mv = Some(first.to_move()).filter(|mv| view.is_legal(mv)).unwrap_or(Act::PASS.to_move());
            candidates.push(Candidate { mv, value: 0.5, visits: 0 });
        }
        let Candidate { mv, value, .. } = candidates[0];
        Decision { mv, value, candidates, line: Vec::new(), depth: 1 }
    }
}

struct CasualSplendor;

impl Engine<Splendor> for CasualSplendor {
    /// Looks at every action once; that is its only node.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Splendor> {
        search.tick();
        let pos = FastTable::of(view);
        let mut rng = FastRng::new(search.rng().next_u64());
        let me = pos.mover();
        let mut acts = Vec::new();
        legal(&pos, &mut acts);
        acts.retain(|act| view.is_legal(&act.to_move()));
        if acts.is_empty() {
            acts.push(Act::PASS);
        }
        let points = |id: u8| i32::from(FAST[usize::from(id)].points);
        // The card it has in mind: few chips away, and better with points; a random one of equals.
        let cards = pos.face_up.as_flattened().iter().chain(&me.reserved).filter(|id| **id != 0);
        let target = cards
            .map(|id| (2 * points(*id) - 2 * i32::from(lacking(me, *id)), rng.next_u64(), *id))
            .max()
            .map(|(_, _, id)| id);
        let mut score = |act: &Act| {
            let worth = match (act.kind, target) {
                (ActionKind::Buy, _) => 100 + points(act.arg),
                (_, None) => 0,
                (_, Some(target)) => {
                    let mut after = pos.clone();
                    after.play(*act, &mut FastRng::new(0));
                    let after = &after.players[usize::from(pos.to_move)];
                    let fit = |c: usize| {
                        let need = FAST[usize::from(target)].cost[c].saturating_sub(after.bonus[c]);
                        i32::from(after.chips[c].min(need))
                    };
                    // A reservation is only for the card in mind. It is chosen only if chips bring that card less near.
                    let aside =
                        (act.kind == ActionKind::Reserve && act.arg != target) || act.kind == ActionKind::Top;
                    let near = (0..COLORS).map(fit).sum::<i32>() + i32::from(after.chips[GOLD]);
                    4 * near + i32::from(sum(&after.chips)) - if aside { 50 } else { 0 }
                }
            };
            (worth, rng.next_u64())
        };
        let scored: Vec<_> = acts.iter().map(|act| (score(act), *act)).collect();
        let (_, best) = *scored.iter().max_by_key(|(score, _)| *score).expect("a position has an action");
        let candidates = vec![Candidate { mv: best.to_move(), value: 0.5, visits: 1 }];
        Decision { mv: best.to_move(), value: 0.5, candidates, line: Vec::new(), depth: 1 }
    }
}
