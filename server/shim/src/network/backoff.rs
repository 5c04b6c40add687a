//! Exponential backoff: the growing pauses between attempts. Pure.

use std::time::Duration;

/// Pauses that double from the shortest to the longest.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    shortest: Duration,
    longest: Duration,
    next: Duration,
}

impl Backoff {
    /// Begins with the shortest pause.
    pub(crate) fn new(shortest: Duration, longest: Duration) -> Self {
        Self { shortest, longest, next: shortest }
    }

    /// The pause before the next attempt.
    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        pause
    }

    /// Begins again with the shortest pause, after a success.
    pub(crate) fn reset(&mut self) {
        self.next = self.shortest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let mut backoff = Backoff::new(Duration::from_millis(5), Duration::from_millis(30));
        let pauses: Vec<_> = (0..5).map(|_| backoff.next().as_millis()).collect();
        assert_eq!(pauses, [5, 10, 20, 30, 30]);
        backoff.reset();
        assert_eq!(backoff.next(), Duration::from_millis(5));
    }
}
