//! Exact points of many games, and sums of them.

use std::collections::BTreeMap;

use num::{BigInt, BigRational, Integer, ToPrimitive};

use crate::tournaments::scores::GamePoints;

/// The points of several games, or a tie-break, exact.
pub type Points = BigRational;

/// The nearest floating-point number.
pub fn rounded(points: &Points) -> f64 {
    points.to_f64().unwrap_or(f64::NAN)
}

/// A sum of the points of games. Points of one game have small denominators; their common one can be too large for any
/// machine word where deals have many tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    by_denominator: BTreeMap<i64, i64>,
}

impl Sum {
    /// Adds the points of a game.
    pub(super) fn add(&mut self, points: GamePoints) {
        *self.by_denominator.entry(*points.denom()).or_default() += points.numer();
    }

    /// The sum.
    pub(super) fn total(&self) -> Points {
        let parts = self.by_denominator.iter();
        parts.map(|(denominator, numerator)| Points::new((*numerator).into(), (*denominator).into())).sum()
    }
}

/// The least common denominator of these numbers.
pub fn common_denominator<'a>(numbers: impl IntoIterator<Item = &'a Points>) -> BigInt {
    numbers.into_iter().fold(BigInt::from(1), |common, number| common.lcm(number.denom()))
}

/// A number as a multiple of `1 / denominator`, which its own denominator must divide.
pub fn numerator(number: &Points, denominator: &BigInt) -> BigInt {
    number.numer() * (denominator / number.denom())
}
