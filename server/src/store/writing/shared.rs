//! State that the writer and the rest of the store share. It writes nothing itself.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{Notify, watch};

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::StoreError;
use crate::store::database_error::{CORRUPT, DatabaseError, DatabaseErrorKind};
use crate::store::downtime::{Downtimes, Span};
use crate::store::writing::commands::Heartbeat;
use crate::store::writing::holds::UnwrittenHolds;

/// State that the writer and the rest of the store share.
#[derive(Debug)]
pub(in crate::store) struct SharedState {
    holds: Mutex<UnwrittenHolds>,
    health: Mutex<Result<(), String>>,
    /// Whether the database cannot be reached.
    away: AtomicBool,
    /// Whether this node has begun to serve.
    serves: AtomicBool,
    /// Set once damage to the file was found, and never cleared.
    damaged: AtomicBool,
    changed_elsewhere: Mutex<BTreeSet<MatchId>>,
    beat: Mutex<LastHeartbeat>,
    downtimes: Mutex<Downtimes>,
    /// Turns that became visible late, by match: the event that gave the turn, and the time at which it became visible.
    shown: Mutex<HashMap<MatchId, (u32, Millis)>>,
    /// Notified when `changed_elsewhere` has grown.
    pub changed_elsewhere_notify: Notify,
    /// Notified when the lobby has changed.
    pub lobby_changed: Notify,
    /// Changes when the programs of bots have changed.
    pub programs_changed: watch::Sender<()>,
    /// Notified when there is something to write for which no caller waits.
    pub wake: Notify,
    /// Notified when writing has begun to fail, or works again.
    pub health_changed: Notify,
}

/// The last heartbeat, or the moment at which the node began to stop.
#[derive(Clone, Copy, Debug)]
struct LastHeartbeat {
    at_ms: Millis,
    received: Instant,
    written: bool,
    stopping: bool,
}

impl SharedState {
    /// State at the start, before the first heartbeat.
    pub(in crate::store) fn new(now: Millis) -> Self {
        Self {
            holds: Mutex::default(),
            health: Mutex::new(Ok(())),
            away: AtomicBool::new(false),
            serves: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
            changed_elsewhere: Mutex::default(),
            beat: Mutex::new(LastHeartbeat {
                at_ms: now,
                received: Instant::now(),
                written: true,
                stopping: false,
            }),
            downtimes: Mutex::default(),
            shown: Mutex::default(),
            changed_elsewhere_notify: Notify::new(),
            lobby_changed: Notify::new(),
            programs_changed: watch::Sender::new(()),
            wake: Notify::new(),
            health_changed: Notify::new(),
        }
    }

