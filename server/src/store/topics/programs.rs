//! Programs of bots.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::ProgramHash;
use crate::domain::time::Millis;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::programs;
use crate::store::{ActiveProgram, BannedProgram, ListedProgram, ProgramUsage, StoreError, StoredProgram};

/// Programs of bots.
pub trait ProgramStore: Send + Sync {
    /// The programs of the bot with this id, the newest first.
    fn programs(&self, bot: String) -> BoxFuture<'_, Result<Vec<StoredProgram>, StoreError>>;
    /// All programs after this bot's id and number, in the order of both; only those of a module.
    fn list_programs(
        &self,
        after: (String, u32),
        hash: Option<ProgramHash>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<ListedProgram>, StoreError>>;
    /// Programs that wait for a node to check them, and those that this node has begun to check: first those of the owners who have
    /// uploaded least on the day of `now`, of each the oldest.
    fn unchecked_programs(
        &self,
        node: String,
        now: Millis,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<StoredProgram>, StoreError>>;
    /// All active programs whose modules are not banned.
    fn active_programs(&self) -> BoxFuture<'_, Result<Vec<ActiveProgram>, StoreError>>;
    /// The module with this hash, while a program has it.
    fn module(&self, hash: ProgramHash) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>>;
    /// The policy of the bot with this id for its programs, as JSON; `None`: the usual one.
    fn hosted_policy(&self, bot: String) -> BoxFuture<'_, Result<Option<String>, StoreError>>;
    /// What the programs of the bot with this id have used on a day: days since 1970, in UTC.
    fn program_fuel(&self, bot: String, day: i64) -> BoxFuture<'_, Result<u64, StoreError>>;
    /// What the programs of the bots of the person with this id use of the limits, on this day.
    fn program_usage(&self, owner: String, day: i64) -> BoxFuture<'_, Result<ProgramUsage, StoreError>>;
    /// The modules that the operator has disabled.
    fn banned_programs(&self) -> BoxFuture<'_, Result<Vec<BannedProgram>, StoreError>>;
    /// Changes when any node has changed what plays for bots, or what is to be checked. A change may be reported late or not at all,
    /// so read the programs from time to time, too.
    fn programs_changed(&self) -> watch::Receiver<()>;
}

impl ProgramStore for DatabaseStore {
    fn programs(&self, bot: String) -> BoxFuture<'_, Result<Vec<StoredProgram>, StoreError>> {
        Box::pin(async move { self.read(programs::of_bot(&self.readers(), &bot)).await })
    }

    fn list_programs(
        &self,
        after: (String, u32),
        hash: Option<ProgramHash>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<ListedProgram>, StoreError>> {
        Box::pin(async move {
            self.read(programs::list(&self.readers(), (&after.0, after.1), hash.as_ref(), limit)).await
        })
    }

    fn unchecked_programs(
        &self,
        node: String,
        now: Millis,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<StoredProgram>, StoreError>> {
        Box::pin(async move { self.read(programs::waiting(&self.readers(), &node, now, limit)).await })
    }

    fn active_programs(&self) -> BoxFuture<'_, Result<Vec<ActiveProgram>, StoreError>> {
        Box::pin(async move { self.read(programs::all_active(&self.readers())).await })
    }

    fn module(&self, hash: ProgramHash) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        Box::pin(async move { self.read_long(programs::module(&self.readers(), &hash)).await })
    }

    fn hosted_policy(&self, bot: String) -> BoxFuture<'_, Result<Option<String>, StoreError>> {
        Box::pin(async move { self.read(programs::policy(&self.readers(), &bot)).await })
    }

    fn program_fuel(&self, bot: String, day: i64) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move { self.read(programs::fuel(&self.readers(), &bot, day)).await })
    }

    fn program_usage(&self, owner: String, day: i64) -> BoxFuture<'_, Result<ProgramUsage, StoreError>> {
        Box::pin(async move { self.read(programs::usage(&self.readers(), &owner, day)).await })
    }

    fn banned_programs(&self) -> BoxFuture<'_, Result<Vec<BannedProgram>, StoreError>> {
        Box::pin(async move { self.read(programs::banned(&self.readers())).await })
    }

    fn programs_changed(&self) -> watch::Receiver<()> {
        self.shared.programs_changed.subscribe()
    }
}
