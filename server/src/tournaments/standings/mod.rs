//! Standings: points, tie-breaks, intervals and the crosstable, computed from finished games. All that decides a place is exact.

mod estimates;
mod exact;
mod rounds;
#[cfg(test)]
mod tests;
mod tie_breaks;

use std::collections::BTreeMap;

use engines::arena::stats::Estimate;
use num::ToPrimitive;

use crate::tournaments::scores::{GamePoints, GameScores};
use crate::tournaments::standings::exact::Sum;
use crate::tournaments::standings::tie_breaks::{Encounters, OpponentsPoints};

pub use crate::tournaments::standings::exact::{Points, common_denominator, numerator, rounded};
pub use crate::tournaments::standings::rounds::Rounds;

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// The round, from 1.
    pub round: u32,
    /// The entrants by seat.
    pub seats: Vec<usize>,
    /// The scores of the seats.
    pub scores: GameScores,
    /// The points of each seat: its score, or the score [compared](crate::tournaments::compare) with other tables, above
    /// -1/2 and below 3/2.
    pub points: Vec<GamePoints>,
    /// Games of an entrant with the same number here were played on one deal, so they are not independent.
    pub deal: u64,
    /// The seats that forfeited it; then it was not played.
    pub forfeited: Vec<usize>,
}

impl PlayedGame {
    /// Whether it was played.
    pub fn was_played(&self) -> bool {
        self.forfeited.is_empty()
    }

    /// Whether this entrant did not come to it.
    fn is_forfeited_by(&self, entrant: usize) -> bool {
        self.forfeited.iter().any(|seat| self.seats[*seat] == entrant)
    }
}

/// An entrant's line of the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingsLine {
    /// By number.
    pub entrant: usize,
    /// The place, from 1. Entrants whom no tie-break separates share it.
    pub place: usize,
    /// The sum of the points of games and byes.
    pub points: Points,
    /// Games with points, forfeited ones included.
    pub games: usize,
    /// Games in which the entrant finished before all others. Forfeited ones count in a round robin only.
    pub won: usize,
    /// Direct encounter: the mean results against the entrants with the same points, added up; `None` if they have not all met.
    pub direct: Option<Points>,
    /// Buchholz: the sum of the points of all opponents, each game counted; `None` where entrants do not have different
    /// opponents.
    pub buchholz: Option<Points>,
    /// Sonneborn-Berger: the points of the opponents, each multiplied by the result against them; `None` where all entrants
    /// have the same opponents.
    pub sonneborn: Option<Points>,
    /// The mean of the points of a game with its 95% interval; `None` without a game.
    pub score: Option<Estimate>,
    /// The likelihood that this entrant is stronger than the next one in the standings; `None` where either has no
    /// game.
    pub superiority: Option<f64>,
    /// Where all entrants have the same opponents and deals: by how many points of a game this entrant is ahead of the next
    /// one in the standings, on the deals that both have played.
    pub ahead: Option<Estimate>,
}

/// How the entrants of a tournament are compared.
#[derive(Clone, Copy, Debug)]
pub enum Ranking<'a> {
    /// All meet, as in a round robin.
    AllMeet,
    /// Entrants have different opponents. Each bye of the rounds has the points of a pairing won.
    OpponentsDiffer(&'a Rounds),
    /// All meet the same opponents, as in a gauntlet, and not each other. The entrants who are those opponents, by number,
    /// have no place.
    SameOpponents(&'a [bool]),
}

/// The games of one entrant against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direct {
    /// Games in which both took part.
    pub games: u32,
    /// 2 for each game in which the entrant finished before the other, and 1 where they shared a place.
    pub half_points: u32,
}

/// The standings and the crosstable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standings {
    /// The best first.
    pub lines: Vec<StandingsLine>,
    /// The games of each pair of entrants, seen from the first of them.
    pub crosstable: BTreeMap<(usize, usize), Direct>,
}

