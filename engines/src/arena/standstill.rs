//! Times in which this program itself did not run: it was paused, or the machine was too busy to let it. What came too
//! late across such a time tells nothing about its player.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A wait that takes this much longer than it should is a standstill. Far more than a busy machine's usual delays, which are the
/// players' risk as they are in a contest.
const LONG: Duration = Duration::from_secs(1);
/// How long a thread that woke up waits for the one that takes note, so that it has seen the same.
const SETTLE: Duration = Duration::from_millis(100);

/// The standstills so far: when each ended, and how long it took.
#[derive(Debug, Default)]
pub struct Standstills(Mutex<Vec<(Instant, Duration)>>);

impl Standstills {
    /// Takes note of a wait that began at `start` and was to take no longer than `due`.
    pub fn note(&self, start: Instant, due: Duration) {
        let now = Instant::now();
        let lost = now.duration_since(start).saturating_sub(due);
        if lost > LONG {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((now, lost));
        }
    }

    /// The longest standstill that reached into the time since `start`, if there was one.
    pub fn since(&self, start: Instant) -> Option<Duration> {
        thread::sleep(SETTLE);
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|(end, _)| *end > start).map(|(_, lost)| *lost).max()
    }
}
