//! Trains the network of the search for one number of seats by self-play that repeats: matches of the best network so far,
//! learning from the newest matches, and a gate of paired games that the new network must pass to play the next matches.

pub(crate) mod compare;
mod gumbel;
mod learner;
mod lesson;
mod measure;
pub(crate) mod profile;
mod selfplay;
mod state;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::ValueEnum;
use engines::games::splendor::engine::net::PolicyNet;
use engines::search_kit::fast_rng::FastRng;

use crate::budget::{Budget, TrainArgs};
use crate::paired::Score;
use learner::Learner;
use lesson::Lesson;
use measure::{Contestant, fair_share, paired};
use selfplay::{Style, Teacher};
use state::{Folder, Progress};

/// Games unless the arguments say otherwise.
const GAMES: u64 = 100_000;

/// The arguments of `splendor-net`.
#[derive(clap::Args)]
pub(crate) struct NetArgs {
    #[command(flatten)]
    train: TrainArgs,
    /// Number of players, 1 to 4
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=4))]
    seats: u8,
    /// Folder of the run: a run that was stopped goes on from it
    #[arg(long)]
    state: PathBuf,
    /// What a new run begins with
    #[arg(long, value_enum, default_value_t = Start::Nothing)]
    start: Start,
    /// File of the network that `--start network` begins with
    #[arg(long, required_if_eq("start", "network"))]
    from: Option<PathBuf>,
    /// Number of players for which that network was trained, if another one
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=4))]
    from_seats: Option<u8>,
    /// Threads of self-play
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Matches between two networks
    #[arg(long, default_value_t = 10_000)]
    generation: u64,
    /// Iterations of a deep search, whose position is learned
    #[arg(long, default_value_t = 240)]
    deep: u32,
    /// Iterations of a shallow search
    #[arg(long, default_value_t = 24)]
    shallow: u32,
    /// Most positions to learn from, the newest ones
    #[arg(long, default_value_t = 1_500_000)]
    window: usize,
    /// How often each position is learned
    #[arg(long, default_value_t = 3)]
    reuse: u64,
    /// The learning rate
    #[arg(long, default_value_t = 0.0004)]
    rate: f32,
    /// Pairs of games that decide whether a new network plays the next matches
    #[arg(long, default_value_t = 100)]
    gate: u64,
    /// Pairs of games against each opponent after each generation; 0 measures nothing
    #[arg(long, default_value_t = 50)]
    measure: u64,
}

/// How a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Start {
    /// A network of random weights.
    Nothing,
    /// Matches of version 3 of the engine, which the first networks imitate.
    Former,
    /// The network of a file, such as the one in use.
    Network,
}

/// Generations that imitate before self-play begins.
const IMITATED: u64 = 3;
/// The share of later plies in a value's target once values are worth learning from, and the generations until then.
const MEMORY: f32 = 0.95;
const MEMORY_AFTER: u64 = 6;
/// Iterations a move of the gate's games.
const GATE_ITERATIONS: u32 = 64;
/// Iterations a move in measurements: version 3 gets as many as take the same time.
const MEASURED_ITERATIONS: u32 = 200;
const FORMER_ITERATIONS: u32 = 150;

/// A run in progress.
struct Run<'a> {
    args: &'a NetArgs,
    folder: Folder,
    progress: Progress,
    learner: Learner,
    /// The network that plays, and its file; none before the first.
    best: Option<Arc<PolicyNet>>,
    window: Vec<Lesson>,
}

/// The command.
pub(crate) fn run(args: &NetArgs) -> Result<(), String> {
    let mut run = Run::open(args)?;
    let mut budget = args.train.budget(GAMES);
    while next_generation(args, &mut budget) {
        let line = run.generation()?;
        budget.report(&line);
    }
    match run.folder.read("best.net")? {
        Some(file) => args.train.write(&file),
        None => Err("no network has been trained yet: raise --games or --minutes".to_owned()),
    }
}

/// Takes the games of a generation from the budget; `false` when it is used up.
fn next_generation(args: &NetArgs, budget: &mut Budget) -> bool {
    (0..args.generation).all(|_| budget.next_game().is_some())
}

