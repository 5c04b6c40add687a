//! The engine: a small network judges each move by all that the seat knows, and once the deck is out, when nothing is
//! hidden any more, an exact search decides. Sees a view, never the truth.

pub mod ceiling;
pub mod memory;
pub mod net;
pub mod position;
pub mod solve;
pub mod yardsticks;

pub use yardsticks::{GREEDY, PAGE, PAGE_LEADS, POINTS};

use super::rules::{COMPUTER, Draws, Move};
use super::{Septica, View};
use crate::game::View as _;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};
use memory::Memory;
use net::{Knows, NET};
use position::{DECK, Hand, Position, from_move};
use solve::Solver;

/// The engine's entry in the game's list.
pub const SPEC: EngineSpec<Septica> = EngineSpec {
    name: "septica",
    version: 2,
    // With the deck out the search may take more than some microseconds.
    instant: false,
    summary: "Judges each move with a network trained by self-play; exact once the deck is out.",
    make: || Box::new(Judge { solver: Solver::new(1 << 12) }),
};

/// What a point more is worth beside the result, where the results are equal.
const POINT: f64 = 0.02;
/// Nodes of some 30 ns between two looks at the clock.
const ASK_EVERY: u64 = 1_024;

struct Judge {
    solver: Solver,
}

/// What equal points are worth to the seat of this view, in halves.
fn draw_worth(view: &View) -> u8 {
    match view.draws {
        Draws::Split => 1,
        Draws::Player if view.seat() == COMPUTER => 0,
        Draws::Player => 2,
    }
}

/// What these points are worth in the end, 0 to 1.
fn worth(points: u8, draw: u8) -> f64 {
    match points {
        0..=3 => 0.0,
        4 => f64::from(draw) / 2.0,
        _ => 1.0,
    }
}

/// The score to expect, in thousandths, where the network says 0, 0.1 and so on to 1: it learned from matches against simple
/// players too, and hopes for more than it gets from its equals. Fitted by least squares to 20,000 matches against itself
/// (the values in the arena's records).
const SCORE: [u16; 11] = [0, 38, 104, 182, 263, 325, 383, 519, 646, 821, 1000];

/// What is told of a value of the network; the higher the one, the higher the other.
fn told(value: f64) -> f64 {
    let at = 10.0 * value.clamp(0.0, 1.0);
    let step = (at as usize).min(SCORE.len() - 2);
    let [low, high] = [SCORE[step], SCORE[step + 1]].map(|score| f64::from(score) / 1_000.0);
    low + (at - step as f64) * (high - low)
}

/// A move with its value, and with what it is chosen by.
#[derive(Clone, Copy)]
struct Judged {
    mv: Move,
    value: f64,
    merit: f64,
}

impl Judge {
    /// With the deck out the other hand is known, and each move has its exact value. `None`: stopped before.
    fn solve(&mut self, view: &View, legal: &[Move], search: &mut Search<'_>) -> Option<Vec<Judged>> {
        let (own, draw) = (view.seat().index(), draw_worth(view));
        let theirs: Hand = (0..8).zip(view.unseen()).map(|(rank, n)| Hand::from(n) << (4 * rank)).sum();
        let (p, deck) = (Position::new(view, theirs), [0; DECK]);
        self.solver.begin(&deck);
        let solved = legal.iter().map(|mv| {
            let mut next = p;
            next.play(from_move(*mv), &deck);
            let first = next.won[0] + self.solver.points(&next, -1, 9, search)? as u8;
            let points = if own == 0 { first } else { 8 - first };
            let value = worth(points, draw);
            Some(Judged { mv: *mv, value, merit: value + POINT * f64::from(points) })
        });
        solved.collect()
    }

    /// What the network says of each move.
    fn judge(&self, view: &View, legal: &[Move], search: &mut Search<'_>) -> Vec<Judged> {
        let (p, memory) = (Position::new(view, 0), Memory::of(view));
        let knows = Knows::new(&p, &memory, draw_worth(view));
        let common = NET.common(&knows);
        let judged = legal.iter().map(|mv| {
            search.tick();
            let value = f64::from(NET.value(&knows, &common, from_move(*mv)));
            Judged { mv: *mv, value: told(value), merit: value }
        });
        judged.collect()
    }
}

impl Engine<Septica> for Judge {
    /// A node is a move judged, or a position solved.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Septica> {
        search.ask_every(ASK_EVERY);
        let mut legal = Vec::new();
        view.legal(&mut legal);
        let skill = Skill::of(search.limits().level);
        let solves = view.open.deck == 0 && skill.solves;
        let exact = if solves { self.solve(view, &legal, search) } else { None };
        let mut judged = exact.unwrap_or_else(|| self.judge(view, &legal, search));
        judged.sort_by(|a, b| b.merit.total_cmp(&a.merit));
        let close = judged.iter().filter(|j| j.merit >= judged[0].merit - skill.slack).count();
        let chosen = if close > 1 && skill.slack > 0.0 { search.rng().below(close) } else { 0 };
        let visits = u64::from(judged.len() > 1);
        let candidates: Vec<Candidate<Move>> =
            judged.iter().map(|j| Candidate { mv: j.mv, value: j.value, visits }).collect();
        let Candidate { mv, value, .. } = candidates[chosen];
        let depth = if solves { view.open.hands.iter().sum::<u8>() } else { 1 };
        Decision { mv, value, candidates, line: vec![mv], depth: u32::from(depth) }
    }
}

/// What a level can. Weaker ones play soft, not absurd: any of the moves that seem about as good as the best one.
struct Skill {
    /// Moves whose values differ by no more than this are all the same to it.
    slack: f64,
    /// Whether it works out what the other seat holds once the deck is out.
    solves: bool,
}

impl Skill {
    fn of(level: Level) -> Self {
        match level {
            Level::Easy => Self { slack: 0.45, solves: false },
            Level::Medium => Self { slack: 0.14, solves: false },
            Level::Hard => Self { slack: 0.085, solves: true },
            Level::Max => Self { slack: 0.0, solves: true },
        }
    }
}

#[cfg(test)]
mod tests;
