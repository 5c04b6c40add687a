//! Melds: which cards form one, their order and their points. Must not know the table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cards::{ACE, Card, RANKS, TWO};

/// Fewest cards of a meld.
pub(crate) const SMALLEST: usize = 3;
/// Most cards of a meld: ace to ace. The official referee also accepts a wild 2 below the low ace, which makes one card
/// more ([`Meld::needs_leniency`]).
pub(crate) const LARGEST: usize = 14;
/// Fewest cards of a canastra.
pub(crate) const CANASTRA: usize = 7;
/// Bonus of a canastra without a wild card.
pub(crate) const CLEAN: i32 = 200;
/// Bonus of a canastra with a wild card.
pub(crate) const DIRTY: i32 = 100;

/// The place of a high ace; the low ace is at place 1.
const HIGH: u8 = RANKS + 1;

/// A meld on the table: a sequence of one suit in order, with the wild 2 at its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<Card>")]
#[schemars(rename = "BuracoMeld")]
pub struct Meld(Vec<Card>);

impl TryFrom<Vec<Card>> for Meld {
    type Error = String;

    fn try_from(cards: Vec<Card>) -> Result<Self, String> {
        Self::new(&cards)
            .ok_or_else(|| "these cards form no meld: 3 or more of one suit in sequence".to_owned())
    }
}

impl Meld {
    /// The meld that these cards form, in any order. A 2 of the meld's own suit takes its natural place if possible. At
    /// most one other 2 is wild: it fills the gap, or lies below the lowest card if there is no gap.
    ///
    /// Like the official referee, this ignores the suit of an ace. The suit of the meld is that of its cards from 3 to
    /// king, or of its ace if it has none of these. 2s alone form no meld.
    pub fn new(cards: &[Card]) -> Option<Self> {
        Some(Self(Gathered::of(cards)?.sequence()?.cards().to_vec()))
    }

    /// The cards in sequence.
    pub fn cards(&self) -> &[Card] {
        &self.0
    }

    /// The suit; see [`Self::new`].
    pub(crate) fn suit(&self) -> u8 {
        suit(&self.0).unwrap_or_default()
    }

    /// The place of the first card: 1 is the low ace, 12 the queen, the highest; 0 is below a low ace.
    pub(crate) fn low(&self) -> usize {
        let rank_at = |i: usize| usize::from(self.0[i].rank());
        match self.0.iter().position(|c| c.rank() > TWO) {
            Some(i) => rank_at(i) - i,
            // Then an ace and 2s remain, and the ace is the low one.
            None => usize::from(self.0[0].rank() == ACE),
        }
    }

    /// Where the wild card is among the cards.
    pub(crate) fn wild(&self) -> Option<usize> {
        let (suit, low) = (self.suit(), self.low());
        let is_natural = |i: usize, card: &Card| card.suit() == suit && low + i == usize::from(TWO);
        self.0.iter().enumerate().position(|(i, card)| card.rank() == TWO && !is_natural(i, card))
    }

    /// The meld with these cards added; `None` if they do not form a meld together.
    pub fn with(&self, more: &[Card]) -> Option<Self> {
        if more.is_empty() { Some(self.clone()) } else { Self::new(&[&self.0, more].concat()) }
    }

    /// Whether the official referee counts the meld as having a wild card.
    pub fn dirty(&self) -> bool {
        dirty(&self.0)
    }

    /// Whether the meld is legal only by a leniency of the official referee: an ace of another suit, or a wild card below
    /// a low ace. The course's text allows neither, so engines must not rely on it.
    pub fn needs_leniency(&self) -> bool {
        needs_leniency(&self.0)
    }

    /// Points of the meld at the end of the match.
    pub fn points(&self) -> i32 {
        points(&self.0)
    }
}

/// [`Meld::needs_leniency`] of the cards of a meld in sequence.
fn needs_leniency(cards: &[Card]) -> bool {
    let suit = cards.iter().find(|c| c.rank() > TWO).map(|c| c.suit());
    let mut aces = cards.iter().filter(|c| c.rank() == ACE);
    // With a queen or king on top, the ace could be the high one instead and the wild card the king or the low ace.
    let below_ace = cards[0].rank() == TWO && cards[1].rank() == ACE;
    let could_lie_high = aces.clone().count() == 1 && cards.last().is_some_and(|c| c.rank() >= RANKS - 1);
    aces.any(|ace| suit.is_some_and(|s| s != ace.suit())) || below_ace && !could_lie_high
}

/// Cards that may form a meld. Lists of moves try many sets of cards, so nothing here is on the heap.
#[derive(Clone, Copy)]
pub(super) struct Gathered {
    suit: u8,
    places: Places,
    aces: [Option<Card>; 2],
    twos: [Option<Card>; 2],
    len: usize,
}

impl Gathered {
    /// These cards, for a meld of their suit; `None` if they cannot be together in a meld.
    pub(super) fn of(cards: &[Card]) -> Option<Self> {
        let suit = suit(cards)?;
        let none = Self { suit, places: Places::default(), aces: [None; 2], twos: [None; 2], len: 0 };
        none.with(cards)
    }

