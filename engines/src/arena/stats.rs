//! Statistics of paired matches: pure functions. Scores are 0 to 1 a match, a win 1 and a draw 1/2.

use serde::{Deserialize, Serialize};

/// A mean with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean of all matches.
    pub mean: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Two-sided 95% point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Two-sided 95% point of Student's distribution with this many degrees of freedom: exact values where they are few,
/// the first terms of the Cornish-Fisher expansion (Abramowitz and Stegun, 26.7.5) from 5 on, good to three digits.
pub fn student(freedom: usize) -> f64 {
    match freedom {
        0 => f64::INFINITY,
        1 => 12.706,
        2 => 4.303,
        3 => 3.182,
        4 => 2.776,
        n => {
            let n = n as f64;
            let [z3, z5, z7, z9] = [3, 5, 7, 9].map(|n| Z.powi(n));
            let first = (z3 + Z) / 4.0;
            let second = (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / 96.0;
            let third = (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * Z) / 384.0;
            let fourth = (79.0 * z9 + 776.0 * z7 + 1482.0 * z5 - 1920.0 * z3 - 945.0 * Z) / 92_160.0;
            Z + first / n + second / n.powi(2) + third / n.powi(3) + fourth / n.powi(4)
        }
    }
}

/// Mean and interval of values that come in groups (the matches of one deal), which are independent while the values
/// within a group are not. With groups of one size the variance is that of the groups' means; with others it is the
/// usual estimate for clusters, G/(G-1) * sum((sum over a group of (x - mean))^2) / N^2. `None` without a value; an
/// interval without end with one group.
pub fn estimate(groups: &[Vec<f64>]) -> Option<Estimate> {
    let groups: Vec<&Vec<f64>> = groups.iter().filter(|g| !g.is_empty()).collect();
    let n: usize = groups.iter().map(|g| g.len()).sum();
    if n == 0 {
        return None;
    }
    let mean = groups.iter().flat_map(|g| g.iter()).sum::<f64>() / n as f64;
    let g = groups.len();
    let squares: f64 = groups.iter().map(|x| x.iter().map(|x| x - mean).sum::<f64>().powi(2)).sum();
    let variance = squares / (n as f64).powi(2) * (g as f64 / (g as f64 - 1.0));
    let half = if g < 2 { f64::INFINITY } else { student(g - 1) * variance.sqrt() };
    Some(Estimate { mean, low: mean - half, high: mean + half })
}

/// The interval of a score: [`estimate`] within 0 and 1. Where every group has the same score there is no variance to
/// estimate from, and ten wins out of ten do not prove that the eleventh is certain: then it is Wilson's interval for
/// as many trials as there are groups.
pub fn score(groups: &[Vec<f64>]) -> Option<Estimate> {
    let raw = estimate(groups)?;
    let filled = groups.iter().filter(|g| !g.is_empty()).count();
    let wilson = wilson(raw.mean.clamp(0.0, 1.0), filled);
    let all_same = filled >= 2 && raw.high - raw.low < 1e-9;
    let chosen = if all_same { wilson } else { raw };
    Some(Estimate { mean: raw.mean, low: chosen.low.clamp(0.0, 1.0), high: chosen.high.clamp(0.0, 1.0) })
}

/// Wilson's 95% interval of a share seen in `n` trials.
pub fn wilson(share: f64, n: usize) -> Estimate {
    let n = n as f64;
    let z2 = Z * Z;
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    // At the ends the formula gives exactly 0 or 1, which rounding would miss by a hair, and Elo by thousands.
    let low = if share <= 0.0 { 0.0 } else { centre - half };
    let high = if share >= 1.0 { 1.0 } else { centre + half };
    Estimate { mean: share, low, high }
}

/// The Elo difference that a score amounts to: `-400 log10(1/s - 1)`; infinite at 0 and 1.
pub fn elo(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The value below which a share `p` of the values lies (nearest rank); `None` without a value. Sorts.
pub fn percentile(values: &mut [u64], p: f64) -> Option<u64> {
    values.sort_unstable();
    let rank = (p * values.len() as f64).ceil() as usize;
    values.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, error: f64) {
        assert!((a - b).abs() < error, "{a} is not {b}");
    }

    #[test]
    fn elo_has_the_known_values() {
        near(elo(0.5), 0.0, 1e-9);
        near(elo(0.75), 190.848_5, 1e-3);
        near(elo(0.64), 99.9, 0.1);
        near(elo(0.25), -190.848_5, 1e-3);
        near(elo(10.0 / 11.0), 400.0, 1e-9);
        assert_eq!((elo(1.0), elo(0.0)), (f64::INFINITY, f64::NEG_INFINITY));
    }

    #[test]
    fn student_has_the_tabled_values() {
        for (freedom, value) in [(4, 2.776), (5, 2.571), (6, 2.447), (10, 2.228), (30, 2.042), (120, 1.980)] {
            near(student(freedom), value, 2e-3);
        }
        near(student(1_000_000), Z, 1e-4);
    }

    #[test]
    fn wilson_has_the_known_values() {
        let all = wilson(1.0, 10);
        near(all.low, 0.7225, 1e-4);
        assert_eq!((all.high, wilson(0.0, 10).low), (1.0, 0.0));
        let half = wilson(0.5, 10);
        near(half.low, 0.2366, 1e-4);
        near(half.high, 0.7634, 1e-4);
    }

    #[test]
    fn pairs_are_counted_by_their_means() {
        // Pair means 1, 1/2, 1/2, 0, 1: mean 0.6, standard deviation 0.41833, error 0.18708, times 2.776.
        let pairs = [vec![1.0, 1.0], vec![1.0, 0.0], vec![0.5, 0.5], vec![0.0, 0.0], vec![1.0, 1.0]];
        let e = estimate(&pairs).unwrap();
        near(e.mean, 0.6, 1e-12);
        near(e.high - e.mean, 2.776 * 0.187_083, 1e-4);
        // Seats that decide everything cancel within the pair: no variance, unlike that of ten single matches.
        let seats = vec![vec![1.0, 0.0]; 5];
        near(estimate(&seats).unwrap().high, 0.5, 1e-12);
        let single: Vec<Vec<f64>> = seats.concat().into_iter().map(|x| vec![x]).collect();
        near(estimate(&single).unwrap().high - 0.5, 2.262 * (0.25f64 / 9.0).sqrt(), 1e-3);
    }

    #[test]
    fn few_or_equal_values_do_not_prove_too_much() {
        assert_eq!(estimate(&[]), None);
        assert_eq!(estimate(&[vec![]]), None);
        let one = score(&[vec![1.0, 1.0]]).unwrap();
        assert_eq!((one.mean, one.low, one.high), (1.0, 0.0, 1.0));
        let ten = score(&vec![vec![1.0, 1.0]; 10]).unwrap();
        near(ten.low, 0.7225, 1e-4);
        assert_eq!((ten.mean, elo(ten.high)), (1.0, f64::INFINITY));
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut values: Vec<u64> = (1..=200).rev().collect();
        assert_eq!(percentile(&mut values, 0.5), Some(100));
        assert_eq!(percentile(&mut values, 0.99), Some(198));
        assert_eq!(percentile(&mut values, 1.0), Some(200));
        assert_eq!(percentile(&mut [7], 0.5), Some(7));
        assert_eq!(percentile(&mut [], 0.5), None);
    }
}
