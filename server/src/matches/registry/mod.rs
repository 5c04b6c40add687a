//! The registry of live matches: the state that their actors share, and the handles to them, at most one per match. It must
//! not know what the messages to actors mean.

pub(super) mod downtime;
pub(super) mod engine_only;
pub(super) mod freeze;
pub(super) mod holdings;
pub(super) mod load;
pub mod names;
pub mod notified;
pub(super) mod presence;
pub(super) mod spectators;
pub(super) mod vacations;
pub(super) mod waker;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admission::Admission;
use crate::catalogue::Catalogue;
use crate::domain::MatchId;
use crate::domain::names::NameKey;
use crate::domain::request_id::RequestId;
use crate::domain::time::{Millis, ServerClock};
use crate::engine_pool::EnginePool;
use crate::error::{Code, Error};
use crate::matches::actor;
use crate::matches::actor::message::{MailedMessage, MatchMessage};
use crate::matches::bots::hosted::HostedPrograms;
use crate::matches::deps::MatchesDeps;
use crate::matches::event::LoggedEvent;
use crate::matches::ledger::Ledger;
use crate::matches::options::HostOptions;
use crate::matches::registry::downtime::Downtime;
use crate::matches::registry::engine_only::EngineOnlyMatches;
use crate::matches::registry::freeze::FreezeWatch;
use crate::matches::registry::holdings::Holdings;
use crate::matches::registry::names::Names;
use crate::matches::registry::notified::NotifiedPlayers;
use crate::matches::registry::presence::Presence;
use crate::matches::registry::spectators::Spectators;
use crate::matches::registry::vacations::KnownVacations;
use crate::metrics::Metrics;
use crate::store::{Store, StoreError, StoredEvent};

/// The most messages that wait for an actor.
const MAILBOX: usize = 64;

/// How often a message is sent again because the actor ended meanwhile.
const ATTEMPTS: usize = 3;

/// After this many failures in a row, a match rests before its actor is started again.
const MAX_FAILURES: u32 = 3;

/// The longest such rest.
const LONGEST_REST: Duration = Duration::from_secs(300);

/// The time at which a turn was shown is stored if the commit took at least this long, in milliseconds.
pub(super) const SLOW_COMMIT_MS: Millis = 20;

/// The live matches and the state that their actors share.
pub(super) struct MatchRegistry {
    pub store: Arc<dyn Store>,
    pub games: &'static Catalogue,
    pub engine_pool: &'static dyn EnginePool,
    pub metrics: &'static Metrics,
    pub options: HostOptions,
    /// The longest thinking time of an engine.
    pub max_think: Duration,
    pub now: ServerClock,
    /// The programs of hosted bots.
    pub programs: &'static dyn HostedPrograms,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// The actors' tasks; the server waits for them when it stops.
    pub tasks: TaskTracker,
    /// The limits on making matches.
    pub admission: &'static Admission,
    /// The permits of matches, and the seats that each address holds.
    pub holdings: Holdings,
    /// The current names of players.
    pub names: Names,
    /// The players who want notifications.
    pub notified: NotifiedPlayers,
    /// The players who are on vacation.
    pub vacations: KnownVacations,
    /// The players who are connected.
    pub presence: Arc<Presence>,
    /// The spectators of all matches.
    pub spectators: Arc<Spectators>,
    /// Whether this process was frozen.
    pub freezes: FreezeWatch,
    /// The names of built-in engines, which no player or guest may use.
    pub engine_names: Vec<NameKey>,
    /// Limits how many long logs are replayed at a time.
    pub replays: Semaphore,
    /// The running matches in which only engines play.
    pub engines_alone: Arc<EngineOnlyMatches>,
    handles: Mutex<Handles>,
}

#[derive(Default)]
struct Handles {
    open: HashMap<MatchId, MatchHandle>,
    broken: HashMap<MatchId, FailedMatch>,
    next: u64,
}

