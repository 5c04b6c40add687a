//! The engine pool: threads that run engines behind bounded queues. Engine time is divided fairly between callers; each
//! search has a deadline, can be cancelled, and cannot crash the process by a panic. It must not know HTTP, and an engine
//! that searches never runs on the async runtime's threads.

mod admission;
mod cores;
mod cost;
#[cfg(test)]
mod ladder_tests;
mod pick;
mod reporting_host;
mod schedule;
#[cfg(test)]
mod scripted_position;
mod share_rules;
mod shares;
#[cfg(test)]
mod shares_tests;
mod slot_host;
#[cfg(test)]
mod tests;
mod threads;
mod workers;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::dialogue::CountedTime;
use engines::erased::{AnyGame, EngineDecision, Position};
use engines::search::{Host, Limits};
use tokio::sync::{mpsc, oneshot};

use crate::domain::request_id::RequestId;
use crate::error::{Code, Error};
use crate::metrics::Metrics;
use cost::CostTable;
use schedule::{Job, JobTimes, ProgramWork, Schedule, SearchWork, Work};
use share_rules::LeastShares;
use shares::SearchLength;
pub use shares::{MatchPayer, Source};
use threads::Threads;
use workers::WorkerPool;
pub use workers::{WorkerService, WorkersOptions};

/// The time that a response may take on top of the thinking time if the caller named no deadline.
pub const TOLERANCE: Duration = Duration::from_millis(30);

/// How long before its deadline a search ends, so that the response arrives in time; less if the time is short.
const MARGIN: Duration = Duration::from_millis(10);

/// A search of at most this length overtakes longer searches of the same player.
const QUICK: Duration = Duration::from_millis(100);

/// How long after its deadline a search may still answer before it counts as lost.
const OVERRUN: Duration = Duration::from_secs(1);

/// The default share of the permanent ladder, in percent.
const LADDER_PERCENT: u8 = 10;

/// The default share of hosted programs, in percent.
const PROGRAMS_PERCENT: u8 = 20;

/// Settings of the pool.
#[derive(Clone, Debug, clap::Args)]
pub struct PoolOptions {
    /// Searches that compute at a time; further ones take turns with them. Default: the number of cores
    #[arg(long, env = "KIBITZ_THREADS", value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Searches of one address that may wait before they begin: this many quick ones (up to 100 ms) and this many longer
    /// ones. All addresses together: eight times as many
    #[arg(long, env = "KIBITZ_QUEUE", value_name = "N", default_value_t = 256)]
    pub queue: usize,
    /// The least share of engine time that the permanent ladder gets, in percent, however much others ask for. It gets more
    /// only of what the others leave
    #[arg(long, env = "KIBITZ_LADDER_SHARE", value_name = "PERCENT", default_value_t = LADDER_PERCENT,
          value_parser = clap::value_parser!(u8).range(1..=50))]
    pub ladder_share: u8,
    /// The least share of engine time that the programs of hosted bots get, in percent, however much others ask for. They get
    /// more only of what the others leave
    #[arg(long, env = "KIBITZ_BOTS_SHARE", value_name = "PERCENT", default_value_t = PROGRAMS_PERCENT,
          value_parser = clap::value_parser!(u8).range(1..=50))]
    pub bots_share: u8,
}

impl PoolOptions {
    /// The least shares of lanes.
    fn least_shares(&self) -> LeastShares {
        LeastShares { ladder: self.ladder_share, programs: self.bots_share }
    }

    /// How many searches compute at a time.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.threads.map_or_else(cores, NonZeroUsize::get)
    }
}

/// An engine as the pool knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EngineRef {
    /// The game's short name.
    pub game: &'static str,
    /// The engine's name.
    pub name: &'static str,
    /// Whether it always answers within some microseconds.
    pub instant: bool,
}

/// A request for a decision.
#[derive(Clone)]
pub struct Task {
    /// The view of the seat to move.
    pub position: Arc<dyn Position>,
    /// The owner of the share of engine time that the search uses.
    pub source: Source,
    /// The engine to use.
    pub engine: EngineRef,
    /// The limits of the search other than time.
    pub limits: Limits,
    /// How long to think, counted from the start of the search; time without a slot does not count.
    pub think: Duration,
    /// The time by which the response must have arrived.
    pub deadline: Instant,
    /// Receives interim results.
    pub updates: Option<mpsc::UnboundedSender<AnalysisUpdate>>,
}