    /// The changes of holders that are not written yet.
    pub(in crate::store) fn holds(&self) -> MutexGuard<'_, UnwrittenHolds> {
        lock(&self.holds)
    }

    /// The times in which nothing could be written.
    pub(in crate::store) fn downtimes(&self) -> MutexGuard<'_, Downtimes> {
        lock(&self.downtimes)
    }

    /// Whether the last write worked.
    pub(in crate::store) fn health(&self) -> Result<(), String> {
        lock(&self.health).clone()
    }

    /// Whether the database cannot be reached: reading it would only take time.
    pub(in crate::store) fn is_away(&self) -> bool {
        self.away.load(Ordering::Relaxed)
    }

    /// Records that this node serves from now on.
    pub(in crate::store) fn begin_to_serve(&self) {
        self.serves.store(true, Ordering::Relaxed);
    }

    /// Whether this node has begun to serve.
    pub(in crate::store) fn serves(&self) -> bool {
        self.serves.load(Ordering::Relaxed)
    }

    /// Whether damage to the file was found.
    pub(in crate::store) fn damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Passes a result on, and remembers damage that it reports: a damaged page stays damaged.
    pub(in crate::store) fn note_damage<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if matches!(&result, Err(StoreError::Unavailable(why)) if why == CORRUPT) {
            self.set_damaged("a page of it could not be read");
        }
        result
    }

    /// Records that the file is damaged.
    pub(in crate::store) fn set_damaged(&self, what: &str) {
        if !self.damaged.swap(true, Ordering::Relaxed) {
            tracing::error!(
                what,
                "the database file is damaged; this node is no longer ready; restore a backup"
            );
        }
    }

    /// Records that a write succeeded.
    pub(in crate::store) fn write_succeeded(&self) {
        let mut health = lock(&self.health);
        if health.is_err() {
            tracing::info!("the database can be written again");
            *health = Ok(());
            self.away.store(false, Ordering::Relaxed);
            self.downtimes().writing_worked(self.now());
            self.health_changed.notify_one();
        }
    }

    /// Records that a write failed that began at `began`.
    pub(in crate::store) fn write_failed(&self, began: Instant, error: &DatabaseError) {
        let mut health = lock(&self.health);
        if health.is_ok() {
            tracing::error!("the database cannot be written: {error}");
            let lasted = i64::try_from(began.elapsed().as_millis()).unwrap_or(0);
            self.downtimes().writing_failed(self.now().saturating_sub(lasted));
            self.health_changed.notify_one();
        }
        *health = Err(error.to_string());
        self.away.store(error.kind == DatabaseErrorKind::Away, Ordering::Relaxed);
    }

    /// Records that this node did not run in this time.
    pub(in crate::store) fn record_freeze(&self, span: Span) {
        self.downtimes().add(span);
        self.health_changed.notify_one();
    }

    /// Records that this node serves at this time. No effect once it stops.
    pub(in crate::store) fn record_heartbeat(&self, now: Millis) {
        let mut beat = lock(&self.beat);
        if !beat.stopping {
            *beat = LastHeartbeat { at_ms: now, received: Instant::now(), written: false, stopping: false };
            self.wake.notify_one();
        }
    }

    /// Records that this node began to stop at this time. Only the first call has an effect.
    pub(in crate::store) fn stop(&self, now: Millis) {
        let mut beat = lock(&self.beat);
        if !beat.stopping {
            *beat = LastHeartbeat { at_ms: now, received: Instant::now(), written: false, stopping: true };
            self.wake.notify_one();
        }
    }

    /// Records that the turn that this event gave became visible at this time, later than it was decided.
    pub(in crate::store) fn record_shown(&self, id: MatchId, seq: u32, at_ms: Millis) {
        lock(&self.shown).insert(id, (seq, at_ms));
    }

    /// The last record of [`Self::record_shown`] for this match, if that is not written yet.
    pub(in crate::store) fn shown_at(&self, id: &MatchId) -> Option<(u32, Millis)> {
        lock(&self.shown).get(id).copied()
    }

    /// The matches to which other nodes have written since the last call.
    pub(in crate::store) fn take_changed_elsewhere(&self) -> Vec<MatchId> {
        std::mem::take(&mut *lock(&self.changed_elsewhere)).into_iter().collect()
    }

    /// Records that another node has written to this match.
    pub(in crate::store) fn add_changed_elsewhere(&self, id: MatchId) {
        lock(&self.changed_elsewhere).insert(id);
    }

    /// The heartbeat, if it is not written yet. `oldest`: the time at which the earliest event in the same transaction
    /// was decided. The heartbeat is not later than that: until the event is on disk it is invisible, and its player's
    /// time has not begun.
    pub(in crate::store) fn unwritten_heartbeat(&self, oldest: Option<Millis>) -> Option<Heartbeat> {
        let written = lock(&self.beat).written;
        (!written).then(|| self.heartbeat(oldest))
    }

    /// The current heartbeat; `oldest` as for [`Self::unwritten_heartbeat`].
    pub(in crate::store) fn heartbeat(&self, oldest: Option<Millis>) -> Heartbeat {
        let now = self.now();
        let beat = *lock(&self.beat);
        Heartbeat {
            at_ms: beat.at_ms.min(oldest.unwrap_or(Millis::MAX)),
            stopping: beat.stopping,
            downtimes: self.downtimes().unwritten(now),
            shown: lock(&self.shown).iter().map(|(id, (seq, at_ms))| (id.clone(), *seq, *at_ms)).collect(),
        }
    }

    /// Records that this heartbeat is written, and if `with_shown` the times at which turns became visible. Data recorded
    /// since then is not.
    pub(in crate::store) fn heartbeat_written(&self, written: &Heartbeat, with_shown: bool) {
        let mut beat = lock(&self.beat);
        beat.written |= beat.stopping == written.stopping && beat.at_ms <= written.at_ms;
        drop(beat);
        self.downtimes().written(&written.downtimes);
        if !with_shown {
            return;
        }
        let mut shown = lock(&self.shown);
        for (id, seq, at_ms) in &written.shown {
            if shown.get(id) == Some(&(*seq, *at_ms)) {
                shown.remove(id);
            }
        }
    }

    /// The current time: that of the last heartbeat, and the time since then.
    pub(in crate::store) fn now(&self) -> Millis {
        let beat = *lock(&self.beat);
        beat.at_ms.saturating_add(i64::try_from(beat.received.elapsed().as_millis()).unwrap_or(0))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
