//! A round robin, each against each. Counts only.

use serde::Serialize;

use super::score::{independent, pairs, score_of, wins_and_draws};
use super::stats::{Estimate, clustered, elo};
use crate::arena::plan::RunPlan;
use crate::arena::record::ArenaRecord;

/// The matches between two players, from the side of the first.
#[derive(Clone, Debug, Serialize)]
pub struct Versus {
    /// The first player, as an index.
    pub first: usize,
    /// The second player, as an index.
    pub second: usize,
    /// Matches that count.
    pub games: usize,
    /// Won by the first.
    pub wins: usize,
    /// Without a single winner.
    pub draws: usize,
    /// Won by the second.
    pub losses: usize,
    /// Score of the first, with the 95% interval over deals.
    pub score: Option<Estimate>,
    /// The Elo difference of this score; infinite ends are `null`.
    pub elo: Option<Estimate>,
    /// Complete deals by the score of the first in its two matches, 0, 1/2, 1, 3/2, 2.
    pub pairs: [usize; 5],
}

impl Versus {
    /// Every two players of the plan, the first named first.
    pub(super) fn all(plan: &RunPlan, counted: &[&ArenaRecord]) -> Vec<Self> {
        let n = plan.players().len();
        let couples = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        couples.map(|(a, b)| Self::of(plan, a, b, counted)).collect()
    }

    fn of(plan: &RunPlan, first: usize, second: usize, counted: &[&ArenaRecord]) -> Self {
        let [a, b] = [first, second].map(|p| plan.players()[p].name.as_str());
        let met = |r: &&ArenaRecord| r.seats_of(a).next().is_some() && r.seats_of(b).next().is_some();
        let own: Vec<&ArenaRecord> = counted.iter().copied().filter(met).collect();
        let seat = |r: &ArenaRecord| r.seats_of(a).next();
        let (wins, draws) = wins_and_draws(own.iter().filter_map(|r| Some((*r, seat(r)?))));
        let score = clustered(&independent(&own, |r| seat(r).map(|s| score_of(r, s))));
        let in_elo = |s: Estimate| Estimate { mean: elo(s.mean), low: elo(s.low), high: elo(s.high) };
        Self {
            first,
            second,
            games: own.len(),
            wins,
            draws,
            losses: own.len() - wins - draws,
            score,
            elo: score.map(in_elo),
            pairs: pairs(a, &own),
        }
    }
}
