//! The numbers of melds by their shape: the places of their cards, and whether one is wild. Knows no table.

use crate::games::buraco::rules::{LARGEST, Meld, SMALLEST};

/// Places of a suit's sequence: the low ace, 2 to king, the high ace.
const PLACES: usize = LARGEST;

/// Melds of a suit without a wild card.
pub(super) const PURE: usize = runs_before(LARGEST + 1, SMALLEST);
/// Runs of a suit with a wild card at an end.
pub(super) const WILD_END: usize = runs_before(LARGEST, SMALLEST - 1);
/// Runs of a suit with a wild card in a gap.
pub(super) const WILD_GAP: usize = gaps_before(LARGEST + 1);

/// The shape of a meld of a suit, as its number among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Without a wild card.
    Pure(usize),
    /// A run without a gap, and a wild card, which lies at one of its ends.
    WildEnd(usize),
    /// A run with a wild card in its only gap.
    WildGap(usize),
}

/// Number of runs of `smallest` cards or more, but fewer than `cards`.
const fn runs_before(cards: usize, smallest: usize) -> usize {
    let (mut sum, mut n) = (0, smallest);
    while n < cards {
        sum += PLACES + 1 - n;
        n += 1;
    }
    sum
}

/// Number of runs that have fewer than `cards` cards, one of which is neither the first nor the last, but wild.
const fn gaps_before(cards: usize) -> usize {
    let (mut sum, mut n) = (0, SMALLEST);
    while n < cards {
        sum += (PLACES + 1 - n) * (n - 2);
        n += 1;
    }
    sum
}

/// The shape of a meld; `None`: it is legal only by a leniency of the official referee.
pub(super) fn shape(meld: &Meld) -> Option<Shape> {
    let (low, cards) = (meld.low(), meld.cards().len());
    // A wild card without a gap is the first card, below the run.
    let (first, run) = match meld.wild() {
        Some(0) => (low + 1, cards - 1),
        _ => (low, cards),
    };
    if first == 0 || first + run > PLACES + 1 {
        return None;
    }
    Some(match meld.wild() {
        None => Shape::Pure(runs_before(run, SMALLEST) + first - 1),
        Some(0) => Shape::WildEnd(runs_before(run, SMALLEST - 1) + first - 1),
        Some(gap) => Shape::WildGap(gaps_before(run) + (first - 1) * (run - 2) + gap - 1),
    })
}
