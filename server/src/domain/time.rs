//! The server's clock. It never runs backwards: it reads the system's clock once, at the start, and then counts monotonic
//! time. The system's clock may be set later, or may be wrong at the start: see [`ServerClock::beginning_at`].

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since the beginning of 1970, UTC.
pub type Millis = i64;

/// The server's clock.
#[derive(Clone, Copy, Debug)]
pub struct ServerClock {
    began: Instant,
    began_ms: Millis,
}

impl ServerClock {
    /// Reads the system's clock. `offset_ms` is added to it: tests set the clock with it.
    pub fn start(offset_ms: i64) -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let system_ms = Millis::try_from(since_1970.as_millis()).unwrap_or(0);
        Self::beginning_at(system_ms.saturating_add(offset_ms))
    }

    /// A clock that shows this time now.
    pub fn beginning_at(now_ms: Millis) -> Self {
        Self { began: Instant::now(), began_ms: now_ms }
    }

    /// The current time.
    pub fn ms(&self) -> Millis {
        self.at(Instant::now())
    }

    /// The time at this instant.
    pub fn at(&self, moment: Instant) -> Millis {
        let passed = |d: Duration| Millis::try_from(d.as_millis()).unwrap_or(Millis::MAX / 2);
        match moment.checked_duration_since(self.began) {
            Some(later) => self.began_ms + passed(later),
            None => self.began_ms - passed(self.began.duration_since(moment)),
        }
    }

    /// The time from now until then; zero if it is past.
    pub fn until(&self, at_ms: Millis) -> Duration {
        let whole = Duration::from_millis(u64::try_from(at_ms.saturating_sub(self.began_ms)).unwrap_or(0));
        whole.saturating_sub(self.began.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_milliseconds_are_one_line() {
        let now = ServerClock::start(0);
        let later = now.began + Duration::from_millis(1_500);
        assert_eq!(now.at(later) - now.at(now.began), 1_500);
        if let Some(before) = now.began.checked_sub(Duration::from_millis(5)) {
            assert_eq!(now.at(before), now.began_ms - 5);
        }
        assert_eq!(now.until(now.ms() - 1), Duration::ZERO);
        let hour = now.until(now.ms() + 3_600_000);
        assert!(hour > Duration::from_secs(3_500) && hour <= Duration::from_secs(3_600), "{hour:?}");
        assert!(now.ms() >= now.began_ms);
        let day = 86_400_000;
        assert!((ServerClock::start(day).ms() - now.ms() - day).abs() < 60_000);
    }
}
