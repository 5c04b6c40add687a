//! Where engines run: own threads behind bounded queues, the engine time divided fairly between callers, each search with
//! its deadline, its cancellation and its panic fence. It must not know HTTP, and never runs an engine that searches on
//! the runtime's threads.

mod cores;
mod cost;
mod gate;
mod onlooker;
mod pick;
mod plan;
mod schedule;
mod share;
#[cfg(test)]
mod share_tests;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::dialogue::CountedTime;
use engines::erased::{EngineDecision, Position};
use engines::search::Limits;
use tokio::sync::{mpsc, oneshot};

use crate::error::{Code, Error};
use crate::metrics::Metrics;
use cost::Costs;
use schedule::{Job, Schedule};
use share::Class;
pub use share::{Maker, Source};

/// What an answer may need on top of its thinking time when the caller named no other deadline.
pub const TOLERANCE: Duration = Duration::from_millis(30);

/// How long before a deadline a search ends, so that its answer arrives in time; less where time is short.
const MARGIN: Duration = Duration::from_millis(10);

/// Searches of at most this length overtake the longer ones of the same player.
const QUICK: Duration = Duration::from_millis(100);

/// How long after its deadline a search is still waited for before it counts as lost.
const OVERRUN: Duration = Duration::from_secs(1);

/// What tunes the pool.
#[derive(Clone, Debug, clap::Args)]
pub struct PoolOptions {
    /// Searches that compute at a time; further ones take turns with them. Default: the number of cores.
    #[arg(long, env = "KIBITZ_THREADS", value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Searches of one address that may wait before they begin: as many quick ones (100 ms) as longer ones. All
    /// addresses together: eight times as many.
    #[arg(long, env = "KIBITZ_QUEUE", value_name = "N", default_value_t = 256)]
    pub queue: usize,
}

impl PoolOptions {
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

/// A decision to be made.
#[derive(Clone)]
pub struct Task {
    /// What the seat to move sees.
    pub position: Arc<dyn Position>,
    /// Who pays for the engine time.
    pub source: Source,
    /// Who decides.
    pub engine: EngineRef,
    /// What bounds the search besides time.
    pub limits: Limits,
    /// How long to think, counted from when it begins; time without a slot does not count.
    pub think: Duration,
    /// When the answer must have arrived.
    pub deadline: Instant,
    /// Who wants to know meanwhile what was found so far.
    pub found: Option<mpsc::UnboundedSender<Found>>,
}

/// What a search has found so far.
#[derive(Debug)]
pub struct Found {
    /// What the engine would say now.
    pub answer: EngineDecision,
    /// How long it has thought.
    pub took: Duration,
}

/// A decision that was made.
#[derive(Debug)]
pub struct TimedDecision {
    /// What the engine says.
    pub answer: EngineDecision,
    /// How long the task waited: before it began, and while others had their turn.
    pub queued: Duration,
    /// How long the engine thought.
    pub took: Duration,
}

impl TimedDecision {
    /// What the engine thinks, as the lines of a dialogue that are remarks; each ends with a line break.
    pub fn remarks(&self) -> String {
        let lines = engines::remarks::remarks(&self.answer, self.took, CountedTime::Wall);
        lines.iter().map(|line| format!("# {line}\n")).collect()
    }
}

/// Who runs the engines: this process's pool today, other machines one day.
pub trait EnginePool: Send + Sync {
    /// Takes the task, or refuses it at once when its deadline cannot be kept.
    ///
    /// # Errors
    /// `busy` with the time after which to come back; `stopping`.
    fn think(&self, task: Task) -> Result<Pending, Error>;
    /// Ends all work: running searches answer with what they have, waiting ones are refused.
    fn stop(&self);
}

/// A decision on its way, or made already. Dropping it cancels the search.
#[must_use = "dropping it cancels the search"]
pub struct Pending(Way);

enum Way {
    Made(Result<TimedDecision, Error>),
    Awaited {
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

impl Pending {
    /// The decision.
    ///
    /// # Errors
    /// `busy` when it could not begin in time after all, `stopping`, what the position or engine refuses, and
    /// `engine_failed` when the engine panicked or ignores its deadline.
    pub async fn answer(self) -> Result<TimedDecision, Error> {
        let (mut reply, cancel, deadline) = match self.0 {
            Way::Made(thought) => return thought,
            Way::Awaited { reply, cancel, deadline } => (reply, cancel, deadline),
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
            Ok(Ok(thought)) => thought,
            Ok(Err(_)) => Err(Error::new(Code::EngineFailed, "the thought was lost")),
            Err(_) => Err(Error::new(Code::EngineFailed, "the engine ignores its deadline")),
        }
    }
}

/// The pool of this process.
pub struct LocalPool {
    schedule: Arc<Schedule>,
    costs: Arc<Costs>,
}

impl LocalPool {
    /// Starts the threads.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(options: &PoolOptions, metrics: &Metrics) -> std::io::Result<Self> {
        let costs = Arc::new(Costs::default());
        let schedule = Schedule::start(options.threads(), options.queue, Arc::clone(&costs), metrics)?;
        Ok(Self { schedule, costs })
    }
}

impl EnginePool for LocalPool {
    fn think(&self, task: Task) -> Result<Pending, Error> {
        let now = Instant::now();
        if task.engine.instant {
            // Looking an answer up is no thinking: it takes less than handing it to another thread and back.
            return self.schedule.look_up(task, now).map(|thought| Pending(Way::Made(thought)));
        }
        let window = task.deadline.saturating_duration_since(now);
        let ends_by = task.deadline - MARGIN.min(window / 4);
        let think = task.think.min(ends_by.saturating_duration_since(now));
        let expected = self.costs.expect(task.engine, &task.limits, think);
        let class = if think <= QUICK { Class::Quick } else { Class::Long };
        let deadline = task.deadline;
        let (answer, reply) = oneshot::channel();
        let id = self.schedule.submit(Job { task, class, think, ends_by, expected, came: now, answer })?;
        let cancel = CancelOnDrop { schedule: Arc::clone(&self.schedule), id };
        Ok(Pending(Way::Awaited { reply, cancel, deadline }))
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
