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

    /// The time after which the best move so far must be printed, counted from the line that asked for the decision. It leaves
    /// half of the margin of an official limit, so that an answer after the longest thinking time still arrives before.
    /// `None`: waiting cannot miss a limit. `asked`: as in [`Self::thinking_time`]. If the limit is one clock for all decisions, a
    /// wait of more than a quarter of it would cost the decisions that follow.
    pub fn last_moment(&self, asked: Option<Duration>) -> Option<Duration> {
        if self.counts == CountedTime::Processor {
            return None;
        }
        let longest =
            [self.limit, self.clock].into_iter().flatten().map(|limit| limit - margin(limit) / 2).min()?;
        let wait = self.clock.map(|clock| (clock / 4).max(2 * self.thinking_time(asked)));
        Some(wait.map_or(longest, |wait| wait.min(longest)))
    }

    /// The seed of this decision in a dialogue with that seed: see [`decision_seed`].
    pub fn seed(&self, dialogue: &Seed) -> Seed {
        decision_seed(&*self.position, dialogue)
    }
}

/// The seed of a decision in this position, from the seed that the caller gave for the request or the dialogue. Each
/// position has a different one. It is the same on any machine, and does not depend on how the position was given: as JSON,
/// or in a dialogue, which may have been continued from its transcript.
pub fn decision_seed(position: &dyn Position, given: &Seed) -> Seed {
    Rng::stream(given, fingerprint(&position.to_json())).seed()
}

/// The usable part of an official limit: all but a margin for the way to the referee and for a busy machine.
pub fn usable(limit: Duration) -> Duration {
    limit - margin(limit)
}

/// The unused margin of an official limit.
fn margin(limit: Duration) -> Duration {
    (limit / 10).clamp(Duration::from_millis(20), Duration::from_millis(500)).min(limit / 2)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::game::{Turn, Viewer};
    use crate::games::GAMES;

    #[test]
    fn best_move_is_due_before_a_limit_of_wall_time() {
        let ms = Duration::from_millis;
        let question = |limit: Option<u64>, clock: Option<u64>, counts: CountedTime| {
            let table = GAMES[0].deal(&json!({}), &Seed::from(1)).unwrap();
            let Turn::Of(seat) = table.turn() else { panic!("the match has begun") };
            let position = table.view(Viewer::Seat(seat));
            let (limit, clock) = (limit.map(ms), clock.map(ms));
            DecisionRequest { position, clock, limit, counts, usual: ms(500) }
        };
        let last =
            |limit, clock, think: u64| question(limit, clock, CountedTime::Wall).last_moment(Some(ms(think)));
        assert_eq!(last(None, None, 100), None);
        assert_eq!(last(Some(3000), None, 100), Some(ms(2850)));
        assert_eq!(last(Some(1000), None, 900), Some(ms(950)));
        assert_eq!(last(None, Some(30_000), 100), Some(ms(7500)), "other decisions need the clock too");
        assert_eq!(last(None, Some(30_000), 5000), Some(ms(10_000)), "twice the thinking time");
        assert_eq!(last(None, Some(1000), 900), Some(ms(950)), "never after the clock has ended");
        assert_eq!(question(Some(11_000), None, CountedTime::Processor).last_moment(None), None);
    }
}
