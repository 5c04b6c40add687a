//! Suspends, resumes and stops a search: its thread waits when the search asks its host whether to continue. This is the
//! only place of the pool that reads the clock for a search.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engines::cores::Cores;
use engines::search::Host;
use tokio::sync::Notify;

use crate::engine_pool::schedule::Schedule;
use crate::engine_pool::shares::QUANTUM;

/// The signals from the schedule to a search: to its thread, or, if a worker runs the search, to the task that follows it.
#[derive(Debug, Default)]
pub(super) struct SearchControl {
    suspended: AtomicBool,
    stopped: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
    task: Notify,
}

impl SearchControl {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the search wait the next time it asks.
    pub(super) fn suspend(&self) {
        self.suspended.store(true, Ordering::Release);
        self.task.notify_one();
    }

    /// Lets the search continue.
    pub(super) fn resume(&self) {
        let _lock = self.lock();
        self.suspended.store(false, Ordering::Release);
        self.changed.notify_all();
        self.task.notify_one();
    }

    /// Makes the search end.
    pub(super) fn stop(&self) {
        let _lock = self.lock();
        self.stopped.store(true, Ordering::Release);
        self.changed.notify_all();
        self.task.notify_one();
    }

    /// Whether the search must end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Waits for the next signal; at once if there was one since the last call.
    pub(super) async fn signal(&self) {
        self.task.notified().await;
    }

    /// Whether the search must wait.
    pub(super) fn is_suspended(&self) -> bool {
        self.suspended.load(Ordering::Acquire)
    }

    /// Waits while the search is suspended, at most until `until`.
    fn wait(&self, until: Instant) {
        let mut lock = self.lock();
        while self.is_suspended() && !self.is_stopped() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            lock = self.changed.wait_timeout(lock, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The host of a search in the pool. Time without a slot does not count as thinking time, but the search still ends by its
/// deadline.
pub(super) struct SlotHost {
    schedule: Arc<Schedule>,
    gate: Arc<SearchControl>,
    cores: Arc<dyn Cores>,
    began: Instant,
    think: Duration,
    ends_by: Instant,
    suspended: Cell<Duration>,
    next_look: Cell<Instant>,
    over: Cell<bool>,
}

impl SlotHost {
    /// The host of a search that begins now.
    pub(super) fn new(
        schedule: Arc<Schedule>,
        gate: Arc<SearchControl>,
        cores: Arc<dyn Cores>,
        (began, think, ends_by): (Instant, Duration, Instant),
    ) -> Self {
        Self {
            schedule,
            gate,
            cores,
            began,
            think,
            ends_by,
            suspended: Cell::default(),
            next_look: Cell::new(began + QUANTUM),
            over: Cell::default(),
        }
    }

    /// How long the search had no slot.
    pub(super) fn suspended(&self) -> Duration {
        self.suspended.get()
    }

    /// The thinking time so far.
    pub(super) fn took(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.suspended())
    }

    fn latest(&self) -> Instant {
        (self.began + self.think + self.suspended()).min(self.ends_by)
    }
}

impl Host for SlotHost {
    fn go_on(&self) -> bool {
        if self.over.get() || self.gate.is_stopped() {
            return false;
        }
        let mut now = Instant::now();
        if now >= self.next_look.get() {
            self.schedule.rebalance_if_due(now);
            self.next_look.set(now + QUANTUM);
        }
        if self.gate.is_suspended() {
            self.gate.wait(self.ends_by);
            let waited = now.elapsed();
            now += waited;
            self.suspended.set(self.suspended() + waited);
            self.next_look.set(now + QUANTUM);
        }
        self.over.set(self.gate.is_stopped() || now >= self.latest());
        !self.over.get()
    }

    fn remaining(&self) -> Option<Duration> {
        Some(self.latest().saturating_duration_since(Instant::now()))
    }

    fn cores(&self) -> Option<&dyn Cores> {
        Some(&*self.cores)
    }
}
