//! Trains the value network of one number of seats: matches by judgement with much chance in them, each position moved
//! towards the result of its match. Some 200,000 positions a second.

use engines::game::{Game, Seat, State as _, Viewer};
use engines::games::splendor::engine::SHAPE;
use engines::games::splendor::engine::net::{HIDDEN, each_fact, facts};
use engines::games::splendor::engine::policy::{Survey, TUNED};
use engines::games::splendor::engine::position::FastTable;
use engines::games::splendor::{Options, Splendor};
use engines::rng::Seed;
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::learn::{Activations, FloatNetwork, NetInputs};
use engines::search_kit::net::ONE;
use engines::search_kit::optimizer::{Optimizer, UpdateRule};

use crate::budget::{Budget, TrainArgs};

/// Games unless the arguments say otherwise: some hundred million positions.
const GAMES: u64 = 2_000_000;
/// Positions that wait to be learned, so that those of one match do not follow each other.
const WAITING: usize = 60_000;
/// Positions learned before new ones are added to those that wait.
const BATCH: usize = 30_000;
/// The learning rate at the start; it falls to a fiftieth.
const RATE: f32 = 0.03;
/// The largest share of random actions in a match.
const DARING: f32 = 0.3;
/// Reports in the course of the training.
const REPORTS: f32 = 20.0;

/// The arguments of `splendor-net`.
#[derive(clap::Args)]
pub(crate) struct NetArgs {
    #[command(flatten)]
    train: TrainArgs,
    /// Number of players, 2 to 4
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=4))]
    seats: u8,
    /// Go on from the network in the file that is to be written, if it is there
    #[arg(long)]
    resume: bool,
}

/// A position to learn from.
struct Lesson {
    facts: Vec<u16>,
    /// The result of the match, by seats from the mover on.
    worth: Vec<f32>,
}

struct Learner {
    net: FloatNetwork,
    optimizer: Optimizer,
    found: Activations,
    /// Sum of the squared errors since the last report, and their number.
    loss: (f64, f64),
}

impl Learner {
    fn new(net: FloatNetwork) -> Self {
        let optimizer = Optimizer::new(UpdateRule::Adagrad, net.weights.len());
        Self { net, optimizer, found: Activations::default(), loss: (0.0, 0.0) }
    }

    /// One step towards the result, down the gradient of the logarithmic loss.
    fn learn(&mut self, lesson: &Lesson, rate: f32) {
        let inputs = NetInputs::Sparse(&lesson.facts);
        self.net.forward(inputs, &mut self.found);
        let mut slopes = [0.0; 4];
        for ((slope, target), x) in slopes.iter_mut().zip(&lesson.worth).zip(&self.found.outputs) {
            let root = (1.0 + x * x).sqrt();
            let error = target - (0.5 + 0.5 * x / root);
            self.loss.0 += f64::from(error * error);
            self.loss.1 += 1.0;
            *slope = 2.0 * error / root;
        }
        self.optimizer.begin_step();
        self.net.backward(inputs, &mut self.found, &slopes[..lesson.worth.len()], |weights, at, piece| {
            self.optimizer.update(weights, at, piece, rate);
        });
    }
}

/// One match, in which judgement plays on from every kind of position.
fn play(seats: u8, rng: &mut FastRng, out: &mut Vec<Lesson>) {
    let options = Options { players: seats };
    let state = Splendor::deal(&options, &Seed::from(rng.next_u64())).expect("two to four seats can play");
    let mut table = FastTable::of(&state.view(Viewer::Seat(Seat(0))));
    let (first, mut movers, mut moves) = (out.len(), Vec::new(), Vec::new());
    let daring = DARING * rng.unit() * rng.unit();
    while !table.over() {
        let survey = Survey::new(&table, &TUNED, SHAPE.noise, rng);
        let act = if rng.unit() < daring {
            survey.all(&table, &TUNED, &mut moves);
            moves[rng.below(moves.len())].0
        } else {
            survey.best(&table, &TUNED)
        };
        table.play(act, rng);
        // The network is never asked where the result is certain.
        if !table.over() && table.forced(SHAPE.margin).is_none() {
            let mut facts = Vec::with_capacity(128);
            each_fact(&table, |fact| facts.push(u16::try_from(fact).expect("there are fewer facts")));
            out.push(Lesson { facts, worth: Vec::new() });
            movers.push(usize::from(table.to_move));
        }
    }
    let (end, seats) = (table.worth(SHAPE.margin), usize::from(seats));
    for (lesson, mover) in out[first..].iter_mut().zip(movers) {
        lesson.worth = (0..seats).map(|i| end[(mover + i) % seats]).collect();
    }
}

/// The network to begin with.
fn start(args: &NetArgs, rng: &mut FastRng) -> Result<FloatNetwork, String> {
    let seats = usize::from(args.seats);
    let sizes = [facts(seats), HIDDEN, seats];
    match std::fs::read(&args.train.out) {
        Ok(file) if args.resume => FloatNetwork::read(&file, sizes, ONE as f32)
            .map_err(|e| format!("cannot go on from {}: {e}", args.train.out.display())),
        _ => Ok(FloatNetwork::random(sizes, [0.05, 0.1, 0.2], || rng.unit())),
    }
}

/// Fills the list of those that wait; `false` when the budget is used up.
fn refill(args: &NetArgs, budget: &mut Budget, rng: &mut FastRng, waiting: &mut Vec<Lesson>) -> bool {
    while waiting.len() < WAITING {
        if budget.next_game().is_none() {
            return false;
        }
        play(args.seats, rng, waiting);
    }
    true
}

/// The command.
pub(crate) fn run(args: &NetArgs) -> Result<(), String> {
    let mut rng = FastRng::new(args.train.seed);
    let mut learner = Learner::new(start(args, &mut rng)?);
    let mut budget = args.train.budget(GAMES);
    let (mut waiting, mut done, mut reported, mut more) = (Vec::new(), 0u64, 0.0, true);
    while more || !waiting.is_empty() {
        more = more && refill(args, &mut budget, &mut rng, &mut waiting);
        let rate = RATE * (1.0 - budget.used()).max(0.02);
        for _ in 0..BATCH.min(waiting.len()) {
            let lesson = waiting.swap_remove(rng.below(waiting.len()));
            learner.learn(&lesson, rate);
            done += 1;
        }
        if REPORTS * budget.used() >= reported {
            reported += 1.0;
            let (sum, n) = std::mem::take(&mut learner.loss);
            budget.report(&format!("{done} positions, error {:.4}", (sum / n.max(1.0)).sqrt()));
        }
    }
    args.train.write(&learner.net.file(ONE as f32))
}
