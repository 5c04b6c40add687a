//! How long to wait between attempts at something that fails for now.

use std::time::Duration;

use crate::error::Error;

/// The pauses between attempts, between a shortest and a longest one.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    next: Duration,
    max: Duration,
    factor: u32,
}

impl Backoff {
    /// Pauses of at least `min` and at most `max`, as the error advises.
    pub(crate) const fn steady(min: Duration, max: Duration) -> Self {
        Self { next: min, max, factor: 1 }
    }

    /// Pauses that begin at `min` and double each time, up to `max`. An error may advise a longer one, within `max`.
    pub(crate) const fn doubling(min: Duration, max: Duration) -> Self {
        Self { next: min, max, factor: 2 }
    }

    /// Skips this many pauses.
    pub(crate) fn skip(mut self, pauses: u32) -> Self {
        self.next = self.next.saturating_mul(self.factor.saturating_pow(pauses)).min(self.max);
        self
    }

    /// The next pause.
    pub(crate) fn pause(&mut self) -> Duration {
        let pause = self.next;
        self.next = (self.next * self.factor).min(self.max);
        pause
    }

    /// The pause after this error.
    pub(crate) fn after(&mut self, e: &Error) -> Duration {
        let (least, most) = (self.pause(), self.max);
        e.comes_back_after().unwrap_or(least).clamp(least, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_stay_within_their_bounds() {
        let ms = Duration::from_millis;
        let advised = |time| Error::busy(String::new(), time);
        let mut doubling = Backoff::doubling(ms(20), ms(100));
        let pauses: Vec<_> = (0..5).map(|_| doubling.after(&Error::stopping().retry_after(ms(1)))).collect();
        assert_eq!(pauses, [20, 40, 80, 100, 100].map(ms));
        let mut later = Backoff::doubling(ms(20), ms(100)).skip(2);
        assert_eq!([later.pause(), later.pause()], [80, 100].map(ms));
        assert_eq!(Backoff::doubling(ms(20), ms(100)).skip(u32::MAX).pause(), ms(100));
        let mut steady = Backoff::steady(ms(5), ms(100));
        let pauses = [1, 50, 900, 5].map(|time| steady.after(&advised(ms(time))));
        assert_eq!(pauses, [5, 50, 100, 5].map(ms));
    }
}
