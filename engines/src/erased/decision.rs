//! A decision that a dialogue asks for, with its time limits and its seed.

use std::time::Duration;

use super::Position;
use super::fingerprint::fingerprint;
use crate::dialogue::CountedTime;
use crate::rng::{Rng, Seed};

/// A decision that a dialogue asks for.
pub struct DecisionRequest {
    /// The view of the seat to move.
    pub position: Box<dyn Position>,
    /// Time left for all further decisions of the match, if the dialogue gives it.
    pub clock: Option<Duration>,
    /// The official limit for one decision, if there is one.
    pub limit: Option<Duration>,
    /// The kind of time that the official limits count.
    pub counts: CountedTime,
    /// Thinking time if the caller asks for no other.
    pub usual: Duration,
}

impl DecisionRequest {
    /// The longest time that the answer may take: the official limits, less a margin for the way to the referee and for
    /// other work on the machine. `None`: there is no limit.
    pub fn longest(&self) -> Option<Duration> {
        [self.limit, self.clock].into_iter().flatten().map(usable).min()
    }

    /// The thinking time: the time that the caller `asked` for, else the clock's share, else the usual time of the game.
    /// It is never so long that the decision could miss an official limit.
    pub fn thinking_time(&self, asked: Option<Duration>) -> Duration {
        let wanted = match (asked, self.clock) {
            (Some(asked), _) => asked,
            (None, Some(clock)) => self.position.allot(clock),
            (None, None) => self.usual,
        };
        self.longest().map_or(wanted, |longest| wanted.min(longest))
    }

    /// The seed of this decision in a dialogue with that seed. Each position has a different one. On any machine, a
    /// dialogue continued from its transcript has the same one again.
    pub fn seed(&self, dialogue: &Seed) -> Seed {
        Rng::stream(dialogue, fingerprint(&self.position.to_json())).seed()
    }
}

/// The usable part of an official limit: all but a margin for the way to the referee and for a busy machine.
pub fn usable(limit: Duration) -> Duration {
    limit - margin(limit)
}

/// The unused margin of an official limit.
fn margin(limit: Duration) -> Duration {
    (limit / 10).clamp(Duration::from_millis(20), Duration::from_millis(500)).min(limit / 2)
}
