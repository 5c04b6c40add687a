//! The clocks of a match: pure arithmetic on times that others measure. It must not read any clock.

use engines::game::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The time that every seat gets. At least one of `initial_ms` and `move_ms` is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["initial_ms"] }, { "required": ["move_ms"] }]))]
pub struct ClockSpec {
    /// Time for all moves of a seat together, in milliseconds, before increments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 10, max = 31_622_400_000_u64))]
    pub initial_ms: Option<u64>,
    /// The time that a seat's clock gains with each of its moves, in milliseconds. Only with `initial_ms`.
    #[serde(default)]
    #[schemars(range(max = 31_622_400_000_u64))]
    pub increment_ms: u64,
    /// Time for each single move, in milliseconds. Unused time is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 10, max = 31_622_400_000_u64))]
    pub move_ms: Option<u64>,
}

/// The shortest and the longest time that can be given, in milliseconds: 10 ms to 366 days.
const RANGE: std::ops::RangeInclusive<u64> = 10..=366 * 24 * 3_600_000;

impl ClockSpec {
    /// Checks the values.
    ///
    /// # Errors
    /// The wrong field and the values that it allows.
    pub fn check(&self) -> Result<(), String> {
        if self.initial_ms.is_none() && self.move_ms.is_none() {
            return Err(
                "clock: one of initial_ms and move_ms is required (leave clock out to play without one)"
                    .into(),
            );
        }
        if self.initial_ms.is_none() && self.increment_ms > 0 {
            return Err("clock.increment_ms: an increment needs initial_ms".into());
        }
        for (name, value) in [("initial_ms", self.initial_ms), ("move_ms", self.move_ms)] {
            if value.is_some_and(|ms| !RANGE.contains(&ms)) {
                return Err(format!("clock.{name}: must be from {} to {}", RANGE.start(), RANGE.end()));
            }
        }
        if self.increment_ms > *RANGE.end() {
            return Err(format!("clock.increment_ms: must be at most {}", RANGE.end()));
        }
        Ok(())
    }
}

/// The clocks of one match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    spec: Option<ClockSpec>,
    /// Per seat, the rest of the time for all moves, in milliseconds.
    left_ms: Vec<Option<u64>>,
}

impl Clocks {
    /// Full clocks for this many seats. `None`: without time limits.
    pub fn new(spec: Option<ClockSpec>, seats: usize) -> Self {
        let left = spec.and_then(|spec| spec.initial_ms);
        Self { spec, left_ms: vec![left; seats] }
    }

    /// The time that every seat gets.
    pub fn spec(&self) -> Option<&ClockSpec> {
        self.spec.as_ref()
    }

    /// The rest of a seat's time for all moves, in milliseconds, if that is limited.
    pub fn left(&self, seat: Seat) -> Option<u64> {
        self.left_ms[seat.index()]
    }

    /// How long the next move of a seat may take, in milliseconds. `None`: without limit.
    pub fn allowed(&self, seat: Seat) -> Option<u64> {
        let per_move = self.spec.and_then(|spec| spec.move_ms);
        [per_move, self.left(seat)].into_iter().flatten().min()
    }

    /// Charges a turn of `took_ms` milliseconds and adds the increment. Returns the rest of the seat's time.
    pub fn charge(&mut self, seat: Seat, took_ms: u64) -> Option<u64> {
        let increment = self.spec.map_or(0, |spec| spec.increment_ms);
        let left = &mut self.left_ms[seat.index()];
        *left = left.map(|left| left.saturating_sub(took_ms).saturating_add(increment));
        *left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEAT: Seat = Seat(1);

    #[test]
    fn tighter_limit_applies_and_moves_earn_the_increment() {
        let spec = ClockSpec { initial_ms: Some(10_000), increment_ms: 500, move_ms: Some(4_000) };
        let mut clocks = Clocks::new(Some(spec), 2);
        assert_eq!(clocks.allowed(SEAT), Some(4_000));
        assert_eq!(clocks.charge(SEAT, 4_000), Some(6_500));
        assert_eq!(clocks.charge(SEAT, 3_500), Some(3_500));
        assert_eq!(clocks.allowed(SEAT), Some(3_500));
        assert_eq!(clocks.charge(SEAT, 9_000), Some(500), "never below zero before the increment");
        assert_eq!(clocks.left(Seat(0)), Some(10_000), "other seats are not charged");
    }

    #[test]
    fn time_for_each_move_is_not_saved() {
        let spec = ClockSpec { initial_ms: None, increment_ms: 0, move_ms: Some(100) };
        let mut clocks = Clocks::new(Some(spec), 2);
        assert_eq!(clocks.charge(SEAT, 30), None);
        assert_eq!(clocks.allowed(SEAT), Some(100));
    }

    #[test]
    fn match_without_a_clock_has_no_limits() {
        let mut clocks = Clocks::new(None, 2);
        assert_eq!((clocks.charge(SEAT, u64::MAX), clocks.allowed(SEAT)), (None, None));
    }

    #[test]
    fn invalid_clocks_are_refused() {
        let spec =
            |initial_ms, increment_ms, move_ms| ClockSpec { initial_ms, increment_ms, move_ms }.check();
        assert!(spec(Some(60_000), 0, None).is_ok() && spec(None, 0, Some(10)).is_ok());
        for (bad, field) in [
            (spec(None, 0, None), "move_ms"),
            (spec(None, 5, Some(100)), "increment_ms"),
            (spec(Some(0), 0, None), "initial_ms"),
            (spec(Some(1_000), u64::MAX, None), "increment_ms"),
            (spec(None, 0, Some(u64::MAX)), "move_ms"),
        ] {
            assert!(bad.unwrap_err().contains(field), "{field}");
        }
    }
}
