//! Ranks of cards and their points. Must not know the table.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::COPIES;

/// A card's rank, 7 to 14; suits do not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Rank(u8);

impl JsonSchema for Rank {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SepticaRank".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "integer",
            "minimum": 7,
            "maximum": 14,
            "description": "A card's rank, 7 to 14; suits do not matter."
        })
    }
}

impl Rank {
    /// The rank that cuts every trick.
    pub const SEVEN: Self = Self(7);

    /// All ranks, ascending.
    pub fn all() -> impl Iterator<Item = Self> {
        (7..=14).map(Self)
    }

    /// The rank of this number, 7 to 14.
    pub fn new(number: i64) -> Option<Self> {
        (7..=14).contains(&number).then_some(Self(number as u8))
    }

    /// 0 for a 7, up to 7 for a 14.
    pub fn index(self) -> usize {
        usize::from(self.0 - 7)
    }

    /// The rank of this [`Self::index`].
    ///
    /// # Panics
    /// If `index` is more than 7.
    pub fn from_index(index: usize) -> Self {
        Self::new(index as i64 + 7).expect("an index of a rank is 0 to 7")
    }

    /// Whether this card is worth a point: the 10s and the 14s.
    pub fn is_point(self) -> bool {
        matches!(self.0, 10 | 14)
    }

    /// Whether this card cuts in a trick that began with `led`.
    pub fn cuts(self, led: Self) -> bool {
        self == led || self == Self::SEVEN
    }
}

impl TryFrom<u8> for Rank {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        Self::new(i64::from(number)).ok_or_else(|| format!("{number} is not a card: the ranks are 7 to 14"))
    }
}

impl From<Rank> for u8 {
    fn from(rank: Rank) -> Self {
        rank.0
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Checks that these cards have at most four of each rank.
///
/// # Errors
/// Names the first rank with more.
pub(crate) fn at_most_four<'a>(cards: impl IntoIterator<Item = &'a Rank>) -> Result<(), String> {
    let mut counts = [0usize; 8];
    cards.into_iter().for_each(|c| counts[c.index()] += 1);
    match counts.iter().position(|n| *n > COPIES) {
        None => Ok(()),
        Some(i) => {
            Err(format!("there are {COPIES} cards of rank {}, not {}", Rank::from_index(i), counts[i]))
        }
    }
}

/// The number of 10s and 14s.
pub(crate) fn points(cards: &[Rank]) -> u8 {
    cards.iter().filter(|c| c.is_point()).count() as u8
}
