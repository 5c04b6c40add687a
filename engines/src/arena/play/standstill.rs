//! Times in which this program itself did not run, because it was paused or the machine was too busy. An answer that is late
//! because of such a time is not the player's fault.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A wait that takes this much longer than it should is a standstill. This is far more than the usual delays of a busy
/// machine, which are the players' risk as in a contest.
const LONG: Duration = Duration::from_secs(1);
/// How long a thread that woke up waits for the thread that records standstills, so that the thread that notes standstills and the match agree on them.
const SETTLE: Duration = Duration::from_millis(100);

/// The standstills so far: the end and the length of each.
#[derive(Debug, Default)]
pub(in crate::arena) struct Standstills(Mutex<Vec<(Instant, Duration)>>);

impl Standstills {
    /// Records a wait that began at `start` and should have taken no longer than `due`.
    pub(in crate::arena) fn note(&self, start: Instant, due: Duration) {
        let now = Instant::now();
        let lost = now.duration_since(start).saturating_sub(due);
        if lost > LONG {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((now, lost));
        }
    }

    /// The longest standstill that reached into the time since `start`, if there was one.
    pub(in crate::arena) fn since(&self, start: Instant) -> Option<Duration> {
        thread::sleep(SETTLE);
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|(end, _)| *end > start).map(|(_, lost)| *lost).max()
    }
}
