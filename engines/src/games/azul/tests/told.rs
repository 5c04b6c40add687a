//! Makes the table by which the engine tells its values as expected scores, from matches against itself. Not run with the
//! tests; the README has the command.

use indicatif::ProgressIterator;

use super::*;
use crate::games::azul::engine::{GUIDE, Noise, Tree, told};

/// Matches, and playouts a decision.
const MATCHES: u64 = 400;
const NODES: u32 = 300;
/// Numbers in the table, and sweeps of the fit.
const KNOTS: usize = 11;
const SWEEPS: usize = 500;

/// A value from the side that is better off, and what that side scored.
struct Sample {
    value: f64,
    came: f64,
}

fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for game in (0..MATCHES).progress_count(MATCHES) {
        let mut state = deal(2_000_000 + game);
        let mut rng = Rng::new(&Seed::from(game));
        let mut values = Vec::new();
        while let Turn::Of(seat) = state.turn() {
            let mut tree = Tree::new(&GUIDE, *state.position(), Noise::new(rng.next_u64()));
            if tree.moves().len() > 1 {
                (0..NODES).for_each(|_| tree.play());
            }
            // The first of those tried equally often.
            let best = tree.moves().iter().rev().max_by_key(|e| e.visits).unwrap();
            let mv = best.mv;
            values.extend(best.mean().map(|value| (f64::from(value), seat)));
            state.play(&mv);
        }
        let outcome = state.outcome().unwrap();
        samples.extend(values.into_iter().map(|(value, seat)| {
            let came = outcome.score(seat);
            if value < 0.5 { Sample { value: 1.0 - value, came: 1.0 - came } } else { Sample { value, came } }
        }));
    }
    samples
}

/// Where a value lies between the knots: the lower one, and how far behind it.
fn place(value: f64) -> (usize, f64) {
    let at = (value - 0.5) * 20.0;
    let low = (at as usize).min(KNOTS - 2);
    (low, at - low as f64)
}

/// Least squares, a knot at a time, never falling. The first is 1/2 for both sides.
fn fit(samples: &[Sample]) -> [f64; KNOTS] {
    let mut knots = std::array::from_fn(|k| 0.5 + 0.05 * k as f64);
    for _ in 0..SWEEPS {
        for k in 1..KNOTS {
            let (mut up, mut down) = (0.0, 0.0);
            for Sample { value, came } in samples {
                let (low, part) = place(*value);
                let (own, other) = if k == low + 1 { (part, low) } else { (1.0 - part, low + 1) };
                if k == low || k == low + 1 {
                    up += own * (came - (1.0 - own) * knots[other]);
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

#[test]
#[ignore = "makes the table, in some minutes; prints it"]
fn the_table_of_scores() {
    let samples = samples();
    let knots = fit(&samples);
    let brier = |of: &dyn Fn(f64) -> f64| {
        samples.iter().map(|s| (of(s.value) - s.came).powi(2)).sum::<f64>() / samples.len() as f64
    };
    let by_knots = |value| {
        let (low, part) = place(value);
        knots[low] * (1.0 - part) + knots[low + 1] * part
    };
    let (before, after) = (brier(&|value| value), brier(&by_knots));
    println!("{} decisions, Brier score {before:.4} before, {after:.4} after", samples.len());
    println!("{:?}", knots.map(|k| (1_000.0 * k).round() as u16));
}

/// Both sides' scores add up to one, nothing leaves 0 to 1, and better stays better.
#[test]
fn what_is_told_keeps_the_order() {
    let told: Vec<f64> = (0..=1_000).map(|i| told(f64::from(i) / 1e3)).collect();
    assert_eq!((told[0], told[500], told[1_000]), (1.0 - told[1_000], 0.5, told[1_000]));
    assert!(told.windows(2).all(|t| t[0] <= t[1]) && told[1_000] <= 1.0);
    assert!((0..=1_000).all(|i| (told[i] + told[1_000 - i] - 1.0).abs() < 1e-12));
}
