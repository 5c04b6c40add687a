//! The engine: deals the hidden cards again and again, plays each deal out after each of its moves, by rule of thumb
//! first and exactly at the end, and takes the move that does best over all deals. Sees a view, never the truth.

mod playout;
mod position;
mod simple;
mod solve;

pub use simple::{GREEDY, PAGE};

use super::rules::{COMPUTER, Draws, Move};
use super::{Septica, View};
use crate::game::View as _;
use crate::kit::handicap;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};
use position::{DECK, Position, from_move, to_move};
use solve::Solver;

/// The engine's entry in the game's list.
pub const SPEC: EngineSpec<Septica> = EngineSpec {
    name: "septica",
    version: 1,
    instant: false,
    summary: "Deals the hidden cards again and again, plays each deal out and solves its end exactly.",
    make: || Box::new(Sampler),
};

/// More deals than this show nothing new.
const DEALS: u64 = 4_000;
/// What a point more is worth beside the result, where the results are equal: it also makes the choice steadier.
const POINT: f64 = 0.02;
/// Nodes of some 30 ns between two looks at the clock.
const ASK_EVERY: u64 = 1_024;

struct Sampler;

/// What a seat wants: the worth of each number of points in the end.
struct Worth([f64; 9]);

impl Worth {
    fn new(view: &View) -> Self {
        let draw = match view.draws {
            Draws::Split => 0.5,
            Draws::Player if view.seat() == COMPUTER => 0.0,
            Draws::Player => 1.0,
        };
        Self([0.0, 0.0, 0.0, 0.0, draw, 1.0, 1.0, 1.0, 1.0])
    }
}

/// A move with what it brought over all deals.
#[derive(Clone, Copy)]
struct Tried {
    rank: u8,
    score: f64,
    points: u64,
}

/// The hidden cards of a view, dealt anew as often as wanted.
struct Dealer<'v> {
    view: &'v View,
    hidden: Vec<u8>,
    theirs: usize,
}

impl<'v> Dealer<'v> {
    fn new(view: &'v View) -> Self {
        let unseen = (0u8..).zip(view.unseen());
        let hidden = unseen.flat_map(|(rank, n)| std::iter::repeat_n(rank, usize::from(n))).collect();
        Self { view, hidden, theirs: usize::from(view.open.hands[view.seat().other().index()]) }
    }

    fn deal(&mut self, search: &mut Search<'_>) -> (Position, [u8; DECK]) {
        search.rng().shuffle(&mut self.hidden);
        let (theirs, rest) = self.hidden.split_at(self.theirs);
        let mut deck = [0; DECK];
        deck[..rest.len()].copy_from_slice(rest);
        (Position::new(self.view, theirs.iter().map(|rank| 1 << (4 * rank)).sum()), deck)
    }
}

/// Tries all moves on the same deals, so that luck counts for none of them. A deal that could not be tried with every
/// move does not count. Returns the number of deals.
fn try_all(view: &View, moves: &mut [Tried], search: &mut Search<'_>) -> u64 {
    let worth = Worth::new(view);
    let own = view.seat().index();
    let mut dealer = Dealer::new(view);
    let mut solver = Solver::new();
    let mut points = vec![0u8; moves.len()];
    // With the deck out the other hand is known: one deal tells all.
    let deals = if view.open.deck == 0 { 1 } else { DEALS };
    for done in 0..deals {
        let (start, deck) = dealer.deal(search);
        solver.begin(&deck);
        for (points, tried) in points.iter_mut().zip(&*moves) {
            let mut next = start;
            next.play(tried.rank, &deck);
            let Some(first) = playout::points(next, &deck, &mut solver, search) else { return done };
            *points = if own == 0 { first } else { 8 - first };
        }
        for (tried, points) in moves.iter_mut().zip(&points) {
            tried.score += worth.0[usize::from(*points)];
            tried.points += u64::from(*points);
        }
    }
    deals
}

impl Engine<Septica> for Sampler {
    /// A node is a card played in a playout, or a position solved.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Septica> {
        search.ask_every(ASK_EVERY);
        let level = search.limits().level;
        if let Some(nodes) = cap(level) {
            search.cap_nodes(nodes);
        }
        let mut legal = Vec::new();
        view.legal(&mut legal);
        let mut tried: Vec<Tried> =
            legal.iter().map(|mv| Tried { rank: from_move(*mv), score: 0.0, points: 0 }).collect();
        // Before anything is tried, and among equals, the rule of thumb goes first.
        let thumb = simple::greedy(&Position::new(view, 0), &mut |_| 0);
        tried.sort_by_key(|t| t.rank != thumb);
        let deals = if tried.len() > 1 { try_all(view, &mut tried, search) } else { 0 };
        let per_deal = 1.0 / deals.max(1) as f64;
        let merit = |t: &Tried| (t.score + POINT * t.points as f64) * per_deal;
        tried.sort_by(|a, b| merit(b).total_cmp(&merit(a)));
        let candidates: Vec<Candidate<Move>> = tried
            .iter()
            .map(|t| Candidate {
                mv: to_move(t.rank),
                value: if deals > 0 { t.score * per_deal } else { 0.5 },
                visits: deals,
            })
            .collect();
        let Candidate { mv, value, .. } =
            candidates[handicap::choose(&candidates, slips(level), search.rng())];
        let depth = view.open.hands.iter().sum::<u8>() + view.open.deck;
        Decision { mv, value, candidates, line: vec![mv], depth: u32::from(depth) }
    }
}

/// Nodes a level may spend.
fn cap(level: Level) -> Option<u64> {
    match level {
        Level::Easy => Some(500),
        Level::Medium => Some(2_000),
        Level::Hard => Some(10_000),
        Level::Max => None,
    }
}

/// Share of decisions of a level that are drawn from all moves.
fn slips(level: Level) -> f64 {
    match level {
        Level::Easy => 0.5,
        Level::Medium => 0.25,
        Level::Hard => 0.08,
        Level::Max => 0.0,
    }
}

#[cfg(test)]
mod tests;
