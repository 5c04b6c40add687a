//! How a match's 30 seconds are spread over all own turns. Looks at the position alone, never at a clock.

use std::time::Duration;

use super::rules::{Position, ROWS};

/// Never given away: what start-up, transport and the last moves may need.
const RESERVE: Duration = Duration::from_millis(300);
/// Weight of all own turns of an average round, in the measure of [`weight`]: about 14, 12, ... 2.
const ROUND: f64 = 56.0;

/// Number of different (source, colour) pairs that may be taken: how much there is to decide, and about how many
/// moves the round still has.
fn weight(position: &Position) -> f64 {
    position.sources.iter().flatten().filter(|n| **n > 0).count() as f64
}

/// Rounds after this one: the fullest row gains a tile a round at the most. Half a round more, since matches often
/// take longer than that.
fn rounds_to_come(position: &Position) -> f64 {
    let fullest = position.boards.iter().flat_map(|b| (0..ROWS).map(|r| b.wall.in_row(r))).max().unwrap_or(0);
    f64::from(4u32.saturating_sub(fullest)) + 0.5
}

/// The time this decision deserves of what is left for all: its weight against that of all own turns to come. A
/// forced move gets nothing.
pub fn share(position: &Position, clock: Duration) -> Duration {
    let mut moves = Vec::new();
    position.legal(&mut moves);
    if moves.len() < 2 {
        return Duration::ZERO;
    }
    let own = weight(position);
    // own + (own - 2) + (own - 4) + ...
    let this_round = own * (own + 2.0) / 4.0;
    let all = this_round.max(own) + ROUND * rounds_to_come(position);
    clock.saturating_sub(RESERVE).mul_f64(own / all)
}
