//! A sequential test in progress, which counts records.

use super::copies::Evidence;
use super::score::score_of;
use crate::arena::plan::RunPlan;
use crate::arena::record::ArenaRecord;
use crate::arena::sprt::{Hypothesis, Sprt, Standing};

/// A test in progress. It gets the records in the order of their games, so it does not matter which ended first.
#[derive(Clone, Debug)]
pub struct Trial {
    sprt: Sprt,
    /// Name of the first player.
    first: String,
    games_per_deal: usize,
    /// The matches of the incomplete deal: the score of the first player, or `None` if the match is void.
    deal: Vec<Option<f64>>,
    /// Their fingerprints.
    hashes: Vec<Option<String>>,
    evidence: Evidence,
    counts: Vec<u64>,
    llr: f64,
    accepted: Option<Hypothesis>,
}

impl Trial {
    /// The test that the plan asks for, if any.
    pub fn of(plan: &RunPlan) -> Option<Self> {
        let games_per_deal = plan.games_per_deal();
        Some(Self {
            sprt: *plan.sprt()?,
            first: plan.players()[0].name.clone(),
            games_per_deal,
            deal: Vec::new(),
            hashes: Vec::new(),
            evidence: Evidence::default(),
            counts: vec![0; 2 * games_per_deal + 1],
            llr: 0.0,
            accepted: None,
        })
    }

    /// Counts the next match. A decision, once made, stays. A deal with a void match does not count. Copies of a deal add nothing
    /// to the certainty: the ratio is that of as many deals with the same scores as the different ones are worth.
    pub fn add(&mut self, record: &ArenaRecord) {
        if self.accepted.is_some() {
            return;
        }
        let scored = record.outcome.as_ref().and_then(|_| record.seats_of(&self.first).next());
        self.deal.push(scored.map(|seat| score_of(record, seat)));
        self.hashes.push(record.match_hash.clone());
        if self.deal.len() < self.games_per_deal {
            return;
        }
        let deal: Option<f64> = self.deal.drain(..).sum();
        let hashes = std::mem::take(&mut self.hashes);
        if let Some(points) = deal {
            self.counts[(2.0 * points).round() as usize] += 1;
            self.evidence.add(hashes);
            self.llr = self.sprt.llr(&self.counts) * self.evidence.share();
            self.accepted = self.sprt.accepts(self.llr);
        }
    }

    /// The accepted claim, once there is one.
    pub fn accepted(&self) -> Option<Hypothesis> {
        self.accepted
    }

    /// Its state.
    pub fn standing(&self) -> Standing {
        let (lower, upper) = self.sprt.bounds();
        let deals = self.counts.iter().sum();
        Standing { test: self.sprt, deals, llr: self.llr, lower, upper, accepted: self.accepted }
    }
}
