//! The players whom records and ratings name. Each gets an account without a token, unless there is one already.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::domain::names::{self, is_of_deleted};
use crate::domain::time::Millis;
use crate::domain::token::{self, KeyHash};
use crate::domain::{MatchId, PlayerRef};
use crate::matches::import::ImportError;
use crate::store::{NewBot, Store, StoreError};

/// The players of an import.
pub(super) struct ImportedPlayers {
    store: Arc<dyn Store>,
    /// The owners of bots: by the bot's name, the owner's.
    owners: HashMap<String, String>,
    /// Whether a name means the player who has it in this database, however the account came to be.
    same: bool,
    /// By name; `Err`: why there is none.
    known: HashMap<String, Result<PlayerRef, String>>,
    /// Accounts that were added.
    pub added: u64,
}

impl ImportedPlayers {
    pub(super) fn new(store: Arc<dyn Store>, owners: HashMap<String, String>, same: bool) -> Self {
        Self { store, owners, same, known: HashMap::new(), added: 0 }
    }

    /// The player of this name. A new account is as old as `created_ms`.
    pub(super) async fn find(&mut self, name: &str, created_ms: Millis) -> Result<PlayerRef, ImportError> {
        if let Some(known) = self.known.get(name) {
            return known.clone().map_err(ImportError::Refused);
        }
        let found = match self.find_or_add(name, created_ms).await {
            Ok(who) => Ok(who),
            Err(ImportError::Refused(why)) => Err(why),
            Err(failed) => return Err(failed),
        };
        self.known.insert(name.to_owned(), found.clone());
        found.map_err(ImportError::Refused)
    }

    async fn find_or_add(&mut self, name: &str, created_ms: Millis) -> Result<PlayerRef, ImportError> {
        if names::player(name).as_deref() != Ok(name) {
            return Err(ImportError::Refused(format!("{name:?} is no name that a player can have")));
        }
        if let Some(profile) = self.store.player(name.to_owned()).await? {
            if !self.same && !is_imported(&profile.who.id, name) {
                return Err(ImportError::Refused(format!(
                    "the name {name:?} belongs to a player of this database; --same-players takes both for one"
                )));
            }
            return Ok(PlayerRef { name: name.to_owned(), ..profile.who });
        }
        let who = PlayerRef::new(imported_id(name), name);
        let owner = match self.owners.get(name).filter(|owner| *owner != name).cloned() {
            Some(owner) => Some(Box::pin(self.find(&owner, created_ms)).await?.id),
            None => None,
        };
        self.add(PlayerRef { owner, ..who }, created_ms).await
    }

    async fn add(&mut self, who: PlayerRef, created_ms: Millis) -> Result<PlayerRef, ImportError> {
        // The hash of no token, so that nobody has one.
        let random = token::random().map_err(|e| ImportError::Failed(format!("no randomness: {e}")))?;
        let key = KeyHash(random);
        let added = match &who.owner {
            Some(_) => {
                let (about, most) = ("{}".to_owned(), u32::MAX);
                let bot = NewBot { who: who.clone(), key, created_ms, about, most, request: None };
                self.store.add_bot(bot).await
            }
            None => self.store.add_player(who.clone(), key, created_ms, None).await,
        };
        match added {
            Ok(()) => {
                self.added += 1;
                Ok(who)
            }
            Err(StoreError::Conflict) => Err(ImportError::Refused(format!(
                "no player can have the name {:?} here: it looks like another one, or was given up lately",
                who.name
            ))),
            Err(failed) => Err(failed.into()),
        }
    }
}

/// A player whose account was deleted before the export. There is no row for it.
pub(super) fn deleted(id: &MatchId, name: &str) -> Option<PlayerRef> {
    is_of_deleted(name).then(|| PlayerRef::new(imported_id(&format!("{id} {name}")), name))
}

/// Whether an import has added the player with this id under this name.
pub(super) fn is_imported(id: &str, name: &str) -> bool {
    id == imported_id(name)
}

/// The id that an import gives to the player of this name: the same in every import, so that it finds its own players again.
fn imported_id(name: &str) -> String {
    let hash = Sha256::new_with_prefix("player of an import: ").chain_update(names::folded(name)).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    uuid::Uuid::from_bytes(bytes).hyphenated().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imported_player_is_known_again() {
        assert!(is_imported(&imported_id("Ann"), "ann"), "names that differ in case alone are one");
        assert!(!is_imported(&imported_id("ann"), "ben"));
        let id = MatchId::fresh();
        let gone = names::of_deleted(id.as_str(), "1");
        let of = |id: &MatchId| deleted(id, &gone).map(|who| who.id);
        assert!(of(&id).is_some() && of(&id) == of(&id) && of(&id) != of(&MatchId::fresh()));
        assert_eq!(deleted(&id, "ann"), None);
    }
}
