//! What the writer and the rest of the store both know. It must not write anything itself.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::StoreError;
use crate::store::downtime::Downtimes;
use crate::store::faults::{CORRUPT, Fault};
use crate::store::keeping::Keeping;
use crate::store::servers::Heartbeat;

/// What the writer and the rest of the store both know.
#[derive(Debug)]
pub struct Shared {
    keeping: Mutex<Keeping>,
    health: Mutex<Result<(), String>>,
    /// Set for good once damage to the file was found.
    damaged: AtomicBool,
    news: Mutex<BTreeSet<MatchId>>,
    beat: Mutex<Beat>,
    downtimes: Mutex<Downtimes>,
    /// Turns that were shown late, by match: the event that gave the turn, and when it was shown.
    shown: Mutex<HashMap<MatchId, (u32, Millis)>>,
    /// There is news.
    pub came: Notify,
    /// There is something to write that no caller waits for.
    pub wake: Notify,
    /// Writing has begun to fail, or works again.
    pub turned: Notify,
}

/// When the host said last that it serves, or when it said that it stops.
#[derive(Clone, Copy, Debug)]
struct Beat {
    at_ms: Millis,
    said: Instant,
    written: bool,
    stopping: bool,
}

impl Shared {
    /// At the start, before the first beat.
    pub fn new(now: Millis) -> Self {
        Self {
            keeping: Mutex::default(),
            health: Mutex::new(Ok(())),
            damaged: AtomicBool::new(false),
            news: Mutex::default(),
            beat: Mutex::new(Beat { at_ms: now, said: Instant::now(), written: true, stopping: false }),
            downtimes: Mutex::default(),
            shown: Mutex::default(),
            came: Notify::new(),
            wake: Notify::new(),
            turned: Notify::new(),
        }
    }

    /// Who holds what, as far as it is not written yet.
    pub fn keeping(&self) -> MutexGuard<'_, Keeping> {
        lock(&self.keeping)
    }

    /// The times in which nothing could be written.
    pub fn downtimes(&self) -> MutexGuard<'_, Downtimes> {
        lock(&self.downtimes)
    }

    /// Whether the last write worked.
    pub fn health(&self) -> Result<(), String> {
        lock(&self.health).clone()
    }

    /// Whether damage to the file was found.
    pub fn damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Remembers damage that this result reports: a torn page stays torn.
    pub fn notice<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if matches!(&result, Err(StoreError::Unavailable(why)) if why == CORRUPT) {
            self.is_damaged("a page of it could not be read");
        }
        result
    }

    /// Damage to the file was found.
    pub fn is_damaged(&self, what: &str) {
        if !self.damaged.swap(true, Ordering::Relaxed) {
            tracing::error!(what, "the database file is damaged: not ready any more; restore a backup");
        }
    }

    /// A write worked.
    pub fn worked(&self) {
        let mut health = lock(&self.health);
        if health.is_err() {
            tracing::info!("the database takes writes again");
            *health = Ok(());
            self.downtimes().writing_worked(self.now());
            self.turned.notify_one();
        }
    }

    /// A write that began then failed.
    pub fn failed(&self, began: Instant, fault: &Fault) {
        let mut health = lock(&self.health);
        if health.is_ok() {
            tracing::error!("nothing can be written: {fault}");
            let lasted = i64::try_from(began.elapsed().as_millis()).unwrap_or(0);
            self.downtimes().writing_failed(self.now().saturating_sub(lasted));
            self.turned.notify_one();
        }
        *health = Err(fault.to_string());
    }

    /// This server serves at this time. Nothing, once it stops.
    pub fn beat(&self, now: Millis) {
        let mut beat = lock(&self.beat);
        if !beat.stopping {
            *beat = Beat { at_ms: now, said: Instant::now(), written: false, stopping: false };
            self.wake.notify_one();
        }
    }

    /// This server has begun to stop at this time. Only the first call counts.
    pub fn stop(&self, now: Millis) {
        let mut beat = lock(&self.beat);
        if !beat.stopping {
            *beat = Beat { at_ms: now, said: Instant::now(), written: false, stopping: true };
            self.wake.notify_one();
        }
    }

    /// The turn that this event gave was shown at this time, later than it was decided.
    pub fn shown(&self, id: MatchId, seq: u32, at_ms: Millis) {
        lock(&self.shown).insert(id, (seq, at_ms));
    }

    /// What [`Self::shown`] said of this match, as far as it is not written yet.
    pub fn shown_at(&self, id: &MatchId) -> Option<(u32, Millis)> {
        lock(&self.shown).get(id).copied()
    }

    /// What other servers have written to.
    pub fn take_news(&self) -> Vec<MatchId> {
        std::mem::take(&mut *lock(&self.news)).into_iter().collect()
    }

    /// Another server has written to this match.
    pub fn add_news(&self, id: MatchId) {
        lock(&self.news).insert(id);
    }

    /// The heartbeat that is to be written. `oldest`: when the first event that is written with it was decided; until it
    /// is on disk nobody sees it, so that its player's time has not begun.
    pub fn unwritten_beat(&self, oldest: Option<Millis>) -> Option<Heartbeat> {
        let written = lock(&self.beat).written;
        (!written).then(|| self.heartbeat(oldest))
    }

    /// The heartbeat as it is now.
    pub fn heartbeat(&self, oldest: Option<Millis>) -> Heartbeat {
        let now = self.now();
        let beat = *lock(&self.beat);
        Heartbeat {
            at_ms: beat.at_ms.min(oldest.unwrap_or(Millis::MAX)),
            stopping: beat.stopping,
            downtimes: self.downtimes().unwritten(now),
            shown: lock(&self.shown).iter().map(|(id, (seq, at_ms))| (id.clone(), *seq, *at_ms)).collect(),
        }
    }

    /// This heartbeat is written; what has come since is not.
    pub fn beat_written(&self, written: &Heartbeat) {
        let mut beat = lock(&self.beat);
        beat.written |= beat.stopping == written.stopping && beat.at_ms <= written.at_ms;
        drop(beat);
        self.downtimes().written(&written.downtimes);
        let mut shown = lock(&self.shown);
        for (id, seq, at_ms) in &written.shown {
            if shown.get(id) == Some(&(*seq, *at_ms)) {
                shown.remove(id);
            }
        }
    }

    /// The present, as far as the host's clock can be told from its last beat.
    pub fn now(&self) -> Millis {
        let beat = *lock(&self.beat);
        beat.at_ms.saturating_add(i64::try_from(beat.said.elapsed().as_millis()).unwrap_or(0))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
