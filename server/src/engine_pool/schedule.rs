//! Decides which searches have a slot. There are as many slots as searches that may compute at a time, and a search
//! computes while it has one. All decisions about slots are made under one lock; an executor runs the searches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::domain::request_id::RequestId;
use crate::engine_pool::pick::SlotChange;
use crate::engine_pool::share_rules::LeastShares;
use crate::engine_pool::shares::{AccountPath, FairShares, QUANTUM, SearchEntry, SearchLength, SearchState};
use crate::engine_pool::slot_host::SearchControl;
use crate::engine_pool::{SlotWork, Source, Task, TimedDecision};
use crate::error::Error;
use crate::metrics::LaneMetrics;

/// The minimum time after which to try again if the queue is full.
const FULL: Duration = Duration::from_millis(50);

/// The limit for all addresses together, as a multiple of the limit for one.
const ALL_QUEUES: usize = 8;

/// A search, or the turn of a program, to run.
pub(super) struct Job {
    pub times: JobTimes,
    pub work: Work,
}

pub(super) struct JobTimes {
    pub class: SearchLength,
    /// How long it may think.
    pub think: Duration,
    /// The latest time at which the search ends.
    pub ends_by: Instant,
    /// How long it will probably take.
    pub expected: Duration,
    pub arrived: Instant,
}

/// What a job does.
pub(super) enum Work {
    /// An engine decides.
    Search(SearchWork),
    /// A program decides.
    Program(ProgramWork),
}

/// A search, and who waits for it.
pub(super) struct SearchWork {
    pub task: Task,
    pub answer: oneshot::Sender<Result<TimedDecision, Error>>,
    /// The request that asks for it.
    pub request: Option<RequestId>,
}

/// The turn of a program.
pub(super) struct ProgramWork {
    pub source: Source,
    /// Is called once.
    pub turn: SlotWork,
    /// The request to which it is due.
    pub request: Option<RequestId>,
}

impl Job {
    /// The time that must fit before its end: for a search limited by nodes twice the estimate, otherwise the time asked for.
    fn needs(&self) -> Duration {
        match &self.work {
            Work::Search(search) if search.task.limits.nodes.is_some() => self.times.expected * 2,
            _ => self.times.expected,
        }
    }

    /// The account that pays.
    fn path(&self) -> AccountPath {
        match &self.work {
            Work::Search(search) => search.task.source.path(),
            Work::Program(program) => program.source.path(),
        }
    }

    /// Tells who waits that there is no answer.
    pub(super) fn refuse(self, why: Error) {
        match self.work {
            // The caller may have disconnected.
            Work::Search(search) => drop(search.answer.send(Err(why))),
            Work::Program(program) => (program.turn)(Err(why)),
        }
    }
}

/// A search that begins.
pub(super) struct StartedSearch {
    /// Its id, for [`Schedule::finish`].
    pub id: u64,
    /// Suspends, resumes and stops it.
    pub gate: Arc<SearchControl>,
    /// The job to do.
    pub job: Job,
}

/// Runs the searches to which a schedule gives slots.
pub(super) trait Executor: Send + Sync {
    /// Begins a search; the executor calls [`Schedule::finish`] when it ends. Called under the lock of the schedule, so it
    /// must not block and must not call the schedule.
    fn begin(&self, schedule: &Arc<Schedule>, search: StartedSearch);
    /// Reports that this many searches have a slot now.
    fn slots_used(&self, used: usize);
    /// Stops the executor: no more searches begin.
    fn stop(&self);
}

/// The schedule of the searches of one executor.
pub(super) struct Schedule {
    /// Searches of one address that may wait, of each class.
    queue: usize,
    state: Mutex<ScheduleState>,
    executor: Box<dyn Executor>,
    metrics: [LaneMetrics; 2],
}

struct ScheduleState {
    shares: FairShares,
    live: HashMap<u64, LiveSearch>,
    next_id: u64,
    /// The earliest time at which the slots are assigned again if no search arrives or ends.
    next_rebalance: Instant,
    stopping: bool,
}

/// A search that has not ended.
struct LiveSearch {
    path: AccountPath,
    gate: Arc<SearchControl>,
    /// The job, until the search begins.
    job: Option<Job>,
    /// Its entry while [`Schedule::park`] keeps it out of the shares.
    parked: Option<SearchEntry>,
}

impl Schedule {
    /// A schedule without searches, for this many slots. `queue`: searches of one address that may wait, of each class;
    /// `least`: the least shares of lanes.
    pub(super) fn new(
        slots: usize,
        (queue, least): (usize, LeastShares),
        metrics: [LaneMetrics; 2],
        executor: Box<dyn Executor>,
    ) -> Arc<Self> {
        let state = ScheduleState {
            shares: FairShares::new(slots, least),
            live: HashMap::new(),
            next_id: 0,
            next_rebalance: Instant::now(),
            stopping: false,
        };
        Arc::new(Self { queue, state: Mutex::new(state), executor, metrics })
    }

