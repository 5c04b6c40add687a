//! Puzzles from analysed matches.

use futures_util::future::BoxFuture;

use crate::domain::PuzzleId;
use crate::domain::time::Millis;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::puzzles;
use crate::store::{NextPuzzle, PuzzleRating, StoreError, StoredPuzzle, StoredPuzzleTry};

/// Puzzles from analysed matches.
pub trait PuzzleStore: Send + Sync {
    /// The puzzle with this id; `None`: there is none.
    fn puzzle(&self, id: PuzzleId) -> BoxFuture<'_, Result<Option<StoredPuzzle>, StoreError>>;
    /// The puzzle of a game at or after this place, among those made before this time; if there is none, the first one that was made.
    fn daily_puzzle(
        &self,
        game: String,
        place: i64,
        before_ms: Millis,
    ) -> BoxFuture<'_, Result<Option<StoredPuzzle>, StoreError>>;
    /// The puzzle of a game that comes next.
    fn next_puzzle(&self, next: NextPuzzle) -> BoxFuture<'_, Result<Option<StoredPuzzle>, StoreError>>;
    /// How well a player solves the puzzles of a game.
    fn puzzle_rating(&self, player: String, game: String) -> BoxFuture<'_, Result<PuzzleRating, StoreError>>;
    /// The first try of a player, if there is one.
    fn puzzle_try(
        &self,
        player: String,
        puzzle: PuzzleId,
    ) -> BoxFuture<'_, Result<Option<StoredPuzzleTry>, StoreError>>;
}

impl PuzzleStore for DatabaseStore {
    fn puzzle(&self, id: PuzzleId) -> BoxFuture<'_, Result<Option<StoredPuzzle>, StoreError>> {
        Box::pin(async move { self.read(puzzles::read(&self.readers(), &id)).await })
    }

    fn daily_puzzle(
        &self,
        game: String,
        place: i64,
        before_ms: Millis,
    ) -> BoxFuture<'_, Result<Option<StoredPuzzle>, StoreError>> {
        Box::pin(async move { self.read(puzzles::daily(&self.readers(), &game, place, before_ms)).await })
    }

    fn next_puzzle(&self, next: NextPuzzle) -> BoxFuture<'_, Result<Option<StoredPuzzle>, StoreError>> {
        Box::pin(async move { self.read(puzzles::next(&self.readers(), &next)).await })
    }

    fn puzzle_rating(&self, player: String, game: String) -> BoxFuture<'_, Result<PuzzleRating, StoreError>> {
        Box::pin(async move { self.read(puzzles::player_rating(&self.readers(), &player, &game)).await })
    }

    fn puzzle_try(
        &self,
        player: String,
        puzzle: PuzzleId,
    ) -> BoxFuture<'_, Result<Option<StoredPuzzleTry>, StoreError>> {
        Box::pin(async move { self.read(puzzles::first_try(&self.readers(), &player, &puzzle)).await })
    }
}
