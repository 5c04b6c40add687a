//! Hands of a fast position: masks of ranks by suit. A card has the number `13 * suit + rank`, with the ace as rank 0.

use super::super::rules::{CANASTRA, CLEAN, DIRTY, RANKS};

/// The bit of a 2.
pub const TWO: u16 = 1 << 1;
/// The bit of an ace above the king; bit 0 is the ace below the 2.
const HIGH_ACE: u16 = 1 << RANKS;

/// The two places of an ace.
pub const ACES: u16 = 1 | HIGH_ACE;

/// The points of the cards at these places.
pub fn worth(places: u16) -> i32 {
    const FIVES: u16 = 0b111_1100;
    let fives = (places & FIVES).count_ones() as i32;
    let aces = (places & ACES).count_ones() as i32;
    10 * places.count_ones() as i32 - 5 * fives + 5 * aces
}

/// A hand as two masks of ranks for each suit. Bit 0 is the ace.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct HandMasks {
    /// By suit the ranks held at least once.
    pub one: [u16; 4],
    /// By suit the ranks held twice.
    pub two: [u16; 4],
    /// Number of cards.
    pub n: u8,
}

impl HandMasks {
    /// Adds a card, given by its number.
    pub fn add(&mut self, card: u8) {
        let (suit, bit) = (usize::from(card / RANKS), 1 << (card % RANKS));
        self.two[suit] |= self.one[suit] & bit;
        self.one[suit] |= bit;
        self.n += 1;
    }

    /// Removes a card that is there.
    pub fn remove(&mut self, card: u8) {
        let (suit, bit) = (usize::from(card / RANKS), 1 << (card % RANKS));
        let twice = self.two[suit] & bit;
        self.two[suit] &= !bit;
        self.one[suit] &= !(bit ^ twice);
        self.n -= 1;
    }

    /// Copies of a card, 0 to 2.
    pub fn count(&self, card: u8) -> u32 {
        let (suit, rank) = (usize::from(card / RANKS), card % RANKS);
        u32::from((self.one[suit] >> rank & 1) + (self.two[suit] >> rank & 1))
    }

    /// The places in a suit's sequence that the hand can fill. An ace is at both ends, even a single one.
    pub fn places(&self, suit: usize) -> u16 {
        self.one[suit] | (self.one[suit] & 1) << RANKS
    }

    /// A 2 to use as a wild card in a meld of `suit`: of another suit if there is one.
    pub fn wild(&self, suit: usize) -> Option<u8> {
        let held = (1..=4).map(|step| (suit + step) % 4).find(|s| self.one[*s] & TWO != 0);
        held.map(|s| s as u8 * RANKS + 1)
    }

    /// Number of 2s.
    pub fn twos(&self) -> u32 {
        (0..4).map(|s| (self.one[s] & TWO).count_ones() + (self.two[s] & TWO).count_ones()).sum()
    }

    /// The points that the hand costs at the end. A hand of seven or more counts like a canastra. With a 2 it counts like a
    /// dirty one, since a 2 is hardly ever in its natural place before its own 3.
    pub fn cost(&self) -> i32 {
        let cards: i32 = (0..4).map(|s| worth(self.one[s]) + worth(self.two[s])).sum();
        match usize::from(self.n) {
            ..CANASTRA => cards,
            _ if self.twos() > 0 => cards + DIRTY,
            _ => cards + CLEAN,
        }
    }

    /// The kinds held, in order.
    pub fn kinds(self) -> impl Iterator<Item = u8> {
        (0..4u8).flat_map(move |s| bits(self.one[usize::from(s)]).map(move |r| s * RANKS + r))
    }
}

/// The set bits, lowest first.
pub fn bits(mut mask: u16) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as u8;
            mask &= mask - 1;
            bit
        })
    })
}
