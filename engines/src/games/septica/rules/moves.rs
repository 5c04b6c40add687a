//! Moves and their text in the official protocol. Must not know the table.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cards::Rank;

/// One decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// Plays a card of this rank.
    Card(Rank),
    /// The leader stops after a cut, so the other seat takes the trick.
    Stop,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Card(rank) => rank.fmt(f),
            Self::Stop => f.write_str("0"),
        }
    }
}

impl FromStr for Move {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let mv = match s.trim().parse::<i64>() {
            Ok(0) => Some(Self::Stop),
            Ok(number) => Rank::new(number).map(Self::Card),
            Err(_) => None,
        };
        mv.ok_or_else(|| "a move is a card, 7 to 14, or 0 to stop".to_owned())
    }
}
