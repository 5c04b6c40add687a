//! One lane of the pool: a bounded queue and the threads that serve it. Admission is decided under the queue's
//! lock; an engine never runs under it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engines::cores::Cores;
use engines::timer::Timer;
use tokio::sync::oneshot;

use super::cores::FreeCores;
use super::cost::Costs;
use super::onlooker::Onlooker;
use super::plan::{Running, begins, too_early_by};
use super::{Found, Task, Thought};
use crate::error::{Code, Error};
use crate::metrics::{LaneMetrics, Metrics};

/// The least time after which to come back when the queue is full.
const FULL: Duration = Duration::from_millis(50);

/// Search may recurse deeply.
const STACK: usize = 8 << 20;

/// The shape of a lane.
pub struct Shape {
    /// For threads' names and metrics.
    pub name: &'static str,
    /// How far its threads step back behind others (0 to 19).
    pub nice: i32,
    /// Number of threads.
    pub threads: usize,
    /// Tasks that may wait.
    pub queue: usize,
}

/// A task in the queue.
pub struct Job {
    pub task: Task,
    /// When its search ends at the latest.
    pub ends_by: Instant,
    /// How long it will take.
    pub expected: Duration,
    pub came: Instant,
    /// Set when nobody waits for the answer any more, or all work ends.
    pub stop: Arc<AtomicBool>,
    pub answer: oneshot::Sender<Result<Thought, Error>>,
}

