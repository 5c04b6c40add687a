//! The host of a search that somebody watches: curious soon at first, then more and more seldom, since a search improves
//! with the logarithm of its time.

use std::cell::Cell;
use std::time::{Duration, Instant};

use engines::cores::Cores;
use engines::search::Host;
use engines::timer::Timer;

/// When it is curious first.
const FIRST: Duration = Duration::from_millis(20);

/// The longest time without curiosity.
const LONGEST: Duration = Duration::from_secs(1);

/// A timer that wants to know what was found: after 20 ms, then each time twice as long after the last time, and at
/// least every second.
pub struct Onlooker {
    timer: Timer,
    pause: Cell<Duration>,
    next: Cell<Instant>,
}

impl Onlooker {
    /// Of a search that began then.
    pub fn new(timer: Timer, began: Instant) -> Self {
        Self { timer, pause: Cell::new(FIRST), next: Cell::new(began + FIRST) }
    }
}

impl Host for Onlooker {
    fn go_on(&self) -> bool {
        self.timer.go_on()
    }

    fn remaining(&self) -> Option<Duration> {
        self.timer.remaining()
    }

    fn cores(&self) -> Option<&dyn Cores> {
        self.timer.cores()
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
    use super::*;

    #[test]
    fn it_asks_more_and_more_seldom() {
        let began = Instant::now().checked_sub(FIRST).expect("the clock has run that long");
        let onlooker = Onlooker::new(Timer::lasting(Duration::from_secs(3600)), began);
        assert!(onlooker.is_curious() && !onlooker.is_curious());
        assert_eq!(onlooker.pause.get(), 2 * FIRST);
        for _ in 0..9 {
            onlooker.next.set(Instant::now());
            assert!(onlooker.is_curious());
        }
        assert_eq!(onlooker.pause.get(), LONGEST);
    }
}
