//! Tournaments and their events.

use futures_util::future::BoxFuture;

use crate::domain::TournamentId;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::tournaments;
use crate::store::{ListedTournament, RunningTournament, StoreError, StoredEvent};

/// Tournaments and their events.
pub trait TournamentStore: Send + Sync {
    /// The events of a tournament from sequence number `from` on; empty if there are none.
    fn tournament_log(
        &self,
        id: TournamentId,
        from: u32,
    ) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>>;
    /// Tournaments, the newest first, of this game; `before`: only those created before this one.
    fn tournaments(
        &self,
        game: Option<String>,
        before: Option<TournamentId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<ListedTournament>, StoreError>>;
    /// The tournaments that the player with this id organizes or has organized.
    fn organized(&self, player: String) -> BoxFuture<'_, Result<Vec<TournamentId>, StoreError>>;
    /// The tournaments that have not begun, the oldest first.
    fn tournaments_not_begun(&self) -> BoxFuture<'_, Result<Vec<ListedTournament>, StoreError>>;
    /// The tournaments that have begun and are not over.
    fn running_tournaments(&self) -> BoxFuture<'_, Result<Vec<RunningTournament>, StoreError>>;
}

impl TournamentStore for DatabaseStore {
    fn tournament_log(
        &self,
        id: TournamentId,
        from: u32,
    ) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>> {
        Box::pin(async move { self.read(tournaments::log(&self.readers(), &id, from)).await })
    }

    fn tournaments(
        &self,
        game: Option<String>,
        before: Option<TournamentId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<ListedTournament>, StoreError>> {
        Box::pin(async move {
            let (game, before) = (game.as_deref(), before.as_ref());
            self.read(tournaments::tournaments(&self.readers(), game, before, limit)).await
        })
    }

    fn organized(&self, player: String) -> BoxFuture<'_, Result<Vec<TournamentId>, StoreError>> {
        Box::pin(async move { self.read(tournaments::organized(&self.readers(), &player)).await })
    }

    fn tournaments_not_begun(&self) -> BoxFuture<'_, Result<Vec<ListedTournament>, StoreError>> {
        Box::pin(async move { self.read(tournaments::not_begun(&self.readers())).await })
    }

    fn running_tournaments(&self) -> BoxFuture<'_, Result<Vec<RunningTournament>, StoreError>> {
        Box::pin(async move { self.read(tournaments::running(&self.readers())).await })
    }
}
