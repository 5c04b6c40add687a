//! Fits the value network to playouts: positions between turns, each with the result of its playout.

use engines::games::buraco::engine::habits::{FittedPolicy, play_turn};
use engines::games::buraco::engine::position::FastPosition;
use engines::games::buraco::engine::rollout::{jitter, worth};
use engines::games::buraco::engine::value::{HIDDEN, INPUT_ONE, INPUTS, WEIGHT_ONE, inputs};
use engines::rng::{Rng, Seed};
use engines::search_kit::curve::{softsign, softsign_slope};
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::learn::{Activations, FloatNetwork, NetInputs};
use engines::search_kit::optimizer::{Optimizer, UpdateRule};

use super::explorer::Explorer;
use crate::budget::{Budget, TrainArgs};

/// Games unless the arguments say otherwise: 60 chunks.
const GAMES: u64 = 1_800_000;
/// Positions of one step.
const BATCH: usize = 128;
/// The learning rate at the start, and the remaining rate at the end.
const RATE: [f32; 2] = [0.0031, 0.0001];
/// Turns after which a match is given up.
const MOST_TURNS: usize = 200;

/// The arguments of `buraco-value`.
#[derive(clap::Args)]
pub(crate) struct ValueArgs {
    #[command(flatten)]
    train: TrainArgs,
    /// Games of one chunk, whose positions are shuffled before they are learned
    #[arg(long, default_value_t = 30_000)]
    chunk: u64,
    /// Go on from the network in the file that is to be written, if it is there
    #[arg(long)]
    resume: bool,
}

/// A position, and its result for the seat that was to move.
struct ValueSample {
    inputs: [f32; INPUTS],
    result: f32,
    stock: u8,
}

/// Adds positions of a match, which begins with some turns by random players of many kinds; only its playout counts.
fn play(deal: u64, rng: &mut Rng, out: &mut Vec<ValueSample>) {
    let mut pos = FastPosition::deal(deal);
    let mut noise = FastRng::new(rng.next_u64());
    let before = rng.below(18);
    let keep = rng.below(3);
    let mut explorer = Explorer::new([80.0, 40.0], rng);
    let first = out.len();
    let mut seats = Vec::new();
    for turn in 0..MOST_TURNS {
        if pos.over {
            break;
        }
        if turn < before {
            play_turn(&mut pos, &mut explorer);
            continue;
        }
        if turn % 3 == keep {
            let inputs = inputs(&pos).map(|input| f32::from(input) / INPUT_ONE);
            out.push(ValueSample { inputs, result: 0.0, stock: pos.stocked() });
            seats.push(pos.me);
        }
        play_turn(&mut pos, &mut FittedPolicy(|| jitter(&mut noise)));
    }
    for (lesson, seat) in out[first..].iter_mut().zip(seats) {
        lesson.result = worth(pos.lead(seat)) as f32;
    }
}

/// The network, its optimizer, and scratch memory.
struct ValueTrainer {
    net: FloatNetwork,
    optimizer: Optimizer,
    found: Activations,
    gradient: Vec<f32>,
}

impl ValueTrainer {
    fn new(net: FloatNetwork) -> Self {
        let optimizer = Optimizer::new(UpdateRule::Adam { memory: 0.999 }, net.weights.len());
        let gradient = vec![0.0; net.weights.len()];
        Self { net, optimizer, found: Activations::default(), gradient }
    }

    fn output(&mut self, lesson: &ValueSample) -> f32 {
        self.net.forward(NetInputs::Dense(&lesson.inputs), &mut self.found);
        self.found.outputs[0]
    }

    /// One step down the gradient of the squared error of these positions.
    fn step(&mut self, batch: &[ValueSample], rate: f32) {
        self.gradient.fill(0.0);
        for lesson in batch {
            let output = self.output(lesson);
            let slope = (lesson.result - softsign(output)) * softsign_slope(output) / batch.len() as f32;
            let inputs = NetInputs::Dense(&lesson.inputs);
            self.net.backward(inputs, &mut self.found, &[slope], |_, at, piece| {
                self.gradient[at..].iter_mut().zip(piece).for_each(|(sum, g)| *sum += g);
            });
        }
        self.optimizer.step(&mut self.net.weights, &self.gradient, rate);
    }

    /// The share of the results' variance that the network explains, also by the size of the stock.
    fn explained(&mut self, lessons: &[ValueSample]) -> String {
        let (mut all, mut parts) = ([0.0f64; 2], [[0.0f64; 2]; 5]);
        for lesson in lessons {
            let wrong = f64::from(softsign(self.output(lesson)) - lesson.result).powi(2);
            let spread = f64::from(lesson.result - 0.5).powi(2);
            let part = &mut parts[usize::from(lesson.stock / 17).min(4)];
            for sums in [&mut all, part] {
                *sums = [sums[0] + wrong, sums[1] + spread];
            }
        }
        let share = |[wrong, spread]: [f64; 2]| format!("{:.3}", 1.0 - wrong / spread.max(1e-9));
        format!("explained {}; by stock {}", share(all), parts.map(share).join(" "))
    }
}

/// The network to begin with.
fn start(args: &ValueArgs, rng: &mut Rng) -> Result<FloatNetwork, String> {
    let sizes = [INPUTS, HIDDEN, 1];
    match std::fs::read(&args.train.out) {
        Ok(file) if args.resume => FloatNetwork::read(&file, sizes, WEIGHT_ONE)
            .map_err(|e| format!("cannot go on from {}: {e}", args.train.out.display())),
        _ => Ok(FloatNetwork::random(sizes, [0.15, 0.1, 0.1], || rng.unit() as f32)),
    }
}

/// The positions of the next games, shuffled.
fn chunk(args: &ValueArgs, budget: &mut Budget, rng: &mut Rng) -> Vec<ValueSample> {
    let mut lessons = Vec::new();
    for _ in 0..args.chunk {
        let Some(game) = budget.next_game() else { break };
        play(5_000_000_000 + (args.train.seed % 1_000) * 100_000_000 + game, rng, &mut lessons);
    }
    rng.shuffle(&mut lessons);
    lessons
}

/// The command.
pub(crate) fn run(args: &ValueArgs) -> Result<(), String> {
    let mut rng = Rng::new(&Seed::from(args.train.seed));
    let mut learner = ValueTrainer::new(start(args, &mut rng)?);
    let mut budget = args.train.budget(GAMES);
    loop {
        let from = budget.used();
        let lessons = chunk(args, &mut budget, &mut rng);
        if lessons.is_empty() {
            break;
        }
        // Each chunk tests the learning from the chunks before.
        budget.report(&format!("{} positions, {}", lessons.len(), learner.explained(&lessons)));
        let rate = RATE[0] * (1.0 - from) + RATE[1];
        lessons.chunks(BATCH).for_each(|batch| learner.step(batch, rate));
    }
    args.train.write(&learner.net.file(WEIGHT_ONE))
}
