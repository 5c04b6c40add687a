//! Changes to accounts, the lobby, tournaments and old matches.

use futures_util::future::BoxFuture;

use crate::store::database_store::{Backend, DatabaseStore};
use crate::store::writing::commands::WriteCommand;
use crate::store::{StoreChange, StoreError};

/// Changes to accounts, the lobby, tournaments and old matches.
pub trait ChangeStore: Send + Sync {
    /// Carries out a change; returns the number of players, bans or matches that it changed.
    fn change(&self, change: StoreChange) -> BoxFuture<'_, Result<u64, StoreError>>;
}

impl ChangeStore for DatabaseStore {
    fn change(&self, change: StoreChange) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            let is_lobby = matches!(change, StoreChange::Lobby(_));
            let changes_programs = change.changes_programs();
            let changed = self.write(WriteCommand::Change(change)).await?.changed;
            // On a server the transaction itself notifies all nodes.
            if matches!(self.backend, Backend::Sqlite(_)) {
                if is_lobby {
                    self.shared.lobby_changed.notify_one();
                }
                if changes_programs {
                    self.shared.programs_changed.send_replace(());
                }
            }
            Ok(changed)
        })
    }
}
