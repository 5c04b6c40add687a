//! The threads of the pool and their slots: there are as many slots as cores, and a search computes while it has one.
//! What is decided about slots is decided under one lock; an engine never runs under it.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engines::cores::Cores;
use engines::search::Host;
use engines::timer::Timer;
use tokio::sync::oneshot;

use crate::engine_pool::cores::FreeCores;
use crate::engine_pool::cost::Costs;
use crate::engine_pool::gate::{Gate, GateHost};
use crate::engine_pool::onlooker::Onlooker;
use crate::engine_pool::pick::Change;
use crate::engine_pool::share::{Class, Entry, Path, QUANTUM, Shares, State as Place};
use crate::engine_pool::{Found, Task, TimedDecision};
use crate::error::{Code, Error};
use crate::metrics::{LaneMetrics, Metrics};

/// The least time after which to come back when the queue is full.
const FULL: Duration = Duration::from_millis(50);

/// Search may recurse deeply.
const STACK: usize = 8 << 20;

/// How far the threads of long searches step back behind others (0 to 19).
const NICE: i32 = 10;

/// The queues of all addresses together are as long as this many full ones of one address.
const QUEUES: usize = 8;

/// A search that was asked for.
pub struct Job {
    pub task: Task,
    pub class: Class,
    /// How long it may think.
    pub think: Duration,
    /// When its search ends at the latest.
    pub ends_by: Instant,
    /// How long it will take.
    pub expected: Duration,
    pub came: Instant,
    pub answer: oneshot::Sender<Result<TimedDecision, Error>>,
}

impl Job {
    /// What must fit before its end: all of a counted search, and of a timed one what was asked.
    fn needs(&self) -> Duration {
        if self.task.limits.nodes.is_some() { self.expected * 2 } else { self.expected }
    }
}

pub struct Schedule {
    /// Searches of one address that may wait, of each class.
    queue: usize,
    state: Mutex<State>,
    work: [Condvar; 2],
    costs: Arc<Costs>,
    cores: Arc<FreeCores>,
    metrics: [LaneMetrics; 2],
}

struct State {
    shares: Shares,
    live: HashMap<u64, Live>,
    /// Per class, what a thread is to begin.
    ready: [VecDeque<(u64, Arc<Gate>, Job)>; 2],
    /// Per class, the threads with nothing to do.
    idle: [usize; 2],
    threads: usize,
    next_id: u64,
    /// When the slots are divided anew at the earliest although nothing came or ended.
    next_look: Instant,
    stopping: bool,
}

/// A search that has not ended.
struct Live {
    path: Path,
    gate: Arc<Gate>,
    /// Until it begins.
    waiting: Option<Job>,
}

