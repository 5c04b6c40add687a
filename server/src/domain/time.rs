//! The server's clock. It never runs backwards: it reads the system's clock once, at the start, and then counts monotonic
//! time. The system's clock may be set later, or may be wrong at the start: see [`ServerClock::beginning_at`]. A clock that
//! follows another machine's is corrected in small steps: see [`ClockCorrection`].

use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;

/// Milliseconds since the beginning of 1970, UTC.
pub type Millis = i64;

/// The milliseconds of a day.
pub const DAY_MS: Millis = 24 * 3_600_000;

/// A time for people, to the minute: `2026-03-31 14:05 UTC`; empty where the calendar ends.
pub fn utc(ms: Millis) -> String {
    let time = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1_000));
    time.map_or_else(
        |_| String::new(),
        |time| format!("{} {:02}:{:02} UTC", time.date(), time.hour(), time.minute()),
    )
}

/// A time for programs, in the form of ISO 8601 (RFC 3339): `2026-03-31T14:05:59Z`; empty where the calendar ends.
pub fn iso(ms: Millis) -> String {
    let time = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1_000));
    time.map_or_else(
        |_| String::new(),
        |time| format!("{}T{:02}:{:02}:{:02}Z", time.date(), time.hour(), time.minute(), time.second()),
    )
}

/// A correction changes the speed of the clock by at most 1 / `SLOWNESS`, so that time stays smooth.
const SLOWNESS: i64 = 10;

/// A clock that the machine's own does not move once it runs: it counts monotonic time from one reading of the system's clock.
#[derive(Clone, Copy, Debug)]
pub struct ServerClock {
    began: Instant,
    /// In microseconds.
    began_us: i64,
    correction: Option<&'static ClockCorrection>,
}

/// How far a clock is ahead of the monotonic time that it counts.
#[derive(Debug)]
pub struct ClockCorrection(RwLock<Slew>);

/// A correction on its way from one value to another, in microseconds.
#[derive(Clone, Copy, Debug)]
struct Slew {
    since: Instant,
    from_us: i64,
    target_us: i64,
}

impl Slew {
    fn at(&self, moment: Instant) -> i64 {
        let most = micros(moment.saturating_duration_since(self.since)) / SLOWNESS;
        self.from_us + (self.target_us - self.from_us).clamp(-most, most)
    }
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
        Self { began: Instant::now(), began_us: now_ms.saturating_mul(1000), correction: None }
    }

    /// A clock that shows this time, in microseconds, at this moment, and that can be corrected later. Make one per
    /// process and database: the correction lives as long as the program.
    pub fn corrected(began: Instant, began_us: i64) -> Self {
        let none = Slew { since: began, from_us: 0, target_us: 0 };
        let correction = Box::leak(Box::new(ClockCorrection(RwLock::new(none))));
        Self { began, began_us, correction: Some(correction) }
    }

    /// Moves the clock towards the true time, in microseconds, at this moment: it runs up to a tenth faster or slower
    /// until it is right. Has no effect on a clock that cannot be corrected.
    pub fn correct(&self, moment: Instant, true_us: i64) {
        let Some(correction) = self.correction else { return };
        // No holder of the lock can panic half-way.
        let mut slew = correction.0.write().unwrap_or_else(PoisonError::into_inner);
        *slew = Slew {
            since: moment,
            from_us: slew.at(moment),
            target_us: true_us.saturating_sub(self.uncorrected_us(moment)),
        };
    }

    /// The current time.
    pub fn ms(&self) -> Millis {
        self.at(Instant::now())
    }

    /// The time at this instant.
    pub fn at(&self, moment: Instant) -> Millis {
        self.us(moment).div_euclid(1000)
    }

    /// The time from now until then; zero if it is past.
    pub fn until(&self, at_ms: Millis) -> Duration {
        let left = at_ms.saturating_mul(1000).saturating_sub(self.us(Instant::now()));
        Duration::from_micros(u64::try_from(left).unwrap_or(0))
    }

    fn us(&self, moment: Instant) -> i64 {
        let correction = self
            .correction
            .map_or(0, |correction| correction.0.read().unwrap_or_else(PoisonError::into_inner).at(moment));
        self.uncorrected_us(moment).saturating_add(correction)
    }

    fn uncorrected_us(&self, moment: Instant) -> i64 {
        match moment.checked_duration_since(self.began) {
            Some(later) => self.began_us.saturating_add(micros(later)),
            None => self.began_us.saturating_sub(micros(self.began.duration_since(moment))),
        }
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_for_people_is_utc_to_the_minute() {
        assert_eq!(utc(1_774_965_959_999), "2026-03-31 14:05 UTC");
        assert_eq!(utc(Millis::MAX), "");
    }

    #[test]
    fn time_for_programs_is_that_of_iso_8601() {
        assert_eq!(iso(1_774_965_959_999), "2026-03-31T14:05:59Z");
        assert_eq!(iso(Millis::MAX), "");
    }

    #[test]
    fn moments_and_milliseconds_are_one_line() {
        let now = ServerClock::start(0);
        let began_ms = now.began_us / 1000;
        let later = now.began + Duration::from_millis(1_500);
        assert_eq!(now.at(later) - now.at(now.began), 1_500);
        if let Some(before) = now.began.checked_sub(Duration::from_millis(5)) {
            assert_eq!(now.at(before), began_ms - 5);
        }
        assert_eq!(now.until(now.ms() - 1), Duration::ZERO);
        let hour = now.until(now.ms() + 3_600_000);
        assert!(hour > Duration::from_secs(3_500) && hour <= Duration::from_secs(3_600), "{hour:?}");
        assert!(now.ms() >= began_ms);
        let day = 86_400_000;
        assert!((ServerClock::start(day).ms() - now.ms() - day).abs() < 60_000);
    }

    #[test]
    fn correction_is_smooth_and_never_goes_backwards() {
        let began = Instant::now();
        let at = |ms| began + Duration::from_millis(ms);
        let clock = ServerClock::corrected(began, 5_000_000);
        assert_eq!(clock.at(at(1_000)), 6_000);
        // Half a second ahead of the true time: slower for five seconds, then as fast as the other clock.
        clock.correct(at(1_000), 5_500_000);
        let shown = [1_000, 2_000, 6_000, 7_000].map(|ms| clock.at(at(ms)));
        assert_eq!(shown, [6_000, 6_900, 10_500, 11_500]);
        // A correction in the middle of another one begins where that one is.
        clock.correct(at(7_000), 11_600_000);
        clock.correct(at(7_500), 12_050_000);
        let shown: Vec<Millis> = (0..200).map(|n| clock.at(at(7_000 + 10 * n))).collect();
        assert!(shown.is_sorted(), "{shown:?}");
        assert_eq!(clock.at(at(9_000)), 13_550);
        let fixed = ServerClock::beginning_at(7);
        fixed.correct(fixed.began, 90_000);
        assert_eq!(fixed.at(fixed.began), 7);
    }
}
