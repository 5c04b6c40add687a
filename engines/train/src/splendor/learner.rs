//! Learning from positions: minibatches by Adam, and a running mean of the weights. The mean plays.

use engines::games::splendor::engine::inputs::inputs;
use engines::games::splendor::engine::net::{HIDDEN, Outputs};
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::learn::{Activations, FloatNetwork, NetInputs};
use engines::search_kit::net::ONE;
use engines::search_kit::optimizer::{Optimizer, UpdateRule};

use super::lesson::Lesson;

/// Lessons in a step.
pub(super) const BATCH: u64 = 32;
/// Steps between updates of the mean weights, and the share of the mean that stays at each: a mean over some 6,400 steps.
const STEPS_TO_MEAN: u64 = 64;
const MEAN_MEMORY: f32 = 0.99;
/// Assumed steps of a network that was trained before: enough for its mean weights to be worth keeping.
const SETTLED: u64 = 1_000 * STEPS_TO_MEAN;
/// Weights of the outputs that only training uses.
const POINTS_WEIGHT: f32 = 0.2;
const ROUNDS_WEIGHT: f32 = 0.2;
/// The share of a weight that a step at rate 1 takes away: keeps the network from learning single matches by heart.
const DECAY: f32 = 0.02;
/// The largest weight: keeps sums of 16 bits from wrapping.
const LARGEST: f32 = 6.0;

/// Mean losses of some lessons.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    lessons: f64,
    value: f64,
    policy: f64,
}

impl Losses {
    /// The root of the mean squared error of values.
    pub(super) fn value(&self) -> f64 {
        (self.value / self.lessons.max(1.0)).sqrt()
    }

    /// The mean divergence of the policy from its target, in nats.
    pub(super) fn policy(&self) -> f64 {
        self.policy / self.lessons.max(1.0)
    }
}

/// A network in training.
pub(super) struct Learner {
    net: FloatNetwork,
    mean: Vec<f32>,
    outputs: Outputs,
    optimizer: Optimizer,
    steps: u64,
    /// Scratch memory: the gradient of a batch, and the pieces of it that are not 0.
    gradient: Vec<f32>,
    touched: Vec<(usize, usize)>,
    is_touched: Vec<bool>,
    found: Activations,
    slopes: Vec<f32>,
}

/// The sizes of a network: inputs, hidden units, outputs.
pub(super) fn sizes(seats: usize) -> [usize; 3] {
    [inputs(seats), HIDDEN, Outputs::of(seats).count()]
}

impl Learner {
    /// A network of random weights.
    pub(super) fn new(seats: u8, rng: &mut FastRng) -> Self {
        Self::of(FloatNetwork::random(sizes(usize::from(seats)), [0.02, 0.1, 0.05], || rng.unit()), seats)
    }

    fn of(net: FloatNetwork, seats: u8) -> Self {
        let n = net.weights.len();
        Self {
            mean: net.weights.clone(),
            outputs: Outputs::of(usize::from(seats)),
            optimizer: Optimizer::new(UpdateRule::Adam { memory: 0.999 }, n),
            steps: 0,
            gradient: vec![0.0; n],
            touched: Vec::new(),
            is_touched: vec![false; n],
            found: Activations::default(),
            slopes: Vec::new(),
            net,
        }
    }

    /// The learner of a network's file, see [`Self::file`], which was trained at a table with `from` seats. Seats that
    /// the network did not know begin with the weights of its last one.
    pub(super) fn from_file(file: &[u8], from: u8, seats: u8) -> Result<Self, String> {
        let [from, to] = [from, seats].map(usize::from);
        let net = FloatNetwork::read(file, sizes(from), ONE as f32).map_err(|e| e.to_string())?;
        let known = |seat: usize| seat.min(from - 1);
        // The inputs of a seat precede those of the next; the table's are the last.
        let player = inputs(2) - inputs(1);
        let input = |at: usize| match at / player {
            seat if seat < to => known(seat) * player + at % player,
            _ => at - to * player + from * player,
        };
        let [old, new] = [from, to].map(Outputs::of);
        let output = |at: usize| match at {
            _ if at < new.policy() => old.value() + known(at - new.value()),
            _ if at < new.points() => old.policy() + at - new.policy(),
            _ if at < new.rounds_left() => old.points() + known(at - new.points()),
            _ => old.rounds_left(),
        };
        let [inputs, _, outputs] = sizes(to);
        let net = net.with_rows([inputs, outputs], input, output);
        Ok(Self { steps: SETTLED, ..Self::of(net, seats) })
    }

