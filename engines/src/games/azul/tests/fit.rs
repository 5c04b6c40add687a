//! Makes the weights of the outlook: round's ends from playouts, each with the mean result of more of them, and a fit
//! of the features to these. Not run with the tests; the README has the command.

use super::teach::BY_HAND;
use crate::games::azul::engine::{
    BEGIN, FEATURES, Noise, STAGES, UNIT, features, play_round, result, squash, stage,
};
use crate::games::azul::rules::Position;

/// Positions, and playouts for each.
const POSITIONS: usize = 80_000;
const PLAYOUTS: u32 = 32;
/// Spread of the noise in playouts, in points.
const SPREAD: f32 = 3.0;
const EPOCHS: i32 = 30;
const BATCH: usize = 64;

type Weights = [[f32; FEATURES]; STAGES];

struct Sample {
    stage: usize,
    /// The features of seat 0 less those of seat 1, scaled.
    features: [f32; FEATURES],
    result: f32,
}

/// Brings the features to about the same size.
fn scale(feature: usize) -> f32 {
    if feature == 0 || (26..30).contains(&feature) { 0.1 } else { 1.0 }
}

fn sample(position: &Position, noise: &mut Noise) -> Sample {
    let mut sum = 0.0;
    for _ in 0..PLAYOUTS {
        let mut end = *position;
        while !end.has_row() {
            noise.refill(&mut end);
            play_round(&BY_HAND, &mut end, noise, SPREAD);
        }
        sum += result(&end);
    }
    let mut values = [0.0; FEATURES];
    features(&position.boards[0], |i, n| values[i] += scale(i) * n as f32);
    features(&position.boards[1], |i, n| values[i] -= scale(i) * n as f32);
    values[BEGIN] = if position.to_move.0 == 0 { 1.0 } else { -1.0 };
    Sample { stage: stage(position), features: values, result: sum / PLAYOUTS as f32 }
}

fn samples() -> Vec<Sample> {
    let mut noise = Noise::new(42);
    let mut samples = Vec::new();
    let bar = indicatif::ProgressBar::new(POSITIONS as u64);
    while samples.len() < POSITIONS {
        bar.set_position(samples.len() as u64);
        let mut position = Position::empty();
        let spread = 2.0 + 3.0 * noise.coarse(&mut 0);
        loop {
            noise.refill(&mut position);
            play_round(&BY_HAND, &mut position, &mut noise, spread);
            if position.has_row() {
                break;
            }
            samples.push(sample(&position, &mut noise));
        }
    }
    samples
}

fn lead(weights: &Weights, sample: &Sample) -> f32 {
    weights[sample.stage].iter().zip(&sample.features).map(|(w, x)| w * x).sum()
}

fn error(weights: &Weights, samples: &[Sample]) -> f32 {
    let of = |s: &Sample| (squash(lead(weights, s)) - s.result).powi(2);
    samples.iter().map(of).sum::<f32>() / samples.len() as f32
}

/// Adam (Kingma and Ba, 2015) on the squared error.
fn fit(samples: &[Sample]) -> Weights {
    let mut weights = [[0.0; FEATURES]; STAGES];
    let (mut mean, mut square) = (weights, weights);
    // Running products: a library's powers may differ in their last bit between machines.
    let (mut fades, mut fades_late, mut rate) = (1.0f32, 1.0f32, 0.02f32);
    for _ in 0..EPOCHS {
        for batch in samples.chunks(BATCH) {
            fades *= 0.9;
            fades_late *= 0.999;
            let mut slope = [[0.0; FEATURES]; STAGES];
            for s in batch {
                let lead = lead(&weights, s);
                let beyond = 1.0 + lead.abs();
                let off = (squash(lead) - s.result) * 0.5 / (beyond * beyond);
                for (slope, x) in slope[s.stage].iter_mut().zip(&s.features) {
                    *slope += off * x / batch.len() as f32;
                }
            }
            for (i, slope) in slope.as_flattened().iter().enumerate() {
                let (m, v) = (&mut mean.as_flattened_mut()[i], &mut square.as_flattened_mut()[i]);
                *m = 0.9 * *m + 0.1 * slope;
                *v = 0.999 * *v + 0.001 * slope * slope;
                weights.as_flattened_mut()[i] -=
                    rate * (*m / (1.0 - fades)) / ((*v / (1.0 - fades_late)).sqrt() + 1e-8);
            }
        }
        rate *= 0.85;
    }
    weights
}

#[test]
#[ignore = "makes the weights, in a minute; prints them"]
fn the_outlooks_weights() {
    let samples = samples();
    let (held_back, others) = samples.split_at(POSITIONS / 10);
    let weights = fit(others);
    println!("error {:.5}, of new positions {:.5}", error(&weights, others), error(&weights, held_back));
    println!("[");
    for stage in weights {
        let number = |(i, w): (usize, f32)| ((w * scale(i) * UNIT as f32).round() as i32).to_string();
        let numbers: Vec<_> = stage.into_iter().enumerate().map(number).collect();
        println!("    [{}],", numbers.join(", "));
    }
    println!("]");
}
