//! Trains the round-end network, the value of a round's end, by fitted value iteration: the values that searches find after some
//! refills are the targets of the network before them. The first generation learns from playouts to the end of the match.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use engines::games::azul::Move;
use engines::games::azul::engine::Position;
use engines::games::azul::engine::move_prior::POLICY;
use engines::games::azul::engine::policy::{for_seat, play_round, result};
use engines::games::azul::engine::refill::refill;
use engines::games::azul::engine::round_end_net::{HIDDEN, INPUTS, RoundEndNet, each_input};
use engines::games::azul::engine::search::{AzulTree, Guide};
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::learn::FloatNetwork;
use engines::search_kit::net::ONE;

use super::by_visits;
use super::lesson::{Lesson, TrainingPlan, distance, fit};
use crate::budget::TrainArgs;
use crate::parallel::in_order;

/// Games of a generation unless the arguments say otherwise: some 200,000 ends of rounds.
const GAMES: u64 = 13_000;
/// One decision in this many gives an end of a round to learn.
const SAMPLED_ONE_IN: usize = 3;
/// Refills after each end of a round.
const REFILLS: u32 = 8;
/// One decision in this many is made by the shares of visits.
const RANDOM_ONE_IN: usize = 5;
/// Spread of the noise of the playouts to the end of a round, in points.
const SPREAD: f32 = 4.5;
/// The parameters of learning.
const COURSE: TrainingPlan = TrainingPlan { passes: 8, rates: [0.002, 0.000_05], decay: 0.2 };

/// The arguments of `azul-round-end`.
#[derive(clap::Args)]
pub(crate) struct RoundEndArgs {
    #[command(flatten)]
    train: TrainArgs,
    /// Generations; the first one learns from playouts, unless --from is given
    #[arg(long, default_value_t = 4)]
    generations: u32,
    /// Network to go on from
    #[arg(long)]
    from: Option<PathBuf>,
    /// Iterations for each decision of the matches
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    play: u32,
    /// Iterations after each refill
    #[arg(long, default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..))]
    search: u32,
    /// Threads that work at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// The teacher of the network: it searches after the end of a round, or plays out if there is no network yet.
struct Teacher {
    guide: Guide,
    play: u32,
    search: Option<u32>,
    /// The time after which no match begins.
    until: Option<Instant>,
}

impl Teacher {
    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// The value of a round's end to seat 0: the mean over some refills.
    fn value(&self, end: &Position, rng: &mut FastRng) -> f32 {
        let behind = |_| {
            let mut next = *end;
            refill(&mut next, rng);
            match self.search {
                Some(iterations) => {
                    let seat = next.to_move;
                    let (_, value) = self.choose(next, iterations, false, rng);
                    for_seat(value, seat)
                }
                None => {
                    play_round(&POLICY, &mut next, rng, SPREAD);
                    while !next.has_row() {
                        refill(&mut next, rng);
                        play_round(&POLICY, &mut next, rng, SPREAD);
                    }
                    result(&next)
                }
            }
        };
        let n = if self.search.is_some() { REFILLS } else { 4 * REFILLS };
        (0..n).map(behind).sum::<f32>() / n as f32
    }

    /// The most visited move of a search and its value to the seat to move. `at_random`: a random move, by its visits.
    fn choose(&self, position: Position, iterations: u32, at_random: bool, rng: &mut FastRng) -> (Move, f32) {
        let mut tree = AzulTree::new(self.guide.clone(), position, rng.next_u64());
        (0..iterations).for_each(|_| tree.iterate());
        let edges: Vec<_> = tree.moves().copied().collect();
        let sampled = if at_random { by_visits(&edges, rng) } else { None };
        let edge = sampled.unwrap_or_else(|| tree.most_visited());
        (edge.mv, edge.mean().unwrap_or(0.5) as f32)
    }

    /// The lessons of a match.
    fn play(&self, rng: &mut FastRng, out: &mut Vec<Lesson>) {
        let mut position = Position::empty();
        while !position.has_row() {
            refill(&mut position, rng);
            while !position.is_bare() {
                if rng.below(SAMPLED_ONE_IN) == 0 {
                    let mut end = position;
                    play_round(&POLICY, &mut end, rng, SPREAD);
                    if !end.has_row() {
                        let value = for_seat(self.value(&end, rng), end.to_move);
                        let mut inputs = Vec::with_capacity(80);
                        each_input(&end, |input| inputs.push(input as u16));
                        out.push(Lesson::of_value(inputs, value, 1.0));
                    }
                }
                let (mv, _) = self.choose(position, self.play, rng.below(RANDOM_ONE_IN) == 0, rng);
                position.take(&mv);
            }
            position.end_round();
        }
    }

    /// The lessons of this many matches. Equal seeds give equal lessons on any number of threads.
    fn lessons(&self, games: u64, threads: usize, seed: u64) -> Vec<Lesson> {
        let of_match = |game| {
            let mut rng =
                FastRng::new(FastRng::new(seed.wrapping_mul(1_000_003).wrapping_add(game)).next_u64());
            let mut lessons = Vec::new();
            self.play(&mut rng, &mut lessons);
            lessons
        };
        in_order(games, threads, |game| (!self.is_late()).then(|| of_match(game)))
            .into_iter()
            .flatten()
            .collect()
    }
}

/// The command.
pub(crate) fn run(args: &RoundEndArgs) -> Result<(), String> {
    let games = args.train.games.unwrap_or(GAMES);
    let mut rng = FastRng::new(args.train.seed);
    let sizes = [INPUTS, HIDDEN, 1];
    let mut net = FloatNetwork::random(sizes, [0.05, 0.1, 0.1], || rng.unit());
    let mut has_learned = false;
    if let Some(path) = &args.from {
        let file = std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        net = FloatNetwork::read(&file, sizes, ONE as f32).map_err(|e| e.to_string())?;
        has_learned = true;
    }
    let until = args.train.limit().map(|limit| Instant::now() + limit);
    for generation in 0..args.generations {
        let round_end_net = RoundEndNet::read(&net.file(ONE as f32)).map_err(|e| e.to_string())?;
        let guide = Guide { round_end_net: Arc::new(round_end_net), ..Guide::in_use() };
        let teacher = Teacher { guide, play: args.play, search: has_learned.then_some(args.search), until };
        let seed = args.train.seed.wrapping_add(u64::from(generation) << 32);
        let lessons = teacher.lessons(games, args.threads, seed);
        if lessons.is_empty() {
            break;
        }
        let (held_back, others) = lessons.split_at(lessons.len() / 20);
        let error = |net: &FloatNetwork, lessons: &[Lesson]| distance(net, lessons).value;
        let before = error(&net, held_back);
        fit(&mut net, others, COURSE, &mut rng);
        println!(
            "generation {generation}: {} ends of rounds, error {:.4}, of those held back {:.4} ({before:.4} before)",
            lessons.len(),
            error(&net, others),
            error(&net, held_back),
        );
        has_learned = true;
        args.train.write(&net.file(ONE as f32))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: RoundEndArgs,
    }

    /// The file of a short run with some threads.
    fn train(threads: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("round_end.net");
        let fixed = ["azul-round-end", "--games", "12", "--generations", "2", "--play", "6", "--search", "6"];
        let line = [&fixed[..], &["--threads", threads, "--out", out.to_str().unwrap()]].concat();
        run(&Line::parse_from(line).args).unwrap();
        std::fs::read(out).unwrap()
    }

    #[test]
    fn any_number_of_threads_trains_the_same_network() {
        let file = train("1");
        assert!(file == train("3"), "two files differ");
        assert!(RoundEndNet::read(&file).is_ok());
    }
}