    /// The learner of stored weights: those in training, then their mean.
    pub(super) fn load(bytes: &[u8], seats: u8) -> Result<Self, String> {
        let [inputs, hidden, outputs] = sizes(usize::from(seats));
        let n = engines::search_kit::net::weights(inputs, hidden, outputs);
        if bytes.len() != 8 * n {
            return Err(format!("the stored weights have {} bytes; {} are expected", bytes.len(), 8 * n));
        }
        let numbers: Vec<f32> =
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let mut net = FloatNetwork::random([inputs, hidden, outputs], [0.0; 3], || 0.0);
        net.weights.copy_from_slice(&numbers[..n]);
        let mut learner = Self::of(net, seats);
        learner.mean.copy_from_slice(&numbers[n..]);
        learner.steps = SETTLED;
        Ok(learner)
    }

    /// The weights to store, see [`Self::load`].
    pub(super) fn store(&self) -> Vec<u8> {
        self.net.weights.iter().chain(&self.mean).flat_map(|w| w.to_le_bytes()).collect()
    }

    /// The file of the mean weights, from which engines read the network.
    pub(super) fn file(&self) -> Vec<u8> {
        let mut mean = self.net.clone();
        mean.weights.copy_from_slice(&self.mean);
        mean.file(ONE as f32)
    }

    /// Takes steps on lessons drawn at random.
    pub(super) fn learn(&mut self, lessons: &[Lesson], steps: u64, rate: f32, rng: &mut FastRng) -> Losses {
        let mut losses = Losses::default();
        for _ in 0..steps {
            for _ in 0..BATCH {
                self.add(&lessons[rng.below(lessons.len())], &mut losses);
            }
            self.step(rate);
        }
        losses
    }

    /// Adds the gradient of a lesson to that of the batch.
    fn add(&mut self, lesson: &Lesson, losses: &mut Losses) {
        let inputs = NetInputs::Sparse(&lesson.inputs);
        self.net.forward(inputs, &mut self.found);
        self.slopes.clear();
        self.slopes.resize(self.outputs.count(), 0.0);
        slopes(self.outputs, lesson, &self.found.outputs, &mut self.slopes, losses);
        let Self { net, found, gradient, touched, is_touched, slopes, .. } = self;
        net.backward(inputs, found, slopes, |_, at, piece| {
            gradient[at..at + piece.len()].iter_mut().zip(piece).for_each(|(sum, g)| *sum += g);
            if !std::mem::replace(&mut is_touched[at], true) {
                touched.push((at, piece.len()));
            }
        });
    }

    /// Moves the weights by the mean gradient of the batch.
    fn step(&mut self, rate: f32) {
        self.optimizer.begin_step();
        let keep = 1.0 - rate * DECAY;
        for (at, len) in self.touched.drain(..) {
            let places = at..at + len;
            self.gradient[places.clone()].iter_mut().for_each(|g| *g /= BATCH as f32);
            self.optimizer.update(&mut self.net.weights, at, &self.gradient[places.clone()], rate);
            self.net.weights[places.clone()]
                .iter_mut()
                .for_each(|w| *w = (*w * keep).clamp(-LARGEST, LARGEST));
            self.gradient[places].fill(0.0);
            self.is_touched[at] = false;
        }
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_TO_MEAN) {
            // At first a mean of all weights so far, so that random ones are soon forgotten.
            let updates = (self.steps / STEPS_TO_MEAN) as f32;
            let memory = MEAN_MEMORY.min(updates / (updates + 9.0));
            for (mean, weight) in self.mean.iter_mut().zip(&self.net.weights) {
                *mean = memory * *mean + (1.0 - memory) * weight;
            }
        }
    }
}