/// The handle of a live match: sends messages to its actor.
#[derive(Clone)]
pub(super) struct MatchHandle {
    mailbox: mpsc::Sender<Box<MailedMessage>>,
    news: Arc<Notify>,
    /// Whether the actor has failed.
    failed: Arc<AtomicBool>,
    number: u64,
}

/// A match whose actor failed.
struct FailedMatch {
    times: u32,
    until: Instant,
}

/// The source from which an actor gets its match.
pub(super) enum ActorStart {
    /// From the store.
    Stored,
    /// From the store, because it is due. The permit limits how many are loaded at a time.
    Woken(OwnedSemaphorePermit),
    /// It was just created.
    Made(Box<Ledger>),
}

/// The actor's side of its handle.
pub(super) struct ActorInbox {
    pub mailbox: mpsc::Receiver<Box<MailedMessage>>,
    /// Notifies that another server has appended to the log.
    pub news: Arc<Notify>,
    failed: Arc<AtomicBool>,
    number: u64,
}

impl MatchRegistry {
    pub(super) fn new(store: Arc<dyn Store>, options: HostOptions, deps: MatchesDeps) -> Self {
        let MatchesDeps { games, engine_pool, metrics, max_think, admission, now, programs, stopping } = deps;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        Self {
            spectators: Arc::new(Spectators::new(store.is_shared())),
            store,
            games,
            engine_pool,
            metrics,
            holdings: Holdings::new(&options),
            admission,
            options,
            max_think,
            now,
            programs,
            stopping,
            tasks: TaskTracker::new(),
            names: Names::default(),
            notified: NotifiedPlayers::default(),
            vacations: KnownVacations::default(),
            presence: Arc::new(Presence::new(now)),
            freezes: FreezeWatch::new(now),
            engine_names: games.engine_names(),
            replays: Semaphore::new(cores),
            engines_alone: Arc::default(),
            handles: Mutex::default(),
        }
    }

    fn handles(&self) -> MutexGuard<'_, Handles> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message to the actor of a match and returns its reply. Starts the actor if it is not running.
    pub(super) async fn ask<T>(
        self: &Arc<Self>,
        id: &MatchId,
        ask: impl Fn(oneshot::Sender<Result<T, Error>>) -> MatchMessage,
    ) -> Result<T, Error> {
        for _ in 0..ATTEMPTS {
            let (reply, replied) = oneshot::channel();
            let mailed = MailedMessage { message: ask(reply), request: RequestId::current() };
            let (handle, unsent) = self.send(id, Box::new(mailed))?;
            let sent = match unsent {
                Some(message) => handle.mailbox.send(message).await.is_ok(),
                None => true,
            };
            if sent && let Ok(reply) = replied.await {
                return reply;
            }
            // The actor ended before it took the message, so the next one is asked; or it failed, perhaps at this message.
            handle.mailbox.closed().await;
            if handle.failed.load(Ordering::Acquire) {
                return Err(Error::new(Code::Internal, format!("match {id} failed when it was asked")));
            }
        }
        Err(Error::new(Code::Internal, format!("match {id} ends whenever it is asked")))
    }

    /// Sends a message to the actor of a match, unless its mailbox is full: then the message comes back. Starts the actor if
    /// it is not running.
    ///
    /// The message arrives before the release of the lock under which [`Self::leave`] checks for messages. Otherwise the
    /// actor of a finished match, which leaves as soon as its mailbox is empty, might leave before a slow sender.
    fn send(
        self: &Arc<Self>,
        id: &MatchId,
        message: Box<MailedMessage>,
    ) -> Result<(MatchHandle, Option<Box<MailedMessage>>), Error> {
        let mut handles = self.handles();
        let handle = self.enter_locked(&mut handles, id, || ActorStart::Stored)?;
        let unsent = handle.mailbox.try_send(message).err().map(TrySendError::into_inner);
        Ok((handle, unsent))
    }

    /// Starts the actor of a match if it is not running.
    pub(super) fn enter(
        self: &Arc<Self>,
        id: &MatchId,
        origin: impl FnOnce() -> ActorStart,
    ) -> Result<(), Error> {
        self.enter_locked(&mut self.handles(), id, origin).map(drop)
    }

