//! Statistics of paired matches: pure functions. Scores are 0 to 1 a match, a win 1 and a draw 1/2.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::beta::middle_95;

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
/// The probability beyond either end of an interval.
const TAIL: f64 = 0.025;
/// With more degrees of freedom Student's distribution is the normal one to three digits, and the library computes it less exactly.
const MANY: usize = 10_000;

/// Two-sided 95% point of Student's distribution with this many degrees of freedom.
pub fn student(freedom: usize) -> f64 {
    match freedom {
        0 => f64::INFINITY,
        1..=MANY => {
            let distribution =
                StudentsT::new(0.0, 1.0, freedom as f64).expect("freedom and scale are positive");
            distribution.inverse_cdf(1.0 - TAIL)
        }
        _ => Z,
    }
}

/// Mean and interval of values in groups (the matches of one deal). The groups are independent; the values within a group
/// are not. With groups of one size the variance is that of the groups' means; with others it is the usual estimate for
/// clusters, G/(G-1) * sum((sum over a group of (x - mean))^2) / N^2. `None` without a value; an infinite interval if the
/// spread is unknown: with one group, or with all groups alike.
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
    let unknown = g < 2 || squares <= 1e-9 * mean.abs().max(1.0);
    let half = if unknown { f64::INFINITY } else { student(g - 1) * variance.sqrt() };
    Some(Estimate { mean, low: mean - half, high: mean + half })
}

/// The mean of scores with its interval, from the groups' means, which may be anything from 0 to 1 (a pair of games has
/// five). The interval is Jeffreys' interval of a share, generalized to means. The weights of the scores that groups can
/// have follow the Dirichlet distribution of the groups seen and half a group more at either end, 0 and 1; with games
/// that are only won or lost this is Jeffreys' Beta(w + 1/2, l + 1/2) itself. The resulting mean is approximated by the
/// Beta distribution of the same mean and variance. So every interval has a width and stays within 0 to 1, and few groups
/// that happen to be alike do not prove much. Near the ends the interval is modified as Brown, Cai and DasGupta advise
/// (Interval Estimation for a Binomial Proportion, Statistical Science 16, 2001): if all groups are lost, or all won, the
/// far end is that of Clopper and Pearson; if all but one are, the near end is 0, or 1. An incomplete group counts by its
/// size. `None` without a value.
pub fn score(groups: &[Vec<f64>]) -> Option<Estimate> {
    let largest = groups.iter().map(Vec::len).max().filter(|n| *n > 0)? as f64;
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    let (mut not_lost, mut not_won) = (0, 0);
    for group in groups.iter().filter(|g| !g.is_empty()) {
        let weight = group.len() as f64 / largest;
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        n += weight;
        sum += weight * mean;
        squares += weight * mean * mean;
        not_lost += usize::from(mean > 0.0);
        not_won += usize::from(mean < 1.0);
    }
    Some(jeffreys(n, sum / n, squares / n, not_lost, not_won))
}

/// The same for groups of very uneven size, each weighted by its size. The number of groups is Kish's effective number:
/// the number of even groups that would have the same weight in the mean. They scatter as these groups do, so the
/// variance is the usual one of clusters.
pub fn clustered(groups: &[Vec<f64>]) -> Option<Estimate> {
    let (mut sum, mut weight, mut weight2) = (0.0, 0.0, 0.0);
    let (mut not_lost, mut not_won) = (0, 0);
    for group in groups.iter().filter(|g| !g.is_empty()) {
        let size = group.len() as f64;
        sum += group.iter().sum::<f64>();
        weight += size;
        weight2 += size * size;
        not_lost += usize::from(group.iter().any(|x| *x > 0.0));
        not_won += usize::from(group.iter().any(|x| *x < 1.0));
    }
    if weight == 0.0 {
        return None;
    }
    let mean = sum / weight;
    let squares: f64 = groups.iter().map(|g| g.iter().map(|x| x - mean).sum::<f64>().powi(2)).sum();
    Some(jeffreys(weight * weight / weight2, mean, mean * mean + squares / weight2, not_lost, not_won))
}