/// The derivatives of the quantity that is to grow: the logarithm of the likelihood of values and policy, less the
/// squared errors of points and rounds.
fn slopes(outputs: Outputs, lesson: &Lesson, found: &[f32], slopes: &mut [f32], losses: &mut Losses) {
    losses.lessons += 1.0;
    for (i, target) in lesson.values.iter().enumerate() {
        let x = found[outputs.value() + i];
        let root = (1.0 + x * x).sqrt();
        let error = target - (0.5 + 0.5 * x / root);
        losses.value += f64::from(error * error) / lesson.values.len() as f64;
        slopes[outputs.value() + i] = 2.0 * error / root;
    }
    for (i, points) in lesson.points.iter().enumerate() {
        let at = outputs.points() + i;
        slopes[at] = POINTS_WEIGHT * (f32::from(*points) / 20.0 - found[at]);
    }
    let at = outputs.rounds_left();
    slopes[at] = ROUNDS_WEIGHT * (f32::from(lesson.rounds_left) / 30.0 - found[at]);
    let rated = |act| outputs.of_act(act).map(|at| found[at]).sum::<f32>();
    let ratings: Vec<f32> = lesson.policy.iter().map(|(act, _)| rated((*act).into())).collect();
    let best = ratings.iter().copied().fold(f32::MIN, f32::max);
    let all: f32 = ratings.iter().map(|rating| (rating - best).exp()).sum();
    for ((act, target), rating) in lesson.policy.iter().zip(ratings) {
        let share = (rating - best).exp() / all;
        if *target > 0.0 {
            losses.policy += f64::from(*target * (target / share.max(1e-9)).ln());
        }
        outputs.of_act((*act).into()).for_each(|at| slopes[at] += target - share);
    }
}

#[cfg(test)]
mod tests {
    use engines::games::splendor::engine::net::PolicyNet;
    use engines::games::splendor::engine::position::Act;

    use super::*;

    fn lessons() -> Vec<Lesson> {
        let lesson = |input: u16, value: f32| Lesson {
            inputs: vec![input, 10],
            policy: vec![(Act::PASS.into(), value), (Act { arg: 3, ..Act::PASS }.into(), 1.0 - value)],
            values: vec![value, 1.0 - value],
            points: vec![10, 15],
            rounds_left: 3,
        };
        vec![lesson(1, 0.9), lesson(2, 0.2)]
    }

    #[test]
    fn losses_fall_and_stored_weights_come_back() {
        let mut rng = FastRng::new(2);
        let mut learner = Learner::new(2, &mut rng);
        let first = learner.learn(&lessons(), 10, 0.002, &mut rng);
        learner.learn(&lessons(), 600, 0.002, &mut rng);
        let last = learner.learn(&lessons(), 10, 0.002, &mut rng);
        assert!(last.value() < 0.05 && last.value() < first.value(), "{first:?}, {last:?}");
        assert!(last.policy() < 0.02, "{last:?}");
        let again = Learner::load(&learner.store(), 2).unwrap();
        assert_eq!(again.file(), learner.file());
        assert!(PolicyNet::read(&again.file(), 2).is_ok());
        assert!(Learner::load(&[0; 8], 2).is_err());
    }

    #[test]
    fn network_of_another_table_tells_the_same_of_the_seats_it_knew() {
        let narrow = Learner::new(2, &mut FastRng::new(3));
        let wide = Learner::from_file(&narrow.file(), 2, 3).unwrap();
        let player = inputs(3) - inputs(2);
        let (of_seats, of_table) = ([4, player + 9], 2 * player + 30);
        let outputs = |learner: &Learner, of_table: usize| {
            let present: Vec<u16> = of_seats.into_iter().chain([of_table]).map(|at| at as u16).collect();
            let mut found = Activations::default();
            learner.net.forward(NetInputs::Sparse(&present), &mut found);
            found.outputs
        };
        let narrow = Learner::from_file(&narrow.file(), 2, 2).unwrap();
        let [old, new] = [outputs(&narrow, of_table), outputs(&wide, of_table + player)];
        let [two, three] = [2, 3].map(Outputs::of);
        assert_eq!(new[..3], [old[0], old[1], old[1]]);
        assert_eq!(new[3..three.points()], old[2..two.points()]);
        let points = &old[two.points()..];
        assert_eq!(new[three.points()..], [points[0], points[1], points[1], points[2]]);
        assert_eq!(Learner::from_file(&wide.file(), 3, 2).unwrap().file(), narrow.file());
        assert!(Learner::from_file(&narrow.file(), 1, 2).is_err());
    }
}
