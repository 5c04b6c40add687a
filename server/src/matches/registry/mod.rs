//! What the tasks of all live matches share, and the list of those tasks: at most one a match. It must not know what
//! they say to each other.

pub mod downtime;
pub mod engine_only;
pub mod holdings;
pub mod load;
pub mod names;
pub mod waker;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::catalogue::Catalogue;
use crate::domain::MatchId;
use crate::domain::names::NameKey;
use crate::domain::time::Millis;
use crate::domain::time::ServerClock;
use crate::engine_pool::EnginePool;
use crate::error::{Code, Error};
use crate::limits::creations::Creations;
use crate::matches::actor;
use crate::matches::actor::message::MatchMessage;
use crate::matches::event::LoggedEvent;
use crate::matches::ledger::Ledger;
use crate::matches::options::HostOptions;
use crate::matches::registry::downtime::Downtime;
use crate::matches::registry::engine_only::EngineOnlyMatches;
use crate::matches::registry::holdings::Holdings;
use crate::matches::registry::names::Names;
use crate::matches::service::MatchesDeps;
use crate::metrics::Metrics;
use crate::store::{Store, StoreError, StoredEvent};

/// What may wait for a match's task.
const MAILBOX: usize = 64;

/// How often something is said to a match whose task ends meanwhile.
const ATTEMPTS: usize = 3;

/// After how many failures in a row a match rests before it is tried again.
const TRIES: u32 = 3;

/// The longest of such rests.
const LONGEST_REST: Duration = Duration::from_secs(300);

/// After what time to come back when the database is unavailable.
const COME_BACK: Duration = Duration::from_secs(2);

/// A commit that took so long, in microseconds, is remembered.
const LATE_US: u64 = 20_000;

/// What matches are run with.
pub struct MatchRegistry {
    pub store: Arc<dyn Store>,
    pub games: &'static Catalogue,
    pub thinking: &'static dyn EnginePool,
    pub metrics: &'static Metrics,
    pub options: HostOptions,
    /// The longest thinking time of an engine.
    pub max_think: Duration,
    pub now: ServerClock,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// The tasks, so that the end can wait for them.
    pub tasks: TaskTracker,
    /// How often matches may be created.
    pub creations: &'static Creations,
    /// What each address holds.
    pub holdings: Holdings,
    /// The names that players have now.
    pub names: Names,
    /// The names of built-in engines, which nobody else may use.
    pub engine_names: Vec<NameKey>,
    /// Long logs that may be folded at a time besides.
    pub folds: Semaphore,
    /// Matches that only engines play.
    pub engines_alone: Arc<EngineOnlyMatches>,
    rooms: Mutex<Handles>,
}

#[derive(Default)]
struct Handles {
    open: HashMap<MatchId, MatchHandle>,
    broken: HashMap<MatchId, FailedMatch>,
    next: u64,
}

/// A live match, as others reach it.
#[derive(Clone)]
pub struct MatchHandle {
    mailbox: mpsc::Sender<Box<MatchMessage>>,
    news: Arc<Notify>,
    /// Whether its task has failed.
    failed: Arc<AtomicBool>,
    number: u64,
}

/// A match whose task failed.
struct FailedMatch {
    times: u32,
    until: Instant,
}

/// Where a task has its match from.
pub enum ActorStart {
    /// It lies in the store.
    Stored,
    /// It lies in the store and nobody asked: its time has come. So many may be loaded at a time.
    Woken(OwnedSemaphorePermit),
    /// It was just made.
    Made(Box<Ledger>),
}

/// A task's end of its room.
pub struct ActorInbox {
    pub mailbox: mpsc::Receiver<Box<MatchMessage>>,
    /// Another server has appended something.
    pub news: Arc<Notify>,
    failed: Arc<AtomicBool>,
    number: u64,
}

