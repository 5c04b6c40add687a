//! The lessons of Azul's networks: positions with the values and the shares of visits that searches found. Lessons can be
//! kept in a file, so that later networks learn them too.

use std::path::Path;

use engines::search_kit::curve::algebraic;
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::learn::{Activations, FloatNetwork, NetInputs};
use engines::search_kit::optimizer::{Optimizer, UpdateRule};
use serde::{Deserialize, Serialize};

/// Lessons in a step.
const BATCH: usize = 32;
/// The largest weight: keeps sums of 16 bits from wrapping.
const LARGEST: f32 = 3.0;
/// Weight of a divergence of priors beside a squared error of values.
const MOVES_WEIGHT: f32 = 0.05;

/// A position to learn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Lesson {
    /// The network's inputs that are present.
    pub inputs: Box<[u16]>,
    /// The value to the seat to move, 0 to 1: the network's first output, after a curve.
    pub value: f32,
    /// Weight of the value, 0 to 1.
    pub weight: f32,
    /// The moves; empty if only the value is learned.
    pub moves: Box<[MoveLesson]>,
}

/// A move in a position to learn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MoveLesson {
    /// The output that rates it. Its prior is the softmax of rating and promise together.
    pub output: u16,
    /// The move prior's promise, in the unit of ratings.
    pub promise: f32,
    /// Its share of the visits.
    pub share: f32,
}

impl Lesson {
    /// A lesson about the value alone.
    pub(super) fn of_value(inputs: impl Into<Box<[u16]>>, value: f32, weight: f32) -> Self {
        Self { inputs: inputs.into(), value, weight, moves: Box::default() }
    }
}

/// Writes lessons to a file.
///
/// # Errors
/// The sentence says which file could not be written, and why.
pub(super) fn write(path: &Path, lessons: &[Lesson]) -> Result<(), String> {
    let bytes = postcard::to_stdvec(lessons).map_err(|e| format!("cannot store positions: {e}"))?;
    std::fs::write(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// The lessons of a file.
///
/// # Errors
/// The sentence says which file could not be read, and why.
pub(super) fn read(path: &Path) -> Result<Vec<Lesson>, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    postcard::from_bytes(&bytes).map_err(|e| format!("{} holds no positions: {e}", path.display()))
}

/// The parameters of learning.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrainingPlan {
    /// Passes over all lessons.
    pub passes: u32,
    /// The learning rate of the first and the last step.
    pub rates: [f32; 2],
    /// The share of a weight that a step at rate 1 takes away: keeps the network from learning single positions by heart.
    pub decay: f32,
}

/// Learns the lessons, in a random order.
pub(super) fn fit(net: &mut FloatNetwork, lessons: &[Lesson], course: TrainingPlan, rng: &mut FastRng) {
    let TrainingPlan { passes, rates: [first, last], decay } = course;
    let mut optimizer = Optimizer::new(UpdateRule::Adam { memory: 0.999 }, net.weights.len());
    let mut gradient = vec![0.0; net.weights.len()];
    let (mut found, mut slopes) = (Activations::default(), Vec::new());
    let steps = lessons.len() as u32 / BATCH as u32 * passes;
    for step in 0..steps {
        let rate = first * (last / first).powf(step as f32 / steps as f32);
        gradient.fill(0.0);
        for _ in 0..BATCH {
            let lesson = &lessons[rng.below(lessons.len())];
            judge(net, lesson, &mut found, &mut slopes);
            slopes.iter_mut().for_each(|slope| *slope /= BATCH as f32);
            net.backward(NetInputs::Sparse(&lesson.inputs), &mut found, &slopes, |_, at, piece| {
                gradient[at..].iter_mut().zip(piece).for_each(|(sum, g)| *sum += g);
            });
        }
        optimizer.step(&mut net.weights, &gradient, rate);
        let keep = 1.0 - rate * decay;
        net.weights.iter_mut().for_each(|w| *w = (*w * keep).clamp(-LARGEST, LARGEST));
    }
}

/// The distance of a network from lessons.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Distance {
    /// The root of the mean squared error of values.
    pub value: f64,
    /// The mean divergence of the priors from the shares of visits (Kullback and Leibler), in nats.
    pub moves: f64,
}

