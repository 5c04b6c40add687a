//! The node's side of the workers: the workers that it knows, and the slots that they give.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engines::erased::AnyGame;
use futures_util::StreamExt;
use tokio::sync::{Notify, mpsc, watch};

use crate::domain::request_id::run_for;
use crate::engine_pool::cost::CostTable;
use crate::engine_pool::schedule::{Executor, Schedule, SearchWork, StartedSearch, Work};
use crate::engine_pool::workers::roster::Roster;
use crate::engine_pool::workers::wire::{self, EngineVersion, SearchReport};
use crate::engine_pool::workers::{WorkersOptions, search};
use crate::engine_pool::{
    EnginePool, EngineRef, LocalPool, Pending, PoolOptions, ProgramRun, SlotWork, Source, Task,
};
use crate::error::Error;
use crate::metrics::{LaneMetrics, Metrics, WorkerMetrics};
use crate::nats::{Broker, random_key};

/// The time after which to try again if no worker can be reached and this node runs no engines.
const NO_WORKER: Duration = Duration::from_secs(1);

/// Runs searches on workers, and on this process's threads when no worker has time.
pub(in crate::engine_pool) struct WorkerPool {
    schedule: Arc<Schedule>,
    remote: Arc<Remote>,
}

/// The state that the searches of a node share.
pub(super) struct Remote {
    /// The key of this node.
    pub node: String,
    pub broker: Broker,
    pub lanes: [LaneMetrics; 2],
    pub metrics: WorkerMetrics,
    pub costs: CostTable,
    engines: Vec<EngineVersion>,
    roster: Mutex<Roster>,
    /// The inboxes for reports on searches, by the number of the search.
    inboxes: Mutex<HashMap<u64, mpsc::UnboundedSender<WorkerMessage>>>,
    next_number: AtomicU64,
    /// The slots of all workers.
    pub slots: watch::Sender<usize>,
    /// Slots in use.
    pub used: AtomicUsize,
    /// Notified when searches begin after none was running.
    pub work: Notify,
    local: LocalPool,
    local_engines: bool,
    runtime: tokio::runtime::Handle,
}

/// A message that arrives for a search.
pub(super) enum WorkerMessage {
    /// A report of its worker.
    Report(SearchReport),
    /// Its worker is gone.
    NoWorker,
}

impl WorkerPool {
    /// Connects in the background; until workers appear, searches run on the local threads.
    ///
    /// # Errors
    /// If a URL is wrong, or the system gives no random bytes.
    pub(in crate::engine_pool) async fn start(
        options: &WorkersOptions,
        pool: &PoolOptions,
        local: LocalPool,
        games: &[&'static dyn AnyGame],
        metrics: &Metrics,
    ) -> io::Result<Self> {
        let broker = Broker::connect(&options.workers).await?;
        broker.count(metrics, "engines");
        let engines = wire::engine_versions(games);
        let node = random_key('n')?;
        let lanes = ["worker_quick", "worker_long"].map(|lane| metrics.lane(lane));
        let remote = Arc::new(Remote {
            roster: Mutex::new(Roster::new(node.clone(), engines.clone())),
            node,
            broker,
            lanes: lanes.clone(),
            metrics: metrics.workers(),
            costs: CostTable::default(),
            engines,
            inboxes: Mutex::default(),
            next_number: AtomicU64::new(0),
            slots: watch::Sender::default(),
            used: AtomicUsize::new(0),
            work: Notify::new(),
            local,
            local_engines: options.local_engines,
            runtime: tokio::runtime::Handle::current(),
        });
        let schedule =
            Schedule::new(0, (pool.queue, pool.least_shares()), lanes, Box::new(Arc::clone(&remote)));
        let failed = |e: async_nats::SubscribeError| io::Error::other(e);
        let mut announcements =
            remote.broker.client.subscribe(wire::announcements()).await.map_err(failed)?;
        let mut reports =
            remote.broker.client.subscribe(wire::reports(&remote.node, ">")).await.map_err(failed)?;
        let (this, slots) = (Arc::clone(&remote), Arc::clone(&schedule));
        tokio::spawn(async move {
            while let Some(message) = announcements.next().await {
                this.hear(&slots, &message);
            }
        });
        let (this, slots) = (Arc::clone(&remote), Arc::clone(&schedule));
        tokio::spawn(async move {
            while let Some(message) = reports.next().await {
                this.dispatch(&slots, &message);
            }
        });
        tokio::spawn(Arc::clone(&remote).watch(Arc::clone(&schedule)));
        tokio::spawn(Arc::clone(&remote).watch_connection(Arc::clone(&schedule)));
        Ok(Self { schedule, remote })
    }
}

impl EnginePool for WorkerPool {
    fn think(&self, task: Task) -> Result<Pending, Error> {
        if task.engine.instant {
            return self.remote.local.think(task);
        }
        let local = self.remote.local_engines.then(|| task.clone());
        match (Pending::submit(&self.schedule, &self.remote.costs, task), local) {
            (Err(e), Some(task)) if e.code() == crate::error::Code::Busy => self.remote.think_here(task),
            (result, _) => result,
        }
    }

