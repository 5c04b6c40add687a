//! Which plans go on being compared: all of them are played on from the same cards, sample by sample, and those that
//! cannot be the best any more are dropped. Knows no rules.

use super::plans::TurnPlan;

/// Samples of the hidden cards before a plan is dropped for the first time.
pub const FIRST: u32 = 24;
/// Plans that are left to differences that show, however much of the budget is used.
const LAST: usize = 3;
/// Standard errors by which a plan must be worse than the best to be dropped at once.
const SURE: f64 = 3.5;

/// A plan and how it fared.
pub struct Arm {
    pub plan: TurnPlan,
    pub samples: u32,
    sum: f64,
    /// Of what each sample was worth less the mean of all plans in it: sum, and sum of squares. The luck of the cards,
    /// which is the same for all, is not in it.
    apart: [f64; 2],
}

impl Arm {
    /// What the plan is worth, 0 to 1.
    pub fn value(&self) -> f64 {
        if self.samples == 0 { 0.5 } else { self.sum / f64::from(self.samples) }
    }

    /// The squared standard error of its value, the luck of the cards aside.
    fn error(&self) -> f64 {
        let n = f64::from(self.samples.max(1));
        let [sum, squares] = self.apart.map(|sum| sum / n);
        (squares - sum * sum).max(0.0) / n
    }
}

/// The plans of a decision. As the budget is used up the worse half of them is dropped, time and again, so that each
/// round gets the same share (sequential halving); and at any time those that are worse beyond doubt (a race).
pub struct Arms {
    all: Vec<Arm>,
    /// The first so many are still compared.
    alive: usize,
    /// Samples so far.
    pub samples: u32,
    /// Samples at which to look for plans that are worse beyond doubt.
    next_look: u32,
    /// How many plans each round leaves, and which round it is.
    rounds: Vec<usize>,
    round: usize,
}

impl Arms {
    /// These plans; at least one.
    pub fn new(plans: Vec<TurnPlan>) -> Self {
        let all: Vec<Arm> =
            plans.into_iter().map(|plan| Arm { plan, samples: 0, sum: 0.0, apart: [0.0; 2] }).collect();
        let halves = std::iter::successors(Some(all.len()), |n| (*n > LAST).then(|| n.div_ceil(2).max(LAST)));
        let rounds = halves.skip(1).collect();
        Self { alive: all.len(), all, samples: 0, next_look: FIRST, rounds, round: 0 }
    }

    /// The plans still compared.
    pub fn alive(&self) -> &[Arm] {
        &self.all[..self.alive]
    }

    /// What one sample was worth to each plan still compared, in their order.
    pub fn add(&mut self, results: &[f64]) {
        let mean = results.iter().sum::<f64>() / results.len().max(1) as f64;
        for (arm, result) in self.all.iter_mut().zip(results) {
            arm.sum += result;
            arm.apart[0] += result - mean;
            arm.apart[1] += (result - mean) * (result - mean);
            arm.samples += 1;
        }
        self.samples += 1;
    }

    /// Drops plans, where it is time to; `used` is the share of the budget that is used up, where that is known. Whether
    /// it is decided now what to do: all that are left begin alike, or there is but one.
    pub fn drop_worse(&mut self, used: Option<f64>) -> bool {
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
        // What comes behind the command is thought about when it is due.
        let command = self.all[0].plan.command();
        self.alive()[1..].iter().all(|arm| arm.plan.command() == command)
    }

    /// All plans: those still compared first, the best of them first; equal ones stay in order.
    pub fn ranked(&self) -> Vec<&Arm> {
        let mut ranked: Vec<&Arm> = self.all.iter().collect();
        ranked[..self.alive].sort_by(|a, b| b.value().total_cmp(&a.value()));
        ranked
    }
}
