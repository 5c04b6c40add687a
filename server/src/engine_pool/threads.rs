//! The threads of this process that run searches. The schedule says which searches run; an engine never runs under a lock.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engines::cores::Cores;
use engines::search::Host;
use engines::timer::Timer;

use crate::domain::request_id::run_for;
use crate::engine_pool::cores::FreeCores;
use crate::engine_pool::cost::CostTable;
use crate::engine_pool::reporting_host::ReportingHost;
use crate::engine_pool::schedule::{
    Executor, Job, JobTimes, ProgramWork, Schedule, SearchWork, StartedSearch, Work, too_late,
};
use crate::engine_pool::shares::SearchLength;
use crate::engine_pool::slot_host::{SearchControl, SlotHost};
use crate::engine_pool::{AnalysisUpdate, Task, TimedDecision};
use crate::error::{Code, Error};
use crate::metrics::LaneMetrics;
use crate::recovery::catch_panic::{Panicked, catch_panic};

/// Stack size of a thread, in bytes: a search may recurse deeply.
const STACK: usize = 8 << 20;

/// The niceness of threads for long searches (0 to 19), so that they yield to other threads.
const NICENESS: i32 = 10;

/// The threads. They end when the schedule stops.
pub(super) struct Threads {
    state: Mutex<ThreadsState>,
    work: [Condvar; 2],
    costs: Arc<CostTable>,
    cores: Arc<FreeCores>,
    metrics: [LaneMetrics; 2],
}

#[derive(Default)]
struct ThreadsState {
    /// Per class, the searches that a thread is to begin.
    ready: [VecDeque<(Arc<Schedule>, StartedSearch)>; 2],
    /// Per class, the number of idle threads.
    idle: [usize; 2],
    threads: usize,
    stopping: bool,
}

impl Threads {
    /// Starts the threads for this many slots.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(super) fn start(
        slots: usize,
        costs: Arc<CostTable>,
        metrics: [LaneMetrics; 2],
    ) -> std::io::Result<Arc<Self>> {
        let threads = Arc::new(Self {
            state: Mutex::default(),
            work: Default::default(),
            costs,
            cores: Arc::new(FreeCores::new(slots)),
            metrics,
        });
        for class in [SearchLength::Quick, SearchLength::Long] {
            for _ in 0..slots {
                let spawned = threads.spawn(&mut threads.lock(), class);
                if let Err(e) = spawned {
                    threads.end();
                    return Err(e);
                }
            }
        }
        Ok(threads)
    }

    fn lock(&self) -> MutexGuard<'_, ThreadsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(self: &Arc<Self>, state: &mut ThreadsState, class: SearchLength) -> std::io::Result<()> {
        let this = Arc::clone(self);
        let name =
            format!("{}-{}", if class == SearchLength::Quick { "quick" } else { "long" }, state.threads);
        thread::Builder::new().name(name).stack_size(STACK).spawn(move || this.run_thread(class))?;
        state.threads += 1;
        Ok(())
    }

    /// Ends the threads after the searches that they have.
    fn end(&self) {
        self.lock().stopping = true;
        self.work.iter().for_each(Condvar::notify_all);
    }

    /// Decides on the calling thread: for engines that answer within microseconds.
    pub(super) fn look_up(&self, task: &Task, now: Instant) -> Result<TimedDecision, Error> {
        let metrics = &self.metrics[SearchLength::Quick.index()];
        metrics.admitted.inc();
        if now >= task.deadline {
            metrics.refused.inc();
            return Err(too_late());
        }
        let timer = Timer::new(Some(task.deadline.min(now + task.think)), Arc::default());
        let took = || (now.elapsed(), Duration::ZERO);
        self.decide(task, metrics, now, &timer, took, &SearchControl::default())
    }

    /// The loop of a thread.
    fn run_thread(self: &Arc<Self>, class: SearchLength) {
        if class == SearchLength::Long
            && let Err(e) = lower_priority(NICENESS)
        {
            tracing::warn!(error = %e, "the priority of a thread for long searches cannot be lowered");
        }
        let index = class.index();
        let mut state = self.lock();
        loop {
            if let Some((schedule, search)) = state.ready[index].pop_front() {
                drop(state);
                self.run_search(&schedule, search);
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

    fn run_search(&self, schedule: &Arc<Schedule>, StartedSearch { id, gate, job }: StartedSearch) {
        let Job { times: JobTimes { class, think, ends_by, arrived, .. }, work } = job;
        let metrics = &self.metrics[class.index()];
        let began = Instant::now();
        let cores = Arc::clone(&self.cores) as Arc<dyn Cores>;
        let host = SlotHost::new(Arc::clone(schedule), Arc::clone(&gate), cores, (began, think, ends_by));
        let SearchWork { task, answer, request } = match work {
            Work::Search(search) => search,
            Work::Program(ProgramWork { turn, request, .. }) => {
                if run_for(request, || catch_panic(|| turn(Ok(&host)))).is_err() {
                    metrics.panics.inc();
                }
                metrics.thinking(host.took(), None);
                schedule.finish(id);
                return;
            }
        };
        let result = if began >= task.deadline {
            metrics.refused.inc();
            Err(too_late())
        } else {
            let times = || (host.took(), host.suspended());
            run_for(request, || self.decide(&task, metrics, arrived, &host, times, &gate))
        };
        // The caller may read the counters as soon as it has the decision: update them first.
        if answer.is_closed() {
            metrics.cancelled.inc();
        }
        schedule.finish(id);
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
        let decided = catch_panic(|| match updates {
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
        metrics.thinking(took, task.ladder_game());
        match decided {
            Ok(Ok(decision)) => {
                metrics.nodes(engine.game, decision.nodes);
                tracing::debug!(game = engine.game, engine = engine.name, ?took, "an engine has decided");
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

impl Executor for Arc<Threads> {
    fn begin(&self, schedule: &Arc<Schedule>, search: StartedSearch) {
        let class = search.job.times.class;
        let index = class.index();
        let mut state = self.lock();
        state.ready[index].push_back((Arc::clone(schedule), search));
        if state.ready[index].len() > state.idle[index]
            && let Err(e) = self.spawn(&mut state, class)
        {
            // One of the existing threads runs it later.
            tracing::warn!(error = %e, "the system gives no thread for another search");
        }
        self.work[index].notify_one();
    }

    fn slots_used(&self, used: usize) {
        self.cores.set_busy(used);
    }

    fn stop(&self) {
        self.end();
    }
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
