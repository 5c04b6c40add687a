//! The time that players may take: pure arithmetic on measured times.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::game::Info;

/// How far a decision may exceed its limit without being late. It covers the delays of the machine, not of the player,
/// between writing to a pipe and seeing the answer; the clock is still charged the measured time.
pub const TOLERANCE: Duration = Duration::from_millis(20);

/// The limit of one decision if neither the game nor the settings have one, so that no wait is endless.
const PATIENCE: Duration = Duration::from_secs(60);

/// The limits of every player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeLimits {
    /// For one decision.
    #[serde(rename = "move_limit_ms", with = "ms")]
    pub per_move: Option<Duration>,
    /// For all decisions of a seat in a match.
    #[serde(rename = "match_limit_ms", with = "ms")]
    pub per_match: Option<Duration>,
}

mod ms {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(d: &Option<Duration>, s: S) -> Result<S::Ok, S::Error> {
        d.map(|d| d.as_millis() as u64).serialize(s)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(d)?.map(Duration::from_millis))
    }
}

impl TimeLimits {
    /// The game's official limits; a minute for each decision if there are none.
    pub fn official(info: &Info) -> Self {
        let any = info.move_limit.or(info.match_limit).is_some();
        Self { per_move: if any { info.move_limit } else { Some(PATIENCE) }, per_match: info.match_limit }
    }
}

/// The clocks of one match.
#[derive(Clone, Debug)]
pub(super) struct ArenaClocks {
    limits: TimeLimits,
    left: Vec<Option<Duration>>,
}

impl ArenaClocks {
    /// Full clocks for this many seats.
    pub(super) fn new(limits: TimeLimits, seats: usize) -> Self {
        Self { limits, left: vec![limits.per_match; seats] }
    }

    /// Time left for all further decisions of the seat, if it is limited.
    pub(super) fn left(&self, seat: usize) -> Option<Duration> {
        self.left[seat]
    }

    /// The limit of the seat's next decision.
    pub(super) fn allowed(&self, seat: usize) -> Option<Duration> {
        match (self.limits.per_move, self.left[seat]) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Charges a decision. `false`: it came too late.
    pub(super) fn charge(&mut self, seat: usize, taken: Duration) -> bool {
        let in_time = self.allowed(seat).is_none_or(|allowed| taken <= allowed + TOLERANCE);
        self.left[seat] = self.left[seat].map(|left| left.saturating_sub(taken));
        in_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn tighter_limit_holds_and_the_clock_runs() {
        let limits = TimeLimits { per_move: Some(100 * MS), per_match: Some(250 * MS) };
        let mut clocks = ArenaClocks::new(limits, 2);
        assert!(clocks.charge(0, 90 * MS));
        assert!(clocks.charge(0, 100 * MS + TOLERANCE));
        assert_eq!(clocks.left(0), Some(40 * MS));
        assert_eq!(clocks.allowed(0), Some(40 * MS));
        assert_eq!(clocks.allowed(1), Some(100 * MS));
        assert!(!clocks.charge(0, 61 * MS));
        assert_eq!(clocks.allowed(0), Some(Duration::ZERO));
        assert!(!clocks.charge(1, 121 * MS));
    }

    #[test]
    fn without_limits_nothing_is_late() {
        let mut clocks = ArenaClocks::new(TimeLimits::default(), 1);
        assert_eq!((clocks.allowed(0), clocks.left(0)), (None, None));
        assert!(clocks.charge(0, Duration::from_secs(1 << 30)));
    }
}
