//! The current names of players. Logs are never changed, so they contain the old name of a player who was renamed or
//! whose account was deleted; it is replaced by the current one whenever a log is read.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use crate::domain::MatchId;
use crate::domain::names::of_deleted;
use crate::matches::listing::MatchSummary;
use crate::store::{FormerName, MatchRow};

/// The current name by player id; `None`: the account was deleted. Contains only players whose names have changed.
#[derive(Default)]
pub struct Names(RwLock<HashMap<String, Option<String>>>);

impl Names {
    /// Replaces all names. Returns the ids of the players whose names have changed.
    pub fn replace(&self, names: Vec<FormerName>) -> Vec<String> {
        let names: HashMap<_, _> = names.into_iter().collect();
        // No holder of the lock can panic half-way, so a poisoned map is consistent.
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let changed = names.iter().filter(|(id, name)| known.get(*id) != Some(name));
        let changed = changed.map(|(id, _)| id.clone()).collect();
        *known = names;
        changed
    }

    /// The current name of a player in a match; `None`: the name in its log is current.
    pub fn now(&self, id: &MatchId, player: &str) -> Option<String> {
        self.within(id.as_str(), player)
    }

    /// The same in a match or tournament with this id. A deleted player has another name in each.
    pub fn within(&self, id: &str, player: &str) -> Option<String> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let name = known.get(player)?;
        Some(name.clone().unwrap_or_else(|| of_deleted(id, player)))
    }

    /// Puts the current names of players into a match's row in a list.
    pub fn put_into(&self, summary: &mut MatchSummary, id: &MatchId, row: &MatchRow) {
        for (player, _) in &row.players {
            if let Some(name) = self.now(id, &player.id) {
                summary.rename(&player.name, &name);
            }
        }
    }
}
