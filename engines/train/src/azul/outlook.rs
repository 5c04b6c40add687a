//! Fits the outlook: ends of rounds from playouts, each with the mean result of more playouts from there, and a linear fit
//! of the features to these results.

use engines::games::azul::engine::Position;
use engines::games::azul::engine::outlook::{BEGIN, FEATURES, STAGES, UNIT, features, stage};
use engines::games::azul::engine::policy::{play_round, result};
use engines::games::azul::engine::refill::refill;
use engines::search_kit::curve::{softsign, softsign_slope};
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::optimizer::{Optimizer, UpdateRule};

use super::glance::BY_HAND;
use super::rust_rows;
use crate::budget::TrainArgs;

/// Games unless the arguments say otherwise: some 80,000 ends of rounds.
const GAMES: u64 = 20_000;
/// Playouts from each end of a round.
const PLAYOUTS: u32 = 32;
/// Spread of the noise in playouts, in points.
const SPREAD: f32 = 3.0;
const EPOCHS: i32 = 30;
const BATCH: usize = 64;
const RATE: f32 = 0.02;

/// An end of a round.
struct RoundEnd {
    stage: usize,
    /// The features of seat 0 less those of seat 1, scaled.
    features: [f32; FEATURES],
    result: f32,
}

/// Brings the features to about the same size.
fn scale(feature: usize) -> f32 {
    if feature == 0 || (26..30).contains(&feature) { 0.1 } else { 1.0 }
}

fn sample(position: &Position, rng: &mut FastRng) -> RoundEnd {
    let mut sum = 0.0;
    for _ in 0..PLAYOUTS {
        let mut end = *position;
        while !end.has_row() {
            refill(&mut end, rng);
            play_round(&BY_HAND, &mut end, rng, SPREAD);
        }
        sum += result(&end);
    }
    let mut values = [0.0; FEATURES];
    features(&position.boards[0], |i, n| values[i] += scale(i) * n as f32);
    features(&position.boards[1], |i, n| values[i] -= scale(i) * n as f32);
    values[BEGIN] = if position.to_move.0 == 0 { 1.0 } else { -1.0 };
    RoundEnd { stage: stage(position), features: values, result: sum / PLAYOUTS as f32 }
}

/// The ends of the rounds of one match, but the last.
fn play(rng: &mut FastRng, out: &mut Vec<RoundEnd>) {
    let mut position = Position::empty();
    let spread = 2.0 + 3.0 * rng.coarse(&mut 0);
    loop {
        refill(&mut position, rng);
        play_round(&BY_HAND, &mut position, rng, spread);
        if position.has_row() {
            return;
        }
        out.push(sample(&position, rng));
    }
}

fn lead(weights: &[f32], end: &RoundEnd) -> f32 {
    weights[end.stage * FEATURES..].iter().zip(&end.features).map(|(w, x)| w * x).sum()
}

fn error(weights: &[f32], ends: &[RoundEnd]) -> f32 {
    let of = |end: &RoundEnd| (softsign(lead(weights, end)) - end.result).powi(2);
    ends.iter().map(of).sum::<f32>() / ends.len().max(1) as f32
}

/// The weights with the least squared error.
fn fit(ends: &[RoundEnd]) -> Vec<f32> {
    let mut weights = vec![0.0; STAGES * FEATURES];
    let mut optimizer = Optimizer::new(UpdateRule::Adam { memory: 0.999 }, weights.len());
    let mut rate = RATE;
    for _ in 0..EPOCHS {
        for batch in ends.chunks(BATCH) {
            let mut gradient = vec![0.0; weights.len()];
            for end in batch {
                let lead = lead(&weights, end);
                let by = (end.result - softsign(lead)) * softsign_slope(lead) / batch.len() as f32;
                let row = &mut gradient[end.stage * FEATURES..(end.stage + 1) * FEATURES];
                row.iter_mut().zip(&end.features).for_each(|(g, x)| *g += by * x);
            }
            optimizer.step(&mut weights, &gradient, rate);
        }
        rate *= 0.85;
    }
    weights
}

/// The command.
pub(crate) fn run(args: &TrainArgs) -> Result<(), String> {
    let mut budget = args.budget(GAMES);
    let mut rng = FastRng::new(args.seed);
    let mut ends = Vec::new();
    while budget.next_game().is_some() {
        play(&mut rng, &mut ends);
    }
    let (held_back, others) = ends.split_at(ends.len() / 10);
    let weights = fit(others);
    println!(
        "{} ends of rounds, squared error {:.5}, of those held back {:.5}",
        ends.len(),
        error(&weights, others),
        error(&weights, held_back)
    );
    let number = |(i, w): (usize, &f32)| (w * scale(i) * UNIT as f32).round() as i32;
    let rows = weights.chunks(FEATURES).map(|stage| stage.iter().enumerate().map(number).collect());
    args.write(rust_rows(rows).as_bytes())
}
