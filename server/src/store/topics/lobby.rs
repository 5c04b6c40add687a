//! The lobby: connected players, challenges and tickets.

use futures_util::future::BoxFuture;

use crate::domain::time::Millis;
use crate::store::data::lobby::{LobbyMark, LobbyNews};
use crate::store::database_store::DatabaseStore;
use crate::store::queries::lobby;
use crate::store::{StoreError, StoredChallenge};

/// The lobby: connected players, challenges and tickets.
pub trait LobbyStore: Send + Sync {
    /// What has changed in the lobby, on all nodes, since this mark; the whole lobby without a mark, or where the database
    /// no longer knows what has changed. `settled_after_ms`: of the whole lobby, challenges that were settled before are left out.
    fn lobby<'a>(
        &'a self,
        since: Option<&'a LobbyMark>,
        settled_after_ms: Millis,
    ) -> BoxFuture<'a, Result<LobbyNews, StoreError>>;
    /// The challenge with this id.
    fn challenge(&self, id: String) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>>;
    /// Waits until any node has changed the lobby. Only one task may wait. A change may be reported late or not at all,
    /// so read the lobby from time to time, too.
    fn lobby_changed(&self) -> BoxFuture<'_, ()>;
}

impl LobbyStore for DatabaseStore {
    fn lobby<'a>(
        &'a self,
        since: Option<&'a LobbyMark>,
        settled_after_ms: Millis,
    ) -> BoxFuture<'a, Result<LobbyNews, StoreError>> {
        Box::pin(
            async move { self.read(lobby::news(&self.readers(), &self.node, since, settled_after_ms)).await },
        )
    }

    fn challenge(&self, id: String) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>> {
        Box::pin(async move { self.read(lobby::challenge(&self.readers(), &id)).await })
    }

    fn lobby_changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.lobby_changed.notified())
    }
}
