//! Tokens, by which callers prove who they are, and what they sign in with.

use futures_util::future::BoxFuture;

use crate::domain::PlayerRef;
use crate::domain::token::KeyHash;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::people::{accounts, passkeys, tokens};
use crate::store::{ListedPasskey, StoreError, StoredPasskey, StoredToken, TokenHolder};

/// Tokens, by which callers prove who they are, and what they sign in with.
pub trait AccountStore: Send + Sync {
    /// The player for whom the token with this hash acts, also if the token has expired.
    fn token_holder(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<TokenHolder>, StoreError>>;
    /// The tokens of the player with this id besides the account's own, the oldest first.
    fn tokens(&self, player: String) -> BoxFuture<'_, Result<Vec<StoredToken>, StoreError>>;
    /// Those of these hashes that are of the tokens of players, each with the player for whom the token acts.
    fn known_keys(&self, keys: Vec<KeyHash>) -> BoxFuture<'_, Result<Vec<(KeyHash, PlayerRef)>, StoreError>>;
    /// The passkeys of the player with this id, the oldest first.
    fn passkeys(&self, player: String) -> BoxFuture<'_, Result<Vec<ListedPasskey>, StoreError>>;
    /// The passkey with this id on its device, in URL-safe base 64.
    fn passkey(&self, credential_id: String) -> BoxFuture<'_, Result<Option<StoredPasskey>, StoreError>>;
    /// How many recovery codes the player with this id has left.
    fn recovery_codes(&self, player: String) -> BoxFuture<'_, Result<i64, StoreError>>;
    /// The player whose recovery code has this hash.
    fn recovery_code_holder(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<PlayerRef>, StoreError>>;
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

    fn passkeys(&self, player: String) -> BoxFuture<'_, Result<Vec<ListedPasskey>, StoreError>> {
        Box::pin(async move { self.read(passkeys::passkeys(&self.readers(), &player)).await })
    }

    fn passkey(&self, credential_id: String) -> BoxFuture<'_, Result<Option<StoredPasskey>, StoreError>> {
        Box::pin(async move { self.read(passkeys::passkey(&self.readers(), &credential_id)).await })
    }

    fn recovery_codes(&self, player: String) -> BoxFuture<'_, Result<i64, StoreError>> {
        Box::pin(async move { self.read(passkeys::recovery_codes(&self.readers(), &player)).await })
    }

    fn recovery_code_holder(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<PlayerRef>, StoreError>> {
        Box::pin(async move { self.read(passkeys::recovery_code_holder(&self.readers(), key)).await })
    }

    fn accounts_version(&self) -> BoxFuture<'_, Result<i64, StoreError>> {
        Box::pin(async move { self.read(accounts::version(&self.readers())).await })
    }
}