/// The mean of `n` groups and its interval; `square`: the mean of the squares of the groups' means.
fn jeffreys(n: f64, mean: f64, square: f64, not_lost: usize, not_won: usize) -> Estimate {
    let mean = mean.clamp(0.0, 1.0);
    let far = (TAIL.ln() / n).exp();
    if not_lost == 0 || not_won == 0 {
        let (low, high) = if not_lost == 0 { (0.0, 1.0 - far) } else { (far, 1.0) };
        return Estimate { mean, low, high };
    }
    let centre = (n * mean + 0.5) / (n + 1.0);
    let variance = ((n * square + 0.5) / (n + 1.0) - centre * centre) / (n + 2.0);
    let weight = centre * (1.0 - centre) / variance - 1.0;
    let (low, high) = middle_95(centre * weight, (1.0 - centre) * weight, Z);
    let low = if not_lost == 1 { 0.0 } else { low.min(mean) };
    let high = if not_won == 1 { 1.0 } else { high.max(mean) };
    Estimate { mean, low, high }
}

/// The Elo difference of a score: `-400 log10(1/s - 1)`; infinite at 0 and 1.
pub fn elo(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    // No sign if the difference is 0: -400 times 0 is -0.
    0.0 - 400.0 * (1.0 / score - 1.0).log10()
}

/// The value below which a share `p` of the values lies (nearest rank); `None` without a value. Sorts.
pub fn percentile(values: &mut [u64], p: f64) -> Option<u64> {
    values.sort_unstable();
    let rank = (p * values.len() as f64).ceil() as usize;
    values.get(rank.max(1) - 1).copied()
}