impl<'a> Run<'a> {
    fn open(args: &'a NetArgs) -> Result<Self, String> {
        let folder = Folder::open(&args.state)?;
        let progress = folder.progress()?;
        let given = args
            .from
            .as_ref()
            .filter(|_| args.start == Start::Network)
            .map(|path| std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display())))
            .transpose()?;
        let learner = match (folder.read("weights.bin")?, &given) {
            (Some(bytes), _) => Learner::load(&bytes, args.seats)?,
            (None, Some(file)) => {
                Learner::from_file(file, args.from_seats.unwrap_or(args.seats), args.seats)?
            }
            (None, None) => Learner::new(args.seats, &mut FastRng::new(args.train.seed)),
        };
        if folder.read("best.net")?.is_none() && given.is_some() {
            folder.write("best.net", &learner.file())?;
        }
        let best = folder.read("best.net")?.map(|file| net(&file, args.seats)).transpose()?;
        let window = folder.window(progress.generation, args.window)?;
        Ok(Self { args, folder, progress, learner, best, window })
    }

    /// Plays, learns, tests and stores one generation; returns its line of the report.
    fn generation(&mut self) -> Result<String, String> {
        let args = self.args;
        let started = Instant::now();
        let number = self.progress.generation;
        let seed = args.train.seed.wrapping_add(number << 32);
        let new = selfplay::play(&self.style(), args.generation, args.threads, seed);
        let played = started.elapsed();
        self.folder.store_positions(number, &new)?;
        self.progress.games += args.generation;
        self.progress.positions += new.len() as u64;
        let steps = new.len() as u64 * args.reuse / 32;
        self.window.extend(new);
        // Early matches are weak: the window grows with the run.
        let most = args.window.min(30_000 + self.progress.positions as usize * 6 / 10);
        self.window.drain(..self.window.len().saturating_sub(most));
        let losses = self.learner.learn(&self.window, steps, args.rate, &mut FastRng::new(seed));
        let file = self.learner.file();
        let candidate = net(&file, args.seats)?;
        let gate = self.pass_gate(&candidate, &file, seed)?;
        self.progress.generation += 1;
        let threads = args.threads as f64;
        self.progress.core_seconds +=
            threads * played.as_secs_f64() + (started.elapsed() - played).as_secs_f64();
        self.folder.write("weights.bin", &self.learner.store())?;
        self.folder.store_progress(&self.progress)?;
        let mut line = format!(
            "generation {number}: {} games, {} positions, {:.2} core-hours, value error {:.4}, policy {:.4} nats, {gate}",
            self.progress.games,
            self.progress.positions,
            self.progress.core_seconds / 3_600.0,
            losses.value(),
            losses.policy(),
        );
        if args.measure > 0 {
            line.push_str(&self.measured(&candidate, seed));
        }
        self.append("report.txt", &line)?;
        Ok(line)
    }

    fn style(&self) -> Style {
        let args = self.args;
        let imitates = args.start == Start::Former && self.progress.generation < IMITATED;
        let teacher = match &self.best {
            Some(net) if !imitates => Teacher::Net(Arc::clone(net)),
            _ if imitates => Teacher::Former,
            _ => Teacher::Net(
                net(&self.learner.file(), args.seats).expect("the learner's file has its length"),
            ),
        };
        let iterations = if imitates { [2 * args.deep, args.deep] } else { [args.deep, args.shallow] };
        let is_early = args.start != Start::Network && self.progress.generation < MEMORY_AFTER;
        let memory = if is_early { 1.0 } else { MEMORY };
        Style { seats: args.seats, teacher, iterations, memory }
    }

    /// Lets the candidate play the next matches if it does not lose against the network that plays now.
    fn pass_gate(&mut self, candidate: &Arc<PolicyNet>, file: &[u8], seed: u64) -> Result<String, String> {
        let score = match &self.best {
            Some(best) => {
                let players = [candidate, best].map(|net| Contestant::net(net, GATE_ITERATIONS));
                let score = self.paired([&players[0], &players[1]], self.args.gate, seed);
                if score.mean < fair_share(self.args.seats) {
                    return Ok(format!("gate {score}, stays out"));
                }
                score.to_string()
            }
            None => "open".to_owned(),
        };
        self.folder.write("best.net", file)?;
        self.best = Some(Arc::clone(candidate));
        Ok(format!("gate {score}"))
    }

    fn paired(&self, players: [&Contestant; 2], pairs: u64, seed: u64) -> Score {
        paired(players, self.args.seats, pairs, self.args.threads, seed)
    }

    /// The strength against fixed opponents.
    fn measured(&self, candidate: &Arc<PolicyNet>, seed: u64) -> String {
        let own = Contestant::net(candidate, MEASURED_ITERATIONS);
        let opponents =
            [("greedy", Contestant::Instant("greedy")), ("version 3", Contestant::Former(FORMER_ITERATIONS))];
        let mut line = String::new();
        for (name, opponent) in opponents {
            let score = self.paired([&own, &opponent], self.args.measure, seed);
            let [own, other] = score.thought;
            line.push_str(&format!(", {name} {score} ({own:.2} : {other:.2} ms)"));
        }
        line
    }

    fn append(&self, name: &str, line: &str) -> Result<(), String> {
        let mut all = self.folder.read(name)?.unwrap_or_default();
        all.extend_from_slice(line.as_bytes());
        all.push(b'\n');
        self.folder.write(name, &all)
    }
}

fn net(file: &[u8], seats: u8) -> Result<Arc<PolicyNet>, String> {
    PolicyNet::read(file, usize::from(seats)).map(Arc::new).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: NetArgs,
    }

    fn train(folder: &std::path::Path, games: &str, start: &[&str]) -> Progress {
        let (state, out) = (folder.join("state"), folder.join("two.net"));
        let fixed = [
            "engines-train",
            "--seats",
            "2",
            "--state",
            state.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
            "--games",
            games,
            "--generation",
            "3",
            "--deep",
            "8",
            "--shallow",
            "4",
            "--measure",
            "1",
            "--gate",
            "4",
        ];
        let line = Line::parse_from([&fixed, start].concat());
        run(&line.args).unwrap();
        assert!(net(&std::fs::read(out).unwrap(), 2).is_ok());
        Folder::open(&state).unwrap().progress().unwrap()
    }

    #[test]
    fn stopped_run_goes_on_from_its_folder() {
        let given = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(given.path(), Learner::new(2, &mut FastRng::new(8)).file()).unwrap();
        let network = ["--start", "network", "--from", given.path().to_str().unwrap()];
        let alone = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(alone.path(), Learner::new(1, &mut FastRng::new(9)).file()).unwrap();
        let other = ["--start", "network", "--from-seats", "1", "--from", alone.path().to_str().unwrap()];
        for start in [&["--start", "nothing"][..], &["--start", "former"], &network, &other] {
            let folder = tempfile::tempdir().unwrap();
            let first = train(folder.path(), "3", start);
            let second = train(folder.path(), "6", start);
            assert_eq!((first.generation, first.games), (1, 3));
            assert_eq!((second.generation, second.games), (3, 9));
            assert!(second.positions > first.positions && second.core_seconds > first.core_seconds);
            let report = std::fs::read_to_string(folder.path().join("state/report.txt")).unwrap();
            assert_eq!(report.lines().count(), 3);
        }
    }
}
