//! The place of a match in a tournament.

use serde::{Deserialize, Serialize};

/// The game of a tournament that a match is played for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TournamentRef {
    /// The tournament.
    pub id: String,
    /// The number of the game in it, from 0.
    pub game: usize,
}
