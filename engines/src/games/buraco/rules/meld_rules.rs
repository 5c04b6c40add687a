//! The rules by which a match checks melds and joins: the written ones, or those of the contest's referee. Must not know the
//! table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cards::{ACE, Card, TWO};
use super::meld::Meld;
use super::no_meld::no_meld;

/// How a match checks melds and joins. All other rules are the same in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BuracoMeldRules")]
pub enum MeldRules {
    /// As the contest's referee, which also accepts an ace of another suit, a wild 2 below a low ace, and a join of no cards.
    #[default]
    Referee,
    /// As the contest's text says: all cards of a meld but a wild 2 are of one suit, no wild 2 lies below a low ace, and a join
    /// adds a card or more.
    Written,
}

impl MeldRules {
    /// Whether these are the rules of the contest's referee, which positions and records do not name.
    pub(in super::super) fn is_referee(&self) -> bool {
        *self == Self::Referee
    }

    /// Checks that the rules accept this meld.
    ///
    /// # Errors
    /// The rule that it breaks, as a clause.
    pub(in super::super) fn accept(self, meld: &Meld) -> Result<(), String> {
        match self {
            Self::Written if meld.needs_leniency() => Err(leniency(meld)),
            Self::Written | Self::Referee => Ok(()),
        }
    }

    /// Checks that these cards form a meld, in any order.
    ///
    /// # Errors
    /// The rule that they break, as a clause.
    pub(super) fn check(self, cards: &[Card]) -> Result<(), String> {
        let meld = Meld::new(cards).ok_or_else(|| no_meld(cards))?;
        self.accept(&meld)
    }

    /// Checks that a join may add this many cards.
    ///
    /// # Errors
    /// The rule that it breaks, as a clause.
    pub(super) fn check_join(self, cards: &[Card]) -> Result<(), String> {
        match self {
            Self::Written if cards.is_empty() => {
                Err("by the written rules a join adds a card or more".to_owned())
            }
            Self::Written | Self::Referee => Ok(()),
        }
    }
}

/// The written rule that a meld breaks which needs a leniency of the referee.
fn leniency(meld: &Meld) -> String {
    let plain = meld.cards().iter().find(|card| card.rank() > TWO);
    let other = |plain: &Card| {
        let ace = meld.cards().iter().find(|card| card.rank() == ACE && card.suit() != plain.suit())?;
        Some(format!(
            "by the written rules a meld has one suit, and {ace} and {plain} are of different suits"
        ))
    };
    plain
        .and_then(other)
        .unwrap_or_else(|| "by the written rules a wild 2 cannot lie below a low ace".to_owned())
}
