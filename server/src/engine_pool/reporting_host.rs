//! The host of a search with interim results. It asks for them often at first and then less and less often, because a
//! search improves with the logarithm of its time.

use std::cell::Cell;
use std::time::{Duration, Instant};

use engines::cores::Cores;
use engines::search::Host;

/// The time after which it asks for the first interim result.
const FIRST: Duration = Duration::from_millis(20);

/// The longest time between two interim results.
const LONGEST: Duration = Duration::from_secs(1);

/// A host that asks for an interim result after 20 ms, then after twice the previous pause, and at least every second.
pub(super) struct ReportingHost<'a> {
    host: &'a dyn Host,
    pause: Cell<Duration>,
    next: Cell<Instant>,
}

impl<'a> ReportingHost<'a> {
    /// The host of a search that began at this time.
    pub(super) fn new(host: &'a dyn Host, began: Instant) -> Self {
        Self { host, pause: Cell::new(FIRST), next: Cell::new(began + FIRST) }
    }
}

impl Host for ReportingHost<'_> {
    fn go_on(&self) -> bool {
        self.host.go_on()
    }

    fn remaining(&self) -> Option<Duration> {
        self.host.remaining()
    }

    fn cores(&self) -> Option<&dyn Cores> {
        self.host.cores()
    }

    fn is_curious(&self) -> bool {
        let now = Instant::now();
        if now < self.next.get() {
            return false;
        }
        let pause = (self.pause.get() * 2).min(LONGEST);
        self.pause.set(pause);
        self.next.set(now + pause);
        true
    }
}

#[cfg(test)]
mod tests {
    use engines::timer::Timer;

    use super::*;

    #[test]
    fn pauses_between_interim_results_double() {
        let began = Instant::now().checked_sub(FIRST).expect("the clock has run that long");
        let timer = Timer::lasting(Duration::from_secs(3600));
        let watched = ReportingHost::new(&timer, began);
        assert!(watched.is_curious() && !watched.is_curious());
        assert_eq!(watched.pause.get(), 2 * FIRST);
        for _ in 0..9 {
            watched.next.set(Instant::now());
            assert!(watched.is_curious());
        }
        assert_eq!(watched.pause.get(), LONGEST);
    }
}
