//! The worker's side: takes orders of nodes, runs the searches on its threads, and reports. It trusts nodes, but bounds what
//! it takes.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::{Client, Message, Subject};
use engines::erased::{AnyGame, Position};
use futures_util::StreamExt;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::domain::request_id::{RequestId, carry, run_for};
use crate::engine_pool::workers::wire::{
    self, Announcement, EngineVersion, SearchKey, SearchOrder, SearchReport, ThinkOrder, TimedAnswer,
    WorkerRefusal, micros,
};
use crate::engine_pool::{
    AnalysisUpdate, EnginePool, EngineRef, LADDER_PERCENT, LocalPool, PROGRAMS_PERCENT, Pending, PoolOptions,
    SearchSwitch, Source, Task,
};
use crate::error::{Code, Error};
use crate::metrics::Metrics;
use crate::nats::{Broker, NatsUrl, random_key};
use crate::recovery::catch_panic::catch_panic;

/// How often a worker announces itself.
const ANNOUNCE: Duration = Duration::from_millis(250);

/// How long it collects changes before it announces them.
const COLLECT: Duration = Duration::from_millis(20);

/// The maximum number of searches per thread that have not ended, suspended ones included: they take memory.
const LIVE_PER_THREAD: usize = 24;

/// The latest deadline of a search.
const LONGEST: Duration = Duration::from_secs(2 * 3600);

/// A worker that ends makes the searches that end within this time, and hands the others back.
const FINISH: Duration = Duration::from_secs(5);

