//! Buraco's cards, the melds that they make, and their points.

use std::fmt;

const SUITS: [char; 4] = ['♥', '♦', '♣', '♠'];
const RANKS: [&str; 13] = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/// A card; the ace is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Card {
    pub suit: usize,
    pub rank: usize,
}

impl Card {
    pub(crate) fn read(token: &str) -> Option<Card> {
        let symbol = token.chars().last()?;
        let suit = SUITS.iter().position(|&suit| suit == symbol)?;
        let rank = RANKS.iter().position(|&rank| Some(rank) == token.strip_suffix(symbol))?;
        Some(Card { suit, rank: rank + 1 })
    }

    fn value(self) -> i32 {
        match self.rank {
            1 => 15,
            3..=7 => 5,
            _ => 10,
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", RANKS[self.rank - 1], SUITS[self.suit])
    }
}

/// Two decks, in order.
pub(crate) fn cards() -> Vec<Card> {
    let one = (0..4).flat_map(|suit| (1..=13).map(move |rank| Card { suit, rank }));
    one.clone().chain(one).collect()
}

/// The written rules, or the more lenient ones that the real referee applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    Written,
    /// The suit of an ace is not checked, and a wild below a low ace is accepted.
    Lenient,
}

/// Puts the cards of a meld in order, without a wild if that is possible. None: they are no meld.
pub(super) fn arrange(cards: &[Card], rules: Rules) -> Option<Vec<Card>> {
    // Places: 1 and 14 are aces; place 0, below the low ace, exists only by leniency.
    let lowest = if rules == Rules::Lenient { 0 } else { 1 };
    if !(3..=15 - lowest).contains(&cards.len()) {
        return None;
    }
    let twos = (0..cards.len()).filter(|&index| cards[index].rank == 2);
    let wilds: Vec<Option<usize>> = std::iter::once(None).chain(twos.map(Some)).collect();
    for wild in wilds {
        for suit in 0..4 {
            for low in lowest..=15 - cards.len() {
                let placed = place(cards, wild, suit, low, rules);
                if placed.is_some() {
                    return placed;
                }
            }
        }
    }
    None
}

/// Fills the places from `low` on, one card each.
fn place(cards: &[Card], wild: Option<usize>, suit: usize, low: usize, rules: Rules) -> Option<Vec<Card>> {
    let mut left: Vec<Card> =
        (0..cards.len()).filter(|&index| wild != Some(index)).map(|index| cards[index]).collect();
    let mut wild = wild.map(|index| cards[index]);
    let mut placed = Vec::new();
    for place in low..low + cards.len() {
        let rank = if place == 14 { 1 } else { place };
        let fits =
            |card: &Card| card.rank == rank && (card.suit == suit || rank == 1 && rules == Rules::Lenient);
        match left.iter().position(fits) {
            Some(index) => placed.push(left.remove(index)),
            None => placed.push(wild.take()?),
        }
    }
    Some(placed)
}

/// Some 2 is not directly followed by the 3 of its suit.
pub(super) fn is_dirty(cards: &[Card]) -> bool {
    (0..cards.len()).any(|index| {
        let three = Card { rank: 3, ..cards[index] };
        cards[index].rank == 2 && cards.get(index + 1) != Some(&three)
    })
}

/// The points of a meld in its order; a hand is counted by the same function.
pub(super) fn points(cards: &[Card]) -> i32 {
    let canastra = match (cards.len() >= 7, is_dirty(cards)) {
        (false, _) => 0,
        (true, true) => 100,
        (true, false) => 200,
    };
    canastra + cards.iter().map(|card| card.value()).sum::<i32>()
}
