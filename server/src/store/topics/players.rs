//! Players, bots and their names.

use futures_util::future::BoxFuture;

use crate::domain::PlayerRef;
use crate::domain::names::NameKey;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::people::{accounts, players};
use crate::store::writing::commands::NewPlayer;
use crate::store::writing::commands::WriteCommand;
use crate::store::{BotEntry, FormerName, NewBot, PlayerEntry, PlayerProfile, StoreError, StoredRequest};

/// Players, bots and their names.
pub trait PlayerStore: Send + Sync {
    /// Adds a player; `Conflict`: the name (in any case), the token or the request exists already.
    fn add_player(
        &self,
        who: PlayerRef,
        key: KeyHash,
        created_ms: Millis,
        request: Option<StoredRequest>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;
    /// Adds a player by the invitation with this key; errors as for [`Self::add_player`]. `false`: the invitation does not
    /// exist, has expired, or was used as often as it may.
    fn add_invited_player(
        &self,
        who: PlayerRef,
        key: KeyHash,
        created_ms: Millis,
        request: Option<StoredRequest>,
        invitation: KeyHash,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;
    /// Adds a bot. `Conflict`: as for [`Self::add_player`]; or the owner has too many bots, or no account any more.
    fn add_bot(&self, bot: NewBot) -> BoxFuture<'_, Result<(), StoreError>>;
    /// The bots of the player with this id, in the order of their names.
    fn bots(&self, owner: String) -> BoxFuture<'_, Result<Vec<BotEntry>, StoreError>>;
    /// The player with this name; upper and lower case are the same.
    fn player(&self, name: String) -> BoxFuture<'_, Result<Option<PlayerProfile>, StoreError>>;
    /// Players in the order of their folded names, beginning after the folded name `after`.
    fn players(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<PlayerEntry>, StoreError>>;
    /// Whether a player has a name that looks like this one, or gave such a name up a short time before `now`.
    fn is_taken(&self, name: NameKey, now: Millis) -> BoxFuture<'_, Result<bool, StoreError>>;
    /// Players whose names in older events are out of date: the id, and the current name; `None`: deleted.
    fn former_names(&self) -> BoxFuture<'_, Result<Vec<FormerName>, StoreError>>;
}

impl PlayerStore for DatabaseStore {
    fn add_player(
        &self,
        who: PlayerRef,
        key: KeyHash,
        created_ms: Millis,
        request: Option<StoredRequest>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let new = NewPlayer { who, key, created_ms, request, bot: None, invitation: None };
        Box::pin(async move { self.write(WriteCommand::Player(new)).await.map(drop) })
    }

    fn add_invited_player(
        &self,
        who: PlayerRef,
        key: KeyHash,
        created_ms: Millis,
        request: Option<StoredRequest>,
        invitation: KeyHash,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        let invitation = Some(invitation);
        let new = NewPlayer { who, key, created_ms, request, bot: None, invitation };
        Box::pin(async move { Ok(self.write(WriteCommand::Player(new)).await?.changed > 0) })
    }

    fn add_bot(&self, bot: NewBot) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move { self.write(WriteCommand::Player(bot.into())).await.map(drop) })
    }

    fn bots(&self, owner: String) -> BoxFuture<'_, Result<Vec<BotEntry>, StoreError>> {
        Box::pin(async move { self.read(players::bots(&self.readers(), &owner)).await })
    }

    fn player(&self, name: String) -> BoxFuture<'_, Result<Option<PlayerProfile>, StoreError>> {
        Box::pin(async move { self.read(players::player(&self.readers(), &name)).await })
    }

    fn players(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<PlayerEntry>, StoreError>> {
        Box::pin(async move { self.read(players::players(&self.readers(), &after, limit)).await })
    }

    fn is_taken(&self, name: NameKey, now: Millis) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move { self.read(accounts::is_taken(&self.readers(), &name, now)).await })
    }

    fn former_names(&self) -> BoxFuture<'_, Result<Vec<FormerName>, StoreError>> {
        Box::pin(async move { self.read(accounts::former_names(&self.readers())).await })
    }
}