/// Runs engines for nodes.
pub struct WorkerService {
    key: String,
    broker: Broker,
    threads: usize,
    engines: Vec<EngineVersion>,
    offers: HashMap<EngineVersion, (&'static dyn AnyGame, EngineRef)>,
    pool: LocalPool,
    live: Mutex<HashMap<SearchKey, LiveOrder>>,
    /// Notified when the number of searches changes.
    changed: Notify,
    leaving: AtomicBool,
    tasks: TaskTracker,
}

/// A search that has not ended.
struct LiveOrder {
    switch: SearchSwitch,
    /// The node does not want the decision any more.
    cancelled: CancellationToken,
    /// The node makes the search elsewhere.
    handed_back: CancellationToken,
    deadline: Instant,
    suspended: bool,
}

impl WorkerService {
    /// Connects in the background and serves these games. `threads`: searches that compute at a time.
    ///
    /// # Errors
    /// If a URL is wrong, or the system gives no threads.
    pub async fn start(
        urls: &[NatsUrl],
        threads: Option<NonZeroUsize>,
        games: &[&'static dyn AnyGame],
    ) -> io::Result<Arc<Self>> {
        // The nodes divide engine time between their callers and the ladder.
        let mut options =
            PoolOptions { threads, queue: 0, ladder_share: LADDER_PERCENT, bots_share: PROGRAMS_PERCENT };
        let threads = options.threads();
        options.queue = LIVE_PER_THREAD * threads;
        let pool = LocalPool::start(&options, &Metrics::default())?;
        let broker = Broker::connect(urls).await?;
        let service = Arc::new(Self {
            key: random_key('w')?,
            broker,
            threads,
            engines: wire::engine_versions(games),
            offers: offers(games),
            pool,
            live: Mutex::default(),
            changed: Notify::new(),
            leaving: AtomicBool::new(false),
            tasks: TaskTracker::new(),
        });
        let failed = |e: async_nats::SubscribeError| io::Error::other(e);
        let mut orders = service.broker.client.subscribe(wire::orders(&service.key)).await.map_err(failed)?;
        let this = Arc::clone(&service);
        tokio::spawn(async move {
            while let Some(message) = orders.next().await {
                this.take(&message);
            }
        });
        tokio::spawn(Arc::clone(&service).announce());
        tokio::spawn(Arc::clone(&service).watch_connection());
        Ok(service)
    }

    /// The worker's key, by which nodes know it.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The number of searches that compute at a time.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Takes no more searches, ends those that are short, and hands the others back to their nodes.
    pub async fn stop(&self) {
        self.leaving.store(true, Ordering::Release);
        self.changed.notify_one();
        let late = Instant::now() + FINISH;
        for order in self.live().values().filter(|order| order.deadline > late) {
            order.handed_back.cancel();
        }
        self.tasks.close();
        if tokio::time::timeout_at((late + COLLECT).into(), self.tasks.wait()).await.is_err() {
            tracing::warn!("some searches ignore their deadline and are given up");
        }
        self.pool.stop();
        // Without a connection there is nothing to send.
        if self.broker.is_connected() && self.broker.client.flush().await.is_err() {
            tracing::warn!("the last reports may not have been sent");
        }
    }

    fn live(&self) -> MutexGuard<'_, HashMap<SearchKey, LiveOrder>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces the worker at intervals and after changes.
    async fn announce(self: Arc<Self>) {
        loop {
            if self.broker.is_connected() {
                let bytes = wire::to_bytes(&self.announcement());
                // A failure shows as a lost connection.
                let _ = self.broker.client.publish(wire::announcements(), bytes).await;
            }
            tokio::select! {
                () = tokio::time::sleep(ANNOUNCE) => {}
                () = self.changed.notified() => tokio::time::sleep(COLLECT).await,
            }
        }
    }

    fn announcement(&self) -> Announcement {
        let mut busy = BTreeMap::new();
        for (key, order) in self.live().iter() {
            if !order.suspended {
                *busy.entry(key.node.clone()).or_insert(0) += 1;
            }
        }
        let leaving = self.leaving.load(Ordering::Acquire);
        let engines = self.engines.clone();
        Announcement { worker: self.key.clone(), threads: self.threads, engines, busy, leaving }
    }

    /// Ends all searches when the connection is lost: their nodes repeat them elsewhere.
    async fn watch_connection(self: Arc<Self>) {
        let mut connected = self.broker.connected.clone();
        while connected.changed().await.is_ok() {
            if *connected.borrow_and_update() {
                self.changed.notify_one();
            } else {
                self.live().values().for_each(|order| order.cancelled.cancel());
            }
        }
    }

    /// Handles an order.
    fn take(self: &Arc<Self>, message: &Message) {
        if message.payload.is_empty() {
            return; // A ping: that it arrived is enough.
        }
        let order: SearchOrder<Value> = match serde_json::from_slice(&message.payload) {
            Ok(order) => order,
            Err(e) => {
                tracing::warn!(error = %e, "an order cannot be read");
                if let Some(reply) = &message.reply {
                    self.refuse(reply, WorkerRefusal::Unsuitable, "the order cannot be read".to_owned());
                }
                return;
            }
        };
        match order {
            SearchOrder::Think(order) => {
                let Some(reply) = message.reply.clone() else { return };
                let request = order.request.as_deref().map(RequestId::from);
                if let Err((why, detail)) = run_for(request, || self.begin(*order, reply.clone())) {
                    self.refuse(&reply, why, detail);
                }
            }
            SearchOrder::Suspend(key) => self.suspend(&key, true),
            SearchOrder::Resume(key) => self.suspend(&key, false),
            SearchOrder::Finish(key) => {
                if let Some(order) = self.live().get(&key)
                    && order.switch.finish()
                {
                    order.handed_back.cancel();
                }
            }
            SearchOrder::Cancel(key) => {
                if let Some(order) = self.live().get(&key) {
                    order.cancelled.cancel();
                }
            }
        }
    }

    fn suspend(&self, key: &SearchKey, suspended: bool) {
        if let Some(order) = self.live().get_mut(key) {
            order.suspended = suspended;
            if suspended { order.switch.suspend() } else { order.switch.resume() }
        }
        self.changed.notify_one();
    }

    /// Begins a search.
    fn begin(
        self: &Arc<Self>,
        order: ThinkOrder<Value>,
        reply: Subject,
    ) -> Result<(), (WorkerRefusal, String)> {
        let arrived = Instant::now();
        if self.leaving.load(Ordering::Acquire) {
            return Err((WorkerRefusal::Leaving, "the worker is ending".to_owned()));
        }
        if self.live().len() >= LIVE_PER_THREAD * self.threads {
            return Err((WorkerRefusal::Busy, "the worker has too many searches".to_owned()));
        }
        let unsuitable = |detail: String| (WorkerRefusal::Unsuitable, detail);
        let Some((game, engine)) = self.offers.get(&order.engine) else {
            return Err(unsuitable("the worker has no such engine".to_owned()));
        };
        let position: Box<dyn Position> = catch_panic(|| game.position(&order.position))
            .map_err(|_| unsuitable("reading the position panicked".to_owned()))?
            .map_err(|refusal| unsuitable(refusal.to_string()))?;
        let (updates, found) = mpsc::unbounded_channel();
        let deadline = arrived + Duration::from_micros(order.left_us).min(LONGEST);
        let key = order.key;
        let task = Task {
            position: position.into(),
            source: Source::Node(key.node.as_str().into(), key.search),
            engine: *engine,
            limits: order.limits,
            think: Duration::from_micros(order.think_us),
            deadline,
            updates: order.updates.then_some(updates),
        };
        let pending = self.pool.think(task).map_err(|e| refusal(&e))?;
        let Some(switch) = pending.switch() else {
            return Err(unsuitable("instant engines run on nodes".to_owned()));
        };
        let (cancelled, handed_back) = (CancellationToken::new(), CancellationToken::new());
        let run = RunningSearch {
            pending,
            found,
            cancelled: cancelled.clone(),
            handed_back: handed_back.clone(),
            reply,
        };
        self.live()
            .insert(key.clone(), LiveOrder { switch, cancelled, handed_back, deadline, suspended: false });
        self.changed.notify_one();
        tracing::debug!(game = engine.game, engine = engine.name, node = key.node, "a search begins");
        self.tasks.spawn(carry(Arc::clone(self).follow(key, run)));
        Ok(())
    }

    /// Reports on a search until it ends.
    async fn follow(self: Arc<Self>, key: SearchKey, run: RunningSearch) {
        let RunningSearch { pending, mut found, cancelled, handed_back, reply } = run;
        let mut decision = std::pin::pin!(pending.answer());
        send(&self.broker.client, &reply, &SearchReport::Taken).await;
        let last = loop {
            tokio::select! {
                biased;
                () = cancelled.cancelled() => break None,
                () = handed_back.cancelled() => {
                    let detail = "the worker is ending".to_owned();
                    break Some(SearchReport::Refused { why: WorkerRefusal::Leaving, detail });
                }
                // Interim results come before the decision.
                Some(AnalysisUpdate { answer, took }) = found.recv() => {
                    send(&self.broker.client, &reply, &SearchReport::Found(TimedAnswer { answer, took_us: micros(took) })).await;
                }
                result = decision.as_mut() => break Some(match result {
                    Ok(timed) => SearchReport::Done(TimedAnswer { answer: timed.answer, took_us: micros(timed.took) }),
                    Err(e) => {
                        let (why, detail) = refusal(&e);
                        tracing::debug!(error = %e, "a search has no decision");
                        SearchReport::Refused { why, detail }
                    }
                }),
            }
        };
        self.live().remove(&key);
        self.changed.notify_one();
        if let Some(report) = last {
            send(&self.broker.client, &reply, &report).await;
        }
    }

    fn refuse(&self, reply: &Subject, why: WorkerRefusal, detail: String) {
        let (client, reply) = (self.broker.client.clone(), reply.clone());
        self.tasks.spawn(async move { send(&client, &reply, &SearchReport::Refused { why, detail }).await });
    }
}

/// A search that [`WorkerService::follow`] reports on.
struct RunningSearch {
    pending: Pending,
    found: mpsc::UnboundedReceiver<AnalysisUpdate>,
    cancelled: CancellationToken,
    handed_back: CancellationToken,
    reply: Subject,
}

async fn send(client: &Client, reply: &Subject, report: &SearchReport) {
    // If it is lost, the node makes the search elsewhere or gives it up at its deadline.
    let _ = client.publish(reply.clone(), wire::to_bytes(report)).await;
}

/// The refusal that a node gets for an error of the pool.
fn refusal(e: &Error) -> (WorkerRefusal, String) {
    let why = match e.code() {
        Code::Busy => WorkerRefusal::Busy,
        Code::Stopping => WorkerRefusal::Leaving,
        _ => WorkerRefusal::EngineFailed,
    };
    (why, e.to_string())
}

/// The searching engines of these games.
fn offers(games: &[&'static dyn AnyGame]) -> HashMap<EngineVersion, (&'static dyn AnyGame, EngineRef)> {
    let mut offers = HashMap::new();
    for game in games {
        for version in wire::engine_versions(&[*game]) {
            // The names live as long as the program, which creates each once.
            let name = version.name.clone().leak();
            let engine = EngineRef { game: game.info().slug, name, instant: false };
            offers.insert(version, (*game, engine));
        }
    }
    offers
}
