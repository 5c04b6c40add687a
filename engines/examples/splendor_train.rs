//! Trains Splendor's network and writes its file: matches by judgement with much chance in them, each position moved
//! towards what came of it. `splendor_train SEATS POSITIONS FILE [SEED]`, some 200,000 positions a second; goes on from
//! FILE if it is there.

use engines::game::{Game, Seat, State as _, Viewer};
use engines::games::splendor::engine::SHAPE;
use engines::games::splendor::engine::net::{HIDDEN, ONE, each_fact, facts};
use engines::games::splendor::engine::policy::{Survey, TUNED};
use engines::games::splendor::engine::position::{Dice, Pos};
use engines::games::splendor::{Options, Splendor};
use engines::rng::Seed;
use indicatif::ProgressIterator;

/// Positions that wait to be learned, so that those of one match do not follow on each other.
const WAITING: usize = 60_000;
/// Learned between two looks at them.
const BATCH: usize = 30_000;
/// The rate falls from here to nearly nothing.
const RATE: f32 = 0.03;
/// In some matches up to this share of the actions is any.
const DARING: f32 = 0.3;

/// A position to learn from.
struct Lesson {
    facts: Vec<u16>,
    /// What came of it, by seats from the mover on.
    worth: Vec<f32>,
}

/// Rows of weights that learn, each weight at its own rate (Adagrad).
struct Weights {
    w: Vec<f32>,
    seen: Vec<f32>,
}

impl Weights {
    fn new(n: usize, mut start: impl FnMut() -> f32) -> Self {
        Self { w: (0..n).map(|_| start()).collect(), seen: vec![0.02; n] }
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.w[i * HIDDEN..(i + 1) * HIDDEN]
    }

    fn step(&mut self, i: usize, gradient: &[f32; HIDDEN], rate: f32) {
        let w = &mut self.w[i * HIDDEN..(i + 1) * HIDDEN];
        let seen = &mut self.seen[i * HIDDEN..(i + 1) * HIDDEN];
        for ((w, seen), g) in w.iter_mut().zip(seen).zip(gradient) {
            *seen += g * g;
            *w += rate * g / seen.sqrt();
        }
    }
}

struct Learner {
    facts: Weights,
    bias: Weights,
    values: Weights,
    base: Weights,
    /// Sum of the squared errors, and of how many.
    loss: (f64, f64),
}

impl Learner {
    fn new(seats: usize, dice: &mut Dice) -> Self {
        let mut some = |n: usize, scale: f32| Weights::new(n, || (dice.unit() - 0.5) * scale);
        Self {
            facts: some(facts(seats) * HIDDEN, 0.1),
            bias: some(HIDDEN, 0.2),
            values: some(seats * HIDDEN, 0.4),
            base: some(seats, 0.0),
            loss: (0.0, 0.0),
        }
    }

    fn all(&mut self) -> [&mut Weights; 4] {
        [&mut self.facts, &mut self.bias, &mut self.values, &mut self.base]
    }

    /// As the engine reads it.
    fn file(&mut self) -> Vec<u8> {
        let numbers = self.all().into_iter().flat_map(|w| w.w.clone());
        numbers.flat_map(|w| ((w * ONE as f32).round() as i16).to_le_bytes()).collect()
    }

