//! The table from search values to expected scores.

use crate::games::azul::engine::score::expected_score;

/// No score leaves 0 to 1, and a higher value never has a lower score. The mover's value is a little too high on average.
#[test]
fn expected_scores_keep_the_order() {
    let scores: Vec<f64> = (0..=1_000).map(|i| expected_score(f64::from(i) / 1e3)).collect();
    assert!(scores.windows(2).all(|pair| pair[0] <= pair[1]) && scores[0] >= 0.0 && scores[1_000] <= 1.0);
    assert!(scores[0] < 0.1 && (0.4..=0.5).contains(&scores[500]) && scores[1_000] > 0.9, "{}", scores[500]);
}
