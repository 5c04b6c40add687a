//! Cards and lists of cards, with their text in the official protocol. Must not know the table.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kinds of cards: thirteen ranks in four suits. Each is in the game twice.
pub(crate) const KINDS: usize = 52;
/// Cards in the game.
pub(crate) const CARDS: usize = 2 * KINDS;
/// Ranks of a suit.
pub const RANKS: u8 = 13;
/// The rank of an ace.
pub(super) const ACE: u8 = 1;
/// The rank of a 2, which may be wild.
pub(super) const TWO: u8 = 2;

const SUITS: [char; 4] = ['♥', '♦', '♣', '♠'];
const NAMES: [&str; 13] = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/// A card, for example `10♥`. Its two copies are equal. Ordered by suit (♥ ♦ ♣ ♠), then by rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Card(u8);

impl Card {
    /// The card of this suit (0 to 3: ♥ ♦ ♣ ♠) and rank (1 to 13, ace to king).
    pub fn of(suit: u8, rank: u8) -> Self {
        debug_assert!(suit < 4 && (1..=RANKS).contains(&rank), "there is no such card");
        Self(suit * RANKS + rank - 1)
    }

    /// All kinds of cards, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..KINDS as u8).map(Self)
    }

    /// 0 to 3: ♥ ♦ ♣ ♠.
    pub fn suit(self) -> u8 {
        self.0 / RANKS
    }

    /// 1 to 13, ace to king.
    pub fn rank(self) -> u8 {
        self.0 % RANKS + 1
    }

    /// The card's number, 0 to 51, as an index of tables by kind.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The card of this number.
    pub fn from_index(index: usize) -> Self {
        debug_assert!(index < KINDS, "there is no such card");
        Self(index as u8)
    }

    /// Points: 5 for 3 to 7, 10 for 2 and 8 to king, 15 for the ace.
    pub fn points(self) -> i32 {
        match self.rank() {
            ACE => 15,
            3..=7 => 5,
            _ => 10,
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", NAMES[usize::from(self.rank() - 1)], SUITS[usize::from(self.suit())])
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Card {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let suit = s.chars().next_back().and_then(|c| SUITS.iter().position(|s| *s == c));
        let rank = suit.and_then(|i| NAMES.iter().position(|n| *n == &s[..s.len() - SUITS[i].len_utf8()]));
        match (suit, rank) {
            (Some(suit), Some(rank)) => Ok(Self::of(suit as u8, rank as u8 + 1)),
            _ => Err(format!("{:?} is not a card: A, 2 to 10, J, Q or K, then ♥ ♦ ♣ or ♠", head(s))),
        }
    }
}

impl TryFrom<String> for Card {
    type Error = String;

    fn try_from(s: String) -> Result<Self, String> {
        s.parse()
    }
}

impl From<Card> for String {
    fn from(card: Card) -> Self {
        card.to_string()
    }
}

impl JsonSchema for Card {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BuracoCard".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A card: its rank, then its suit, as in `10♥`.",
            "pattern": "^(A|[2-9]|10|J|Q|K)[♥♦♣♠]$",
        })
    }
}

/// The first 24 characters of a text from outside, for an error message.
pub(super) fn head(s: &str) -> String {
    s.chars().take(24).collect()
}

/// Cards without an order. They are stored sorted, so that equal sets compare equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<Card>")]
#[schemars(rename = "BuracoCards")]
pub struct Cards(Vec<Card>);

impl From<Vec<Card>> for Cards {
    fn from(mut cards: Vec<Card>) -> Self {
        cards.sort_unstable();
        Self(cards)
    }
}

impl std::ops::Deref for Cards {
    type Target = [Card];

    fn deref(&self) -> &[Card] {
        &self.0
    }
}

/// Writes a list as the official protocol does: `[ 5♠ 6♠ 7♠ ]`, with each bracket as a separate word.
impl fmt::Display for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&bracketed(&self.0))
    }
}

/// The list as `[ 5♠ 6♠ 7♠ ]`; an empty one is `[  ]`, with two spaces, as the official referee writes it.
pub(crate) fn bracketed(cards: &[Card]) -> String {
    let texts: Vec<String> = cards.iter().map(Card::to_string).collect();
    format!("[ {} ]", texts.join(" "))
}

/// Removes the first copy of each of `cards` from `from`. Returns `false` if one is missing; `from` is then left partly
/// changed.
pub(crate) fn take_all(from: &mut Vec<Card>, cards: &[Card]) -> bool {
    cards.iter().all(|card| from.iter().position(|c| c == card).map(|i| from.remove(i)).is_some())
}

/// Whether `from` contains all of `cards`, with their number of copies.
pub(crate) fn holds(from: &[Card], cards: &[Card]) -> bool {
    let mut counts = [0u16; KINDS];
    from.iter().for_each(|c| counts[c.index()] += 1);
    cards.iter().all(|c| {
        let has = counts[c.index()] > 0;
        counts[c.index()] = counts[c.index()].saturating_sub(1);
        has
    })
}
