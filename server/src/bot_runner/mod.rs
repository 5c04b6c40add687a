//! The node's side of the process that runs the programs of hosted bots, `kibitz bots`. This process never compiles or runs a
//! program itself. The runner starts when it is first needed, and again after it has ended: whoever used it starts its programs
//! again, which then do the same as before. It must know neither matches nor games.

mod pipes;
mod process;
mod remote;
mod seat;

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engines::arena::{ProgramHost, SandboxSeat};
pub use kibitz_sandbox::runner::wire::ModuleHash;

use crate::recovery::backoff::Backoff;
use pipes::RunnerPipes;
use process::RunnerProcess;
pub use remote::{RemoteRunners, RunnerService};
use seat::RunnerSeat;

/// The pauses before the runner is started again after it has failed.
const RESTART: Backoff = Backoff::doubling(Duration::from_millis(50), Duration::from_secs(5));

/// A runner that has lived for this long has not failed.
const HEALTHY: Duration = Duration::from_secs(10);

/// How a process of this machine is started.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// The program `kibitz`.
    pub program: PathBuf,
    /// The programs that run at a time.
    pub threads: NonZeroUsize,
    /// The memory of all programs together, in MiB.
    pub memory_mib: u32,
}

/// The runner. Clones share it.
#[derive(Clone)]
pub struct BotRunner(Arc<Shared>);

/// Where the process runs.
#[derive(Clone)]
enum RunnerSource {
    /// On this machine, as a child of this process.
    Child(RunnerOptions),
    /// At the worker with this key.
    Worker(RemoteRunners, String),
}

impl RunnerSource {
    fn start(&self) -> io::Result<RunnerPipes> {
        match self {
            Self::Child(options) => pipes::start_child(options),
            Self::Worker(runners, key) => runners.connect(key),
        }
    }
}

struct Shared {
    source: RunnerSource,
    state: Mutex<RunnerState>,
}

struct RunnerState {
    process: Option<Arc<RunnerProcess>>,
    started: Instant,
    pauses: Backoff,
    /// No start before this time.
    next_start: Instant,
}

/// Why a program cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadFailure {
    /// It is none, or it needs too much: a sentence for its author.
    #[error("{0}")]
    Refused(String),
    /// There is no runner now. Later there may be one.
    #[error("programs cannot run now: {0}")]
    NoRunner(String),
}

impl BotRunner {
    /// A runner on this machine that is not started yet.
    pub fn new(options: RunnerOptions) -> Self {
        Self::from_source(RunnerSource::Child(options))
    }

    /// A runner at the worker with this key that is not started yet.
    pub fn at_worker(runners: RemoteRunners, key: String) -> Self {
        Self::from_source(RunnerSource::Worker(runners, key))
    }

    fn from_source(source: RunnerSource) -> Self {
        let now = Instant::now();
        let state = RunnerState { process: None, started: now, pauses: RESTART, next_start: now };
        Self(Arc::new(Shared { source, state: Mutex::new(state) }))
    }

    /// Another process of the same kind, for work that must not disturb this one's, such as compiling what nobody has compiled yet.
    pub fn another(&self) -> Self {
        Self::from_source(self.0.source.clone())
    }

    fn lock(&self) -> MutexGuard<'_, RunnerState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process; starts it if there is none. Blocks for a moment.
    fn process(&self) -> Result<Arc<RunnerProcess>, LoadFailure> {
        let mut state = self.lock();
        if let Some(process) = &state.process {
            if process.is_alive() {
                return Ok(Arc::clone(process));
            }
            if state.started.elapsed() >= HEALTHY {
                state.pauses = RESTART;
            }
            state.next_start = Instant::now() + state.pauses.pause();
            state.process = None;
        }
        let wait = state.next_start.saturating_duration_since(Instant::now());
        if !wait.is_zero() {
            return Err(LoadFailure::NoRunner("the runner has ended and is started again".to_owned()));
        }
        let started = self.0.source.start().and_then(RunnerProcess::start);
        state.started = Instant::now();
        match started {
            Ok(process) => Ok(Arc::clone(state.process.insert(Arc::new(process)))),
            Err(e) => {
                state.next_start = Instant::now() + state.pauses.pause();
                tracing::error!(error = %e, "the process that runs bots does not start");
                Err(LoadFailure::NoRunner(e.to_string()))
            }
        }
    }

    /// Whether the runner has this module.
    pub fn has(&self, hash: &ModuleHash) -> bool {
        let state = self.lock();
        state.process.as_ref().is_some_and(|process| process.is_alive() && process.has(hash))
    }

    /// Has a module checked and compiled, unless the runner has it. Blocks for up to some seconds.
    ///
    /// # Errors
    /// Why the module is no program, or why there is no runner.
    pub fn load(&self, hash: ModuleHash, module: &[u8]) -> Result<(), LoadFailure> {
        self.process()?.load(hash, module)
    }

    /// Seats a program that was loaded. `seed`: of the random numbers of its processes.
    ///
    /// # Errors
    /// When the runner does not have it any more: load it again.
    pub fn seat_of(&self, hash: ModuleHash, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, LoadFailure> {
        let process = self.process()?;
        if !process.has(&hash) {
            return Err(LoadFailure::NoRunner("the runner has ended meanwhile".to_owned()));
        }
        Ok(Box::new(RunnerSeat::new(process, hash, seed)))
    }

    /// Ends the process. It starts again when it is needed.
    pub fn stop(&self) {
        if let Some(process) = self.lock().process.take() {
            process.kill();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(process) = state.process.take() {
            process.kill();
        }
    }
}

/// The programs of matches that are no hosted ones, such as those of a check. Their files are the hashes of loaded modules, as
/// hexadecimal digits.
impl ProgramHost for BotRunner {
    fn seat(&self, file: &str, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String> {
        let hash =
            crate::domain::token::unhex(file).ok_or_else(|| format!("{file} is no hash of a program"))?;
        self.seat_of(hash, seed).map_err(|e| e.to_string())
    }
}