impl Standings {
    /// The standings of entrants 0 to `entrants - 1`.
    ///
    /// Ties are broken by the direct encounter, then by Buchholz where opponents differ, then by Sonneborn-Berger, then by
    /// games won; where all have the same opponents, by games won alone.
    pub fn new(entrants: usize, games: &[PlayedGame], ranking: Ranking<'_>) -> Self {
        let rounds = if let Ranking::OpponentsDiffer(rounds) = ranking { Some(rounds) } else { None };
        let mut sums = vec![EntrantTotals::default(); entrants];
        let counts = |game: &&PlayedGame| rounds.is_none() || game.was_played();
        for game in games {
            for (entrant, points) in game.seats.iter().zip(&game.points) {
                sums[*entrant].points.add(*points);
                sums[*entrant]
                    .by_deal
                    .entry(game.deal)
                    .or_default()
                    .push(points.to_f64().unwrap_or_default());
            }
            if let Some(seat) = game.scores.winner().filter(|_| counts(&game)) {
                sums[game.seats[seat]].won += 1;
            }
        }
        for (entrant, sum) in sums.iter_mut().enumerate() {
            let [byes, _] = rounds.map_or([0; 2], |rounds| rounds.without_opponents(entrant));
            let games = byes * rounds.map_or(0, Rounds::games);
            // A tournament has a few thousand games.
            sum.points.add(GamePoints::from(games as i64));
        }
        let points: Vec<Points> = sums.iter().map(|sum| sum.points.total()).collect();
        let met = tie_breaks::encounters(entrants, games.iter().filter(counts));
        let opponents = tie_breaks::opponents_points(&points, games, &met, rounds);
        let values =
            PlaceCriteria { points: &points, met: &met, opponents: &opponents, sums: &sums, ranking };
        let mut lines = values.lines();
        for at in 1..lines.len() {
            let (own, next) = (lines[at - 1].entrant, lines[at].entrant);
            if matches!(ranking, Ranking::SameOpponents(_)) {
                let ahead = estimates::difference(&sums[own].by_deal, &sums[next].by_deal);
                lines[at - 1].superiority = ahead.map(estimates::positive);
                lines[at - 1].ahead = ahead;
            } else if let (Some(own), Some(next)) = (lines[at - 1].score, lines[at].score) {
                lines[at - 1].superiority = Some(estimates::superiority(own, next));
            }
        }
        // Where forfeited games are no meetings, the crosstable shows them all the same.
        let crosstable = if rounds.is_some() { tie_breaks::encounters(entrants, games) } else { met };
        Self { lines, crosstable }
    }
}

/// The sums for an entrant.
#[derive(Clone, Default)]
struct EntrantTotals {
    points: Sum,
    won: usize,
    by_deal: BTreeMap<u64, Vec<f64>>,
}

/// All that decides the places.
struct PlaceCriteria<'a> {
    points: &'a [Points],
    met: &'a Encounters,
    opponents: &'a [OpponentsPoints],
    sums: &'a [EntrantTotals],
    ranking: Ranking<'a>,
}

impl PlaceCriteria<'_> {
    /// The lines in order. Those whom nothing separates share a place and stand in the order of entry.
    fn lines(&self) -> Vec<StandingsLine> {
        let ranked = |entrant: &usize| match self.ranking {
            Ranking::SameOpponents(opponents) => !opponents[*entrant],
            Ranking::AllMeet | Ranking::OpponentsDiffer(_) => true,
        };
        let ranked: Vec<usize> = (0..self.points.len()).filter(ranked).collect();
        let mut lines = Vec::with_capacity(ranked.len());
        for equal in split(ranked, |entrant| &self.points[entrant]) {
            let direct = tie_breaks::direct_encounter(&equal, self.met);
            let direct: BTreeMap<usize, Points> =
                equal.iter().copied().zip(direct.into_iter().flatten()).collect();
            for tied in self.separated(equal) {
                let place = lines.len() + 1;
                lines.extend(tied.into_iter().map(|entrant| self.line(entrant, place, direct.get(&entrant))));
            }
        }
        lines
    }

    /// The entrants of a group with equal points, in order, as far as the tie-breaks separate them.
    fn separated(&self, equal: Vec<usize>) -> Vec<Vec<usize>> {
        let mut parts = tie_breaks::by_direct_encounter(equal, self.met);
        if matches!(self.ranking, Ranking::OpponentsDiffer(_)) {
            parts = split_all(parts, |entrant| &self.opponents[entrant].buchholz);
        }
        if !matches!(self.ranking, Ranking::SameOpponents(_)) {
            parts = split_all(parts, |entrant| &self.opponents[entrant].sonneborn);
        }
        split_all(parts, |entrant| self.sums[entrant].won)
    }

    fn line(&self, entrant: usize, place: usize, direct: Option<&Points>) -> StandingsLine {
        let groups: Vec<Vec<f64>> = self.sums[entrant].by_deal.values().cloned().collect();
        let OpponentsPoints { buchholz, sonneborn } = self.opponents[entrant].clone();
        StandingsLine {
            entrant,
            place,
            points: self.points[entrant].clone(),
            games: groups.iter().map(Vec::len).sum(),
            won: self.sums[entrant].won,
            direct: direct.cloned(),
            buchholz: matches!(self.ranking, Ranking::OpponentsDiffer(_)).then_some(buchholz),
            sonneborn: (!matches!(self.ranking, Ranking::SameOpponents(_))).then_some(sonneborn),
            score: match self.ranking {
                Ranking::SameOpponents(_) => estimates::of_contest(&groups),
                _ => estimates::estimate(&groups),
            },
            superiority: None,
            ahead: None,
        }
    }
}

/// Splits a group into those with the same value, the highest value first. Within a part the order stays.
fn split<K: Ord>(mut group: Vec<usize>, value: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    group.sort_by_key(|entrant| std::cmp::Reverse(value(*entrant)));
    group.chunk_by(|a, b| value(*a) == value(*b)).map(<[usize]>::to_vec).collect()
}

/// Splits each of these groups.
fn split_all<K: Ord>(groups: Vec<Vec<usize>>, value: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    groups.into_iter().flat_map(|group| split(group, &value)).collect()
}
