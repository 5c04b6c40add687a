//! What the engine tells its values to be. A search adds up results that hold the margin too; people and programs want to
//! know how much of the score to expect.

/// The score to expect, in thousandths, at values of 0.5, 0.55 and so on to 1. Fitted to matches of the engine against
/// itself; `tests/told.rs` makes them.
const SCORE: [u16; 11] = include!("told.txt");

/// The expected score, 0 to 1, for a mean result of a search; the higher the one, the higher the other.
pub fn told(value: f64) -> f64 {
    let better = value.max(1.0 - value).clamp(0.5, 1.0);
    let at = (better - 0.5) * 20.0;
    let step = (at as usize).min(SCORE.len() - 2);
    let [low, high] = [SCORE[step], SCORE[step + 1]].map(|score| f64::from(score) / 1_000.0);
    let score = low + (at - step as f64) * (high - low);
    if value < 0.5 { 1.0 - score } else { score }
}
