//! Where engines run: own threads behind a bounded queue, each thought with its deadline, its cancellation and its
//! panic fence. It must not know HTTP, and never runs an engine on the runtime's threads.

mod cores;
mod cost;
mod lane;
mod onlooker;
mod plan;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engines::any::{Answer, Position};
use engines::dialogue::CountedTime;
use engines::search::Limits;
use tokio::sync::{mpsc, oneshot};

use crate::error::{Code, Error};
use crate::metrics::Metrics;
use cores::FreeCores;
use cost::Costs;
use lane::{Job, Lane};

/// What an answer may need on top of its thinking time when the caller named no other deadline.
pub const TOLERANCE: Duration = Duration::from_millis(30);

/// How long before a deadline a search ends, so that its answer arrives in time; less where time is short.
const MARGIN: Duration = Duration::from_millis(10);

/// Thoughts of at most this length go to the quick lane.
const QUICK: Duration = Duration::from_millis(100);

/// How long after its deadline a search is still waited for before it counts as lost.
const OVERRUN: Duration = Duration::from_secs(1);

/// What tunes the pool.
#[derive(Clone, Debug, clap::Args)]
pub struct PoolOptions {
    /// Threads for long thoughts, and as many again for quick ones. Default: the number of cores.
    #[arg(long, env = "KIBITZ_THREADS", value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Thoughts that may wait for a thread, in each lane.
    #[arg(long, env = "KIBITZ_QUEUE", value_name = "N", default_value_t = 256)]
    pub queue: usize,
}

impl PoolOptions {
    /// The number of threads of a lane.
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
    /// Who decides.
    pub engine: EngineRef,
    /// What bounds the search besides time.
    pub limits: Limits,
    /// How long to think, counted from when a thread takes the task.
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
    pub answer: Answer,
    /// How long it has thought.
    pub took: Duration,
}

/// A decision that was made.
#[derive(Debug)]
pub struct Thought {
    /// What the engine says.
    pub answer: Answer,
    /// How long the task waited for a thread.
    pub queued: Duration,
    /// How long the engine thought.
    pub took: Duration,
}

impl Thought {
    /// What the engine thinks, as the lines of a dialogue that are remarks; each ends with a line break.
    pub fn remarks(&self) -> String {
        let lines = engines::remarks::remarks(&self.answer, self.took, CountedTime::Wall);
        lines.iter().map(|line| format!("# {line}\n")).collect()
    }
}

/// Who runs the engines: this process's pool today, other machines one day.
pub trait Thinking: Send + Sync {
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
    Made(Result<Thought, Error>),
    Awaited { reply: oneshot::Receiver<Result<Thought, Error>>, cancel: CancelOnDrop, deadline: Instant },
}

struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Pending {
    /// The decision.
    ///
    /// # Errors
    /// `busy` when it could not begin in time after all, `stopping`, what the position or engine refuses, and
    /// `engine_failed` when the engine panicked or ignores its deadline.
    pub async fn answer(self) -> Result<Thought, Error> {
        let (reply, cancel, deadline) = match self.0 {
            Way::Made(thought) => return thought,
            Way::Awaited { reply, cancel, deadline } => (reply, cancel, deadline),
        };
        let answer = tokio::time::timeout_at((deadline + OVERRUN).into(), reply).await;
        drop(cancel);
        match answer {
            Ok(Ok(thought)) => thought,
            Ok(Err(_)) => Err(Error::new(Code::EngineFailed, "the thought was lost")),
            Err(_) => Err(Error::new(Code::EngineFailed, "the engine ignores its deadline")),
        }
    }
}

/// The pool of this process: two lanes of threads, so that a slow search never delays a quick answer.
pub struct Pool {
    quick: Arc<Lane>,
    long: Arc<Lane>,
    costs: Arc<Costs>,
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(options: &PoolOptions, metrics: &Metrics) -> std::io::Result<Self> {
        let costs = Arc::new(Costs::default());
        let cores = Arc::new(FreeCores::new(options.threads()));
        let lane = |name, nice| {
            let (threads, queue) = (options.threads(), options.queue);
            let shape = lane::Shape { name, nice, threads, queue };
            Lane::start(shape, Arc::clone(&costs), Arc::clone(&cores), metrics)
        };
        Ok(Self { quick: lane("quick", 0)?, long: lane("long", 10)?, costs: Arc::clone(&costs) })
    }
}

impl Thinking for Pool {
    fn think(&self, task: Task) -> Result<Pending, Error> {
        let now = Instant::now();
        if task.engine.instant {
            // Looking an answer up is no thinking: it takes less than handing it to another thread and back.
            return self.quick.look_up(task, now).map(|thought| Pending(Way::Made(thought)));
        }
        let window = task.deadline.saturating_duration_since(now);
        let ends_by = task.deadline - MARGIN.min(window / 4);
        let think = task.think.min(ends_by.saturating_duration_since(now));
        let expected = self.costs.expect(task.engine, &task.limits, think);
        let lane = if think <= QUICK { &self.quick } else { &self.long };
        let deadline = task.deadline;
        let (answer, reply) = oneshot::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let cancel = CancelOnDrop(Arc::clone(&stop));
        lane.submit(Job { task, ends_by, expected, came: now, stop, answer })?;
        Ok(Pending(Way::Awaited { reply, cancel, deadline }))
    }

    fn stop(&self) {
        self.quick.stop();
        self.long.stop();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop();
    }
}
