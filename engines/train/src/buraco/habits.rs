//! Fits the habits of the playouts' player by playing against itself and the careful player (REINFORCE; Williams, "Simple
//! statistical gradient-following algorithms", 1992).

use engines::games::buraco::engine::habits::{FACTS, FEW, FittedPolicy, PHASES, play_turn};
use engines::games::buraco::engine::policy::careful_turn;
use engines::games::buraco::engine::position::FastPosition;
use engines::games::buraco::engine::rollout::{jitter, worth};
use engines::rng::{Rng, Seed};
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::optimizer::{Optimizer, UpdateRule};

use super::explorer::{ALL, Explorer};
use crate::budget::TrainArgs;

/// Games unless the arguments say otherwise: 400 steps.
const GAMES: u64 = 4_000_000;
/// Steps between two reports.
const REPORT: u64 = 20;
/// Turns after which a match is given up.
const MOST_TURNS: u32 = 300;
/// The mean result against the careful player and against itself, from which results count as better or worse.
const USUAL: [f32; 2] = [0.7, 0.5];

/// The arguments of `buraco-habits`.
#[derive(clap::Args)]
pub(crate) struct HabitArgs {
    #[command(flatten)]
    train: TrainArgs,
    /// Games of one step
    #[arg(long, default_value_t = 10_000)]
    batch: u64,
    /// The learning rate of the first step
    #[arg(long, default_value_t = 1.0)]
    rate: f32,
    /// The temperature at which cards are chosen
    #[arg(long, default_value_t = 20.0)]
    heat: f32,
}

/// The fitted player's share of wins against the careful one over `deals` deals with seats exchanged, and its mean lead.
fn against_careful(deals: u64) -> (f64, f64) {
    let (mut won, mut far) = (0.0, 0.0);
    let mut rng = FastRng::new(1);
    for i in 0..2 * deals {
        let mut pos = FastPosition::deal(77_000_000_000 + i / 2);
        let me = (i % 2) as usize;
        while !pos.over {
            if pos.me == me {
                play_turn(&mut pos, &mut FittedPolicy(|| jitter(&mut rng)));
            } else {
                careful_turn(&mut pos);
            }
        }
        won += f64::from(pos.lead(me).signum() + 1) / 2.0;
        far += f64::from(pos.lead(me));
    }
    (won / (2 * deals) as f64, far / (2 * deals) as f64)
}

struct StepSums {
    gradient: [f32; ALL],
    games: u64,
    /// Wins against the careful player, and matches against it.
    won: [f64; 2],
}

/// One match; in a third of them the careful player has a seat.
fn play(deal: u64, game: u64, explorer: &mut Explorer<'_>, batch: &mut StepSums) {
    let mut pos = FastPosition::deal(deal);
    let careful = if game.is_multiple_of(3) { Some((game / 3 % 2) as usize) } else { None };
    let mut gradients = [[0.0f32; ALL]; 2];
    for _ in 0..MOST_TURNS {
        if pos.over {
            break;
        }
        if Some(pos.me) == careful {
            careful_turn(&mut pos);
            continue;
        }
        let me = pos.me;
        std::mem::swap(&mut explorer.gradient, &mut gradients[me]);
        play_turn(&mut pos, explorer);
        std::mem::swap(&mut explorer.gradient, &mut gradients[me]);
    }
    for seat in (0..2).filter(|seat| Some(*seat) != careful) {
        let lead = pos.lead(seat);
        let better = worth(lead) as f32 - USUAL[usize::from(careful.is_none())];
        batch.gradient.iter_mut().zip(&gradients[seat]).for_each(|(to, by)| *to += better * by);
        if careful.is_some() {
            batch.won[0] += f64::from(lead.signum() + 1) / 2.0;
            batch.won[1] += 1.0;
        }
    }
    batch.games += 1;
}

/// The weights as the engine reads them.
fn file(weights: &[f32]) -> String {
    let row = |weights: &[f32]| {
        weights.iter().map(|w| format!("{}", w.round() as i32)).collect::<Vec<_>>().join(" ")
    };
    let (keep, choices) = weights.split_at(PHASES * FACTS);
    let rows: Vec<String> = keep.chunks(FACTS).chain(choices.chunks(FEW)).map(row).collect();
    rows.join("\n") + "\n"
}

/// The command.
pub(crate) fn run(args: &HabitArgs) -> Result<(), String> {
    let HabitArgs { train, batch: size, rate, heat } = args;
    let mut budget = train.budget(GAMES);
    let (won, lead) = against_careful(1_000);
    budget.report(&format!("the weights in use, against the careful player: {won:.4}, lead {lead:.1}"));
    let mut rng = Rng::new(&Seed::from(train.seed));
    let mut explorer = Explorer::new([*heat, 12.0], &mut rng);
    let mut optimizer = Optimizer::new(UpdateRule::Adam { memory: 0.98 }, ALL);
    let (mut steps, mut won) = (0u64, [0.0; 2]);
    let first = 9_000_000_000 + (train.seed % 1_000_000) * 10_000_000;
    loop {
        let mut batch = StepSums { gradient: [0.0; ALL], games: 0, won: [0.0; 2] };
        while batch.games < *size {
            let Some(game) = budget.next_game() else { break };
            play(first + game, game, &mut explorer, &mut batch);
        }
        if batch.games == 0 {
            break;
        }
        batch.gradient.iter_mut().for_each(|g| *g /= batch.games as f32);
        optimizer.step(&mut explorer.weights, &batch.gradient, rate * (1.0 - 0.9 * budget.used()));
        won = [won[0] + batch.won[0], won[1] + batch.won[1]];
        steps += 1;
        if steps.is_multiple_of(REPORT) {
            budget
                .report(&format!("step {steps}: against the careful player {:.4}", won[0] / won[1].max(1.0)));
            won = [0.0; 2];
        }
    }
    train.write(file(&explorer.weights).as_bytes())
}
