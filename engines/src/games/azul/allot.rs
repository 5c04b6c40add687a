//! Spreads a match's 30 seconds over all own turns. Depends only on the position and the time left; must not read a clock.

use std::time::Duration;

use super::rules::{Position, ROWS};

/// Time kept back for start-up, transport and the last moves: a quarter of the time left, within these bounds.
const RESERVE: [Duration; 2] = [Duration::from_millis(300), Duration::from_secs(1)];
/// Weight of all own turns of an average round, in units of [`Position::choices`]: 41 to 45 when the engine plays itself.
const ROUND: f64 = 46.0;
/// Rounds added to those that the fullest row still needs: one match in ten goes on for longer.
const MORE_ROUNDS: f64 = 0.1;

/// Expected rounds after this one. The fullest row gains at most one tile per round.
fn rounds_to_come(position: &Position) -> f64 {
    let fullest = position.boards.iter().flat_map(|b| (0..ROWS).map(|r| b.wall.in_row(r))).max().unwrap_or(0);
    f64::from(4u32.saturating_sub(fullest)) + MORE_ROUNDS
}

/// This decision's share of the time left: its weight divided by the weight of all own turns to come, this one included.
/// A forced move gets no time.
pub(super) fn share(position: &Position, clock: Duration) -> Duration {
    let mut moves = Vec::new();
    position.legal(&mut moves);
    if moves.len() < 2 {
        return Duration::ZERO;
    }
    let own = position.choices() as f64;
    // own + (own - 2) + (own - 4) + ...
    let this_round = own * (own + 2.0) / 4.0;
    let all = this_round.max(own) + ROUND * rounds_to_come(position);
    let [least, most] = RESERVE;
    clock.saturating_sub((clock / 4).clamp(least, most)).mul_f64(own / all)
}
