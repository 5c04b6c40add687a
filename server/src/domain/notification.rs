//! What a player can be notified of while no page is open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a notification is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotificationKind {
    /// The player is to move in a match.
    Turn,
    /// The time for a move of several days ends soon.
    Reminder,
    /// Another player challenges the player.
    Challenge,
    /// A tournament that the player has entered starts soon.
    Tournament,
}

impl NotificationKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Turn, Self::Reminder, Self::Challenge, Self::Tournament];

    /// As the API and the database write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Reminder => "reminder",
            Self::Challenge => "challenge",
            Self::Tournament => "tournament",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
