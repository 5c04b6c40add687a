//! What the points of games say about an entrant's strength, with its uncertainty. These values decide no place.

use std::collections::BTreeMap;

use engines::arena::stats::{self, Estimate, score};

/// The mean of points and its interval. `groups`: the points of games that are not independent of each other, such as those of
/// one deal. Points are 0 to 1, or a little outside where games are compared; those are mapped to 0 to 1 and back.
pub(super) fn estimate(groups: &[Vec<f64>]) -> Option<Estimate> {
    if groups.iter().flatten().all(|points| (0.0..=1.0).contains(points)) {
        return score(groups);
    }
    let narrow: Vec<Vec<f64>> =
        groups.iter().map(|group| group.iter().map(|points| (points + 0.5) / 2.0).collect()).collect();
    let wide = |share: f64| 2.0 * share - 0.5;
    let found = score(&narrow)?;
    Some(Estimate { mean: wide(found.mean), low: wide(found.low), high: wide(found.high) })
}

/// The likelihood that the first mean is above the second, both taken as normal with the spread that their intervals
/// state.
pub(super) fn superiority(a: Estimate, b: Estimate) -> f64 {
    let spread = |estimate: Estimate| (estimate.high - estimate.low) / (2.0 * 1.96);
    let both = spread(a).hypot(spread(b));
    if both > 0.0 { normal_share((a.mean - b.mean) / both) } else { 0.5 }
}

/// The mean of the points of a contest and its interval. They have no bounds, unless all of them are 0 or 1 as for results.
pub(super) fn of_contest(groups: &[Vec<f64>]) -> Option<Estimate> {
    let are_results = groups.iter().flatten().all(|points| *points == 0.0 || *points == 1.0);
    if are_results { score(groups) } else { stats::estimate(groups) }
}

/// By how much the points of one entrant exceed those of another, on the deals that both have played; `None` without
/// one. The points of both by deal.
pub(super) fn difference(own: &BTreeMap<u64, Vec<f64>>, other: &BTreeMap<u64, Vec<f64>>) -> Option<Estimate> {
    let mean = |points: &[f64]| points.iter().sum::<f64>() / points.len() as f64;
    let common = own.iter().filter_map(|(deal, points)| Some(vec![mean(points) - mean(other.get(deal)?)]));
    stats::estimate(&common.collect::<Vec<_>>())
}

/// The likelihood that a mean is positive, taken as normal with the spread that its interval states; 1/2 if that is unknown.
pub(super) fn positive(mean: Estimate) -> f64 {
    superiority(mean, Estimate { mean: 0.0, low: 0.0, high: 0.0 })
}

/// The share of a normal distribution below `z` (Abramowitz and Stegun, 26.2.17; error below 1e-7).
fn normal_share(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let poly = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let sum = poly.iter().fold(0.0, |sum, c| (sum + c) * t);
    let tail = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * sum;
    if z > 0.0 { 1.0 - tail } else { tail }
}
