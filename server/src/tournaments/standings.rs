//! Standings: points, tie-breaks, intervals and the crosstable, computed from finished games.

use std::collections::BTreeMap;

use engines::arena::stats::{Estimate, score};

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// The entrants by seat.
    pub seats: Vec<usize>,
    /// The score of each seat, 0 to 1, see [`seat_scores`].
    pub scores: Vec<f64>,
    /// The points of each seat: its score, or the score [compared](crate::tournaments::compare) with other tables, above
    /// -1/2 and below 3/2.
    pub points: Vec<f64>,
    /// Games of an entrant with the same number here were played on one deal, so they are not independent.
    pub deal: u64,
    /// Whether a seat forfeited it without playing.
    pub forfeited: bool,
}

/// The scores of the seats of a game from their places: the share of the other seats that a seat has beaten, a shared
/// place counting half. With two seats: 1 for a win, 1/2 for a draw, 0 for a loss.
pub fn seat_scores(places: &[u8]) -> Vec<f64> {
    let others = places.len().saturating_sub(1).max(1) as f64;
    let beaten = |own: &u8| {
        places
            .iter()
            .map(|other| {
                if own < other {
                    1.0
                } else if own == other {
                    0.5
                } else {
                    0.0
                }
            })
            .sum::<f64>()
            - 0.5
    };
    places.iter().map(|own| beaten(own) / others).collect()
}

/// An entrant's line of the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The entrant.
    pub entrant: usize,
    /// The place, from 1. Entrants whom no tie-break separates share it.
    pub place: usize,
    /// The sum of the points of games and byes.
    pub points: f64,
    /// Games played.
    pub games: usize,
    /// Games in which the entrant scored most of all.
    pub won: usize,
    /// Points in the games among the entrants with the same points (direct encounter).
    pub direct: f64,
    /// Buchholz: the sum of the points of all opponents, each game counted; a bye counts as an opponent with the
    /// entrant's own points.
    pub buchholz: f64,
    /// Sonneborn-Berger: the points of the opponents, each multiplied by the score against them.
    pub sonneborn: f64,
    /// The mean of the points of a game with its 95% interval; `None` without a game.
    pub score: Option<Estimate>,
    /// The likelihood that this entrant is stronger than the next one in the standings; `None` where either has no
    /// game.
    pub superiority: Option<f64>,
}

/// The games of one entrant against another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Direct {
    /// Games in which both took part.
    pub games: usize,
    /// The sum of 1 for each game in which the entrant finished before the other, and 1/2 where they shared a place.
    pub points: f64,
}

/// The standings and the crosstable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standings {
    /// The best first.
    pub lines: Vec<Standing>,
    /// The games of each pair of entrants, seen from the first of them.
    pub crosstable: BTreeMap<(usize, usize), Direct>,
}

/// The tie-break that counts before Sonneborn-Berger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// Sonneborn-Berger alone, for a round robin: all have the same opponents.
    SonnebornBerger,
    /// Buchholz, for a Swiss tournament: a harder way counts more.
    Buchholz,
}

impl Standings {
    /// The standings of entrants 0 to `entrants - 1`. `byes`: the points of each bye, with its entrant. Ties are broken by
    /// the direct encounter, then by Buchholz where `by` says so, then by Sonneborn-Berger, then by games won.
    pub fn new(entrants: usize, games: &[PlayedGame], byes: &[(usize, f64)], by: TieBreak) -> Self {
        let mut sums = vec![Sums::default(); entrants];
        for game in games {
            let best = game.scores.iter().copied().fold(0.0, f64::max);
            let leaders = game.scores.iter().filter(|score| **score == best).count();
            for ((entrant, score), points) in game.seats.iter().zip(&game.scores).zip(&game.points) {
                let own = &mut sums[*entrant];
                own.points += points;
                own.won += usize::from(*score == best && leaders == 1);
                own.by_deal.entry(game.deal).or_default().push(*points);
            }
        }
        for (entrant, points) in byes {
            sums[*entrant].points += points;
            sums[*entrant].byes += 1;
        }
        let crosstable = crosstable(games);
        let mut lines: Vec<Standing> =
            (0..entrants).map(|entrant| line(entrant, &sums, &crosstable)).collect();
        lines.sort_by(|a, b| order(a, b, by).then(a.entrant.cmp(&b.entrant)));
        for at in 0..lines.len() {
            let shares = at > 0 && order(&lines[at - 1], &lines[at], by).is_eq();
            lines[at].place = if shares { lines[at - 1].place } else { at + 1 };
            lines[at].superiority = match (lines[at].score, lines.get(at + 1).and_then(|next| next.score)) {
                (Some(own), Some(next)) => Some(superiority(own, next)),
                _ => None,
            };
        }
        Self { lines, crosstable }
    }
}

