//! Analyses of finished matches.

use futures_util::future::BoxFuture;

use crate::domain::MatchId;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::analyses;
use crate::store::{StoreError, StoredAnalysis};

/// Analyses of finished matches.
pub trait AnalysisStore: Send + Sync {
    /// The analysis of a match, if it has one.
    fn analysis(&self, id: MatchId) -> BoxFuture<'_, Result<Option<StoredAnalysis>, StoreError>>;
    /// The matches whose analyses wait for a node, the oldest request first.
    fn free_analyses(&self, most: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
}

impl AnalysisStore for DatabaseStore {
    fn analysis(&self, id: MatchId) -> BoxFuture<'_, Result<Option<StoredAnalysis>, StoreError>> {
        Box::pin(async move { self.read(analyses::read(&self.readers(), &id)).await })
    }

    fn free_analyses(&self, most: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move { self.read(analyses::free(&self.readers(), most)).await })
    }
}