    fn enter_locked(
        self: &Arc<Self>,
        handles: &mut Handles,
        id: &MatchId,
        origin: impl FnOnce() -> ActorStart,
    ) -> Result<MatchHandle, Error> {
        if self.stopping.is_cancelled() {
            return Err(Error::stopping());
        }
        if let Some(handle) = handles.open.get(id).filter(|handle| !handle.mailbox.is_closed()) {
            return Ok(handle.clone());
        }
        if handles.broken.get(id).is_some_and(|b| b.times >= MAX_FAILURES && Instant::now() < b.until) {
            return Err(Error::new(
                Code::Internal,
                format!("match {id} failed several times in a row and is not tried again for a while"),
            ));
        }
        let (mailbox, messages) = mpsc::channel(MAILBOX);
        handles.next += 1;
        let handle =
            MatchHandle { mailbox, news: Arc::default(), failed: Arc::default(), number: handles.next };
        let (news, failed) = (Arc::clone(&handle.news), Arc::clone(&handle.failed));
        let inbox = ActorInbox { mailbox: messages, news, failed, number: handle.number };
        handles.open.insert(id.clone(), handle.clone());
        let origin = origin();
        // Its first turn is due to the request that created it.
        let cause = if matches!(origin, ActorStart::Made(_)) { RequestId::current() } else { None };
        self.tasks.spawn(actor::run(Arc::clone(self), id.clone(), (origin, cause), inbox));
        Ok(handle)
    }

    /// Notifies live matches that another server has appended to them.
    pub(super) fn tell_news(&self, ids: &[MatchId]) {
        ids.iter().for_each(|id| self.holdings.forget(id));
        self.tell_changed(ids);
    }

    /// Notifies live matches that something about them has changed besides their logs.
    pub(super) fn tell_changed(&self, ids: &[MatchId]) {
        let handles = self.handles();
        for handle in ids.iter().filter_map(|id| handles.open.get(id)) {
            handle.news.notify_one();
        }
    }