    /// Of programs that run beside this process. Those on workers have queues of their own, one for each worker.
    fn run(&self, source: Source, turn: SlotWork) -> Result<ProgramRun, Error> {
        self.remote.local.run(source, turn)
    }

    fn slots(&self) -> usize {
        match self.schedule.slots() {
            0 => self.remote.local.slots(),
            of_workers => of_workers,
        }
    }

    fn stop(&self) {
        self.schedule.stop();
        self.remote.local.stop();
    }
}

impl Remote {
    pub(super) fn roster(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn inboxes(&self) -> MutexGuard<'_, HashMap<u64, mpsc::UnboundedSender<WorkerMessage>>> {
        self.inboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The version of an engine of this node.
    pub(super) fn version(&self, engine: EngineRef) -> Option<&EngineVersion> {
        self.engines.iter().find(|e| e.game == engine.game && e.name == engine.name)
    }

    /// Opens an inbox for the reports on a search; returns its number.
    pub(super) fn open_inbox(&self) -> (u64, mpsc::UnboundedReceiver<WorkerMessage>) {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let (sender, inbox) = mpsc::unbounded_channel();
        self.inboxes().insert(number, sender);
        (number, inbox)
    }

    pub(super) fn close_inbox(&self, number: u64) {
        self.inboxes().remove(&number);
    }

    /// Spawns a task, also where no runtime is entered.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(task);
    }

    /// Runs the task on the threads of this process.
    fn think_here(&self, task: Task) -> Result<Pending, Error> {
        let pending = self.local.think(task)?;
        self.metrics.local.inc();
        Ok(pending)
    }

    /// Runs a search here that no worker can run. `think`: what is left of its thinking time.
    pub(super) async fn fall_back(&self, search: SearchWork, think: Duration) {
        let SearchWork { task, mut answer, request } = search;
        let result = if self.local_engines {
            run_for(request, || self.think_here(Task { think, ..task }))
        } else {
            Err(Error::busy("no worker is connected that could search".to_owned(), NO_WORKER))
        };
        let result = match result {
            Err(e) => Err(e),
            Ok(pending) => tokio::select! {
                result = pending.answer() => result,
                () = answer.closed() => return,
            },
        };
        // The caller may have disconnected.
        let _ = answer.send(result);
    }

    /// Gives the schedule the slots that the workers offer now.
    pub(super) fn update_slots(self: &Arc<Self>, schedule: &Arc<Schedule>) {
        // Under the lock, so that of two changes the later one counts. The schedule never takes this lock.
        let roster = self.roster();
        let slots = roster.slots();
        let withdrawn = schedule.set_slots(slots);
        self.slots.send_if_modified(|known| std::mem::replace(known, slots) != slots);
        self.metrics.known.set(roster.len() as i64);
        self.metrics.slots_free.set(slots.saturating_sub(self.used.load(Ordering::Relaxed)) as i64);
        drop(roster);
        for job in withdrawn {
            let (this, think) = (Arc::clone(self), job.times.think);
            match job.work {
                Work::Search(search) => self.spawn(async move { this.fall_back(search, think).await }),
                Work::Program(_) => job.refuse(Error::busy("workers run no programs".to_owned(), NO_WORKER)),
            }
        }
    }
}

impl Executor for Arc<Remote> {
    fn begin(&self, schedule: &Arc<Schedule>, search: StartedSearch) {
        self.spawn(search::run(Arc::clone(self), Arc::clone(schedule), search));
    }

    fn slots_used(&self, used: usize) {
        if self.used.swap(used, Ordering::Relaxed) == 0 && used > 0 {
            self.work.notify_one();
        }
    }

    fn stop(&self) {}
}
