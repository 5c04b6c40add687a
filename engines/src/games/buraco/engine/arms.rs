//! Chooses the plans to compare further. All plans are played on from the same cards, sample by sample, and plans that can
//! no longer be the best are dropped. Knows no rules.

use std::sync::Arc;

use super::plans::TurnPlan;

/// Samples of the hidden cards before a plan is dropped for the first time.
pub(super) const FIRST: u32 = 24;
/// The number of plans that halving leaves; only a clear difference leaves fewer.
const LAST: usize = 3;
/// A plan this many standard errors worse than the best is dropped at once.
const SURE: f64 = 3.5;

/// A plan and its results.
pub(super) struct Arm {
    pub plan: TurnPlan,
    pub samples: u32,
    sum: f64,
    /// The sum, and the sum of squares, of each sample's value minus the mean of all plans in that sample. The luck of the
    /// cards, which is common to all plans, cancels.
    apart: [f64; 2],
}

impl Arm {
    /// The plan's mean value, 0 to 1.
    pub(super) fn value(&self) -> f64 {
        if self.samples == 0 { 0.5 } else { self.sum / f64::from(self.samples) }
    }

    /// The squared standard error of its value, without the luck of the cards.
    fn error(&self) -> f64 {
        let n = f64::from(self.samples.max(1));
        let [sum, squares] = self.apart.map(|sum| sum / n);
        (squares - sum * sum).max(0.0) / n
    }
}

/// The plans of a decision. Each round uses the same share of the budget and then drops the worse half (sequential halving;
/// Karnin, Koren and Somekh, 2013); clearly worse plans are dropped at any time (a race).
pub(super) struct Arms {
    all: Vec<Arm>,
    /// The number of plans, from the first, that are still compared.
    alive: usize,
    /// Those plans, for searches that play them on.
    compared: Arc<Vec<TurnPlan>>,
    /// Samples so far.
    pub samples: u32,
    /// The sample at which to look for clearly worse plans again.
    next_look: u32,
    /// The number of plans that each round leaves, and the current round.
    rounds: Vec<usize>,
    round: usize,
}

impl Arms {
    /// The comparison of these plans; at least one.
    pub(super) fn new(plans: Vec<TurnPlan>) -> Self {
        let compared = Arc::new(plans.clone());
        let all: Vec<Arm> =
            plans.into_iter().map(|plan| Arm { plan, samples: 0, sum: 0.0, apart: [0.0; 2] }).collect();
        let halves = std::iter::successors(Some(all.len()), |n| (*n > LAST).then(|| n.div_ceil(2).max(LAST)));
        let rounds = halves.skip(1).collect();
        Self { alive: all.len(), compared, all, samples: 0, next_look: FIRST, rounds, round: 0 }
    }

    fn alive(&self) -> &[Arm] {
        &self.all[..self.alive]
    }

    /// The plans still compared.
    pub(super) fn compared(&self) -> Arc<Vec<TurnPlan>> {
        Arc::clone(&self.compared)
    }

    /// Adds the values of one sample for these plans, in their order, if they are still the ones that are compared.
    pub(super) fn add(&mut self, plans: &Arc<Vec<TurnPlan>>, results: &[f64]) {
        if !Arc::ptr_eq(plans, &self.compared) {
            return;
        }
        let mean = results.iter().sum::<f64>() / results.len().max(1) as f64;
        for (arm, result) in self.all.iter_mut().zip(results) {
            arm.sum += result;
            arm.apart[0] += result - mean;
            arm.apart[1] += (result - mean) * (result - mean);
            arm.samples += 1;
        }
        self.samples += 1;
    }

    /// Drops plans when it is time to; `used` is the used share of the budget, if known. Returns whether the decision is
    /// made: all remaining plans begin with the same command.
    pub(super) fn drop_worse(&mut self, used: Option<f64>) -> bool {
        if self.samples < FIRST {
            return false;
        }
        let due = (self.round + 1) as f64 / (self.rounds.len() + 1) as f64;
        let halve = self.round < self.rounds.len() && used.is_some_and(|used| used >= due);
        let look = self.samples >= self.next_look;
        if !halve && !look {
            return false;
        }
        self.all[..self.alive].sort_by(|a, b| b.value().total_cmp(&a.value()));
        if halve {
            self.alive = self.alive.min(self.rounds[self.round]);
            self.round += 1;
        }
        if look {
            self.next_look += (self.next_look / 4).max(1);
            let (best, rest) = (&self.all[0], &self.all[1..self.alive]);
            let close = |arm: &Arm| {
                let error = (best.error() + arm.error()).sqrt();
                best.value() - arm.value() <= SURE * error
            };
            self.alive = 1 + rest.iter().take_while(|arm| close(arm)).count();
        }
        self.compared = Arc::new(self.alive().iter().map(|arm| arm.plan.clone()).collect());
        // The rest of the turn is decided after the command.
        let command = self.all[0].plan.command();
        self.alive()[1..].iter().all(|arm| arm.plan.command() == command)
    }

    /// All plans: those still compared come first, the best of them at the front; equal ones stay in order.
    pub(super) fn ranked(&self) -> Vec<&Arm> {
        let mut ranked: Vec<&Arm> = self.all.iter().collect();
        ranked[..self.alive].sort_by(|a, b| b.value().total_cmp(&a.value()));
        ranked
    }
}
