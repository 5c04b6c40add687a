//! The numbers of sets of colours, and of chips that are returned. Knows no table.

use crate::games::splendor::rules::COLORS;

/// Pairs of different colours; as many as there are sets of three.
pub(super) const PAIRS: usize = 10;
/// Ways to return at most one, two or three chips.
pub(super) const ONE_RETURN: usize = 6;
pub(super) const TWO_RETURNS: usize = 21;
pub(super) const ALL_RETURNS: usize = 56;

/// Marks what is no set of at most three chips.
const NONE: u8 = u8::MAX;

/// The number of each set of colours, a bit for each, among the sets of its size: 0 1, 0 2, ..., 3 4.
const SETS: [u8; 1 << COLORS] = {
    let mut all = [NONE; 1 << COLORS];
    all[0] = 0;
    let (mut twos, mut threes, mut a) = (0, 0, 0);
    while a < COLORS {
        all[1 << a] = a as u8;
        let mut b = a + 1;
        while b < COLORS {
            all[1 << a | 1 << b] = twos;
            twos += 1;
            let mut c = b + 1;
            while c < COLORS {
                all[1 << a | 1 << b | 1 << c] = threes;
                threes += 1;
                c += 1;
            }
            b += 1;
        }
        a += 1;
    }
    assert!(twos as usize == PAIRS && threes as usize == PAIRS);
    all
};

/// The number of each way to return chips, by [`key`]: fewer chips first, then in the order of their colours.
const RETURNS: [u8; 1 << (2 * COLORS)] = {
    let mut all = [NONE; 1 << (2 * COLORS)];
    all[0] = 0;
    let (mut one, mut two, mut three, mut a) = (1, ONE_RETURN as u8, TWO_RETURNS as u8, 0);
    while a < COLORS {
        let first = 1 << (2 * a);
        all[first] = one;
        one += 1;
        let mut b = a;
        while b < COLORS {
            let second = first + (1 << (2 * b));
            all[second] = two;
            two += 1;
            let mut c = b;
            while c < COLORS {
                all[second + (1 << (2 * c))] = three;
                three += 1;
                c += 1;
            }
            b += 1;
        }
        a += 1;
    }
    assert!(one as usize == ONE_RETURN && two as usize == TWO_RETURNS && three as usize == ALL_RETURNS);
    all
};

/// Amounts of 0 to 3 of each colour, two bits each.
fn key(amounts: &[u8; COLORS]) -> usize {
    amounts.iter().enumerate().map(|(color, n)| usize::from(*n) << (2 * color)).sum()
}

/// The number of these colours, each once at most, among the sets of as many.
pub(super) fn set_rank(colors: &[u8; COLORS]) -> Option<usize> {
    let bits = colors.iter().enumerate().map(|(color, n)| usize::from(*n) << color).sum::<usize>();
    SETS.get(bits).filter(|rank| **rank != NONE).map(|rank| usize::from(*rank))
}

/// The number of these returned chips.
pub(super) fn return_rank(returns: &[u8; COLORS]) -> Option<usize> {
    RETURNS.get(key(returns)).filter(|rank| **rank != NONE).map(|rank| usize::from(*rank))
}
