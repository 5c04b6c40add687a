//! From the search's values to expected scores. The search adds up results that include the margin; callers of the API
//! want the expected score alone.

use crate::search_kit::curve::through;

/// The expected score, in thousandths, at values of 0.5, 0.55 and so on to 1. Fitted to matches of the engine against
/// itself by `engines-train azul-scores`.
const SCORE: [u16; 11] = include!("score.txt");

/// The expected score, 0 to 1, for a mean value of the search; a higher value never gives a lower score.
pub fn expected_score(value: f64) -> f64 {
    let better = value.max(1.0 - value).clamp(0.5, 1.0);
    let score = through(&SCORE, (better - 0.5) * 20.0);
    if value < 0.5 { 1.0 - score } else { score }
}
