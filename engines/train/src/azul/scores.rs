//! Fits the table by which the engine turns its search values into expected scores, from matches against itself.

use engines::game::{State as _, Turn};
use engines::games::azul::engine::search::{AzulTree, Guide, rank_exactly};
use engines::rng::{Rng, Seed};

use super::deal;
use crate::budget::TrainArgs;

/// Games unless the arguments say otherwise.
const GAMES: u64 = 2_000;
/// Iterations for each decision.
const NODES: u32 = 300;
/// Numbers in the table, from value 0 to value 1.
const KNOTS: usize = 21;
/// Sweeps of the fit over all knots.
const SWEEPS: usize = 500;

/// A value to the seat that moves, and that seat's score in the end.
struct ScoredPosition {
    value: f64,
    score: f64,
}

fn play(game: u64, rng: &mut Rng, out: &mut Vec<ScoredPosition>) {
    let mut state = deal(2_000_000 + game);
    let mut values = Vec::new();
    while let Turn::Of(seat) = state.turn() {
        let (guide, position) = (Guide::in_use(), *state.position());
        let exact = rank_exactly(&guide, &position, u64::from(NODES), &mut || true);
        let mut tree = AzulTree::with_exact(guide, position, exact, rng.next_u64());
        if tree.moves().nth(1).is_some() {
            (0..NODES).for_each(|_| tree.iterate());
        }
        let best = tree.most_visited();
        let mv = best.mv;
        values.extend(best.mean().map(|value| (value, seat)));
        state.play(&mv);
    }
    let Some(outcome) = state.outcome() else { return };
    out.extend(values.into_iter().map(|(value, seat)| ScoredPosition { value, score: outcome.score(seat) }));
}

/// The lower of the knots around a value, and the part of the step to the next knot, 0 to 1.
fn place(value: f64) -> (usize, f64) {
    let at = value * (KNOTS - 1) as f64;
    let low = (at as usize).min(KNOTS - 2);
    (low, at - low as f64)
}

fn score(knots: &[f64; KNOTS], value: f64) -> f64 {
    let (low, part) = place(value);
    knots[low] * (1.0 - part) + knots[low + 1] * part
}

/// Fits the knots by least squares, one knot at a time; they never fall.
fn fit(outcomes: &[ScoredPosition]) -> [f64; KNOTS] {
    let mut knots = std::array::from_fn(|k| k as f64 / (KNOTS - 1) as f64);
    for _ in 0..SWEEPS {
        for k in 0..KNOTS {
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
                let least = k.checked_sub(1).map_or(0.0, |lower| knots[lower]);
                knots[k] = (up / down).clamp(least, most);
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