/// The sums for an entrant.
#[derive(Clone, Default)]
struct Sums {
    points: f64,
    won: usize,
    byes: usize,
    by_deal: BTreeMap<u64, Vec<f64>>,
}

fn crosstable(games: &[PlayedGame]) -> BTreeMap<(usize, usize), Direct> {
    let mut all: BTreeMap<(usize, usize), Direct> = BTreeMap::new();
    for game in games {
        for (one, own) in game.seats.iter().zip(&game.scores) {
            for (other, theirs) in game.seats.iter().zip(&game.scores).filter(|(other, _)| *other != one) {
                let direct = all.entry((*one, *other)).or_default();
                direct.games += 1;
                direct.points += if own > theirs {
                    1.0
                } else if own == theirs {
                    0.5
                } else {
                    0.0
                };
            }
        }
    }
    all
}

fn line(entrant: usize, sums: &[Sums], crosstable: &BTreeMap<(usize, usize), Direct>) -> Standing {
    let own = &sums[entrant];
    let against =
        || crosstable.range((entrant, 0)..=(entrant, usize::MAX)).map(|((_, other), d)| (*other, d));
    let groups: Vec<Vec<f64>> = own.by_deal.values().cloned().collect();
    let same = |other: usize| sums[other].points == own.points;
    Standing {
        entrant,
        place: 0,
        points: own.points,
        games: groups.iter().map(Vec::len).sum(),
        won: own.won,
        direct: against().filter(|(other, _)| same(*other)).map(|(_, direct)| direct.points).sum(),
        buchholz: against().map(|(other, direct)| sums[other].points * direct.games as f64).sum::<f64>()
            + own.byes as f64 * own.points,
        sonneborn: against().map(|(other, direct)| sums[other].points * direct.points).sum(),
        score: estimate(&groups),
        superiority: None,
    }
}

/// The mean of points and its interval. Points are 0 to 1, or a little outside where games are compared; those are mapped to
/// 0 to 1 and back.
fn estimate(groups: &[Vec<f64>]) -> Option<Estimate> {
    if groups.iter().flatten().all(|points| (0.0..=1.0).contains(points)) {
        return score(groups);
    }
    let narrow: Vec<Vec<f64>> =
        groups.iter().map(|group| group.iter().map(|points| (points + 0.5) / 2.0).collect()).collect();
    let wide = |share: f64| 2.0 * share - 0.5;
    let found = score(&narrow)?;
    Some(Estimate { mean: wide(found.mean), low: wide(found.low), high: wide(found.high) })
}

/// The better entrant first. The direct encounter is compared only among entrants with the same points, for whom it was
/// computed.
fn order(a: &Standing, b: &Standing, by: TieBreak) -> std::cmp::Ordering {
    let better = |of: fn(&Standing) -> f64| of(b).total_cmp(&of(a));
    let buchholz =
        || if by == TieBreak::Buchholz { better(|s| s.buchholz) } else { std::cmp::Ordering::Equal };
    better(|s| s.points)
        .then_with(|| better(|s| s.direct))
        .then_with(buchholz)
        .then_with(|| better(|s| s.sonneborn))
        .then_with(|| b.won.cmp(&a.won))
}

/// The likelihood that the first mean is above the second, both taken as normal with the spread that their intervals
/// state.
fn superiority(a: Estimate, b: Estimate) -> f64 {
    let spread = |estimate: Estimate| (estimate.high - estimate.low) / (2.0 * 1.96);
    let both = spread(a).hypot(spread(b));
    if both > 0.0 { normal_share((a.mean - b.mean) / both) } else { 0.5 }
}

/// The share of a normal distribution below `z` (Abramowitz and Stegun, 26.2.17; error below 1e-7).
fn normal_share(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let poly = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let sum = poly.iter().fold(0.0, |sum, c| (sum + c) * t);
    let tail = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * sum;
    if z > 0.0 { 1.0 - tail } else { tail }
}
