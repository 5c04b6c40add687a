//! Converts the search's values to expected scores. The search adds up results that include the margin, and the move that
//! it chooses is on average a little overrated. Callers of the API want only the expected score.

use crate::search_kit::curve::through;

/// The expected score, in thousandths, at values of 0, 0.05 and so on to 1. Fitted to matches of the engine against itself
/// by `engines-train azul-scores`.
const SCORE: [u16; 21] = include!("score.txt");

/// The expected score, 0 to 1, for a mean value of the search; a higher value never gives a lower score.
pub fn expected_score(value: f64) -> f64 {
    through(&SCORE, value.clamp(0.0, 1.0) * 20.0)
}