    /// With these cards too, which do not change the suit; `None` if they cannot be together in a meld.
    fn with(mut self, cards: &[Card]) -> Option<Self> {
        for card in cards.iter().copied() {
            match card.rank() {
                // A third ace or 2 has no place.
                ACE => *self.aces.iter_mut().find(|ace| ace.is_none())? = Some(card),
                TWO => *self.twos.iter_mut().find(|two| two.is_none())? = Some(card),
                rank if card.suit() != self.suit || self.places.holds(rank) => return None,
                rank => self.places.put(rank, card),
            }
        }
        self.len += cards.len();
        (self.len <= LARGEST + 1).then_some(self)
    }

    /// Whether the cards form a meld with these of its suit or 2s, and it needs no leniency; see [`Meld::needs_leniency`].
    pub(super) fn form_strict_meld(self, more: &[Card]) -> bool {
        self.with(more)
            .and_then(|all| all.sequence())
            .is_some_and(|sequence| !needs_leniency(sequence.cards()))
    }

    /// The cards in sequence, as [`Meld::new`] has them.
    fn sequence(&self) -> Option<Sequence> {
        // Only a wild card fills a gap between cards from 3 to king.
        if self.len < SMALLEST || self.places.gaps() > usize::from(self.twos[0].is_some()) {
            return None;
        }
        let natural = self.twos.iter().flatten().position(|c| c.suit() == self.suit);
        let natural_first = natural.map(|i| (self.twos[i], self.twos[1 - i]));
        let all_wild = self.twos[1].is_none().then_some((None, self.twos[0]));
        let aces_at: &[&[u8]] = match self.aces {
            [None, _] => &[&[]],
            [_, None] => &[&[ACE], &[HIGH]],
            _ => &[&[ACE, HIGH]],
        };
        for (natural, wild) in [natural_first, all_wild].into_iter().flatten() {
            for at in aces_at {
                let mut places = self.places;
                natural.into_iter().for_each(|two| places.put(TWO, two));
                at.iter()
                    .zip(self.aces.into_iter().flatten())
                    .for_each(|(place, ace)| places.put(*place, ace));
                if let Some(sequence) = places.in_sequence(wild) {
                    return Some(sequence);
                }
            }
        }
        None
    }
}

/// The suit of a meld of these cards: that of a card from 3 to king, or of the ace if there is none.
fn suit(cards: &[Card]) -> Option<u8> {
    let plain = cards.iter().find(|c| c.rank() > TWO);
    plain.or_else(|| cards.iter().find(|c| c.rank() == ACE)).map(|c| c.suit())
}

/// The cards of a meld in sequence.
struct Sequence {
    cards: [Card; LARGEST + 1],
    len: usize,
}

impl Sequence {
    fn cards(&self) -> &[Card] {
        &self.cards[..self.len]
    }
}

/// Cards at the places of a sequence, from the low ace (1) to the high one.
#[derive(Clone, Copy, Default)]
struct Places {
    cards: [Option<Card>; HIGH as usize + 1],
    /// The places that hold a card: a bit for each.
    held: u16,
}

impl Places {
    fn holds(&self, place: u8) -> bool {
        self.held >> place & 1 == 1
    }

    fn put(&mut self, place: u8, card: Card) {
        self.cards[usize::from(place)] = Some(card);
        self.held |= 1 << place;
    }

    /// The lowest and the highest place that hold a card.
    fn ends(&self) -> Option<(usize, usize)> {
        self.held.checked_ilog2().map(|high| (self.held.trailing_zeros() as usize, high as usize))
    }

    /// The number of empty places between them.
    fn gaps(&self) -> usize {
        self.ends().map_or(0, |(low, high)| high + 1 - low - self.held.count_ones() as usize)
    }

    /// The cards from the lowest to the highest place, with the wild card in the only gap or, without a gap, below the lowest
    /// card. `None` if a gap remains.
    fn in_sequence(&self, wild: Option<Card>) -> Option<Sequence> {
        let (low, high) = self.ends()?;
        let gaps = self.gaps();
        if gaps > usize::from(wild.is_some()) {
            return None;
        }
        let mut sequence = Sequence { cards: [Card::from_index(0); LARGEST + 1], len: 0 };
        let below = wild.filter(|_| gaps == 0).into_iter();
        let between = self.cards[low..=high].iter().filter_map(|card| card.or(wild));
        for (slot, card) in sequence.cards.iter_mut().zip(below.chain(between)) {
            *slot = card;
            sequence.len += 1;
        }
        Some(sequence)
    }
}

/// The official referee's test for a wild card: some 2 is not directly followed by the 3 of its own suit.
fn dirty(cards: &[Card]) -> bool {
    cards.iter().enumerate().any(|(i, card)| {
        card.rank() == TWO && cards.get(i + 1).is_none_or(|next| *next != Card::of(card.suit(), TWO + 1))
    })
}

/// Points of cards in this order, with the canastra bonus from seven cards on. The official referee uses the same function
/// for melds and, at the end, for hands.
pub(super) fn points(cards: &[Card]) -> i32 {
    let bonus = match cards.len() {
        ..CANASTRA => 0,
        _ if dirty(cards) => DIRTY,
        _ => CLEAN,
    };
    cards.iter().map(|c| c.points()).sum::<i32>() + bonus
}
