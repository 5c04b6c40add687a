//! The lobby: connected players, challenges and tickets.

use futures_util::future::BoxFuture;

use crate::domain::time::Millis;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::lobby;
use crate::store::{LobbyRows, StoreError, StoredChallenge};

/// The lobby: connected players, challenges and tickets.
pub trait LobbyStore: Send + Sync {
    /// The lobby as it is on all nodes. `settled_after_ms`: challenges that were settled before are left out.
    fn lobby(&self, settled_after_ms: Millis) -> BoxFuture<'_, Result<LobbyRows, StoreError>>;
    /// The challenge with this id.
    fn challenge(&self, id: String) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>>;
    /// Waits until any node has changed the lobby. Only one task may wait. A change may be reported late or not at all,
    /// so read the lobby from time to time, too.
    fn lobby_changed(&self) -> BoxFuture<'_, ()>;
}

impl LobbyStore for DatabaseStore {
    fn lobby(&self, settled_after_ms: Millis) -> BoxFuture<'_, Result<LobbyRows, StoreError>> {
        Box::pin(async move { self.read(lobby::rows(&self.readers(), &self.node, settled_after_ms)).await })
    }

    fn challenge(&self, id: String) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>> {
        Box::pin(async move { self.read(lobby::challenge(&self.readers(), &id)).await })
    }

    fn lobby_changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.lobby_changed.notified())
    }
}
