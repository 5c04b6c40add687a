//! Tokens, by which callers prove who they are.

use futures_util::future::BoxFuture;

use crate::domain::PlayerRef;
use crate::domain::token::KeyHash;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::{accounts, tokens};
use crate::store::{StoreError, StoredToken, TokenHolder};

/// Tokens, by which callers prove who they are.
pub trait AccountStore: Send + Sync {
    /// The player for whom the token with this hash acts, also if the token has expired.
    fn token_holder(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<TokenHolder>, StoreError>>;
    /// The tokens of the player with this id besides the account's own, the oldest first.
    fn tokens(&self, player: String) -> BoxFuture<'_, Result<Vec<StoredToken>, StoreError>>;
    /// Those of these hashes that are of the tokens of players, each with the player for whom the token acts.
    fn known_keys(&self, keys: Vec<KeyHash>) -> BoxFuture<'_, Result<Vec<(KeyHash, PlayerRef)>, StoreError>>;
    /// Increases with every change to an account or a ban by any node.
    fn accounts_version(&self) -> BoxFuture<'_, Result<i64, StoreError>>;
}

impl AccountStore for DatabaseStore {
    fn token_holder(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<TokenHolder>, StoreError>> {
        Box::pin(async move { self.read(tokens::token_holder(&self.readers(), key)).await })
    }

    fn tokens(&self, player: String) -> BoxFuture<'_, Result<Vec<StoredToken>, StoreError>> {
        Box::pin(async move { self.read(tokens::tokens(&self.readers(), &player)).await })
    }

    fn known_keys(&self, keys: Vec<KeyHash>) -> BoxFuture<'_, Result<Vec<(KeyHash, PlayerRef)>, StoreError>> {
        Box::pin(async move { self.read(tokens::known_keys(&self.readers(), &keys)).await })
    }

    fn accounts_version(&self) -> BoxFuture<'_, Result<i64, StoreError>> {
        Box::pin(async move { self.read(accounts::version(&self.readers())).await })
    }
}
