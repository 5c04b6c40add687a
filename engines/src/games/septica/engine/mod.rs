//! The engine: deals the hidden cards again and again, solves what is near its end exactly with open cards, plays the
//! rest out by rule of thumb, and takes the move that does best over all these deals. Sees a view, never the truth.

mod playout;
mod position;
mod simple;
mod solve;

pub use simple::{GREEDY, PAGE};

use super::rules::{COMPUTER, Draws, Move, Rank};
use super::{Septica, View};
use crate::game::View as _;
use crate::kit::handicap;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};
use position::{DECK, NONE, Position, to_move};
use solve::Solver;

/// The engine's entry in the game's list.
pub const SPEC: EngineSpec<Septica> = EngineSpec {
    name: "septica",
    version: 1,
    instant: false,
    summary: "Sampled deals of the hidden cards, played out to a short deck and solved exactly from there.",
    make: || Box::new(Sampler { solver: Solver::new(), prefix: "A" }),
};

pub const OTHER: EngineSpec<Septica> = EngineSpec {
    name: "other",
    version: 1,
    instant: false,
    summary: "Sampled deals of the hidden cards, played out to a short deck and solved exactly from there.",
    make: || Box::new(Sampler { solver: Solver::new(), prefix: "B" }),
};

fn param(prefix: &str, name: &str, default: f64) -> f64 {
    std::env::var(format!("{prefix}_{name}")).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

struct Sampler {
    solver: Solver,
    prefix: &'static str,
}

/// What the seat to move wants: what a number of its own points at the end is worth.
struct Worth {
    by_points: [f64; 9],
}

impl Worth {
    fn new(view: &View, spice: f64) -> Self {
        let draw = match view.draws {
            Draws::Split => 0.5,
            Draws::Player if view.seat() == COMPUTER => 0.0,
            Draws::Player => 1.0,
        };
        let by_points = std::array::from_fn(|points| {
            let won = match points {
                0..4 => 0.0,
                4 => draw,
                _ => 1.0,
            };
            (won + spice * points as f64) / (1.0 + 8.0 * spice)
        });
        Self { by_points }
    }
}

impl Engine<Septica> for Sampler {
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Septica> {
        search.ask_every(1024);
        let mut moves = Vec::new();
        view.legal(&mut moves);
        let solve_at = param(self.prefix, "SOLVE", 8.0) as u8;
        let samples = param(self.prefix, "SAMPLES", 200.0) as u64;
        let rest_at = param(self.prefix, "REST", 4.0) as u8;
        let worth = Worth::new(view, param(self.prefix, "SPICE", 0.02));
        let seat = view.seat().index();
        let mut sums = vec![0.0; moves.len()];
        let mut done = 0u64;
        let mut row = vec![0.0; moves.len()];
        let mut hidden: Vec<u8> = Vec::new();
        for (i, n) in view.unseen().into_iter().enumerate() {
            hidden.extend(std::iter::repeat_n(i as u8, usize::from(n)));
        }
        let theirs = usize::from(view.open.hands[seat ^ 1]);
        'deals: while moves.len() > 1 && done < samples {
            search.rng().shuffle(&mut hidden);
            let mut deck = [0; DECK];
            deck[..hidden.len() - theirs].copy_from_slice(&hidden[theirs..]);
            let other = hidden[..theirs].iter().map(|c| 1u32 << (4 * c)).sum();
            let start = Position::new(view, other);
            self.solver.begin(&deck);
            for (value, mv) in row.iter_mut().zip(&moves) {
                let mut p = start;
                p.play(rank_of(*mv), &deck);
                let at = if start.left <= solve_at { solve_at } else { rest_at };
                let Some(points) = playout::points(p, &deck, at, &mut self.solver, search) else {
                    break 'deals;
                };
                *value = worth.by_points[usize::from(if seat == 0 { points } else { 8 - points })];
            }
            sums.iter_mut().zip(&row).for_each(|(sum, value)| *sum += value);
            done += 1;
            if start.left == 0 {
                break;
            }
        }
        let thumb = to_move(simple::greedy(&Position::new(view, 0), &mut |_| 0));
        let mut candidates: Vec<Candidate<Move>> = moves
            .iter()
            .zip(&sums)
            .map(|(mv, sum)| Candidate {
                mv: *mv,
                value: if done > 0 { sum / done as f64 } else { 0.5 },
                visits: done,
            })
            .collect();
        candidates.sort_by(|a, b| b.value.total_cmp(&a.value).then((b.mv == thumb).cmp(&(a.mv == thumb))));
        let chosen = handicap::choose(&candidates, slips(search.limits().level), search.rng());
        let Candidate { mv, value, .. } = candidates[chosen];
        Decision { mv, value, candidates, depth: 1 }
    }
}

fn slips(level: Level) -> f64 {
    match level {
        Level::Easy => 0.4,
        Level::Medium => 0.2,
        Level::Hard => 0.05,
        Level::Max => 0.0,
    }
}

fn rank_of(mv: Move) -> u8 {
    match mv {
        Move::Card(rank) => Rank::index(rank) as u8,
        Move::Stop => NONE,
    }
}
