//! The table from search values to expected scores.

use crate::games::azul::engine::score::expected_score;

/// Both sides' scores add up to one, none leaves 0 to 1, and a higher value never has a lower score.
#[test]
fn expected_scores_keep_the_order() {
    let scores: Vec<f64> = (0..=1_000).map(|i| expected_score(f64::from(i) / 1e3)).collect();
    assert_eq!((scores[0], scores[500], scores[1_000]), (1.0 - scores[1_000], 0.5, scores[1_000]));
    assert!(scores.windows(2).all(|pair| pair[0] <= pair[1]) && scores[1_000] <= 1.0);
    assert!((0..=1_000).all(|i| (scores[i] + scores[1_000 - i] - 1.0).abs() < 1e-12));
}
