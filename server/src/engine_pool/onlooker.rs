//! The host of a search that somebody watches: curious soon at first, then more and more seldom, since a search improves
//! with the logarithm of its time.

use std::cell::Cell;
use std::time::{Duration, Instant};

use engines::cores::Cores;
use engines::search::Host;

/// When it is curious first.
const FIRST: Duration = Duration::from_millis(20);

/// The longest time without curiosity.
const LONGEST: Duration = Duration::from_secs(1);

/// A host that wants to know what was found: after 20 ms, then each time twice as long after the last time, and at
/// least every second.
pub struct Onlooker<'a> {
    host: &'a dyn Host,
    pause: Cell<Duration>,
    next: Cell<Instant>,
}

impl<'a> Onlooker<'a> {
    /// Of a search that began then.
    pub fn new(host: &'a dyn Host, began: Instant) -> Self {
        Self { host, pause: Cell::new(FIRST), next: Cell::new(began + FIRST) }
    }
}

impl Host for Onlooker<'_> {
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
    fn it_asks_more_and_more_seldom() {
        let began = Instant::now().checked_sub(FIRST).expect("the clock has run that long");
        let timer = Timer::lasting(Duration::from_secs(3600));
        let onlooker = Onlooker::new(&timer, began);
        assert!(onlooker.is_curious() && !onlooker.is_curious());
        assert_eq!(onlooker.pause.get(), 2 * FIRST);
        for _ in 0..9 {
            onlooker.next.set(Instant::now());
            assert!(onlooker.is_curious());
        }
        assert_eq!(onlooker.pause.get(), LONGEST);
    }
}
