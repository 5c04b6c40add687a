//! Trains the network of the search for one number of seats by repeated self-play: matches of the best network so far,
//! learning from the newest matches, and a gate of paired games that the new network must pass to play the next matches.

pub(crate) mod compare;
mod former;
mod gumbel;
mod learner;
mod lesson;
pub(crate) mod mean;
mod measure;
pub(crate) mod profile;
mod run;
mod selfplay;
mod state;

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use engines::games::splendor::engine::net::PolicyNet;

use crate::budget::{Budget, TrainArgs};
use run::Run;

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
    /// Start of a new run
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
    /// Maximum number of positions to learn from, the newest ones
    #[arg(long, default_value_t = 1_500_000)]
    window: usize,
    /// How often each position is learned
    #[arg(long, default_value_t = 3)]
    reuse: u64,
    /// The learning rate
    #[arg(long, default_value_t = 0.0004)]
    rate: f32,
    /// The share of the next ply's target in the target of a value; the rest is the value that the search of the ply
    /// found. 1 learns from results alone
    #[arg(long, default_value_t = 0.95)]
    memory: f32,
    /// Passes over the stored positions at a falling rate before the first match; for the end of a run, with --games 0
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=16))]
    passes: u8,
    /// Play one match in this many against version 3, so that the network knows another kind of play; 0: none
    #[arg(long, default_value_t = 0)]
    rivals: usize,
    /// Pairs of games that decide whether a new network plays the next matches
    #[arg(long, default_value_t = 100)]
    gate: u64,
    /// Pairs of games against each opponent after each generation; 0 measures nothing
    #[arg(long, default_value_t = 50)]
    measure: u64,
}

/// The start of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Start {
    /// A network of random weights.
    Nothing,
    /// Matches of version 3 of the engine, which the first networks imitate.
    Former,
    /// The network of a file, such as the one in use.
    Network,
}

/// The command.
pub(crate) fn run(args: &NetArgs) -> Result<(), String> {
    let mut run = Run::open(args)?;
    let mut budget = args.train.budget(GAMES);
    if args.passes > 0 {
        let line = run.settle()?;
        budget.report(&line);
    }
    while next_generation(args, &mut budget) {
        let line = run.generation()?;
        budget.report(&line);
    }
    match run.best_file()? {
        Some(file) => args.train.write(&file),
        None => Err("no network has been trained yet: raise --games or --minutes".to_owned()),
    }
}

/// Takes the games of a generation from the budget; `false` when it is used up.
fn next_generation(args: &NetArgs, budget: &mut Budget) -> bool {
    (0..args.generation).all(|_| budget.next_game().is_some())
}

fn net(file: &[u8], seats: u8) -> Result<Arc<PolicyNet>, String> {
    PolicyNet::read(file, usize::from(seats)).map(Arc::new).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use engines::search_kit::fast_rng::FastRng;

    use super::learner::Learner;
    use super::state::{Folder, Progress};
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
            let settled = train(folder.path(), "0", &[start, &["--passes", "2"]].concat());
            assert_eq!((settled.generation, settled.games), (3, 9));
            let report = std::fs::read_to_string(folder.path().join("state/report.txt")).unwrap();
            assert!(report.lines().nth(3).unwrap().starts_with("2 passes: 9 games, "), "{report}");
        }
    }
}
