//! Vacations of players.

use futures_util::future::BoxFuture;

use crate::domain::time::Millis;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::vacations;
use crate::store::{PlannedVacation, StoreError};

/// Vacations of players.
pub trait VacationStore: Send + Sync {
    /// All vacations of the player with this id, the oldest first.
    fn vacations(&self, player: String) -> BoxFuture<'_, Result<Vec<PlannedVacation>, StoreError>>;
    /// Those of them that end after this time.
    fn vacations_since(
        &self,
        player: String,
        after: Millis,
    ) -> BoxFuture<'_, Result<Vec<PlannedVacation>, StoreError>>;
    /// The vacations of all players that end after this time, each with the id of its player.
    fn vacations_going_on(
        &self,
        now: Millis,
    ) -> BoxFuture<'_, Result<Vec<(String, PlannedVacation)>, StoreError>>;
}

impl VacationStore for DatabaseStore {
    fn vacations(&self, player: String) -> BoxFuture<'_, Result<Vec<PlannedVacation>, StoreError>> {
        Box::pin(async move { self.read(vacations::of_player(&self.readers(), &player)).await })
    }

    fn vacations_since(
        &self,
        player: String,
        after: Millis,
    ) -> BoxFuture<'_, Result<Vec<PlannedVacation>, StoreError>> {
        Box::pin(async move { self.read(vacations::since(&self.readers(), &player, after)).await })
    }

    fn vacations_going_on(
        &self,
        now: Millis,
    ) -> BoxFuture<'_, Result<Vec<(String, PlannedVacation)>, StoreError>> {
        Box::pin(async move { self.read(vacations::going_on(&self.readers(), now)).await })
    }
}
