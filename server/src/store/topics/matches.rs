//! Matches, their events, lists of them, their chat, and what their bots wrote.

use futures_util::future::BoxFuture;

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::history::{chat, match_lists, matches};
use crate::store::queries::{bot_faults, bot_output, tournaments};
use crate::store::writing::commands::WriteCommand;
use crate::store::{
    Append, FaultFilter, FaultGroup, FinishedFilter, FinishedMatch, ListedFault, ListedMatch, MatchFilter,
    MatchStatus, StoreError, StoredEvent, StoredMessage, StoredOutput, StoredRequest,
};

/// Matches, their events, lists of them, their chat, and what their bots wrote.
pub trait MatchStore: Send + Sync {
    /// Appends, and returns once the events are on disk. `Ok`: how long that took, in microseconds.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<u64, StoreError>>;
    /// The events of a match from sequence number `from` on; empty if there are none.
    fn log(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>>;
    /// The events of each of these matches before sequence number `upto`.
    fn beginnings(
        &self,
        ids: Vec<MatchId>,
        upto: u32,
    ) -> BoxFuture<'_, Result<Vec<Vec<StoredEvent>>, StoreError>>;
    /// Matches as lists show them.
    fn list(&self, filter: MatchFilter) -> BoxFuture<'_, Result<Vec<ListedMatch>, StoreError>>;
    /// Public matches that are over, the oldest first.
    fn finished(&self, filter: FinishedFilter) -> BoxFuture<'_, Result<Vec<FinishedMatch>, StoreError>>;
    /// The rematch of a match.
    fn rematch(&self, of: MatchId) -> BoxFuture<'_, Result<Option<MatchId>, StoreError>>;
    /// The request stored under this key.
    fn request(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<StoredRequest>, StoreError>>;
    /// The stage and the summary of those of these matches that exist, on any node.
    fn match_status(&self, ids: Vec<MatchId>) -> BoxFuture<'_, Result<Vec<MatchStatus>, StoreError>>;
    /// The unfinished matches of the player with this id.
    fn playing(&self, player: String) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
    /// Records when the turn that event `seq` of this match gave became visible, if its commit was slow. Written with the
    /// next heartbeat.
    fn record_shown(&self, id: MatchId, seq: u32, at_ms: Millis);
    /// The last record of [`Self::record_shown`] for this match.
    fn shown_at(&self, id: MatchId) -> BoxFuture<'_, Result<Option<(u32, Millis)>, StoreError>>;
    /// The messages of a match from number `from` on, and those before that were deleted.
    fn chat(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredMessage>, StoreError>>;
    /// What the bots of a match wrote to standard error and used; `seat`: only that of this seat. By seat, then by turn.
    fn bot_output(
        &self,
        id: MatchId,
        seat: Option<u8>,
    ) -> BoxFuture<'_, Result<Vec<StoredOutput>, StoreError>>;
    /// The last faults of a bot: those of the newest match first, and the last one of each match first.
    fn bot_faults(&self, filter: FaultFilter) -> BoxFuture<'_, Result<Vec<ListedFault>, StoreError>>;
    /// The last faults of a bot, counted by game, kind and version: at most this many groups, the latest first. `only_public`: only
    /// those in public matches that are over and whose results are shown.
    fn fault_groups(
        &self,
        player: String,
        only_public: bool,
        most: u32,
    ) -> BoxFuture<'_, Result<Vec<FaultGroup>, StoreError>>;
}

impl MatchStore for DatabaseStore {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move { Ok(self.write(WriteCommand::Append(append)).await?.took_us) })
    }

    fn log(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>> {
        Box::pin(async move { self.read(matches::log(&self.readers(), &id, from)).await })
    }

    fn beginnings(
        &self,
        ids: Vec<MatchId>,
        upto: u32,
    ) -> BoxFuture<'_, Result<Vec<Vec<StoredEvent>>, StoreError>> {
        Box::pin(async move { self.read(matches::beginnings(&self.readers(), &ids, upto)).await })
    }

    fn list(&self, filter: MatchFilter) -> BoxFuture<'_, Result<Vec<ListedMatch>, StoreError>> {
        Box::pin(async move { self.read(match_lists::list(&self.readers(), &filter)).await })
    }

    fn finished(&self, filter: FinishedFilter) -> BoxFuture<'_, Result<Vec<FinishedMatch>, StoreError>> {
        Box::pin(async move { self.read(match_lists::finished(&self.readers(), &filter)).await })
    }

    fn rematch(&self, of: MatchId) -> BoxFuture<'_, Result<Option<MatchId>, StoreError>> {
        Box::pin(async move { self.read(matches::rematch(&self.readers(), &of)).await })
    }

    fn request(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<StoredRequest>, StoreError>> {
        Box::pin(async move { self.read(matches::request(&self.readers(), key)).await })
    }

    fn match_status(&self, ids: Vec<MatchId>) -> BoxFuture<'_, Result<Vec<MatchStatus>, StoreError>> {
        Box::pin(async move { self.read(tournaments::match_status(&self.readers(), &ids)).await })
    }

    fn playing(&self, player: String) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move { self.read(matches::playing(&self.readers(), &player)).await })
    }

    fn record_shown(&self, id: MatchId, seq: u32, at_ms: Millis) {
        self.shared.record_shown(id, seq, at_ms);
    }

    fn shown_at(&self, id: MatchId) -> BoxFuture<'_, Result<Option<(u32, Millis)>, StoreError>> {
        Box::pin(async move {
            match self.shared.shown_at(&id) {
                Some(unwritten) => Ok(Some(unwritten)),
                None => self.read(matches::shown_at(&self.readers(), &id)).await,
            }
        })
    }

    fn chat(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredMessage>, StoreError>> {
        Box::pin(async move { self.read(chat::chat(&self.readers(), &id, from)).await })
    }

    fn bot_output(
        &self,
        id: MatchId,
        seat: Option<u8>,
    ) -> BoxFuture<'_, Result<Vec<StoredOutput>, StoreError>> {
        Box::pin(async move { self.read(bot_output::output(&self.readers(), &id, seat)).await })
    }

    fn bot_faults(&self, filter: FaultFilter) -> BoxFuture<'_, Result<Vec<ListedFault>, StoreError>> {
        Box::pin(async move { self.read(bot_faults::list(&self.readers(), &filter)).await })
    }

    fn fault_groups(
        &self,
        player: String,
        only_public: bool,
        most: u32,
    ) -> BoxFuture<'_, Result<Vec<FaultGroup>, StoreError>> {
        Box::pin(
            async move { self.read(bot_faults::groups(&self.readers(), &player, only_public, most)).await },
        )
    }
}