    fn lock(&self) -> MutexGuard<'_, ScheduleState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts the search if it can meet its deadline; returns its id, by which it can be cancelled.
    pub(super) fn submit(self: &Arc<Self>, job: Job) -> Result<u64, Error> {
        let (class, now, path) = (job.times.class, job.times.arrived, job.path());
        let mut state = self.lock();
        if state.stopping {
            return Err(Error::stopping());
        }
        if state.shares.slots() == 0 {
            self.metrics[class.index()].refused.inc();
            return Err(Error::busy("no engine can be reached now".to_owned(), FULL));
        }
        let id = state.next_id;
        let entry = SearchEntry::new(id, class, job.times.expected, job.times.ends_by);
        let (own, all) = state.shares.waiting(&path, class);
        let wait = state.shares.admission_delay(&path, &entry, job.needs(), now);
        if let Some(why) = self.refusal(own, all, wait) {
            self.metrics[class.index()].refused.inc();
            let full = own >= self.queue || all >= ALL_QUEUES * self.queue;
            return Err(Error::busy(why, if full { wait.max(FULL) } else { wait }));
        }
        state.next_id += 1;
        state.shares.add(&path, entry);
        state.live.insert(id, LiveSearch { path, gate: Arc::default(), job: Some(job), parked: None });
        self.metrics[class.index()].admitted.inc();
        self.balance(&mut state, now, false);
        Ok(id)
    }

    /// The reason to refuse a search, if there is one. `own`, `all`: searches that wait, of its address and in total;
    /// `wait`: the time that it would have to wait.
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
        let changes = state.shares.balance(now, sticky);
        // Before the changes: a search that begins may take free cores at once, and must not count its own among them.
        self.update_metrics(state);
        for (id, change) in changes {
            let Some(live) = state.live.get_mut(&id) else { continue };
            match change {
                SlotChange::Suspend => live.gate.suspend(),
                SlotChange::Resume => live.gate.resume(),
                SlotChange::Start => {
                    let Some(job) = live.job.take() else { continue };
                    let gate = Arc::clone(&live.gate);
                    self.executor.begin(self, StartedSearch { id, gate, job });
                }
            }
        }
    }

    /// Refuses the searches whose deadline has passed before they began.
    fn refuse_late(&self, state: &mut ScheduleState, now: Instant) {
        let late = |e: &&SearchEntry| e.state == SearchState::Waiting && e.ends_by <= now;
        let late: Vec<u64> = state.shares.each().filter(late).map(|e| e.id).collect();
        for id in late {
            if let Some(job) = state.withdraw(id, now) {
                self.metrics[job.times.class.index()].refused.inc();
                job.refuse(too_late());
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
        self.executor.slots_used(busy);
        for (metrics, [waiting, suspended, running]) in self.metrics.iter().zip(counts) {
            metrics.queue.set(waiting);
            metrics.suspended.set(suspended);
            metrics.running.set(running);
        }
    }

    /// Assigns the slots again if that is due and may change something. Running searches or their executor call this.
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
        self.metrics[job.times.class.index()].cancelled.inc();
        self.balance(&mut state, now, true);
        true
    }

    /// Removes a search that has ended.
    pub(super) fn finish(self: &Arc<Self>, id: u64) {
        let mut state = self.lock();
        let now = Instant::now();
        state.remove(id, now);
        self.balance(&mut state, now, true);
    }

    /// Takes a search out of the competition for slots until [`Self::unpark`].
    pub(super) fn park(self: &Arc<Self>, id: u64) {
        let mut state = self.lock();
        let now = Instant::now();
        let ScheduleState { live, shares, .. } = &mut *state;
        let Some(search) = live.get_mut(&id) else { return };
        let Some(entry) = shares.remove(&search.path, id, now) else { return };
        search.gate.suspend();
        search.parked = Some(entry);
        self.balance(&mut state, now, true);
    }

    /// Lets a parked search compete for slots again.
    pub(super) fn unpark(self: &Arc<Self>, id: u64) {
        let mut state = self.lock();
        let now = Instant::now();
        let ScheduleState { live, shares, .. } = &mut *state;
        let Some(search) = live.get_mut(&id) else { return };
        let Some(mut entry) = search.parked.take() else { return };
        entry.state = SearchState::Suspended;
        if search.job.is_some() {
            entry.state = SearchState::Waiting;
            search.gate.resume();
        }
        shares.add(&search.path, entry);
        self.balance(&mut state, now, false);
    }

    /// Sets the number of slots. If no slot is left, returns the searches that wait, in order, withdrawn.
    pub(super) fn set_slots(self: &Arc<Self>, slots: usize) -> Vec<Job> {
        let mut state = self.lock();
        if state.shares.slots() == slots {
            return Vec::new();
        }
        let now = Instant::now();
        state.shares.set_slots(slots);
        let mut ids: Vec<u64> = if slots == 0 { state.live.keys().copied().collect() } else { Vec::new() };
        ids.sort_unstable();
        let withdrawn = ids.into_iter().filter_map(|id| state.withdraw(id, now)).collect();
        self.balance(&mut state, now, false);
        withdrawn
    }

    /// The number of slots.
    pub(super) fn slots(&self) -> usize {
        self.lock().shares.slots()
    }

    /// Whether [`Self::stop`] was called.
    pub(super) fn is_stopping(&self) -> bool {
        self.lock().stopping
    }

    /// Ends all work.
    pub(super) fn stop(self: &Arc<Self>) {
        let mut state = self.lock();
        state.stopping = true;
        let now = Instant::now();
        let ids: Vec<u64> = state.live.keys().copied().collect();
        for id in ids {
            if let Some(job) = state.withdraw(id, now) {
                job.refuse(Error::stopping());
            } else if let Some(live) = state.live.get(&id) {
                live.gate.stop();
            }
        }
        self.update_metrics(&state);
        drop(state);
        self.executor.stop();
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
