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
        if !(SMALLEST..=LARGEST + 1).contains(&cards.len()) {
            return None;
        }
        let plain = cards.iter().find(|c| c.rank() > TWO);
        let suit = plain.or_else(|| cards.iter().find(|c| c.rank() == ACE))?.suit();
        let mut places: [Option<Card>; HIGH as usize + 1] = [None; HIGH as usize + 1];
        let (mut aces, mut twos) = (Vec::new(), Vec::new());
        for card in cards {
            match card.rank() {
                ACE => aces.push(*card),
                TWO => twos.push(*card),
                rank if card.suit() != suit || places[usize::from(rank)].is_some() => return None,
                rank => places[usize::from(rank)] = Some(*card),
            }
        }
        let natural = twos.iter().position(|c| c.suit() == suit);
        let aces_at: &[&[u8]] = match aces.len() {
            0 => &[&[]],
            1 => &[&[ACE], &[HIGH]],
            2 => &[&[ACE, HIGH]],
            _ => return None,
        };
        for natural in [natural, None].into_iter().take(1 + usize::from(natural.is_some())) {
            let mut wild = twos.clone();
            let mut places = places;
            if let Some(i) = natural {
                places[usize::from(TWO)] = Some(wild.remove(i));
            }
            if wild.len() > 1 {
                continue;
            }
            for at in aces_at {
                let mut places = places;
                at.iter().zip(&aces).for_each(|(place, ace)| places[usize::from(*place)] = Some(*ace));
                if let Some(order) = in_sequence(&places, wild.first().copied()) {
                    return Some(Self(order));
                }
            }
        }
        None
    }

    /// The cards in sequence.
    pub fn cards(&self) -> &[Card] {
        &self.0
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
        let cards = &self.0;
        let suit = cards.iter().find(|c| c.rank() > TWO).map(|c| c.suit());
        let mut aces = cards.iter().filter(|c| c.rank() == ACE);
        // With a queen or king on top, the ace could be the high one instead and the wild card the king or the low ace.
        let below_ace = cards[0].rank() == TWO && cards[1].rank() == ACE;
        let could_lie_high = aces.clone().count() == 1 && cards.last().is_some_and(|c| c.rank() >= RANKS - 1);
        aces.any(|ace| suit.is_some_and(|s| s != ace.suit())) || below_ace && !could_lie_high
    }

    /// Points of the meld at the end of the match.
    pub fn points(&self) -> i32 {
        points(&self.0)
    }
}

/// The cards from the lowest to the highest place, with the wild card in the only gap or, without a gap, below the lowest
/// card. `None` if a gap remains.
fn in_sequence(places: &[Option<Card>], wild: Option<Card>) -> Option<Vec<Card>> {
    let low = places.iter().position(Option::is_some)?;
    let high = places.iter().rposition(Option::is_some)?;
    let gaps = places[low..=high].iter().filter(|p| p.is_none()).count();
    match (gaps, wild) {
        (0, _) => Some(wild.into_iter().chain(places[low..=high].iter().filter_map(|p| *p)).collect()),
        (1, Some(_)) => places[low..=high].iter().map(|p| p.or(wild)).collect(),
        _ => None,
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
