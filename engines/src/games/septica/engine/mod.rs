//! The engine: a small network values each move by all that the seat knows. Once the deck is empty, nothing is hidden, and
//! an exact search decides. It sees a view, never the state.

pub mod baselines;
pub mod memory;
pub mod net;
pub mod omniscient;
pub mod position;
pub mod solve;

pub use baselines::{GREEDY, PAGE, PAGE_LEADS, POINTS};

use super::rules::{COMPUTER, Draws, Move};
use super::{Septica, View};
use crate::game::View as _;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};
use crate::search_kit::curve::through;
use memory::SeatMemory;
use net::{Knows, NET};
use position::{DECK, HandCounts, OpenPosition, from_move};
use solve::TrickSolver;

/// The engine's entry in the game's list.
pub const SPEC: EngineSpec<Septica> = EngineSpec {
    name: "septica",
    version: 2,
    // Once the deck is empty, the exact search may take more than some microseconds.
    instant: false,
    summary: "Judges each move with a network trained by self-play; exact once the deck is out.",
    make: || Box::new(SepticaEngine { solver: TrickSolver::new(1 << 12) }),
};

/// The value of one more point if the results are equal.
const POINT: f64 = 0.02;
/// Nodes, of some 30 ns each, between two questions to the host.
const ASK_EVERY: u64 = 1_024;

struct SepticaEngine {
    solver: TrickSolver,
}

/// The value of equal points to the seat of this view, in halves of a win.
fn draw_worth(view: &View) -> u8 {
    match view.draws {
        Draws::Split => 1,
        Draws::Player if view.seat() == COMPUTER => 0,
        Draws::Player => 2,
    }
}

/// The score for these points at the end, 0 to 1.
fn worth(points: u8, draw: u8) -> f64 {
    match points {
        0..=3 => 0.0,
        4 => f64::from(draw) / 2.0,
        _ => 1.0,
    }
}

/// The expected score, in thousandths, for network values of 0, 0.1 and so on to 1. The network also learned from matches
/// against simple players, so it expects more than it gets from its equals. Fitted by least squares to 20,000 matches
/// against itself (the values in the arena's records).
const SCORE: [u16; 11] = [0, 38, 104, 182, 263, 325, 383, 519, 646, 821, 1000];

/// The expected score for a value of the network; a higher value gives a higher score.
fn expected_score(value: f64) -> f64 {
    through(&SCORE, 10.0 * value.clamp(0.0, 1.0))
}

/// A move, its expected score, and the merit by which moves are compared.
#[derive(Clone, Copy)]
struct JudgedMove {
    mv: Move,
    value: f64,
    merit: f64,
}

impl SepticaEngine {
    /// The exact value of each move. The deck is empty, so the other hand is known. `None`: the search was stopped.
    fn solve(&mut self, view: &View, legal: &[Move], search: &mut Search<'_>) -> Option<Vec<JudgedMove>> {
        let (own, draw) = (view.seat().index(), draw_worth(view));
        let theirs: HandCounts =
            (0..8).zip(view.unseen()).map(|(rank, n)| HandCounts::from(n) << (4 * rank)).sum();
        let (p, deck) = (OpenPosition::new(view, theirs), [0; DECK]);
        self.solver.begin(&deck);
        let solved = legal.iter().map(|mv| {
            let mut next = p;
            next.play(from_move(*mv), &deck);
            let first = next.won[0] + self.solver.points(&next, -1, 9, search)? as u8;
            let points = if own == 0 { first } else { 8 - first };
            let value = worth(points, draw);
            Some(JudgedMove { mv: *mv, value, merit: value + POINT * f64::from(points) })
        });
        solved.collect()
    }

    /// The network's value of each move.
    fn judge(&self, view: &View, legal: &[Move], search: &mut Search<'_>) -> Vec<JudgedMove> {
        let (p, memory) = (OpenPosition::new(view, 0), SeatMemory::of(view));
        let knows = Knows::new(&p, &memory, draw_worth(view));
        let common = NET.common(&knows);
        let judged = legal.iter().map(|mv| {
            search.tick();
            let value = f64::from(NET.value(&knows, &common, from_move(*mv)));
            JudgedMove { mv: *mv, value: expected_score(value), merit: value }
        });
        judged.collect()
    }
}

impl Engine<Septica> for SepticaEngine {
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

/// The abilities of a level. Weaker levels play any of the moves that seem about as good as the best one.
struct Skill {
    /// Moves this much worse than the best one are as likely as the best one.
    slack: f64,
    /// Whether it solves the position exactly once the deck is empty.
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