    fn go_on_from(&mut self, file: &[u8]) {
        let mut numbers =
            file.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / ONE as f32);
        for weights in self.all() {
            weights.w.iter_mut().for_each(|w| *w = numbers.next().expect("the file fits the seats"));
        }
    }

    /// One step towards what came of it, down the gradient of the logarithmic loss.
    fn learn(&mut self, lesson: &Lesson, rate: f32) {
        let mut hidden: [f32; HIDDEN] = self.bias.w[..].try_into().expect("one row");
        for fact in &lesson.facts {
            hidden.iter_mut().zip(self.facts.row(usize::from(*fact))).for_each(|(h, w)| *h += w);
        }
        let hidden = hidden.map(|h| h.max(0.0));
        let mut back = [0.0f32; HIDDEN];
        for (i, target) in lesson.worth.iter().enumerate() {
            let x = self.base.w[i] + dot(&hidden, self.values.row(i));
            let root = (1.0 + x * x).sqrt();
            let error = target - (0.5 + 0.5 * x / root);
            self.loss.0 += f64::from(error * error);
            self.loss.1 += 1.0;
            let g = 2.0 * error / root;
            back.iter_mut().zip(self.values.row(i)).for_each(|(b, w)| *b += g * w);
            self.values.step(i, &hidden.map(|h| h * g), rate);
            self.base.seen[i] += g * g;
            self.base.w[i] += rate * g / self.base.seen[i].sqrt();
        }
        back.iter_mut().zip(&hidden).filter(|(_, h)| **h <= 0.0).for_each(|(b, _)| *b = 0.0);
        lesson.facts.iter().for_each(|fact| self.facts.step(usize::from(*fact), &back, rate));
        self.bias.step(0, &back, rate);
    }
}

fn dot(a: &[f32; HIDDEN], b: &[f32]) -> f32 {
    let mut lanes = [0.0; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        (0..8).for_each(|i| lanes[i] += a[i] * b[i]);
    }
    lanes.iter().sum()
}

/// One match, for the value of every kind of position when judgement plays on.
fn play(seats: usize, dice: &mut Dice, out: &mut Vec<Lesson>) {
    let options = Options { players: seats as u8 };
    let state = Splendor::deal(&options, &Seed::from(dice.bits())).expect("so many seats can play");
    let mut pos = Pos::of(&state.view(Viewer::Seat(Seat(0))));
    let (first, mut movers, mut moves) = (out.len(), Vec::new(), Vec::new());
    let daring = DARING * dice.unit() * dice.unit();
    while !pos.over() {
        let survey = Survey::new(&pos, &TUNED, SHAPE.noise, dice);
        let act = if dice.unit() < daring {
            survey.all(&pos, &TUNED, &mut moves);
            moves[dice.below(moves.len())].0
        } else {
            survey.best(&pos, &TUNED)
        };
        pos.play(act, dice);
        // What is certain is never asked of the network.
        if !pos.over() && pos.forced(SHAPE.margin).is_none() {
            let mut known = Vec::with_capacity(128);
            each_fact(&pos, |fact| known.push(fact as u16));
            out.push(Lesson { facts: known, worth: Vec::new() });
            movers.push(usize::from(pos.to_move));
        }
    }
    let end = pos.worth(SHAPE.margin);
    for (lesson, mover) in out[first..].iter_mut().zip(movers) {
        lesson.worth = (0..seats).map(|i| end[(mover + i) % seats]).collect();
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [seats, positions, path, seed @ ..] = &args[..] else {
        panic!("splendor_train SEATS POSITIONS FILE [SEED]")
    };
    let seats: usize = seats.parse().expect("SEATS is a number");
    let positions: usize = positions.parse().expect("POSITIONS is a number");
    let mut dice = Dice(seed.first().map_or(1, |s| s.parse().expect("a seed is a number")));
    let mut learner = Learner::new(seats, &mut dice);
    if let Ok(file) = std::fs::read(path) {
        learner.go_on_from(&file);
    }
    let mut waiting: Vec<Lesson> = Vec::new();
    let mut tell_at = 0;
    for done in (0..positions).step_by(BATCH).progress() {
        while waiting.len() < WAITING {
            play(seats, &mut dice, &mut waiting);
        }
        let left = 1.0 - done as f32 / positions as f32;
        for _ in 0..BATCH {
            let lesson = waiting.swap_remove(dice.below(waiting.len()));
            learner.learn(&lesson, RATE * left.max(0.02));
        }
        if done >= tell_at {
            tell_at += positions / 20;
            let (sum, n) = std::mem::take(&mut learner.loss);
            println!("{done} positions, error {:.4}", (sum / n).sqrt());
        }
    }
    std::fs::write(path, learner.file()).expect("the file can be written");
}
