//! Odds that an ambiguous header counts from 0 or from 1, judged by the table. Must not know the dialogue.
//!
//! If the header counts from 0, the players have had more turns than if it counts from 1: the seat that would be to move in
//! a count from 1 has had two more, all others one more. The visible work of a player (cards, reservations, chips) explains
//! some of its turns; the others were wasted. Fewer wasted turns are likelier, but hardly any player wastes none.

use super::super::rules::{GOAL, Hand};

/// Thirds of a turn that a player wastes per turn, around the twentieth turn, with the frequency of such players. Measured
/// in matches of all engines and levels.
const WASTE: [(f64, f64); 4] = [(0.12, 3.0), (0.25, 2.0), (0.5, 1.0), (1.0, 1.0)];
/// The turn for which [`WASTE`] holds, and the exponent by which waste grows with the turns.
const TURN: f64 = 20.0;
const GROWTH: f64 = 0.3;
/// The prior odds (natural logarithm): later versions of the referee count from 1.
const PRIOR: f64 = -1.5;
/// The likelihood of an impossible table (natural logarithm).
const IMPOSSIBLE: f64 = -50.0;

/// The odds that the header counts from 0 and not from 1, as natural logarithm: positive if 0 is likelier. `id` and `round`
/// are the header's numbers, both at least 1, with `id` less than the number of players.
pub(in super::super) fn odds_of_zero(hands: &[Hand], id: usize, round: usize) -> f64 {
    // Counted from 1, this player would be to move after the end of the match.
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

/// The likelihood (natural logarithm) that a player wastes this many thirds of its turns: a mixture of Poisson
/// distributions.
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
