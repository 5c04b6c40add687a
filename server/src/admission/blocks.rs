//! The blocks of players, as the server keeps them in memory. A block is between two people; it covers their bots.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use crate::domain::PlayerRef;
use crate::error::{Code, Error};

/// All blocks: the ids of the one who blocks and the one who is blocked.
#[derive(Default)]
pub struct Blocks(RwLock<HashSet<(String, String)>>);

impl Blocks {
    /// Replaces all blocks.
    pub fn replace(&self, blocks: HashSet<(String, String)>) {
        // The set stays whole even if a thread panicked while it held the lock.
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = blocks;
    }

    /// Whether neither of two players has blocked the other.
    pub fn allow(&self, one: &PlayerRef, other: &PlayerRef) -> bool {
        !self.has(one, other) && !self.has(other, one)
    }

    /// Checks that neither of two players has blocked the other. `asks`: the player who gets the error.
    ///
    /// # Errors
    /// `not_accepted`.
    pub fn check(&self, asks: &PlayerRef, other: &PlayerRef) -> Result<(), Error> {
        let detail = match (self.has(asks, other), self.has(other, asks)) {
            (true, _) => format!("you have blocked {}", other.name),
            (false, true) => format!("{} wants no contact with you", other.name),
            (false, false) => return Ok(()),
        };
        Err(Error::new(Code::NotAccepted, detail))
    }

    fn has(&self, by: &PlayerRef, blocked: &PlayerRef) -> bool {
        let blocks = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // Most servers have none, and this is asked for each pair of players who wait.
        !blocks.is_empty() && blocks.contains(&(by.owner_id().to_owned(), blocked.owner_id().to_owned()))
    }
}