impl Task {
    /// The game, if the search is for a match of the permanent ladder.
    fn ladder_game(&self) -> Option<&'static str> {
        matches!(self.source, Source::Ladder { .. }).then_some(self.engine.game)
    }
}

/// An interim result of a search.
#[derive(Debug)]
pub struct AnalysisUpdate {
    /// The decision that the engine would make now.
    pub answer: EngineDecision,
    /// How long it has thought so far.
    pub took: Duration,
}

/// A decision of an engine, and how long it took.
#[derive(Debug)]
pub struct TimedDecision {
    /// The decision.
    pub answer: EngineDecision,
    /// How long the task waited: before it began, and while other searches had its slot.
    pub queued: Duration,
    /// How long the engine thought.
    pub took: Duration,
}

impl TimedDecision {
    /// The engine's report about its decision, as remark lines of a dialogue; each ends with a line break.
    pub fn remarks(&self) -> String {
        let lines = engines::remarks::remarks(&self.answer, self.took, CountedTime::Wall);
        lines.iter().map(|line| format!("# {line}\n")).collect()
    }
}

/// Runs engines.
pub trait EnginePool: Send + Sync {
    /// Accepts the task, or refuses it at once if its deadline cannot be met.
    ///
    /// # Errors
    /// `busy`, with the time after which to try again; `stopping`.
    fn think(&self, task: Task) -> Result<Pending, Error>;
    /// Lets the turn of a program have a slot of this process, as a search of this source. The turn is called once: on a thread of
    /// the pool with its host, which lets it wait while others compute; or with the reason why it cannot run.
    ///
    /// # Errors
    /// `busy`, with the time after which to try again; `stopping`. Then the turn is dropped.
    fn run(&self, source: Source, turn: SlotWork) -> Result<ProgramRun, Error>;
    /// The number of searches that compute at a time.
    fn slots(&self) -> usize;
    /// Ends all work: running searches return their best decision so far, waiting ones are refused.
    fn stop(&self);
}

/// Starts the engine pool of a server: its own threads, and workers if any are configured.
///
/// # Errors
/// If the system gives no threads, or the settings of the workers are wrong: the text says what to do.
pub async fn start(
    options: &PoolOptions,
    workers: &WorkersOptions,
    games: &[&'static dyn AnyGame],
    metrics: &Metrics,
) -> std::io::Result<Box<dyn EnginePool>> {
    if workers.workers.is_empty() && !workers.local_engines {
        let what = "--local-engines=false needs workers: name a NATS server with --workers";
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, what));
    }
    let local = LocalPool::start(options, metrics)?;
    if workers.workers.is_empty() {
        return Ok(Box::new(local));
    }
    Ok(Box::new(WorkerPool::start(workers, options, local, games, metrics).await?))
}

/// Work that is no search of an engine, such as the turn of a program: see [`EnginePool::run`].
pub type SlotWork = Box<dyn FnOnce(Result<&dyn Host, Error>) + Send>;

/// A turn of a program that waits or runs. Dropping it ends the turn: its host tells it to stop.
#[must_use = "dropping it ends the turn"]
pub struct ProgramRun {
    _cancel: CancelOnDrop,
}

/// How long a turn of a program probably takes, for the choice of those that begin. Most take less.
const USUAL_TURN: Duration = Duration::from_millis(50);

/// The time after which a turn of a program ends in any case. Its own clock ends it far earlier.
const LONGEST_TURN: Duration = Duration::from_secs(24 * 3600);

/// A decision that is being made or is ready. Dropping it cancels the search.
#[must_use = "dropping it cancels the search"]
pub struct Pending(PendingState);

enum PendingState {
    Ready(Result<TimedDecision, Error>),
    Running {
        reply: oneshot::Receiver<Result<TimedDecision, Error>>,
        cancel: CancelOnDrop,
        deadline: Instant,
    },
}

struct CancelOnDrop {
    schedule: Arc<Schedule>,
    id: u64,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.schedule.cancel(self.id);
    }
}

/// Controls a search for another process.
struct SearchSwitch {
    schedule: Arc<Schedule>,
    id: u64,
}

impl SearchSwitch {
    /// Makes the search wait until [`Self::resume`].
    fn suspend(&self) {
        self.schedule.park(self.id);
    }

    /// Lets the search continue.
    fn resume(&self) {
        self.schedule.unpark(self.id);
    }

    /// Ends the search with what it has. Returns whether it had not begun.
    fn finish(&self) -> bool {
        self.schedule.cancel(self.id)
    }
}