/// The distance of the network from these lessons.
pub(super) fn distance(net: &FloatNetwork, lessons: &[Lesson]) -> Distance {
    let (mut found, mut slopes) = (Activations::default(), Vec::new());
    let [mut values, mut weights, mut moves, mut with_moves] = [0.0; 4];
    for lesson in lessons {
        let [error, divergence] = judge(net, lesson, &mut found, &mut slopes).map(f64::from);
        values += f64::from(lesson.weight) * error;
        weights += f64::from(lesson.weight);
        if !lesson.moves.is_empty() {
            moves += divergence;
            with_moves += 1.0;
        }
    }
    let mean = |sum: f64, n: f64| if n > 0.0 { sum / n } else { 0.0 };
    Distance { value: mean(values, weights).sqrt(), moves: mean(moves, with_moves) }
}

/// The squared error of the value and the divergence of the priors. `slopes` gets the derivatives, by each output, of the
/// quantity that is to grow.
fn judge(net: &FloatNetwork, lesson: &Lesson, found: &mut Activations, slopes: &mut Vec<f32>) -> [f32; 2] {
    net.hide(NetInputs::Sparse(&lesson.inputs), found);
    slopes.clear();
    slopes.resize(net.outputs(), 0.0);
    let output = net.output(found, 0);
    let error = lesson.value - algebraic(output);
    slopes[0] = lesson.weight * error / (1.0 + output * output).sqrt();
    let rating = |mv: &MoveLesson| mv.promise + net.output(found, usize::from(mv.output));
    let ratings: Vec<f32> = lesson.moves.iter().map(rating).collect();
    let most = ratings.iter().copied().fold(f32::MIN, f32::max);
    let all: f32 = ratings.iter().map(|rating| (rating - most).exp()).sum();
    let mut divergence = 0.0;
    for (rating, mv) in ratings.iter().zip(&lesson.moves) {
        let prior = (rating - most).exp() / all;
        slopes[usize::from(mv.output)] += MOVES_WEIGHT * (mv.share - prior);
        if mv.share > 0.0 {
            divergence += mv.share * (mv.share / prior.max(f32::MIN_POSITIVE)).ln();
        }
    }
    [error * error, divergence]
}

#[cfg(test)]
mod tests {
    use super::*;

    const COURSE: TrainingPlan = TrainingPlan { passes: 8, rates: [0.002, 0.000_05], decay: 0.02 };

    fn network() -> FloatNetwork {
        let mut rng = FastRng::new(3);
        FloatNetwork::random([20, 16, 4], [0.05, 0.1, 0.1], || rng.unit())
    }

    /// Two positions; in the first the moves of outputs 1 and 2 share the visits against their promises.
    fn lessons() -> Vec<Lesson> {
        let moves = [(1, 0.0, 0.9), (2, 2.0, 0.1)].map(|(output, promise, share)| MoveLesson {
            output,
            promise,
            share,
        });
        let first = Lesson { moves: moves.into(), ..Lesson::of_value([1, 10], 0.9, 1.0) };
        (0..4_000).flat_map(|_| [first.clone(), Lesson::of_value([2, 10], 0.2, 1.0)]).collect()
    }

    #[test]
    fn learned_values_and_priors_are_those_of_the_lessons() {
        let (mut net, lessons) = (network(), lessons());
        let before = distance(&net, &lessons);
        fit(&mut net, &lessons, COURSE, &mut FastRng::new(3));
        let after = distance(&net, &lessons);
        assert!(after.value < before.value.min(0.05), "{before:?}, then {after:?}");
        assert!(after.moves < before.moves.min(0.05), "{before:?}, then {after:?}");
    }

    #[test]
    fn lessons_come_back_from_their_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lessons");
        write(&file, &lessons()).unwrap();
        assert_eq!(read(&file).unwrap(), lessons());
        std::fs::write(&file, "x").unwrap();
        for wrong in [&file, &folder.path().join("none")] {
            assert!(read(wrong).unwrap_err().contains(wrong.to_str().unwrap()));
        }
    }
}