    /// Ends the actors of matches that the operator has deleted, on any node. Their streams end, and readers that come back
    /// find no match.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) async fn end_deleted(self: &Arc<Self>) -> Result<(), StoreError> {
        for id in self.store.deleted_matches().await? {
            let is_live = self.handles().open.contains_key(&id);
            if is_live {
                // An actor that finds no match ends by itself.
                let _ = self.ask(&id, |reply| MatchMessage::Gone { reply }).await;
            }
            self.presence.forget(&id);
        }
        Ok(())
    }

    /// Notifies all live matches of a change outside of them, for example of the store. Each checks what the change means
    /// for it.
    pub(super) fn tell_all(&self) {
        for handle in self.handles().open.values() {
            handle.news.notify_one();
        }
    }

    /// Finds out whether this process was frozen up to now; that is a downtime of this node.
    pub(super) fn look_for_freeze(&self) {
        self.freezes.look(|(from, to)| {
            tracing::warn!("this process did not run for {} ms", to - from);
            self.metrics.freezes.inc();
            self.store.record_freeze((from, to));
        });
    }

    /// The downtimes of a clock that runs since `from`, with a grace of `grace_ms` milliseconds after each, and the `vacations` of its
    /// player. `own`: with those of this node alone. `paused_since`: the time since which the match itself is paused.
    pub(super) fn standing(
        &self,
        grace_ms: u64,
        own: bool,
        paused_since: Option<Millis>,
        vacations: &[(Millis, Millis)],
        (from, now): (Millis, Millis),
    ) -> Downtime {
        let after = from.saturating_sub_unsigned(grace_ms);
        let mut downtimes =
            if own { self.store.downtimes(after) } else { self.store.common_downtimes(after) };
        downtimes.extend(paused_since.map(|since| (since, now)));
        Downtime::of(&downtimes, vacations, grace_ms, from, now)
    }

    /// Records when the running turn of a match became visible, if its commit took long. Without this record, the time of
    /// the commit would be charged to the player after a restart.
    pub(super) fn note_shown(&self, id: &MatchId, ledger: &Ledger, at_ms: Millis, commit_us: u64) {
        if commit_us / 1000 >= SLOW_COMMIT_MS.unsigned_abs() && ledger.turn().is_some() {
            self.store.record_shown(id.clone(), ledger.next_seq().saturating_sub(1), at_ms);
        }
    }

    /// Holds this match, if it is live here. Returns whether it is. Its actor cannot release it in between: a match that is
    /// held without an actor would wait for ever.
    pub(super) fn hold_if_live(&self, id: &MatchId) -> bool {
        let handles = self.handles();
        let is_live = handles.open.contains_key(id);
        if is_live {
            self.store.hold(id.clone());
        }
        is_live
    }

    /// Ends an actor, unless `may_go_on` and a message waits. `wake`: when the match is due next, if this server holds it.
    /// Returns whether the actor ended.
    pub(super) fn leave(
        &self,
        id: &MatchId,
        inbox: &mut ActorInbox,
        may_go_on: bool,
        wake: Option<Option<Millis>>,
    ) -> bool {
        let mut handles = self.handles();
        if may_go_on && !inbox.mailbox.is_empty() {
            return false;
        }
        inbox.mailbox.close();
        if let Some(wake) = wake {
            self.store.release(id.clone(), wake);
        }
        handles.remove(id, inbox.number);
        handles.broken.remove(id);
        true
    }

    /// Records that an actor failed. The match rests longer after each failure in a row.
    pub(super) fn broke(&self, id: &MatchId, inbox: &mut ActorInbox) {
        let mut handles = self.handles();
        inbox.failed.store(true, Ordering::Release);
        inbox.mailbox.close();
        handles.remove(id, inbox.number);
        handles.broken.retain(|_, broken| broken.until.elapsed() < LONGEST_REST);
        let times = handles.broken.get(id).map_or(1, |broken| broken.times.saturating_add(1));
        let rest = Duration::from_secs(2_u64.saturating_pow(times)).min(LONGEST_REST);
        handles.broken.insert(id.clone(), FailedMatch { times, until: Instant::now() + rest });
        drop(handles);
        let rest_ms = Millis::try_from(rest.as_millis()).unwrap_or(Millis::MAX);
        self.store.release(id.clone(), Some(self.now.ms().saturating_add(rest_ms)));
    }

    /// The log of a match from event `from` on, with the current names of players.
    pub(super) async fn read_log(&self, id: &MatchId, from: u32) -> Result<Vec<LoggedEvent>, LogError> {
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
        if self.open.get(id).is_some_and(|handle| handle.number == number) {
            self.open.remove(id);
        }
    }
}

/// The reason why a log could not be read.
#[derive(Debug)]
pub enum LogError {
    /// The database is unavailable.
    Unavailable(String),
    /// The log is damaged.
    Broken(String),
}

impl From<LogError> for Error {
    fn from(unread: LogError) -> Self {
        match unread {
            LogError::Unavailable(why) => Self::store_unavailable(&why),
            LogError::Broken(why) => Self::new(Code::Internal, why),
        }
    }
}

/// A stored event.
pub(super) fn parse(seq: u32, stored: &StoredEvent) -> Result<LoggedEvent, LogError> {
    let event = serde_json::from_str(&stored.body)
        .map_err(|e| LogError::Broken(format!("event {seq} cannot be read: {e}")))?;
    Ok(LoggedEvent { seq, at_ms: stored.at_ms, event })
}

/// Events in the form in which they are stored.
pub(super) fn to_store(stamped: &[LoggedEvent]) -> Vec<StoredEvent> {
    let body =
        |s: &LoggedEvent| serde_json::to_string(&s.event).expect("events are plain values with text keys");
    stamped.iter().map(|s| StoredEvent { at_ms: s.at_ms, body: body(s) }).collect()
}
