//! Notices that this process did not run for a while: it was frozen, or its machine was. Meanwhile nothing was shown to
//! players, and no move of theirs arrived. It must not know what that means for a match.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::domain::time::{Millis, ServerClock};

/// How often to look.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// A process that was not seen running for this long, in milliseconds, was frozen.
const FROZEN_MS: Millis = 750;

/// The last time at which this process ran.
pub(crate) struct FreezeWatch {
    now: ServerClock,
    ran_ms: Mutex<Millis>,
    count: AtomicU32,
}

impl FreezeWatch {
    /// The process runs now.
    pub(crate) fn new(now: ServerClock) -> Self {
        Self { now, ran_ms: Mutex::new(now.ms()), count: AtomicU32::new(0) }
    }

    /// Records that the process runs. Passes the time in which it was frozen on, if it was, and counts it. When this
    /// returns, each freeze before the call is recorded, also if another thread has found it.
    pub(crate) fn look(&self, record: impl FnOnce((Millis, Millis))) {
        // No holder of the lock can panic half-way.
        let mut ran_ms = self.ran_ms.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.now.ms();
        let before = std::mem::replace(&mut *ran_ms, now);
        if now.saturating_sub(before) >= FROZEN_MS {
            record((before, now));
            self.count.fetch_add(1, Ordering::Release);
        }
    }

    /// How often it was frozen.
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freeze_is_found_once() {
        let watch = FreezeWatch::new(ServerClock::start(0));
        let mut found = Vec::new();
        watch.look(|span| found.push(span));
        *watch.ran_ms.lock().unwrap() -= FROZEN_MS;
        watch.look(|span| found.push(span));
        watch.look(|span| found.push(span));
        assert_eq!((found.len(), watch.count()), (1, 1), "{found:?}");
        assert!(found[0].1 - found[0].0 >= FROZEN_MS);
    }
}
