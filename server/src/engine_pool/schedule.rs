//! The threads of the pool and their slots: there are as many slots as cores, and a search computes while it has one. All
//! decisions about slots are made under one lock; an engine never runs under it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engines::cores::Cores;
use engines::search::Host;
use engines::timer::Timer;
use tokio::sync::oneshot;

use crate::engine_pool::cores::FreeCores;
use crate::engine_pool::cost::CostTable;
use crate::engine_pool::pick::SlotChange;
use crate::engine_pool::reporting_host::ReportingHost;
use crate::engine_pool::shares::{AccountPath, Class, FairShares, QUANTUM, SearchEntry, SearchState};
use crate::engine_pool::slot_host::{SearchControl, SlotHost};
use crate::engine_pool::{AnalysisUpdate, Task, TimedDecision};
use crate::error::{Code, Error};
use crate::fence::{Panicked, fenced};
use crate::metrics::{LaneMetrics, Metrics};

/// The minimum time after which to try again if the queue is full.
const FULL: Duration = Duration::from_millis(50);

/// Stack size of a thread, in bytes: a search may recurse deeply.
const STACK: usize = 8 << 20;

/// The niceness of threads for long searches (0 to 19), so that they yield to other threads.
const NICENESS: i32 = 10;

/// The limit for all addresses together, as a multiple of the limit for one.
const ALL_QUEUES: usize = 8;

/// A search to run.
pub(super) struct Job {
    pub task: Task,
    pub class: Class,
    /// How long it may think.
    pub think: Duration,
    /// When the search ends at the latest.
    pub ends_by: Instant,
    /// How long it will probably take.
    pub expected: Duration,
    pub arrived: Instant,
    pub answer: oneshot::Sender<Result<TimedDecision, Error>>,
}

impl Job {
    /// The time that must fit before its end: for a search limited by nodes twice the estimate, otherwise the time asked for.
    fn needs(&self) -> Duration {
        if self.task.limits.nodes.is_some() { self.expected * 2 } else { self.expected }
    }
}

pub(super) struct Schedule {
    /// Searches of one address that may wait, of each class.
    queue: usize,
    state: Mutex<ScheduleState>,
    work: [Condvar; 2],
    costs: Arc<CostTable>,
    cores: Arc<FreeCores>,
    metrics: [LaneMetrics; 2],
}

struct ScheduleState {
    shares: FairShares,
    live: HashMap<u64, LiveSearch>,
    /// Per class, the searches that a thread is to begin.
    ready: [VecDeque<(u64, Arc<SearchControl>, Job)>; 2],
    /// Per class, the number of idle threads.
    idle: [usize; 2],
    threads: usize,
    next_id: u64,
    /// When the slots are assigned again at the earliest if no search arrives or ends.
    next_rebalance: Instant,
    stopping: bool,
}

/// A search that has not ended.
struct LiveSearch {
    path: AccountPath,
    gate: Arc<SearchControl>,
    /// The job, until the search begins.
    job: Option<Job>,
}

