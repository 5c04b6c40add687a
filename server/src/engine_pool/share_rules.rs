//! The rules by which engine time is divided: the weights of accounts, and how far the ladder, the programs and the callers may run
//! ahead of each other. The programs have a stated least share, and the ladder one of what they leave; all other searches together
//! have the rest. Pure.

use crate::engine_pool::shares::{AccountKey, QUANTUM};

/// The head start of an account that was idle, in seconds of engine time, so that a short request is served before long
/// ones that have run for a while.
const CREDIT: f64 = 0.5;

/// How far the ladder, the callers, or a game of the ladder may be ahead of their share, in quanta of each slot. Each may use
/// slots that the others leave; what it has used beyond this is not held against it when the others want their slots.
const MOST_AHEAD: f64 = 3.0;

/// The least shares of engine time that lanes get however much others ask for, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeastShares {
    /// Of the ladder and of analyses, in what hosted programs leave.
    pub ladder: u8,
    /// Of hosted programs, in all.
    pub programs: u8,
}

/// The rules of a pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShareRules {
    /// The number of slots.
    pub slots: usize,
    /// The least share of the ladder, above 0 and below 1.
    ladder: f64,
    /// The least share of hosted programs, above 0 and below 1.
    programs: f64,
}

impl ShareRules {
    /// For this many slots.
    pub(super) fn new(slots: usize, least: LeastShares) -> Self {
        let share = |percent: u8| f64::from(percent.clamp(1, 99)) / 100.0;
        Self { slots, ladder: share(least.ladder), programs: share(least.programs) }
    }

    /// The weight of an account when engine time is divided among its siblings.
    pub(super) fn weight(&self, key: &AccountKey) -> f64 {
        match key {
            AccountKey::Callers => 1.0 - self.ladder,
            AccountKey::Ladder => self.ladder,
            // Beside the other two together, which weigh 1.
            AccountKey::Programs => self.programs / (1.0 - self.programs),
            AccountKey::Seats | AccountKey::Requests => 10.0,
            _ => 1.0,
        }
    }

    /// The head start of an account that was idle, in seconds divided by its weight. The ladder and the programs have none: nothing of
    /// them is urgent.
    pub(super) fn credit(&self, key: &AccountKey) -> f64 {
        match key {
            AccountKey::Ladder | AccountKey::Programs => 0.0,
            _ => CREDIT / self.weight(key),
        }
    }

    /// How far the account may be ahead of the least used of its siblings, in seconds divided by weight.
    pub(super) fn most_ahead(&self, key: &AccountKey) -> f64 {
        // The same bound for all, so that the one with the least weight can have a turn of a whole quantum.
        let weight = match key {
            AccountKey::Callers | AccountKey::Ladder | AccountKey::Programs => {
                let all = [AccountKey::Callers, AccountKey::Ladder, AccountKey::Programs];
                all.iter().map(|key| self.weight(key)).fold(1.0, f64::min)
            }
            AccountKey::Game(_) => self.weight(key),
            _ => return f64::INFINITY,
        };
        MOST_AHEAD * QUANTUM.as_secs_f64() * self.slots as f64 / weight
    }
}
