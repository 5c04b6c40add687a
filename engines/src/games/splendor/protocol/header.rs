//! How well the table fits either reading of a header that may count from 0 or from 1. Knows the rules' arithmetic
//! and nothing of the dialogue.
//!
//! Counted from 0 the players have had more turns than counted from 1: the mover of the reading from 1 two more, all
//! others one more. Work that is seen (cards, reservations, chips) leaves some turns over, and the fewer a player
//! leaves over the likelier the reading, but hardly any player wastes none.

use super::super::rules::{GOAL, Hand};

/// Thirds of a turn that players of different strength waste a turn, around the twentieth, and how frequent such
/// players are. Measured in matches of all engines, all levels.
const WASTE: [(f64, f64); 4] = [(0.12, 3.0), (0.25, 2.0), (0.5, 1.0), (1.0, 1.0)];
/// The turn about which [`WASTE`] is measured, and how waste grows with the turns.
const TURN: f64 = 20.0;
const GROWTH: f64 = 0.3;
/// The odds before the table is looked at (natural logarithm): later versions of the referee count from 1.
const PRIOR: f64 = -1.5;
/// What cannot be is this unlikely (natural logarithm).
const IMPOSSIBLE: f64 = -50.0;

/// The odds that the header counts from 0 and not from 1, as natural logarithm: above 0 it is likelier that it counts
/// from 0. `id` and `round` as the header has them, both at least 1, `id` less than the number of players.
pub(in super::super) fn odds_of_zero(hands: &[Hand], id: usize, round: usize) -> f64 {
    // Counted from 1 this player would be to move, in a match that ended with the round before.
    if hands[id - 1].points() >= GOAL {
        return -IMPOSSIBLE;
    }
    let fit = |hand: &Hand, turns: usize| match hand.least_thirds() {
        Some(least) if least <= 3 * turns => likelihood(3 * turns - least, turns),
        _ => IMPOSSIBLE,
    };
    let reading = |id: usize, round: usize| -> f64 {
        hands.iter().enumerate().map(|(seat, hand)| fit(hand, round + usize::from(seat < id))).sum()
    };
    PRIOR + reading(id, round) - reading(id - 1, round - 1)
}

/// How likely a player wastes this many thirds of its turns (natural logarithm): a mixture of Poisson distributions.
fn likelihood(wasted: usize, turns: usize) -> f64 {
    if turns == 0 {
        return 0.0;
    }
    let factorial: f64 = (1..=wasted).map(|n| (n as f64).ln()).sum();
    let turns = turns as f64;
    let growth = turns * (turns / TURN).powf(GROWTH);
    let players: f64 = WASTE.iter().map(|(_, weight)| weight).sum();
    let one = |(rate, weight): &(f64, f64)| {
        let mean = rate * growth;
        weight / players * (wasted as f64 * mean.ln() - mean - factorial).exp()
    };
    WASTE.iter().map(one).sum::<f64>().ln().max(IMPOSSIBLE)
}