/// `62.5% [55.1, 69.9]`
pub(super) fn percent(e: Option<Estimate>) -> String {
    e.map_or("-".to_owned(), |e| {
        format!("{:.1}% [{:.1}, {:.1}]", 100.0 * e.mean, 100.0 * e.low, 100.0 * e.high)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, Seed};

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
        let table =
            [(1, 12.706), (2, 4.303), (4, 2.776), (10, 2.228), (30, 2.042), (120, 1.980), (10_000, 1.960)];
        for (freedom, value) in table {
            near(student(freedom), value, 5e-4);
        }
        near(student(MANY), student(MANY + 1), 3e-4);
    }

    #[test]
    fn single_games_have_jeffreys_interval() {
        // Brown, Cai and DasGupta's table of Jeffreys' limits (2001): 2 of 7, 5 of 20 and 15 of 30.
        let games = |won: usize, n: usize| (0..n).map(|i| vec![f64::from(i < won)]).collect::<Vec<_>>();
        for (won, n, low, high) in [(2, 7, 0.065, 0.648), (5, 20, 0.102, 0.464), (15, 30, 0.328, 0.672)] {
            let e = score(&games(won, n)).unwrap();
            near(e.low, low, 6e-4);
            near(e.high, high, 6e-4);
        }
        // Clopper and Pearson's at the ends: 0.025^(1/10).
        let all = score(&games(10, 10)).unwrap();
        near(all.low, 0.691_503, 1e-6);
        let none = score(&games(0, 10)).unwrap();
        near(none.high, 1.0 - 0.691_503, 1e-6);
        assert_eq!((all.mean, all.high, none.mean, none.low), (1.0, 1.0, 0.0, 0.0));
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
        let single: Vec<Vec<f64>> = seats.concat().into_iter().map(|x| vec![x]).collect();
        near(estimate(&single).unwrap().high - 0.5, 2.262 * (0.25f64 / 9.0).sqrt(), 1e-3);
        let width = |groups: &[Vec<f64>]| score(groups).map(|e| e.high - e.low).unwrap();
        assert!(width(&seats) > 0.05 && width(&seats) < 0.6 * width(&single), "{}", width(&seats));
        assert_eq!(estimate(&seats).unwrap().high, f64::INFINITY, "nothing tells their scatter");
    }

    #[test]
    fn interval_of_few_or_equal_values_is_wide() {
        assert_eq!(estimate(&[]), None);
        assert_eq!(estimate(&[vec![]]), None);
        assert_eq!((score(&[]), score(&[vec![]])), (None, None));
        let one = score(&[vec![1.0, 1.0]]).unwrap();
        assert_eq!((one.mean, one.high), (1.0, 1.0));
        near(one.low, 0.025, 1e-9);
        let half = score(&[vec![1.0, 0.0]]).unwrap();
        assert!(half.low < 0.2 && half.high > 0.8, "{half:?}");
        let ten = score(&vec![vec![1.0, 1.0]; 10]).unwrap();
        assert_eq!((ten.mean, elo(ten.high)), (1.0, f64::INFINITY));
        // A last deal with one game of two weighs half.
        let uneven = score(&[vec![1.0, 1.0], vec![0.0, 1.0], vec![0.0]]).unwrap();
        near(uneven.mean, 0.6, 1e-12);
    }

    /// Draws of pairs from these weights of the scores 0, 1/4, 1/2, 3/4 and 1.
    fn drawn(rng: &mut Rng, weights: [u64; 5], n: usize) -> Vec<Vec<f64>> {
        let total: u64 = weights.iter().sum();
        let one = |rng: &mut Rng| {
            let mut left = rng.next_u64() % total;
            let k = weights.iter().position(|w| {
                let here = left < *w;
                left = left.saturating_sub(*w);
                here
            });
            k.expect("the weights add up to the total") as f64 / 4.0
        };
        (0..n).map(|_| vec![one(rng)]).collect()
    }

    /// The interval holds the truth in about 95 of 100 runs, near the ends too, and never in far fewer.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        const RUNS: usize = 3000;
        let mut rng = Rng::new(&Seed::from(11));
        let shapes = [
            [100, 200, 400, 200, 100],
            [20, 30, 900, 30, 20],
            [250, 0, 500, 0, 250],
            [120, 0, 560, 0, 320],
            [10, 0, 180, 0, 810],
            [0, 20, 50, 40, 890],
            [0, 0, 40, 0, 960],
            [30, 0, 0, 0, 970],
            [995, 0, 5, 0, 0],
        ];
        for weights in shapes {
            let truth = weights.iter().zip(0..).map(|(w, k)| *w as f64 * f64::from(k)).sum::<f64>() / 4000.0;
            for n in [5, 20, 50, 200, 800] {
                let held = (0..RUNS).filter(|_| {
                    let e = score(&drawn(&mut rng, weights, n)).expect("there are pairs");
                    assert!(e.high > e.low, "{weights:?}");
                    e.low <= truth && truth <= e.high
                });
                let share = held.count() as f64 / RUNS as f64;
                assert!(share >= 0.93, "{weights:?}, {n} pairs: {share}");
                assert!(n < 800 || share <= 0.985, "{weights:?}: far too wide, {share}");
            }
        }
    }

    #[test]
    fn groups_count_by_their_size() {
        let even = [vec![1.0, 1.0], vec![1.0, 0.0], vec![0.5, 0.5], vec![0.0, 0.0], vec![1.0, 1.0]];
        let (a, b) = (score(&even).unwrap(), clustered(&even).unwrap());
        near(a.mean, b.mean, 1e-12);
        near(a.low, b.low, 1e-9);
        near(a.high, b.high, 1e-9);
        assert_eq!((clustered(&[]), clustered(&[vec![]])), (None, None));
        // 8 of 10 points, and the certainty of 100 / (64 + 1 + 1) groups, which are about 1.5.
        let uneven = clustered(&[vec![1.0; 8], vec![0.0], vec![0.0]]).unwrap();
        near(uneven.mean, 0.8, 1e-12);
        assert!(uneven.low < 0.3 && uneven.high > 0.97, "{uneven:?}");
        // A group as large as 40 others: 60 of 80 won, 6400 / 1640 groups.
        let mut groups = vec![vec![1.0; 40]];
        groups.extend((0..40).map(|i| vec![f64::from(i % 2)]));
        let few = clustered(&groups).unwrap();
        near(few.mean, 0.75, 1e-12);
        assert!(few.high - few.low > 0.4, "{few:?}");
    }

    /// The interval of clusters holds the truth about as often as it says if groups differ much in size and the values of
    /// each are alike.
    #[test]
    fn intervals_of_clusters_hold_the_truth() {
        let mut rng = Rng::new(&Seed::from(12));
        for (truth, n) in [(0.5, 30), (0.7, 100), (0.9, 100), (0.95, 400)] {
            let held = (0..1000).filter(|_| {
                let group = |rng: &mut Rng| vec![f64::from(rng.unit() < truth); 1 + rng.below(12)];
                let groups: Vec<Vec<f64>> = (0..n).map(|_| group(&mut rng)).collect();
                let e = clustered(&groups).expect("there are groups");
                e.low <= truth && truth <= e.high
            });
            let share = held.count() as f64 / 1000.0;
            assert!((0.92..0.985).contains(&share), "{truth}, {n} groups: {share}");
        }
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