impl Pending {
    /// Controls the search; `None` if it has ended.
    fn switch(&self) -> Option<SearchSwitch> {
        match &self.0 {
            PendingState::Ready(_) => None,
            PendingState::Running { cancel, .. } => {
                Some(SearchSwitch { schedule: Arc::clone(&cancel.schedule), id: cancel.id })
            }
        }
    }

    /// Adds the task to a schedule.
    fn submit(schedule: &Arc<Schedule>, costs: &CostTable, task: Task) -> Result<Self, Error> {
        let now = Instant::now();
        let window = task.deadline.saturating_duration_since(now);
        let ends_by = task.deadline - MARGIN.min(window / 4);
        let think = task.think.min(ends_by.saturating_duration_since(now));
        let expected = costs.expect(task.engine, &task.limits, think);
        let class = if think <= QUICK { SearchLength::Quick } else { SearchLength::Long };
        let deadline = task.deadline;
        let (answer, reply) = oneshot::channel();
        let times = JobTimes { class, think, ends_by, expected, arrived: now };
        let work = Work::Search(SearchWork { task, answer, request: RequestId::current() });
        let id = schedule.submit(Job { times, work })?;
        let cancel = CancelOnDrop { schedule: Arc::clone(schedule), id };
        Ok(Self(PendingState::Running { reply, cancel, deadline }))
    }

    /// Waits for the decision.
    ///
    /// # Errors
    /// `busy` if the search could not begin in time after all; `stopping`; a refusal by the position or the engine;
    /// `engine_failed` if the engine panicked or ignores its deadline.
    pub async fn answer(self) -> Result<TimedDecision, Error> {
        let (mut reply, cancel, deadline) = match self.0 {
            PendingState::Ready(result) => return result,
            PendingState::Running { reply, cancel, deadline } => (reply, cancel, deadline),
        };
        let mut answer = tokio::time::timeout_at(deadline.into(), &mut reply).await;
        if answer.is_err() {
            if cancel.schedule.cancel(cancel.id) {
                return Err(schedule::too_late());
            }
            answer = tokio::time::timeout_at((deadline + OVERRUN).into(), reply).await;
        }
        drop(cancel);
        match answer {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Error::new(Code::EngineFailed, "the search gave no result")),
            Err(_) => Err(Error::new(Code::EngineFailed, "the engine ignores its deadline")),
        }
    }
}

/// The pool of this process's own threads.
pub struct LocalPool {
    schedule: Arc<Schedule>,
    threads: Arc<Threads>,
    costs: Arc<CostTable>,
}

impl LocalPool {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(options: &PoolOptions, metrics: &Metrics) -> std::io::Result<Self> {
        let (slots, lanes) = (options.threads(), ["quick", "long"].map(|lane| metrics.lane(lane)));
        let costs = Arc::new(CostTable::default());
        let threads = Threads::start(slots, Arc::clone(&costs), lanes.clone())?;
        let schedule = Schedule::new(
            slots,
            (options.queue, options.least_shares()),
            lanes,
            Box::new(Arc::clone(&threads)),
        );
        Ok(Self { schedule, threads, costs })
    }
}

impl EnginePool for LocalPool {
    fn think(&self, task: Task) -> Result<Pending, Error> {
        if !task.engine.instant {
            return Pending::submit(&self.schedule, &self.costs, task);
        }
        // Such an engine answers faster than handing the task to another thread and back would take.
        if self.schedule.is_stopping() {
            return Err(Error::stopping());
        }
        Ok(Pending(PendingState::Ready(self.threads.look_up(&task, Instant::now()))))
    }

    fn run(&self, source: Source, turn: SlotWork) -> Result<ProgramRun, Error> {
        let arrived = Instant::now();
        let times = JobTimes {
            class: SearchLength::Long,
            think: LONGEST_TURN,
            ends_by: arrived + LONGEST_TURN,
            expected: USUAL_TURN,
            arrived,
        };
        let work = Work::Program(ProgramWork { source, turn, request: RequestId::current() });
        let id = self.schedule.submit(Job { times, work })?;
        Ok(ProgramRun { _cancel: CancelOnDrop { schedule: Arc::clone(&self.schedule), id } })
    }

    fn slots(&self) -> usize {
        self.schedule.slots()
    }

    fn stop(&self) {
        self.schedule.stop();
    }
}

impl Drop for LocalPool {
    fn drop(&mut self) {
        self.stop();
    }
}
