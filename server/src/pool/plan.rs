//! When would one more task begin, and may it? Pure arithmetic on instants that are handed in.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

/// A thought that runs.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    /// When it began.
    pub began: Instant,
    /// When it is expected to end.
    pub expected: Instant,
    /// When it ends at the latest.
    pub latest: Instant,
}

impl Running {
    /// When it will end, seen from `now`. One that outlasted what was expected is taken to last as long again.
    fn ends(&self, now: Instant) -> Instant {
        if now < self.expected { self.expected } else { (now + (now - self.began)).min(self.latest) }
    }
}

/// A task that waits: how long it will take, and when it ends at the latest.
pub type Waiting = (Duration, Instant);

/// When a task added now would begin, if `running` holds one entry a thread and `queue` is served in order.
pub fn begins(
    now: Instant,
    running: impl Iterator<Item = Option<Running>>,
    queue: impl Iterator<Item = Waiting>,
) -> Instant {
    let free = |thread: Option<Running>| Reverse(thread.map_or(now, |r| r.ends(now).max(now)));
    let mut threads: BinaryHeap<Reverse<Instant>> = running.map(free).collect();
    for (takes, latest) in queue {
        let Some(mut first) = threads.peek_mut() else { return now };
        first.0 = (first.0 + takes).min(latest.max(first.0));
    }
    threads.peek().map_or(now, |first| first.0)
}

/// How much later a task would have to come to be admitted; zero when it may come now. At least half of the time
/// it needs must be left between `begin` and `ends_by`.
pub fn too_early_by(begin: Instant, needs: Duration, ends_by: Instant) -> Duration {
    (begin + needs / 2).saturating_duration_since(ends_by)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn busy(now: Instant, ms: u32) -> Option<Running> {
        Some(Running { began: now, expected: now + ms * MS, latest: now + ms * MS })
    }

    #[test]
    fn a_free_thread_begins_at_once() {
        let now = Instant::now();
        assert_eq!(begins(now, [busy(now, 500), None].into_iter(), [].into_iter()), now);
    }

    #[test]
    fn the_queue_is_served_in_order_by_the_first_free_thread() {
        let now = Instant::now();
        let late = now + 10_000 * MS;
        let queue = [(300 * MS, late), (50 * MS, late), (10 * MS, late)];
        // 100 + 300 on one thread; 200, 250, 260 on the other.
        let begin = begins(now, [busy(now, 100), busy(now, 200)].into_iter(), queue.into_iter());
        assert_eq!(begin, now + 260 * MS);
    }

    #[test]
    fn waiting_tasks_end_by_their_own_deadline() {
        let now = Instant::now();
        let queue = [(500 * MS, now + 150 * MS)];
        assert_eq!(begins(now, [busy(now, 100)].into_iter(), queue.into_iter()), now + 150 * MS);
    }

    #[test]
    fn a_thought_that_outlasts_its_expectation_is_not_over() {
        let began = Instant::now();
        let running = Running { began, expected: began + MS, latest: began + 100 * MS };
        let now = began + 10 * MS;
        assert_eq!(begins(now, [Some(running)].into_iter(), [].into_iter()), began + 20 * MS);
        let now = began + 90 * MS;
        assert_eq!(begins(now, [Some(running)].into_iter(), [].into_iter()), began + 100 * MS);
    }

    #[test]
    fn four_callers_on_two_threads() {
        let now = Instant::now();
        let ends_by = now + 520 * MS;
        let begin = begins(now, [busy(now, 500), busy(now, 500)].into_iter(), [].into_iter());
        assert_eq!(too_early_by(begin, 500 * MS, ends_by), 230 * MS);
        assert_eq!(too_early_by(now, 500 * MS, ends_by), Duration::ZERO);
        assert_eq!(too_early_by(now + 270 * MS, 500 * MS, ends_by), Duration::ZERO, "half of it is left");
    }
}