impl Job {
    /// What must fit before its end: all of a counted search, and of a timed one what was asked.
    fn needs(&self) -> Duration {
        if self.task.limits.nodes.is_some() { self.expected * 2 } else { self.expected }
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

pub struct Lane {
    shape: Shape,
    state: Mutex<State>,
    work: Condvar,
    costs: Arc<Costs>,
    cores: Arc<FreeCores>,
    metrics: LaneMetrics,
}

struct State {
    queue: VecDeque<Job>,
    threads: Vec<Option<AtWork>>,
    stopping: bool,
}

/// What a thread does.
struct AtWork {
    running: Running,
    stop: Arc<AtomicBool>,
}

impl Lane {
    pub fn start(
        shape: Shape,
        costs: Arc<Costs>,
        cores: Arc<FreeCores>,
        metrics: &Metrics,
    ) -> std::io::Result<Arc<Self>> {
        let state = State {
            queue: VecDeque::new(),
            threads: (0..shape.threads).map(|_| None).collect(),
            stopping: false,
        };
        let metrics = metrics.lane(shape.name);
        let (state, work) = (Mutex::new(state), Condvar::new());
        let lane = Arc::new(Self { shape, state, work, costs, cores, metrics });
        for i in 0..lane.shape.threads {
            let this = Arc::clone(&lane);
            let name = format!("{}-{i}", lane.shape.name);
            let started = thread::Builder::new().name(name).stack_size(STACK).spawn(move || this.serve(i));
            if let Err(e) = started {
                lane.stop();
                return Err(e);
            }
        }
        Ok(lane)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues the job if it can be done in time.
    pub fn submit(&self, job: Job) -> Result<(), Error> {
        let mut state = self.lock();
        if state.stopping {
            return Err(Error::stopping());
        }
        if state.is_full(&self.shape) {
            let before = state.queue.len();
            state.queue.retain(|j| !j.cancelled());
            self.metrics.cancelled.inc_by((before - state.queue.len()) as u64);
        }
        let full = state.is_full(&self.shape);
        let wait = state.too_early_by(&job);
        if full || !wait.is_zero() {
            self.metrics.refused.inc();
            let why = if full {
                format!("{} thoughts are waiting already, which is the limit here", self.shape.queue)
            } else {
                "no engine would be free in time for this deadline".to_owned()
            };
            return Err(Error::busy(why, if full { wait.max(FULL) } else { wait }));
        }
        state.queue.push_back(job);
        self.metrics.admitted.inc();
        self.metrics.queue.set(state.queue.len() as i64);
        drop(state);
        self.work.notify_one();
        Ok(())
    }

    /// Decides here and now: for engines that answer within microseconds whatever time they are given.
    pub fn look_up(&self, task: Task, now: Instant) -> Result<Result<Thought, Error>, Error> {
        if self.lock().stopping {
            return Err(Error::stopping());
        }
        self.metrics.admitted.inc();
        let latest = task.deadline.min(now + task.think);
        let running = Running { began: now, expected: now, latest };
        let stop = Arc::new(AtomicBool::new(false));
        Ok(self.decide(task, now, &stop, running))
    }

    /// Ends all work and the threads.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.stopping = true;
        for at_work in state.threads.iter().flatten() {
            at_work.stop.store(true, Ordering::Relaxed);
        }
        let waiting = std::mem::take(&mut state.queue);
        self.metrics.queue.set(0);
        drop(state);
        self.work.notify_all();
        for job in waiting {
            // Nobody to tell is fine.
            let _ = job.answer.send(Err(Error::stopping()));
        }
    }

    /// The life of a thread.
    fn serve(&self, me: usize) {
        if let Err(e) = step_back(self.shape.nice) {
            tracing::warn!(error = %e, "the system does not let threads of long thoughts step back");
        }
        let mut state = self.lock();
        loop {
            while let Some(job) = state.queue.pop_front() {
                self.metrics.queue.set(state.queue.len() as i64);
                if job.cancelled() {
                    self.metrics.cancelled.inc();
                    continue;
                }
                let began = Instant::now();
                let latest = job.ends_by.min(began + job.task.think);
                let running = Running { began, expected: latest.min(began + job.expected), latest };
                state.threads[me] = Some(AtWork { running, stop: Arc::clone(&job.stop) });
                drop(state);
                self.metrics.running.inc();
                self.think(job, running);
                state = self.lock();
                state.threads[me] = None;
            }
            if state.stopping {
                return;
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn think(&self, job: Job, running: Running) {
        let Job { task, came, stop, answer, .. } = job;
        let busy = self.cores.occupy();
        let result = self.decide(task, came, &stop, running);
        drop(busy);
        if answer.is_closed() {
            self.metrics.cancelled.inc();
        }
        // Before the answer is out: who has it may look at the counters.
        self.metrics.running.dec();
        let _ = answer.send(result);
    }

    fn decide(
        &self,
        task: Task,
        came: Instant,
        stop: &Arc<AtomicBool>,
        running: Running,
    ) -> Result<Thought, Error> {
        if running.began >= task.deadline {
            self.metrics.refused.inc();
            return Err(Error::busy("no engine was free in time for this deadline".to_owned(), FULL));
        }
        let Task { position, engine, limits, found, .. } = task;
        let cores = Arc::clone(&self.cores) as Arc<dyn Cores>;
        let timer = Timer::new(Some(running.latest.max(running.began)), Arc::clone(stop)).lending(cores);
        let kept = limits.clone();
        let thought = catch_unwind(AssertUnwindSafe(move || match found {
            None => position.think(Some(engine.name), limits, &timer),
            Some(found) => {
                let onlooker = Onlooker::new(timer, running.began);
                position.analyse(Some(engine.name), limits, &onlooker, &mut |answer| {
                    // Whoever has gone has ended the search, too.
                    let _ = found.send(Found { answer, took: running.began.elapsed() });
                })
            }
        }));
        let took = running.began.elapsed();
        self.metrics.thinking(took);
        match thought {
            Ok(Ok(decided)) => {
                self.metrics.nodes(engine.game, decided.nodes);
                if !stop.load(Ordering::Relaxed) {
                    self.costs.learn(engine, &kept, decided.nodes, took);
                }
                let queued = running.began.saturating_duration_since(came);
                Ok(Thought { answer: decided, queued, took })
            }
            Ok(Err(refusal)) => Err(refusal.into()),
            Err(_) => {
                self.metrics.panics.inc();
                let what = format!("the engine {} of {} panicked", engine.name, engine.game);
                Err(Error::new(Code::EngineFailed, what))
            }
        }
    }
}

impl State {
    /// Whether as many tasks wait as may, those not counted that a thread is about to take.
    fn is_full(&self, shape: &Shape) -> bool {
        let idle = self.threads.iter().filter(|at_work| at_work.is_none()).count();
        self.queue.len() >= shape.queue + idle
    }

    /// How much later this job would have to come to be admitted.
    fn too_early_by(&self, job: &Job) -> Duration {
        let running = self.threads.iter().map(|t| t.as_ref().map(|w| w.running));
        let waiting = self.queue.iter().filter(|j| !j.cancelled()).map(|j| (j.expected, j.ends_by));
        too_early_by(begins(job.came, running, waiting), job.needs(), job.ends_by)
    }
}

/// Makes the calling thread step back behind others.
#[cfg(target_os = "linux")]
fn step_back(nice: i32) -> std::io::Result<()> {
    // On Linux this is a matter of the single thread.
    if nice != 0 {
        rustix::process::nice(nice)?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn step_back(_: i32) -> std::io::Result<()> {
    Ok(())
}
