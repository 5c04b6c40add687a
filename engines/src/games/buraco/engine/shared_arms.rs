//! The comparison of plans on several cores: helpers play samples of their own, and the search adds them to its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::arms::Arms;
use super::plans::TurnPlan;

/// The plans that are compared now, and the samples of helpers that the search has not added yet.
#[derive(Default)]
pub(super) struct SharedArms(Mutex<Exchange>);

#[derive(Default)]
struct Exchange {
    plans: Vec<TurnPlan>,
    /// Tells one list of plans from the next, see [`Arms::changes`].
    changes: u32,
    samples: Vec<Vec<f64>>,
}

impl SharedArms {
    /// The plans that are compared now.
    pub(super) fn of(arms: &Arms) -> Self {
        let shared = Self::default();
        shared.publish(arms);
        shared
    }

    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        // No holder of the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the helpers which plans are compared now. Samples of other plans are dropped.
    pub(super) fn publish(&self, arms: &Arms) {
        let mut exchange = self.exchange();
        exchange.plans = arms.alive().iter().map(|arm| arm.plan.clone()).collect();
        exchange.changes = arms.changes;
        exchange.samples.clear();
    }

    /// The plans that are compared now, if they are others than after `changes`; and the number of changes since the start.
    pub(super) fn plans(&self, changes: Option<u32>) -> Option<(Vec<TurnPlan>, u32)> {
        let exchange = self.exchange();
        (changes != Some(exchange.changes)).then(|| (exchange.plans.clone(), exchange.changes))
    }

    /// Hands in the values of one sample, for each plan of this list in order.
    pub(super) fn hand_in(&self, changes: u32, results: Vec<f64>) {
        let mut exchange = self.exchange();
        if exchange.changes == changes {
            exchange.samples.push(results);
        }
    }

    /// Adds the samples that were handed in.
    pub(super) fn add_to(&self, arms: &mut Arms) {
        let samples = std::mem::take(&mut self.exchange().samples);
        samples.iter().for_each(|results| arms.add(results));
    }
}
