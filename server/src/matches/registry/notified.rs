//! The players whom this server notifies of their turns while no page is open, as the database says.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

/// The ids of players who have asked to be notified in some browser.
#[derive(Debug, Default)]
pub struct NotifiedPlayers(RwLock<HashSet<String>>);

impl NotifiedPlayers {
    /// Replaces all of them.
    pub fn replace(&self, players: HashSet<String>) {
        // The set is replaced as a whole, so a poisoned one is consistent.
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = players;
    }

    /// Adds one, before the database is read again.
    pub fn add(&self, player: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(player.to_owned());
    }

    /// Whether the player with this id is one.
    pub fn contains(&self, player: &str) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(player)
    }
}
