//! How long clocks are stopped: around downtimes, while no server runs or nothing can be written, and for a grace period after
//! that, in which players reconnect; and during vacations, without a grace. Pure.

use crate::domain::time::Millis;

/// How long a clock was stopped up to now, and how long it remains stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Downtime {
    /// How long it was stopped, in milliseconds.
    pub away_ms: u64,
    /// How long it remains stopped, in milliseconds; 0 during a downtime, since its end is unknown.
    pub grace_ms: u64,
}

impl Downtime {
    /// For a clock that runs since `from`. Each of `downtimes` and `vacations` is a start (included) and an end (not included).
    pub(crate) fn of(
        downtimes: &[(Millis, Millis)],
        vacations: &[(Millis, Millis)],
        grace_ms: u64,
        from: Millis,
        now: Millis,
    ) -> Self {
        let grace = Millis::try_from(grace_ms).unwrap_or(Millis::MAX);
        let mut longer: Vec<_> =
            downtimes.iter().map(|(begin, end)| (*begin, end.saturating_add(grace))).collect();
        let after = longer.iter().filter(|(begin, end)| *begin <= now && *end < Millis::MAX);
        let until = after.map(|(_, end)| *end).max().unwrap_or(now);
        longer.extend(vacations);
        longer.sort_unstable();
        let (mut away, mut counted) = (0, from);
        for (begin, end) in &longer {
            let begin = (*begin).max(counted);
            let end = (*end).min(now);
            if begin < end {
                away += end - begin;
                counted = end;
            }
        }
        let positive = |ms: Millis| u64::try_from(ms).unwrap_or(0);
        Self { away_ms: positive(away), grace_ms: positive(until.saturating_sub(now.max(from))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(downtimes: &[(Millis, Millis)], from: Millis, now: Millis) -> (u64, u64) {
        let Downtime { away_ms, grace_ms } = Downtime::of(downtimes, &[], 20, from, now);
        (away_ms, grace_ms)
    }

    #[test]
    fn clock_is_stopped_during_a_downtime_and_its_grace() {
        let down = [(100, 200)];
        assert_eq!(of(&down, 50, 205), (105, 15));
        assert_eq!(of(&down, 50, 300), (120, 0));
        assert_eq!(of(&down, 150, 300), (70, 0));
        assert_eq!(of(&down, 210, 212), (2, 8), "a turn that begins in the grace gets the rest of it");
        assert_eq!(of(&down, 220, 300), (0, 0));
        assert_eq!(of(&[], 0, 300), (0, 0));
    }

    #[test]
    fn no_time_counts_twice() {
        assert_eq!(of(&[(100, 200), (210, 240), (230, 250)], 0, 300), (170, 0));
        assert_eq!(of(&[(100, 200), (150, 160)], 0, 190), (90, 30));
    }

    #[test]
    fn vacation_has_no_grace_and_counts_once_with_a_downtime() {
        let of = |downtimes: &[(Millis, Millis)], vacation, now| {
            let Downtime { away_ms, grace_ms } = Downtime::of(downtimes, &[vacation], 20, 0, now);
            (away_ms, grace_ms)
        };
        assert_eq!(of(&[], (100, 200), 150), (50, 0), "it goes on");
        assert_eq!(of(&[], (100, 200), 300), (100, 0));
        assert_eq!(of(&[(150, 250)], (100, 200), 300), (170, 0));
        assert_eq!(of(&[(150, 250)], (100, 900), 260), (160, 10));
    }

    #[test]
    fn downtime_that_lasts_has_no_grace_yet() {
        assert_eq!(of(&[(100, Millis::MAX)], 50, 300), (200, 0));
    }
}