impl MatchRegistry {
    pub fn new(store: Arc<dyn Store>, options: HostOptions, deps: MatchesDeps) -> Self {
        let MatchesDeps { games, thinking, metrics, max_think, creations, now, stopping } = deps;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        Self {
            store,
            games,
            thinking,
            metrics,
            holdings: Holdings::new(&options),
            creations,
            options,
            max_think,
            now,
            stopping,
            tasks: TaskTracker::new(),
            names: Names::default(),
            engine_names: games.engine_names(),
            folds: Semaphore::new(cores),
            engines_alone: Arc::default(),
            rooms: Mutex::default(),
        }
    }

    fn rooms(&self) -> MutexGuard<'_, Handles> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the task of a match, which is started if it is not there, and gives its reply.
    pub async fn ask<T>(
        self: &Arc<Self>,
        id: &MatchId,
        ask: impl Fn(oneshot::Sender<Result<T, Error>>) -> MatchMessage,
    ) -> Result<T, Error> {
        for _ in 0..ATTEMPTS {
            let room = self.enter(id, || ActorStart::Stored)?;
            let (reply, replied) = oneshot::channel();
            if room.mailbox.send(Box::new(ask(reply))).await.is_ok()
                && let Ok(reply) = replied.await
            {
                return reply;
            }
            // It ended before it took this, so another one is asked; or it failed, perhaps at this.
            room.mailbox.closed().await;
            if room.failed.load(Ordering::Acquire) {
                return Err(Error::new(Code::Internal, format!("match {id} failed when it was asked")));
            }
        }
        Err(Error::new(Code::Internal, format!("match {id} ends whenever it is asked")))
    }

    /// The room of a match; its task is started if it is not there.
    pub fn enter(
        self: &Arc<Self>,
        id: &MatchId,
        origin: impl FnOnce() -> ActorStart,
    ) -> Result<MatchHandle, Error> {
        if self.stopping.is_cancelled() {
            return Err(Error::stopping());
        }
        let mut rooms = self.rooms();
        if let Some(room) = rooms.open.get(id).filter(|room| !room.mailbox.is_closed()) {
            return Ok(room.clone());
        }
        if rooms.broken.get(id).is_some_and(|b| b.times >= TRIES && Instant::now() < b.until) {
            return Err(Error::new(Code::Internal, format!("match {id} failed again and again and rests")));
        }
        let (mailbox, inbox) = mpsc::channel(MAILBOX);
        rooms.next += 1;
        let room = MatchHandle { mailbox, news: Arc::default(), failed: Arc::default(), number: rooms.next };
        let (news, failed) = (Arc::clone(&room.news), Arc::clone(&room.failed));
        let inside = ActorInbox { mailbox: inbox, news, failed, number: room.number };
        rooms.open.insert(id.clone(), room.clone());
        drop(rooms);
        self.tasks.spawn(actor::run(Arc::clone(self), id.clone(), origin(), inside));
        Ok(room)
    }

    /// Tells live matches that another server has appended to them.
    pub fn tell_news(&self, ids: &[MatchId]) {
        ids.iter().for_each(|id| self.holdings.forget(id));
        let rooms = self.rooms();
        for room in ids.iter().filter_map(|id| rooms.open.get(id)) {
            room.news.notify_one();
        }
    }

    /// Tells all live matches that something has happened outside of them: each looks for itself.
    pub fn tell_all(&self) {
        for room in self.rooms().open.values() {
            room.news.notify_one();
        }
    }

    /// How a clock stood and stands that runs since `from`, with this grace, in milliseconds, after each downtime.
    /// `paused_since`: it has stood since then for a reason of its own.
    pub fn standing(
        &self,
        grace_ms: u64,
        paused_since: Option<Millis>,
        from: Millis,
        now: Millis,
    ) -> Downtime {
        let mut downtimes = self.store.downtimes(from.saturating_sub_unsigned(grace_ms));
        downtimes.extend(paused_since.map(|since| (since, now)));
        Downtime::of(&downtimes, grace_ms, from, now)
    }

    /// The running turn of a match was shown at this time. Where its commit took long, the database keeps that: after a
    /// restart, the log alone would charge it to the player.
    pub fn note_shown(&self, id: &MatchId, ledger: &Ledger, at_ms: Millis, commit_us: u64) {
        if commit_us >= LATE_US && ledger.turn().is_some() {
            self.store.record_shown(id.clone(), ledger.next_seq().saturating_sub(1), at_ms);
        }
    }

