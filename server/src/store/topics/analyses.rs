//! Analyses of finished matches.

use futures_util::future::BoxFuture;

use crate::domain::MatchId;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::history::{analyses, decisions};
use crate::store::{LossCount, MistakeCount, MistakeFilter, StoreError, StoredAnalysis, StoredMistake};

/// Analyses of finished matches.
pub trait AnalysisStore: Send + Sync {
    /// The analysis of a match, if it has one.
    fn analysis(&self, id: MatchId) -> BoxFuture<'_, Result<Option<StoredAnalysis>, StoreError>>;
    /// The matches whose analyses wait for a node, the oldest request first.
    fn free_analyses(&self, most: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
    /// Costly decisions of a player in analysed matches, the costliest first.
    fn mistakes(&self, filter: MistakeFilter) -> BoxFuture<'_, Result<Vec<StoredMistake>, StoreError>>;
    /// The decisions of a player that `filter` does not limit to a phase or kind, counted by both; `mistake`: the least loss of a
    /// mistake, in ten-thousandths.
    fn mistake_counts(
        &self,
        filter: MistakeFilter,
        mistake: u32,
    ) -> BoxFuture<'_, Result<Vec<MistakeCount>, StoreError>>;
    /// The decisions of a player that `filter` does not limit to a phase or kind, counted by what they lost.
    fn losses(&self, filter: MistakeFilter) -> BoxFuture<'_, Result<Vec<LossCount>, StoreError>>;
}

impl AnalysisStore for DatabaseStore {
    fn analysis(&self, id: MatchId) -> BoxFuture<'_, Result<Option<StoredAnalysis>, StoreError>> {
        Box::pin(async move { self.read(analyses::read(&self.readers(), &id)).await })
    }

    fn free_analyses(&self, most: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move { self.read(analyses::free(&self.readers(), most)).await })
    }

    fn mistakes(&self, filter: MistakeFilter) -> BoxFuture<'_, Result<Vec<StoredMistake>, StoreError>> {
        Box::pin(async move { self.read(decisions::costly(&self.readers(), &filter)).await })
    }

    fn mistake_counts(
        &self,
        filter: MistakeFilter,
        mistake: u32,
    ) -> BoxFuture<'_, Result<Vec<MistakeCount>, StoreError>> {
        Box::pin(async move {
            let MistakeFilter { player, game, private, .. } = &filter;
            self.read(decisions::counts(&self.readers(), player, game, *private, mistake)).await
        })
    }

    fn losses(&self, filter: MistakeFilter) -> BoxFuture<'_, Result<Vec<LossCount>, StoreError>> {
        Box::pin(async move {
            let MistakeFilter { player, game, private, .. } = &filter;
            self.read(decisions::losses(&self.readers(), player, game, *private)).await
        })
    }
}
