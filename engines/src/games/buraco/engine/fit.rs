//! Fits the network of `value.rs` to playouts. Not a check:
//! `cargo test -p engines --release fit -- --ignored --nocapture` writes the file of weights.

use super::habits::{Fitted, play_turn};
use super::learn::{Explorer, deal, var};
use super::rollout::{Noise, worth};
use super::value::{HIDDEN, INPUTS, NET, Net, WEIGHTS, inputs, squeezed};
use crate::rng::{Rng, Seed};

/// A position, and what came of it for the seat that was to move.
struct Sample {
    inputs: [f32; INPUTS],
    worth: f32,
    stock: u8,
}

/// Positions of a match: a few turns by players of odd habits, then those of the playouts.
fn play(seed: u64, rng: &mut Rng, out: &mut Vec<Sample>) {
    let mut pos = deal(seed);
    let mut noise = Noise(rng.next_u64() | 1);
    let before = rng.below(18);
    let keep = rng.below(3);
    let mut odd = Explorer::new([80.0, 40.0], rng);
    let mut first = out.len();
    let mut seats = Vec::new();
    for turn in 0..200 {
        if pos.over {
            break;
        }
        if turn < before {
            play_turn(&mut pos, &mut odd);
            continue;
        }
        if turn % 3 == keep {
            out.push(Sample { inputs: inputs(&pos), worth: 0.0, stock: pos.stocked() });
            seats.push(pos.me);
        }
        play_turn(&mut pos, &mut Fitted(|| noise.next()));
    }
    for seat in seats {
        out[first].worth = worth(pos.lead(seat)) as f32;
        first += 1;
    }
}

/// Adam, by Kingma and Ba.
pub struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    /// How long squares are remembered, 0 to 1.
    memory: f32,
    steps: i32,
}

impl Adam {
    /// For so many weights.
    pub fn new(weights: usize, memory: f32) -> Self {
        Self { mean: vec![0.0; weights], square: vec![0.0; weights], memory, steps: 0 }
    }

    /// A step up the gradient.
    pub fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f32) {
        self.steps += 1;
        let (a, b) = (1.0 - 0.9f32.powi(self.steps), 1.0 - self.memory.powi(self.steps));
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, g), (mean, square)) in weights.iter_mut().zip(gradient).zip(moments) {
            *mean += 0.1 * (g - *mean);
            *square += (1.0 - self.memory) * (g * g - *square);
            *weight += rate * (*mean / a) / ((*square / b).sqrt() + 1e-8);
        }
    }
}

/// The squared error, and its gradient added.
fn learn(net: &Net, sample: &Sample, gradient: &mut [f32]) -> f32 {
    let units = net.units(&sample.inputs);
    let sum = net.sum(&units);
    let error = squeezed(sum) - sample.worth;
    let slope = 0.5 / (1.0 + sum.abs()).powi(2);
    let by_sum = error * slope;
    let last = (INPUTS + 1) * HIDDEN;
    let mut by_unit = [0.0; HIDDEN];
    for j in 0..HIDDEN {
        gradient[last + j] += by_sum * units[j];
        by_unit[j] = if units[j] > 0.0 { by_sum * net.0[last + j] } else { 0.0 };
    }
    gradient[last + HIDDEN] += by_sum;
    for (i, input) in sample.inputs.iter().enumerate().filter(|(_, x)| **x != 0.0) {
        let row = &mut gradient[i * HIDDEN..(i + 1) * HIDDEN];
        row.iter_mut().zip(&by_unit).for_each(|(g, by)| *g += by * input);
    }
    let row = &mut gradient[INPUTS * HIDDEN..last];
    row.iter_mut().zip(&by_unit).for_each(|(g, by)| *g += by);
    error * error
}

#[test]
#[ignore = "a tool"]
fn fit() {
    let (chunks, games) = (var("CHUNKS", 60), var("DEALS", 30_000));
    let mut rng = Rng::new(&Seed::from(var("SEED", 1)));
    let mut net = Net(std::array::from_fn(|i| {
        let spread = if i < INPUTS * HIDDEN { 0.15 } else { 0.1 };
        (rng.unit() as f32 * 2.0 - 1.0) * spread
    }));
    if var("ON", 0) == 1 {
        net.0 = NET.0;
    }
    let mut adam = Adam::new(WEIGHTS, 0.999);
    for chunk in 0..chunks {
        let mut samples = Vec::new();
        for i in 0..games {
            play(5_000_000_000 + chunk * games + i, &mut rng, &mut samples);
        }
        rng.shuffle(&mut samples);
        // Each chunk tests what the ones before have taught.
        let (mut wrong, mut spread, mut late) = (0.0f64, 0.0f64, [(0.0f64, 0.0f64, 0u32); 5]);
        for s in &samples {
            let error = f64::from(squeezed(net.sum(&net.units(&s.inputs))) - s.worth).powi(2);
            let all = f64::from(s.worth - 0.5).powi(2);
            (wrong, spread) = (wrong + error, spread + all);
            let at = &mut late[usize::from(s.stock / 17).min(4)];
            *at = (at.0 + error, at.1 + all, at.2 + 1);
        }
        let parts = late.map(|(e, a, n)| format!("{:.3} ({n})", 1.0 - e / a)).join(" ");
        println!(
            "chunk {chunk}: {} samples, explained {:.4}; by stock {parts}",
            samples.len(),
            1.0 - wrong / spread
        );
        let rate = 0.003 * (1.0 - chunk as f32 / chunks as f32) + 0.0001;
        let mut gradient = vec![0.0; WEIGHTS];
        for batch in samples.chunks(128) {
            gradient.fill(0.0);
            for s in batch {
                learn(&net, s, &mut gradient);
            }
            gradient.iter_mut().for_each(|g| *g /= -(batch.len() as f32));
            adam.step(&mut net.0, &gradient, rate);
        }
    }
    let bytes: Vec<u8> = net.0.iter().flat_map(|w| w.to_le_bytes()).collect();
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/games/buraco/engine/value.bin"), bytes).unwrap();
}