    /// Whether this match is live here.
    pub fn is_live(&self, id: &MatchId) -> bool {
        self.rooms().open.contains_key(id)
    }

    /// The task of this room ends, unless somebody has just asked it something and it may go on. `wake`: when the
    /// match wants to be looked at, if it is held here.
    pub fn leave(
        &self,
        id: &MatchId,
        inside: &mut ActorInbox,
        may_go_on: bool,
        wake: Option<Option<Millis>>,
    ) -> bool {
        let mut rooms = self.rooms();
        if may_go_on && !inside.mailbox.is_empty() {
            return false;
        }
        inside.mailbox.close();
        if let Some(wake) = wake {
            self.store.release(id.clone(), wake);
        }
        rooms.remove(id, inside.number);
        rooms.broken.remove(id);
        true
    }

    /// The task of this room has failed. The match rests the longer the more often that happens.
    pub fn broke(&self, id: &MatchId, inside: &mut ActorInbox) {
        let mut rooms = self.rooms();
        inside.failed.store(true, Ordering::Release);
        inside.mailbox.close();
        rooms.remove(id, inside.number);
        rooms.broken.retain(|_, broken| broken.until.elapsed() < LONGEST_REST);
        let times = rooms.broken.get(id).map_or(1, |broken| broken.times.saturating_add(1));
        let rest = Duration::from_secs(2_u64.saturating_pow(times)).min(LONGEST_REST);
        rooms.broken.insert(id.clone(), FailedMatch { times, until: Instant::now() + rest });
        drop(rooms);
        let rest_ms = Millis::try_from(rest.as_millis()).unwrap_or(Millis::MAX);
        self.store.release(id.clone(), Some(self.now.ms().saturating_add(rest_ms)));
    }

    /// The log of a match from this place on, with the names that players have now.
    pub async fn read_log(&self, id: &MatchId, from: u32) -> Result<Vec<LoggedEvent>, LogError> {
        let stored =
            self.store.log(id.clone(), from).await.map_err(|e| LogError::Unavailable(e.to_string()))?;
        let name = |player: &str| self.names.now(id, player);
        let read = |(seq, event)| {
            let mut stamped = parse(seq, &event)?;
            stamped.event.rename_players(name);
            Ok(stamped)
        };
        (from..).zip(stored).map(read).collect()
    }
}

impl Handles {
    fn remove(&mut self, id: &MatchId, number: u64) {
        if self.open.get(id).is_some_and(|room| room.number == number) {
            self.open.remove(id);
        }
    }
}

/// Why a log could not be read.
#[derive(Debug)]
pub enum LogError {
    /// The database cannot do it now.
    Unavailable(String),
    /// It makes no sense.
    Broken(String),
}

impl From<LogError> for Error {
    fn from(unread: LogError) -> Self {
        match unread {
            LogError::Unavailable(why) => unavailable(&why),
            LogError::Broken(why) => Self::new(Code::Internal, why),
        }
    }
}

/// The database cannot do it now, and why.
pub fn unavailable(why: &str) -> Error {
    let detail = format!("the database cannot do it now ({why}); nobody's clock runs meanwhile");
    Error::new(Code::StoreUnavailable, detail).retry_after(COME_BACK)
}

/// What the store says no to, where nothing else can be meant.
pub fn refused_by_store(e: &StoreError) -> Error {
    unavailable(&e.to_string())
}

fn parse(seq: u32, stored: &StoredEvent) -> Result<LoggedEvent, LogError> {
    let event = serde_json::from_str(&stored.body)
        .map_err(|e| LogError::Broken(format!("event {seq} cannot be read: {e}")))?;
    Ok(LoggedEvent { seq, at_ms: stored.at_ms, event })
}

/// Events as they are stored.
pub fn to_store(stamped: &[LoggedEvent]) -> Vec<StoredEvent> {
    let body =
        |s: &LoggedEvent| serde_json::to_string(&s.event).expect("events are plain values with text keys");
    stamped.iter().map(|s| StoredEvent { at_ms: s.at_ms, body: body(s) }).collect()
}
