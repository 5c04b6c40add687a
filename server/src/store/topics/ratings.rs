//! Ratings, their history, and leaderboards.

use futures_util::future::BoxFuture;

use crate::domain::MatchId;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::{leaderboards, rating_check};
use crate::store::{
    LeaderboardFilter, OpponentResults, PlayerStrength, RatedPlayer, RatingChange, RatingCheck, RatingPoint,
    StoreError,
};

/// Ratings, their history, and leaderboards.
pub trait RatingStore: Send + Sync {
    /// A page of a game's leaderboard.
    fn leaderboard(&self, filter: LeaderboardFilter) -> BoxFuture<'_, Result<Vec<RatedPlayer>, StoreError>>;
    /// The rating of a player after these of their rated matches of a game, which count from 1.
    fn rating_history(
        &self,
        player: String,
        game: String,
        wanted: Vec<u64>,
    ) -> BoxFuture<'_, Result<Vec<RatingPoint>, StoreError>>;
    /// Results of a player against each opponent in rated matches of a game: those met most often first. `after`: the
    /// number of matches with, and the id of, the last opponent of the page before.
    fn opponents(
        &self,
        player: String,
        game: String,
        after: Option<(u64, String)>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<OpponentResults>, StoreError>>;
    /// How many rated matches of its game ended after this one, counted up to `most`; `None`: its result does not count.
    fn rated_since(&self, id: MatchId, most: u32) -> BoxFuture<'_, Result<Option<u64>, StoreError>>;
    /// The ratings of these players in a game; a player without one is missing.
    fn strengths(
        &self,
        game: String,
        players: Vec<String>,
    ) -> BoxFuture<'_, Result<Vec<PlayerStrength>, StoreError>>;
    /// What a match has changed in the ratings of its players; nothing if it does not count.
    fn rating_changes(&self, id: MatchId) -> BoxFuture<'_, Result<Vec<RatingChange>, StoreError>>;
    /// Compares the stored ratings with those recomputed from all results.
    fn check_ratings(&self) -> BoxFuture<'_, Result<RatingCheck, StoreError>>;
}

impl RatingStore for DatabaseStore {
    fn leaderboard(&self, filter: LeaderboardFilter) -> BoxFuture<'_, Result<Vec<RatedPlayer>, StoreError>> {
        Box::pin(async move { self.read(leaderboards::leaderboard(&self.readers(), &filter)).await })
    }

    fn rating_history(
        &self,
        player: String,
        game: String,
        wanted: Vec<u64>,
    ) -> BoxFuture<'_, Result<Vec<RatingPoint>, StoreError>> {
        Box::pin(
            async move { self.read(leaderboards::history(&self.readers(), &player, &game, &wanted)).await },
        )
    }

    fn opponents(
        &self,
        player: String,
        game: String,
        after: Option<(u64, String)>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<OpponentResults>, StoreError>> {
        Box::pin(async move {
            self.read(leaderboards::opponents(&self.readers(), &player, &game, after.as_ref(), limit)).await
        })
    }

    fn rated_since(&self, id: MatchId, most: u32) -> BoxFuture<'_, Result<Option<u64>, StoreError>> {
        Box::pin(async move { self.read(leaderboards::rated_since(&self.readers(), &id, most)).await })
    }

    fn strengths(
        &self,
        game: String,
        players: Vec<String>,
    ) -> BoxFuture<'_, Result<Vec<PlayerStrength>, StoreError>> {
        Box::pin(async move { self.read(leaderboards::strengths(&self.readers(), &game, &players)).await })
    }

    fn rating_changes(&self, id: MatchId) -> BoxFuture<'_, Result<Vec<RatingChange>, StoreError>> {
        Box::pin(async move { self.read(leaderboards::changes(&self.readers(), &id)).await })
    }

    fn check_ratings(&self) -> BoxFuture<'_, Result<RatingCheck, StoreError>> {
        Box::pin(async move { self.read_long(rating_check::check(&self.readers())).await })
    }
}
