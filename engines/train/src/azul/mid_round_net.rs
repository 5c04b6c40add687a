//! Trains the mid-round network, the value of a position inside a round and the ratings of its moves, by the values that searches
//! find at their root and after its moves. A generation plays matches with the network so far; later ones also learn the
//! lessons of earlier ones.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use engines::games::azul::Move;
use engines::games::azul::engine::Position;
use engines::games::azul::engine::mid_round_net::{
    HIDDEN, INPUTS, MidRoundNet, OUTPUTS, each_input, rating_of,
};
use engines::games::azul::engine::move_prior::stage;
use engines::games::azul::engine::policy::{Worth, each_move};
use engines::games::azul::engine::refill::refill;
use engines::games::azul::engine::search::{AzulTree, Guide, rank_exactly};
use engines::search_kit::fast_rng::FastRng;
use engines::search_kit::learn::FloatNetwork;
use engines::search_kit::net::ONE;
use engines::search_kit::puct::PuctEdge;

use super::by_visits;
use super::lesson::{self, Lesson, MoveLesson, TrainingPlan, distance, fit};
use crate::budget::TrainArgs;
use crate::parallel::in_order;

/// Games of a generation unless the arguments say otherwise: some two million lessons.
const GAMES: u64 = 14_000;
/// One decision in this many is made by the shares of visits.
const RANDOM_ONE_IN: usize = 4;
/// One of the root's moves in this many gives a lesson, if it has at least this many visits.
const MOVE_ONE_IN: usize = 3;
const LEAST_VISITS: u32 = 10;
/// The visits at which the value after a move counts half as much as that of a root.
const HALF_WEIGHT: f32 = 40.0;
/// The learning rate of the last step, and the decay.
const LAST_RATE: f32 = 0.000_05;
const DECAY: f32 = 0.02;

