//! Blocks, bans, restrictions, invitations, reports, and deletions.

use futures_util::future::BoxFuture;

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::history::deletions;
use crate::store::queries::people::{blocks, erasure, moderation};
use crate::store::{
    Ban, Invitation, PendingErasure, ReportSubject, RestrictedPlayer, StoreError, StoredReport,
};

/// Blocks, bans, restrictions, invitations, reports, and deletions.
pub trait ModerationStore: Send + Sync {
    /// All blocks: the id of the one who blocks, and that of the one who is blocked.
    fn blocks(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, StoreError>>;
    /// The names of those whom the player with this id has blocked.
    fn blocked_by(&self, player: String) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
    /// All bans, including those that have expired.
    fn bans(&self) -> BoxFuture<'_, Result<Vec<Ban>, StoreError>>;
    /// The matches that the operator has deleted within the last hour.
    fn deleted_matches(&self) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
    /// All mutes and bans of players, in the order of their names, including those that have expired.
    fn restrictions(&self) -> BoxFuture<'_, Result<Vec<RestrictedPlayer>, StoreError>>;
    /// All invitations, the oldest first.
    fn invitations(&self) -> BoxFuture<'_, Result<Vec<Invitation>, StoreError>>;
    /// The id of the report of this reporter about this subject.
    fn reported(
        &self,
        subject: ReportSubject,
        reporter: String,
    ) -> BoxFuture<'_, Result<Option<String>, StoreError>>;
    /// Reports with ids after this one, the oldest first.
    fn reports(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<StoredReport>, StoreError>>;
    /// The next texts that name a player who was deleted before this time, of at most this many matches.
    fn pending_erasure(
        &self,
        before_ms: Millis,
        matches: u32,
    ) -> BoxFuture<'_, Result<Option<PendingErasure>, StoreError>>;
}

impl ModerationStore for DatabaseStore {
    fn blocks(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, StoreError>> {
        Box::pin(async move { self.read(blocks::blocks(&self.readers())).await })
    }

    fn blocked_by(&self, player: String) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(async move { self.read(blocks::blocked_by(&self.readers(), &player)).await })
    }

    fn bans(&self) -> BoxFuture<'_, Result<Vec<Ban>, StoreError>> {
        Box::pin(async move { self.read(blocks::bans(&self.readers())).await })
    }

    fn deleted_matches(&self) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move { self.read(deletions::deleted_matches(&self.readers())).await })
    }

    fn restrictions(&self) -> BoxFuture<'_, Result<Vec<RestrictedPlayer>, StoreError>> {
        Box::pin(async move { self.read(moderation::restrictions(&self.readers())).await })
    }

    fn invitations(&self) -> BoxFuture<'_, Result<Vec<Invitation>, StoreError>> {
        Box::pin(async move { self.read(moderation::invitations(&self.readers())).await })
    }

    fn reported(
        &self,
        subject: ReportSubject,
        reporter: String,
    ) -> BoxFuture<'_, Result<Option<String>, StoreError>> {
        Box::pin(async move { self.read(moderation::reported(&self.readers(), &subject, &reporter)).await })
    }

    fn reports(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<StoredReport>, StoreError>> {
        Box::pin(async move { self.read(moderation::reports(&self.readers(), &after, limit)).await })
    }

    fn pending_erasure(
        &self,
        before_ms: Millis,
        matches: u32,
    ) -> BoxFuture<'_, Result<Option<PendingErasure>, StoreError>> {
        Box::pin(async move { self.read(erasure::pending(&self.readers(), before_ms, matches)).await })
    }
}
