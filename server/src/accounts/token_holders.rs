//! The holders of tokens that were used recently.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::error::{Code, Error};
use crate::store::{AccountStore, TokenHolder, refused_by_store};

/// The refusal of a token that this server does not know.
const UNKNOWN_TOKEN: &str = "this server knows no such token: it was replaced or revoked, its account was deleted, or another \
    server issued it. Sign in with the current one; for a bot, its owner gets a new one (POST /v1/me/bots/NAME/token or \
    POST /v1/me/tokens)";

/// The most tokens in the cache; when it is full, it is cleared.
const MAX_CACHED: usize = 1 << 16;

/// A use of a token is written at most once in this time, in milliseconds.
const USE_WRITTEN_MS: Millis = 60_000;

/// A cache of the holders of tokens, so that not every request reads the database. It is cleared whenever an account
/// changes.
#[derive(Default)]
pub struct TokenHolders(Mutex<HolderCache>);

#[derive(Default)]
struct HolderCache {
    holders: HashMap<[u8; 32], TokenHolder>,
    /// How often the cache was cleared.
    generation: u64,
}

impl TokenHolders {
    /// The player for whom the token with this hash acts, and what it allows.
    ///
    /// # Errors
    /// `bad_token`, `token_expired`, `store_unavailable`.
    pub async fn by_token(
        &self,
        store: &dyn AccountStore,
        key: KeyHash,
        now: Millis,
    ) -> Result<TokenHolder, Error> {
        let holder = self.holder(store, key).await?;
        if holder.expires_ms.is_some_and(|expires_ms| expires_ms <= now) {
            return Err(Error::token_expired());
        }
        Ok(holder)
    }

    async fn holder(&self, store: &dyn AccountStore, key: KeyHash) -> Result<TokenHolder, Error> {
        let generation = {
            let cache = self.lock();
            if let Some(holder) = cache.holders.get(&key.0) {
                return Ok(holder.clone());
            }
            cache.generation
        };
        let holder = store.token_holder(key).await.map_err(|e| refused_by_store(&e))?;
        let holder = holder.ok_or_else(|| Error::new(Code::BadToken, UNKNOWN_TOKEN))?;
        let mut cache = self.lock();
        // Do not cache what was read before an account changed.
        if cache.generation == generation {
            if cache.holders.len() >= MAX_CACHED {
                cache.holders.clear();
            }
            cache.holders.insert(key.0, holder.clone());
        }
        Ok(holder)
    }

    /// Whether this token was found to be valid and no account has changed since.
    pub fn is_valid(&self, key: KeyHash) -> bool {
        self.lock().holders.contains_key(&key.0)
    }

    /// The id of a token with a scope whose use at this time is to be written; it then counts as written. `holder`: as
    /// [`Self::by_token`] has just returned it.
    pub fn use_to_write(&self, key: KeyHash, holder: &TokenHolder, now: Millis) -> Option<String> {
        let id = holder.id.clone()?;
        if holder.used_ms.is_some_and(|used_ms| now.saturating_sub(used_ms) < USE_WRITTEN_MS) {
            return None;
        }
        // It may have left the cache meanwhile.
        if let Some(cached) = self.lock().holders.get_mut(&key.0) {
            cached.used_ms = Some(now);
        }
        Some(id)
    }

    /// Clears the cache: a token or a name has changed.
    pub fn forget(&self) {
        let mut cache = self.lock();
        cache.holders.clear();
        cache.generation += 1;
    }

    fn lock(&self) -> MutexGuard<'_, HolderCache> {
        // No holder of the lock can panic half-way, so a poisoned cache is consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