/// The arguments of `azul-mid-round`.
#[derive(clap::Args)]
pub(crate) struct MidRoundArgs {
    #[command(flatten)]
    train: TrainArgs,
    /// Network that guides the searches; by default the one in use
    #[arg(long)]
    from: Option<PathBuf>,
    /// Iterations for each decision of the matches
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    play: u32,
    /// File to which the lessons of the matches are written
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Files of lessons of earlier generations, which are learned too
    #[arg(long)]
    with: Vec<PathBuf>,
    /// Passes over all lessons
    #[arg(long, default_value_t = 5)]
    passes: u32,
    /// The learning rate of the first step
    #[arg(long, default_value_t = 0.002)]
    rate: f32,
    /// Threads that work at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// The lesson of a position and its value to the seat to move.
fn value_lesson(position: &Position, value: f32, weight: f32) -> Lesson {
    let mut inputs = Vec::with_capacity(130);
    each_input(position, |input| inputs.push(input as u16));
    Lesson::of_value(inputs, value, weight)
}

/// The lessons of a search of a position about its moves.
fn move_lessons(guide: &Guide, position: &Position, edges: &[PuctEdge<Move>]) -> Box<[MoveLesson]> {
    let all: u32 = edges.iter().map(|edge| edge.visits).sum();
    let visits = |mv| edges.iter().find(|edge| edge.mv == mv).map_or(0, |edge| edge.visits);
    let mut lessons = Vec::with_capacity(edges.len());
    let move_prior = &guide.policy[stage(position)];
    let board = &position.boards[position.to_move.index()];
    each_move(move_prior, position, &Worth::of(move_prior, board), |mv, promise| {
        lessons.push(MoveLesson {
            output: rating_of(position, &mv) as u16,
            promise: promise / guide.temper,
            share: visits(mv) as f32 / all as f32,
        });
    });
    lessons.into()
}

/// The lessons of a match.
fn play(guide: &Guide, iterations: u32, rng: &mut FastRng, out: &mut Vec<Lesson>) {
    let mut position = Position::empty();
    while !position.has_row() {
        refill(&mut position, rng);
        while !position.is_bare() {
            let mv = decide(guide, &position, iterations, rng, out);
            position.take(&mv);
        }
        position.end_round();
    }
}

/// The move that a search chooses. Adds the lessons of the search to `out`.
fn decide(
    guide: &Guide,
    position: &Position,
    iterations: u32,
    rng: &mut FastRng,
    out: &mut Vec<Lesson>,
) -> Move {
    let exact = rank_exactly(guide, position, u64::from(iterations), &mut || true);
    let found = exact.first().map(|(_, value)| *value);
    let mut tree = AzulTree::with_exact(guide.clone(), *position, exact, rng.next_u64());
    (0..iterations).for_each(|_| tree.iterate());
    let edges: Vec<_> = tree.moves().copied().collect();
    let best = tree.most_visited();
    let value = found.unwrap_or_else(|| best.mean().unwrap_or(0.5) as f32);
    let mut root = value_lesson(position, value, 1.0);
    if edges.len() > 1 {
        root.moves = move_lessons(guide, position, &edges);
    }
    out.push(root);
    for edge in edges.iter().filter(|edge| edge.visits >= LEAST_VISITS) {
        let mut next = *position;
        next.take(&edge.mv);
        if rng.below(MOVE_ONE_IN) == 0 && !next.is_bare() {
            let visits = edge.visits as f32;
            let value = 1.0 - edge.mean().unwrap_or(0.5) as f32;
            out.push(value_lesson(&next, value, visits / (visits + HALF_WEIGHT)));
        }
    }
    if rng.below(RANDOM_ONE_IN) > 0 {
        return best.mv;
    }
    by_visits(&edges, rng).unwrap_or(best).mv
}

/// The lessons of new matches. Equal seeds give equal lessons on any number of threads.
fn lessons(args: &MidRoundArgs, guide: &Guide) -> Vec<Lesson> {
    let until = args.train.limit().map(|limit| Instant::now() + limit);
    let of_match = |game| {
        if until.is_some_and(|until| Instant::now() >= until) {
            return None;
        }
        let seed = args.train.seed.wrapping_mul(1_000_003).wrapping_add(game);
        let mut rng = FastRng::new(FastRng::new(seed).next_u64());
        let mut lessons = Vec::new();
        play(guide, args.play, &mut rng, &mut lessons);
        Some(lessons)
    };
    let games = args.train.games.unwrap_or(GAMES);
    in_order(games, args.threads, of_match).into_iter().flatten().collect()
}

/// The command.
pub(crate) fn run(args: &MidRoundArgs) -> Result<(), String> {
    let mut guide = Guide::in_use();
    if let Some(path) = &args.from {
        let file = std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        guide.mid_round_net = Arc::new(MidRoundNet::read(&file).map_err(|e| e.to_string())?);
    }
    let mut new = lessons(args, &guide);
    if let Some(path) = &args.keep {
        lesson::write(path, &new)?;
    }
    // The first lessons, which are of whole matches, are held back.
    let held_back: Vec<Lesson> = new.drain(..new.len() / 40).collect();
    for path in &args.with {
        new.extend(lesson::read(path)?);
    }
    let mut rng = FastRng::new(args.train.seed);
    let mut net = FloatNetwork::random([INPUTS, HIDDEN, OUTPUTS], [0.05, 0.1, 0.02], || rng.unit());
    let course = TrainingPlan { passes: args.passes, rates: [args.rate, LAST_RATE], decay: DECAY };
    fit(&mut net, &new, course, &mut rng);
    println!(
        "{} lessons, {:?}, of those held back {:?}",
        new.len(),
        distance(&net, &new),
        distance(&net, &held_back)
    );
    args.train.write(&net.file(ONE as f32))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: MidRoundArgs,
    }

    #[test]
    fn generations_learn_from_each_other_on_any_number_of_threads() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let train = |out: &str, more: &[&str]| {
            let fixed = ["azul-mid-round", "--games", "6", "--play", "12", "--passes", "1"];
            let out = path(out);
            run(&Line::parse_from([&fixed[..], &["--out", &out], more].concat()).args).unwrap();
            std::fs::read(out).unwrap()
        };
        let first = train("first", &["--keep", &path("lessons")]);
        assert!(first == train("again", &["--threads", "3"]), "two files differ");
        let second = train("second", &["--from", &path("first"), "--with", &path("lessons"), "--seed", "2"]);
        assert!(first != second && MidRoundNet::read(&second).is_ok());
        let lessons = lesson::read(path("lessons").as_ref()).unwrap();
        let rated = lessons.iter().filter(|lesson| !lesson.moves.is_empty());
        let shares: Vec<f32> = rated.map(|lesson| lesson.moves.iter().map(|mv| mv.share).sum()).collect();
        assert!(shares.len() > 100 && shares.iter().all(|sum| (sum - 1.0).abs() < 1e-4), "{shares:?}");
    }
}
