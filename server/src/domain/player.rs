//! A player as other records refer to it.

use serde::{Deserialize, Serialize};

/// A reference to a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerRef {
    /// Never changes, even when the name does.
    pub id: String,
    /// The name.
    pub name: String,
}
