//! A run of self-play: its folder, its generations, and the passes that settle its network.

use std::sync::Arc;
use std::time::Instant;

use engines::games::splendor::engine::net::PolicyNet;
use engines::search_kit::fast_rng::FastRng;

use super::learner::{BATCH, Learner, Losses};
use super::lesson::Lesson;
use super::measure::{Contestant, fair_share, paired};
use super::selfplay::{self, Style, Teacher};
use super::state::{Folder, Progress};
use super::{NetArgs, Start, net};
use crate::paired::Score;

/// Generations that imitate before self-play begins.
const IMITATED: u64 = 3;
/// First generations of a run from nothing: they learn from results alone, until the values found are worth learning from.
const MEMORY_AFTER: u64 = 6;
/// Iterations a move of the gate's games.
const GATE_ITERATIONS: u32 = 64;
/// Iterations a move in measurements: version 3 gets as many as take the same time.
const MEASURED_ITERATIONS: u32 = 200;
const FORMER_ITERATIONS: u32 = 150;

/// A run in progress.
pub(super) struct Run<'a> {
    args: &'a NetArgs,
    folder: Folder,
    progress: Progress,
    learner: Learner,
    /// The network that plays, and its file; none before the first.
    best: Option<Arc<PolicyNet>>,
    window: Vec<Lesson>,
}

impl<'a> Run<'a> {
    /// Opens the run in the folder of the arguments, or begins one.
    pub(super) fn open(args: &'a NetArgs) -> Result<Self, String> {
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

    /// The file of the network that plays now; `None` before the first.
    pub(super) fn best_file(&self) -> Result<Option<Vec<u8>>, String> {
        self.folder.read("best.net")
    }

    /// Plays, learns, tests and stores one generation; returns its line of the report.
    pub(super) fn generation(&mut self) -> Result<String, String> {
        let args = self.args;
        let started = Instant::now();
        let number = self.progress.generation;
        let seed = args.train.seed.wrapping_add(number << 32);
        let new = selfplay::play(&self.style(), args.generation, args.threads, seed);
        self.progress.core_seconds += args.threads as f64 * started.elapsed().as_secs_f64();
        self.folder.store_positions(number, &new)?;
        self.progress.games += args.generation;
        self.progress.positions += new.len() as u64;
        let steps = new.len() as u64 * args.reuse / BATCH;
        self.window.extend(new);
        // Early matches are weak: the window grows with the run.
        let most = args.window.min(30_000 + self.progress.positions as usize * 6 / 10);
        self.window.drain(..self.window.len().saturating_sub(most));
        let losses = self.learn(steps, args.rate, seed);
        self.progress.generation += 1;
        self.finish(&format!("generation {number}"), losses, seed)
    }

    /// Learns the positions of the window once more in passes, the first at the rate of the arguments and each further one
    /// at half the rate. Generations need a rate at which the network follows new matches; at a falling one it settles.
    pub(super) fn settle(&mut self) -> Result<String, String> {
        let seed = self.args.train.seed.wrapping_add(self.progress.generation << 32);
        let steps = self.window.len() as u64 / BATCH;
        let mut losses = Losses::default();
        for pass in 0..self.args.passes {
            losses = self.learn(steps, self.args.rate / (1 << pass) as f32, seed ^ u64::from(pass));
        }
        self.finish(&format!("{} passes", self.args.passes), losses, seed)
    }

    fn learn(&mut self, steps: u64, rate: f32, seed: u64) -> Losses {
        let started = Instant::now();
        let losses = self.learner.learn(&self.window, steps, rate, &mut FastRng::new(seed));
        self.progress.core_seconds += started.elapsed().as_secs_f64();
        losses
    }

    /// Tests the learned network and stores the run. Returns the line of the report, which begins with `what`.
    fn finish(&mut self, what: &str, losses: Losses, seed: u64) -> Result<String, String> {
        let file = self.learner.file();
        let candidate = net(&file, self.args.seats)?;
        let gate = self.pass_gate(&candidate, &file, seed)?;
        self.folder.write("weights.bin", &self.learner.store())?;
        self.folder.store_progress(&self.progress)?;
        let mut line = format!(
            "{what}: {} games, {} positions, {:.2} core-hours, value error {:.4}, policy {:.4} nats, {gate}",
            self.progress.games,
            self.progress.positions,
            self.progress.core_seconds / 3_600.0,
            losses.value(),
            losses.policy(),
        );
        if self.args.measure > 0 {
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
        let memory = if is_early { 1.0 } else { args.memory };
        Style { seats: args.seats, teacher, iterations, memory, rivals: args.rivals }
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
