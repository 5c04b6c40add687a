//! Admission: when would one more search begin, and can it meet its deadline? Pure; the instants come in.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

/// A search ahead in the queue: its expected duration, and the latest time at which it ends.
pub(super) type QueuedAhead = (Duration, Instant);

/// The time at which a search that is added now would begin, if this many threads serve the queue in order.
pub(super) fn start_time(now: Instant, threads: usize, queue: impl Iterator<Item = QueuedAhead>) -> Instant {
    let mut threads: BinaryHeap<Reverse<Instant>> = (0..threads).map(|_| Reverse(now)).collect();
    for (takes, latest) in queue {
        let Some(mut first) = threads.peek_mut() else { return now };
        first.0 = (first.0 + takes).min(latest.max(first.0));
    }
    threads.peek().map_or(now, |first| first.0)
}

/// How much later a search would have to arrive to be admitted; zero if it is admitted now. Between `begin` and `ends_by`
/// there must be at least half of the time that it needs, and at its `rate` (its share of a core, above 0 and at most 1)
/// at least a quarter of the computing that it needs.
pub(super) fn admission_delay(begin: Instant, needs: Duration, rate: f64, ends_by: Instant) -> Duration {
    let least = (needs / 2).max((needs / 4).div_f64(rate));
    (begin + least).saturating_duration_since(ends_by)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn free_thread_begins_at_once() {
        let now = Instant::now();
        assert_eq!(start_time(now, 2, [(500 * MS, now + 500 * MS)].into_iter()), now);
    }

    #[test]
    fn queue_is_served_in_order_by_the_first_free_thread() {
        let now = Instant::now();
        let late = now + 10_000 * MS;
        let queue = [100, 200, 300, 50, 10].map(|ms| (ms * MS, late));
        // 100 + 300 on one thread; 200, 250, 260 on the other.
        assert_eq!(start_time(now, 2, queue.into_iter()), now + 260 * MS);
    }

    #[test]
    fn waiting_searches_end_by_their_own_deadline() {
        let now = Instant::now();
        let queue = [(100 * MS, now + 100 * MS), (500 * MS, now + 150 * MS)];
        assert_eq!(start_time(now, 1, queue.into_iter()), now + 150 * MS);
    }

    #[test]
    fn half_of_the_time_or_a_quarter_of_the_computing_must_be_left() {
        let now = Instant::now();
        let ends_by = now + 520 * MS;
        assert_eq!(admission_delay(now + 500 * MS, 500 * MS, 1.0, ends_by), 230 * MS);
        assert_eq!(admission_delay(now, 500 * MS, 1.0, ends_by), Duration::ZERO);
        assert_eq!(
            admission_delay(now + 270 * MS, 500 * MS, 1.0, ends_by),
            Duration::ZERO,
            "half of it is left"
        );
        assert_eq!(admission_delay(now, 500 * MS, 0.25, ends_by), Duration::ZERO, "four share a core");
        assert_eq!(admission_delay(now, 500 * MS, 0.2, ends_by), 105 * MS, "five are too many");
    }
}
