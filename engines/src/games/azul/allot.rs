//! Spreads a match's 30 seconds over all own turns. Depends on the position and the time left, and must not read a clock.

use std::time::Duration;

use super::rules::{Position, ROWS};

/// Time kept back for start-up, transport and the last moves.
const RESERVE: Duration = Duration::from_millis(300);
/// Weight of all own turns of an average round, in units of [`weight`]: about 14 + 12 + ... + 2.
const ROUND: f64 = 56.0;

/// Number of different (source, colour) pairs that can be taken. It measures how much there is to decide, and
/// approximates how many moves the round still has.
fn weight(position: &Position) -> f64 {
    position.sources.iter().flatten().filter(|n| **n > 0).count() as f64
}

/// Expected rounds after this one. The fullest row gains at most one tile per round; half a round is added, because
/// matches often take longer than that.
fn rounds_to_come(position: &Position) -> f64 {
    let fullest = position.boards.iter().flat_map(|b| (0..ROWS).map(|r| b.wall.in_row(r))).max().unwrap_or(0);
    f64::from(4u32.saturating_sub(fullest)) + 0.5
}

/// This decision's share of the time left: its weight divided by the weight of all own turns to come, this one included.
/// A forced move gets no time.
pub(super) fn share(position: &Position, clock: Duration) -> Duration {
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
