//! Fits the table by which the engine turns its search values into expected scores, from matches against itself.

use engines::game::{State as _, Turn};
use engines::games::azul::engine::search::{AzulTree, Guide};
use engines::rng::{Rng, Seed};

use super::deal;
use crate::budget::TrainArgs;

/// Games unless the arguments say otherwise.
const GAMES: u64 = 400;
/// Iterations for each decision.
const NODES: u32 = 300;
/// Numbers in the table.
const KNOTS: usize = 11;
/// Sweeps of the fit over all knots.
const SWEEPS: usize = 500;

/// A value from the better side's point of view, and that side's score in the end.
struct ScoredPosition {
    value: f64,
    score: f64,
}

fn play(game: u64, rng: &mut Rng, out: &mut Vec<ScoredPosition>) {
    let mut state = deal(2_000_000 + game);
    let mut values = Vec::new();
    while let Turn::Of(seat) = state.turn() {
        let mut tree = AzulTree::new(Guide::in_use(), *state.position(), rng.next_u64());
        if tree.moves().nth(1).is_some() {
            (0..NODES).for_each(|_| tree.iterate());
        }
        let best = tree.most_visited();
        let mv = best.mv;
        values.extend(best.mean().map(|value| (value, seat)));
        state.play(&mv);
    }
    let Some(outcome) = state.outcome() else { return };
    out.extend(values.into_iter().map(|(value, seat)| {
        let score = outcome.score(seat);
        if value < 0.5 {
            ScoredPosition { value: 1.0 - value, score: 1.0 - score }
        } else {
            ScoredPosition { value, score }
        }
    }));
}

/// The lower of the knots around a value, and how far the value lies behind it, 0 to 1.
fn place(value: f64) -> (usize, f64) {
    let at = (value - 0.5) * 20.0;
    let low = (at as usize).min(KNOTS - 2);
    (low, at - low as f64)
}

fn score(knots: &[f64; KNOTS], value: f64) -> f64 {
    let (low, part) = place(value);
    knots[low] * (1.0 - part) + knots[low + 1] * part
}

/// Least squares, one knot at a time, never falling. The first knot is 1/2 for reasons of symmetry.
fn fit(outcomes: &[ScoredPosition]) -> [f64; KNOTS] {
    let mut knots = std::array::from_fn(|k| 0.5 + 0.05 * k as f64);
    for _ in 0..SWEEPS {
        for k in 1..KNOTS {
            let (mut up, mut down) = (0.0, 0.0);
            for ScoredPosition { value, score } in outcomes {
                let (low, part) = place(*value);
                let (own, other) = if k == low + 1 { (part, low) } else { (1.0 - part, low + 1) };
                if k == low || k == low + 1 {
                    up += own * (score - (1.0 - own) * knots[other]);
                    down += own * own;
                }
            }
            let most = knots.get(k + 1).copied().unwrap_or(1.0);
            if down > 0.0 {
                knots[k] = (up / down).clamp(knots[k - 1], most);
            }
        }
    }
    knots
}

/// The command.
pub(crate) fn run(args: &TrainArgs) -> Result<(), String> {
    let mut budget = args.budget(GAMES);
    let mut rng = Rng::new(&Seed::from(args.seed));
    let mut outcomes = Vec::new();
    while let Some(game) = budget.next_game() {
        play(game, &mut rng, &mut outcomes);
    }
    let knots = fit(&outcomes);
    let brier = |of: &dyn Fn(f64) -> f64| {
        outcomes.iter().map(|o| (of(o.value) - o.score).powi(2)).sum::<f64>() / outcomes.len().max(1) as f64
    };
    let (before, after) = (brier(&|value| value), brier(&|value| score(&knots, value)));
    println!("{} decisions, Brier score {before:.4} of the values, {after:.4} of the table", outcomes.len());
    args.write(format!("{:?}\n", knots.map(|k| (1_000.0 * k).round() as u16)).as_bytes())
}