impl Schedule {
    pub fn start(
        slots: usize,
        queue: usize,
        costs: Arc<Costs>,
        metrics: &Metrics,
    ) -> std::io::Result<Arc<Self>> {
        let state = State {
            shares: Shares::new(slots),
            live: HashMap::new(),
            ready: Default::default(),
            idle: [0; 2],
            threads: 0,
            next_id: 0,
            next_look: Instant::now(),
            stopping: false,
        };
        let schedule = Arc::new(Self {
            queue,
            state: Mutex::new(state),
            work: Default::default(),
            costs,
            cores: Arc::new(FreeCores::new(slots)),
            metrics: ["quick", "long"].map(|lane| metrics.lane(lane)),
        });
        for class in [Class::Quick, Class::Long] {
            for _ in 0..slots {
                let spawned = schedule.spawn(&mut schedule.lock(), class);
                if let Err(e) = spawned {
                    schedule.stop();
                    return Err(e);
                }
            }
        }
        Ok(schedule)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(self: &Arc<Self>, state: &mut State, class: Class) -> std::io::Result<()> {
        let this = Arc::clone(self);
        let name = format!("{}-{}", if class == Class::Quick { "quick" } else { "long" }, state.threads);
        thread::Builder::new().name(name).stack_size(STACK).spawn(move || this.serve(class))?;
        state.threads += 1;
        Ok(())
    }

    /// Takes the search if it can be done in time; its number, by which it is cancelled.
    pub fn submit(self: &Arc<Self>, job: Job) -> Result<u64, Error> {
        let (class, now, path) = (job.class, job.came, job.task.source.path());
        let mut state = self.lock();
        if state.stopping {
            return Err(Error::stopping());
        }
        let id = state.next_id;
        let entry = Entry::new(id, class, job.expected, job.ends_by);
        let (own, all) = state.shares.waiting(&path, class);
        let wait = state.shares.too_early_by(&path, &entry, job.needs(), now);
        if let Some(why) = self.refusal(own, all, wait) {
            self.metrics[class.index()].refused.inc();
            let full = own >= self.queue || all >= QUEUES * self.queue;
            return Err(Error::busy(why, if full { wait.max(FULL) } else { wait }));
        }
        state.next_id += 1;
        state.shares.add(&path, entry);
        state.live.insert(id, Live { path, gate: Arc::default(), waiting: Some(job) });
        self.metrics[class.index()].admitted.inc();
        self.balance(&mut state, now, false);
        Ok(id)
    }

    /// Why a search is refused, if it is: what waits of its address, and in all; how much too early it comes.
    fn refusal(&self, own: usize, all: usize, wait: Duration) -> Option<String> {
        if own >= self.queue {
            let most = self.queue;
            return Some(format!(
                "{most} searches of this address are waiting already, which is the limit here"
            ));
        }
        if all >= QUEUES * self.queue {
            let most = QUEUES * self.queue;
            return Some(format!("{most} searches are waiting already, which is the limit here"));
        }
        (!wait.is_zero()).then(|| "no engine would be free in time for this deadline".to_owned())
    }

    /// Divides the slots anew, and tells the searches. `sticky`: see [`Shares::balance`].
    fn balance(self: &Arc<Self>, state: &mut State, now: Instant, sticky: bool) {
        state.next_look = now + QUANTUM;
        self.drop_late(state, now);
        for (id, change) in state.shares.balance(now, sticky) {
            let Some(live) = state.live.get_mut(&id) else { continue };
            match change {
                Change::Suspend => live.gate.suspend(),
                Change::Resume => live.gate.resume(),
                Change::Start => {
                    let Some(job) = live.waiting.take() else { continue };
                    let (class, gate) = (job.class, Arc::clone(&live.gate));
                    self.begin(state, class, (id, gate, job));
                }
            }
        }
        self.measure(state);
    }

    /// Gives a search to a thread.
    fn begin(self: &Arc<Self>, state: &mut State, class: Class, work: (u64, Arc<Gate>, Job)) {
        let index = class.index();
        state.ready[index].push_back(work);
        if state.ready[index].len() > state.idle[index]
            && let Err(e) = self.spawn(state, class)
        {
            // One of the threads that are there takes it later.
            tracing::warn!(error = %e, "the system gives no thread for another search");
        }
        self.work[index].notify_one();
    }

    /// Refuses the searches whose time has passed before they began.
    fn drop_late(&self, state: &mut State, now: Instant) {
        let late = |e: &&Entry| e.state == Place::Waiting && e.ends_by <= now;
        let late: Vec<u64> = state.shares.each().filter(late).map(|e| e.id).collect();
        for id in late {
            if let Some(job) = state.withdraw(id, now) {
                self.metrics[job.class.index()].refused.inc();
                // The caller may have gone.
                let _ = job.answer.send(Err(too_late()));
            }
        }
    }

    fn measure(&self, state: &State) {
        let (mut busy, mut counts) = (0, [[0; 3]; 2]);
        for entry in state.shares.each() {
            let place = match entry.state {
                Place::Waiting => 0,
                Place::Suspended => 1,
                Place::Running(_) => 2,
            };
            counts[entry.class.index()][place] += 1;
            busy += usize::from(place == 2);
        }
        self.cores.set_busy(busy);
        for (metrics, [waiting, suspended, running]) in self.metrics.iter().zip(counts) {
            metrics.queue.set(waiting);
            metrics.suspended.set(suspended);
            metrics.running.set(running);
        }
    }

    /// Divides the slots anew where that may change something: asked by the searches that run.
    pub fn look(self: &Arc<Self>, now: Instant) {
        let mut state = self.lock();
        if now >= state.next_look && state.shares.is_contended() {
            self.balance(&mut state, now, true);
        }
    }

    /// Ends a search that its caller no longer waits for. Returns whether it had not begun.
    pub fn cancel(self: &Arc<Self>, id: u64) -> bool {
        let mut state = self.lock();
        let Some(live) = state.live.get(&id) else { return false };
        live.gate.stop();
        let now = Instant::now();
        let Some(job) = state.withdraw(id, now) else { return false };
        self.metrics[job.class.index()].cancelled.inc();
        self.balance(&mut state, now, true);
        true
    }

    /// Decides here and now: for engines that answer within microseconds whatever time they are given.
    pub fn look_up(&self, task: Task, now: Instant) -> Result<Result<TimedDecision, Error>, Error> {
        if self.lock().stopping {
            return Err(Error::stopping());
        }
        let metrics = &self.metrics[Class::Quick.index()];
        metrics.admitted.inc();
        if now >= task.deadline {
            metrics.refused.inc();
            return Ok(Err(too_late()));
        }
        let timer = Timer::new(Some(task.deadline.min(now + task.think)), Arc::default());
        let took = || (now.elapsed(), Duration::ZERO);
        Ok(self.decide(&task, metrics, now, &timer, took, &Gate::default()))
    }

    /// Ends all work and the threads.
    pub fn stop(self: &Arc<Self>) {
        let mut state = self.lock();
        state.stopping = true;
        let now = Instant::now();
        let ids: Vec<u64> = state.live.keys().copied().collect();
        for id in ids {
            if let Some(job) = state.withdraw(id, now) {
                // The caller may have gone.
                let _ = job.answer.send(Err(Error::stopping()));
            } else if let Some(live) = state.live.get(&id) {
                live.gate.stop();
            }
        }
        self.measure(&state);
        drop(state);
        self.work.iter().for_each(Condvar::notify_all);
    }

    /// The life of a thread.
    fn serve(self: &Arc<Self>, class: Class) {
        if class == Class::Long
            && let Err(e) = step_back(NICE)
        {
            tracing::warn!(error = %e, "the system does not let threads of long searches step back");
        }
        let index = class.index();
        let mut state = self.lock();
        loop {
            if let Some((id, gate, job)) = state.ready[index].pop_front() {
                drop(state);
                self.run(id, &gate, job);
                state = self.lock();
            } else if state.stopping {
                return;
            } else {
                state.idle[index] += 1;
                state = self.work[index].wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle[index] -= 1;
            }
        }
    }

    fn run(self: &Arc<Self>, id: u64, gate: &Arc<Gate>, job: Job) {
        let Job { task, class, think, ends_by, came, answer, .. } = job;
        let metrics = &self.metrics[class.index()];
        let began = Instant::now();
        let result = if began >= task.deadline {
            metrics.refused.inc();
            Err(too_late())
        } else {
            let cores = Arc::clone(&self.cores) as Arc<dyn Cores>;
            let host = GateHost::new(Arc::clone(self), Arc::clone(gate), cores, (began, think, ends_by));
            self.decide(&task, metrics, came, &host, || (host.took(), host.suspended()), gate)
        };
        // The caller may read the counters as soon as it has the answer: update them first.
        if answer.is_closed() {
            metrics.cancelled.inc();
        }
        let mut state = self.lock();
        let now = Instant::now();
        state.remove(id, now);
        self.balance(&mut state, now, true);
        drop(state);
        // The caller may have gone.
        let _ = answer.send(result);
    }

    /// Lets the engine think. `times`: how long it has thought and how long it had no slot.
    fn decide(
        &self,
        task: &Task,
        metrics: &LaneMetrics,
        came: Instant,
        host: &dyn Host,
        times: impl Fn() -> (Duration, Duration),
        gate: &Gate,
    ) -> Result<TimedDecision, Error> {
        let Task { position, engine, limits, found, .. } = task;
        let began = Instant::now();
        let thought = catch_unwind(AssertUnwindSafe(|| match found {
            None => position.think(Some(engine.name), limits.clone(), host),
            Some(found) => {
                let onlooker = Onlooker::new(host, began);
                position.analyse(Some(engine.name), limits.clone(), &onlooker, &mut |answer| {
                    // A caller that has gone has ended the search, too.
                    let _ = found.send(Found { answer, took: times().0 });
                })
            }
        }));
        let (took, suspended) = times();
        metrics.thinking(took);
        match thought {
            Ok(Ok(decided)) => {
                metrics.nodes(engine.game, decided.nodes);
                if !gate.is_stopped() {
                    self.costs.learn(*engine, limits, decided.nodes, took);
                }
                let queued = began.saturating_duration_since(came) + suspended;
                Ok(TimedDecision { answer: decided, queued, took })
            }
            Ok(Err(refusal)) => Err(refusal.into()),
            Err(_) => {
                metrics.panics.inc();
                let what = format!("the engine {} of {} panicked", engine.name, engine.game);
                Err(Error::new(Code::EngineFailed, what))
            }
        }
    }
}

impl State {
    fn remove(&mut self, id: u64, now: Instant) {
        if let Some(live) = self.live.remove(&id) {
            self.shares.remove(&live.path, id, now);
        }
    }

    /// Takes a search back that has not begun.
    fn withdraw(&mut self, id: u64, now: Instant) -> Option<Job> {
        let job = self.live.get_mut(&id)?.waiting.take()?;
        self.remove(id, now);
        Some(job)
    }
}

/// The refusal of a search that could not begin in time after all.
pub fn too_late() -> Error {
    Error::busy("no engine was free in time for this deadline".to_owned(), FULL)
}

/// Makes the calling thread step back behind others.
#[cfg(target_os = "linux")]
fn step_back(nice: i32) -> std::io::Result<()> {
    // On Linux this is a matter of the single thread.
    rustix::process::nice(nice)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn step_back(_: i32) -> std::io::Result<()> {
    Ok(())
}