impl Schedule {
    pub(super) fn start(
        slots: usize,
        queue: usize,
        costs: Arc<CostTable>,
        metrics: &Metrics,
    ) -> std::io::Result<Arc<Self>> {
        let state = ScheduleState {
            shares: FairShares::new(slots),
            live: HashMap::new(),
            ready: Default::default(),
            idle: [0; 2],
            threads: 0,
            next_id: 0,
            next_rebalance: Instant::now(),
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

    fn lock(&self) -> MutexGuard<'_, ScheduleState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(self: &Arc<Self>, state: &mut ScheduleState, class: Class) -> std::io::Result<()> {
        let this = Arc::clone(self);
        let name = format!("{}-{}", if class == Class::Quick { "quick" } else { "long" }, state.threads);
        thread::Builder::new().name(name).stack_size(STACK).spawn(move || this.run_thread(class))?;
        state.threads += 1;
        Ok(())
    }

    /// Accepts the search if it can meet its deadline; returns its id, by which it can be cancelled.
    pub(super) fn submit(self: &Arc<Self>, job: Job) -> Result<u64, Error> {
        let (class, now, path) = (job.class, job.arrived, job.task.source.path());
        let mut state = self.lock();
        if state.stopping {
            return Err(Error::stopping());
        }
        let id = state.next_id;
        let entry = SearchEntry::new(id, class, job.expected, job.ends_by);
        let (own, all) = state.shares.waiting(&path, class);
        let wait = state.shares.admission_delay(&path, &entry, job.needs(), now);
        if let Some(why) = self.refusal(own, all, wait) {
            self.metrics[class.index()].refused.inc();
            let full = own >= self.queue || all >= ALL_QUEUES * self.queue;
            return Err(Error::busy(why, if full { wait.max(FULL) } else { wait }));
        }
        state.next_id += 1;
        state.shares.add(&path, entry);
        state.live.insert(id, LiveSearch { path, gate: Arc::default(), job: Some(job) });
        self.metrics[class.index()].admitted.inc();
        self.balance(&mut state, now, false);
        Ok(id)
    }

    /// Why a search is refused, if it is: `own` and `all` searches wait, of its address and in total; it would have to wait.
    fn refusal(&self, own: usize, all: usize, wait: Duration) -> Option<String> {
        if own >= self.queue {
            let most = self.queue;
            return Some(format!("{most} searches of this address are waiting already; the limit is {most}"));
        }
        if all >= ALL_QUEUES * self.queue {
            let most = ALL_QUEUES * self.queue;
            return Some(format!("{most} searches are waiting already; the limit is {most}"));
        }
        (!wait.is_zero()).then(|| "no engine would be free in time for this deadline".to_owned())
    }

    /// Assigns the slots again, and notifies the searches. `sticky`: see [`FairShares::balance`].
    fn balance(self: &Arc<Self>, state: &mut ScheduleState, now: Instant, sticky: bool) {
        state.next_rebalance = now + QUANTUM;
        self.refuse_late(state, now);
        for (id, change) in state.shares.balance(now, sticky) {
            let Some(live) = state.live.get_mut(&id) else { continue };
            match change {
                SlotChange::Suspend => live.gate.suspend(),
                SlotChange::Resume => live.gate.resume(),
                SlotChange::Start => {
                    let Some(job) = live.job.take() else { continue };
                    let (class, gate) = (job.class, Arc::clone(&live.gate));
                    self.begin(state, class, (id, gate, job));
                }
            }
        }
        self.update_metrics(state);
    }

    /// Gives a search to a thread.
    fn begin(
        self: &Arc<Self>,
        state: &mut ScheduleState,
        class: Class,
        work: (u64, Arc<SearchControl>, Job),
    ) {
        let index = class.index();
        state.ready[index].push_back(work);
        if state.ready[index].len() > state.idle[index]
            && let Err(e) = self.spawn(state, class)
        {
            // One of the existing threads runs it later.
            tracing::warn!(error = %e, "the system gives no thread for another search");
        }
        self.work[index].notify_one();
    }

    /// Refuses the searches whose deadline has passed before they began.
    fn refuse_late(&self, state: &mut ScheduleState, now: Instant) {
        let late = |e: &&SearchEntry| e.state == SearchState::Waiting && e.ends_by <= now;
        let late: Vec<u64> = state.shares.each().filter(late).map(|e| e.id).collect();
        for id in late {
            if let Some(job) = state.withdraw(id, now) {
                self.metrics[job.class.index()].refused.inc();
                // The caller may have disconnected.
                let _ = job.answer.send(Err(too_late()));
            }
        }
    }

    fn update_metrics(&self, state: &ScheduleState) {
        let (mut busy, mut counts) = (0, [[0; 3]; 2]);
        for entry in state.shares.each() {
            let place = match entry.state {
                SearchState::Waiting => 0,
                SearchState::Suspended => 1,
                SearchState::Running(_) => 2,
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

    /// Assigns the slots again if that is due and may change something. Running searches call this.
    pub(super) fn rebalance_if_due(self: &Arc<Self>, now: Instant) {
        let mut state = self.lock();
        if now >= state.next_rebalance && state.shares.is_contended() {
            self.balance(&mut state, now, true);
        }
    }

    /// Cancels a search. Returns whether it had not begun.
    pub(super) fn cancel(self: &Arc<Self>, id: u64) -> bool {
        let mut state = self.lock();
        let Some(live) = state.live.get(&id) else { return false };
        live.gate.stop();
        let now = Instant::now();
        let Some(job) = state.withdraw(id, now) else { return false };
        self.metrics[job.class.index()].cancelled.inc();
        self.balance(&mut state, now, true);
        true
    }

    /// Decides on the calling thread: for engines that answer within microseconds.
    pub(super) fn look_up(&self, task: Task, now: Instant) -> Result<Result<TimedDecision, Error>, Error> {
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
        Ok(self.decide(&task, metrics, now, &timer, took, &SearchControl::default()))
    }

    /// Ends all work and the threads.
    pub(super) fn stop(self: &Arc<Self>) {
        let mut state = self.lock();
        state.stopping = true;
        let now = Instant::now();
        let ids: Vec<u64> = state.live.keys().copied().collect();
        for id in ids {
            if let Some(job) = state.withdraw(id, now) {
                // The caller may have disconnected.
                let _ = job.answer.send(Err(Error::stopping()));
            } else if let Some(live) = state.live.get(&id) {
                live.gate.stop();
            }
        }
        self.update_metrics(&state);
        drop(state);
        self.work.iter().for_each(Condvar::notify_all);
    }

    /// The loop of a thread.
    fn run_thread(self: &Arc<Self>, class: Class) {
        if class == Class::Long
            && let Err(e) = lower_priority(NICENESS)
        {
            tracing::warn!(error = %e, "the priority of a thread for long searches cannot be lowered");
        }
        let index = class.index();
        let mut state = self.lock();
        loop {
            if let Some((id, gate, job)) = state.ready[index].pop_front() {
                drop(state);
                self.run_search(id, &gate, job);
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

    fn run_search(self: &Arc<Self>, id: u64, gate: &Arc<SearchControl>, job: Job) {
        let Job { task, class, think, ends_by, arrived, answer, .. } = job;
        let metrics = &self.metrics[class.index()];
        let began = Instant::now();
        let result = if began >= task.deadline {
            metrics.refused.inc();
            Err(too_late())
        } else {
            let cores = Arc::clone(&self.cores) as Arc<dyn Cores>;
            let host = SlotHost::new(Arc::clone(self), Arc::clone(gate), cores, (began, think, ends_by));
            self.decide(&task, metrics, arrived, &host, || (host.took(), host.suspended()), gate)
        };
        // The caller may read the counters as soon as it has the decision: update them first.
        if answer.is_closed() {
            metrics.cancelled.inc();
        }
        let mut state = self.lock();
        let now = Instant::now();
        state.remove(id, now);
        self.balance(&mut state, now, true);
        drop(state);
        // The caller may have disconnected.
        let _ = answer.send(result);
    }

    /// Runs the engine. `times`: returns how long it has thought and how long it had no slot.
    fn decide(
        &self,
        task: &Task,
        metrics: &LaneMetrics,
        arrived: Instant,
        host: &dyn Host,
        times: impl Fn() -> (Duration, Duration),
        gate: &SearchControl,
    ) -> Result<TimedDecision, Error> {
        let Task { position, engine, limits, updates, .. } = task;
        let began = Instant::now();
        let decided = fenced(|| match updates {
            None => position.think(Some(engine.name), limits.clone(), host),
            Some(updates) => {
                let host = ReportingHost::new(host, began);
                position.analyse(Some(engine.name), limits.clone(), &host, &mut |answer| {
                    // If the caller has disconnected, the search is cancelled as well.
                    let _ = updates.send(AnalysisUpdate { answer, took: times().0 });
                })
            }
        });
        let (took, suspended) = times();
        metrics.thinking(took);
        match decided {
            Ok(Ok(decision)) => {
                metrics.nodes(engine.game, decision.nodes);
                if !gate.is_stopped() {
                    self.costs.learn(*engine, limits, decision.nodes, took);
                }
                let queued = began.saturating_duration_since(arrived) + suspended;
                Ok(TimedDecision { answer: decision, queued, took })
            }
            Ok(Err(refusal)) => Err(refusal.into()),
            Err(Panicked) => {
                metrics.panics.inc();
                let what = format!("the engine {} of {} panicked", engine.name, engine.game);
                Err(Error::new(Code::EngineFailed, what))
            }
        }
    }
}

impl ScheduleState {
    fn remove(&mut self, id: u64, now: Instant) {
        if let Some(live) = self.live.remove(&id) {
            self.shares.remove(&live.path, id, now);
        }
    }

    /// Removes a search that has not begun, and returns its job.
    fn withdraw(&mut self, id: u64, now: Instant) -> Option<Job> {
        let job = self.live.get_mut(&id)?.job.take()?;
        self.remove(id, now);
        Some(job)
    }
}

/// The refusal of a search that could not begin in time after all.
pub(super) fn too_late() -> Error {
    Error::busy("no engine was free in time for this deadline".to_owned(), FULL)
}

/// Lowers the priority of the calling thread.
#[cfg(target_os = "linux")]
fn lower_priority(nice: i32) -> std::io::Result<()> {
    // On Linux, niceness is a property of the thread.
    rustix::process::nice(nice)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn lower_priority(_: i32) -> std::io::Result<()> {
    Ok(())
}
