//! Where matches, players and their results are kept. This folder alone knows that there is a database; all others know
//! this interface. Nothing here knows what an event means: events are texts with a place.

mod accounts;
mod batch;
mod downtime;
mod faults;
mod integrity;
mod keeping;
mod open;
mod plan;
mod readers;
mod schema;
mod servers;
mod shared;
mod sqlite;
#[cfg(test)]
mod tests;
mod writer;

use futures_util::future::BoxFuture;

use crate::domain::MatchId;
use crate::domain::PlayerRef;
use crate::domain::Stage;
use crate::domain::names::NameKey;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;

pub use accounts::{Ban, Change};
pub use integrity::{back_up, check};
pub use open::OpenError;
pub use sqlite::Sqlite;

/// Why the store did not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Somebody else has appended there; or the name, the key or the rematch is taken already. Nothing was written.
    #[error("taken already")]
    Conflict,
    /// The database cannot do it now: its disk is full, its file is read-only or broken. Whether anything was written
    /// must be looked up. The text is for the log and for whoever runs the server.
    #[error("{0}")]
    Unavailable(String),
}

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// When it was decided.
    pub at_ms: Millis,
    /// The event as JSON.
    pub body: String,
}

/// Events to append to a match, all or none, with what changes together with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    /// The match.
    pub id: MatchId,
    /// The place of the first of them: the number of events there are.
    pub seq: u32,
    /// At least one.
    pub events: Vec<StoredEvent>,
    /// The match as it stands in lists from now on; `None`: as before. There is one with the first event.
    pub row: Option<MatchRow>,
    /// The request this is the result of.
    pub request: Option<RequestKey>,
}

/// A request that may be sent again: its key, kept together with what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestKey {
    /// A hash of who asks and of the key they gave.
    pub key: KeyHash,
    /// A hash of what they asked for.
    pub asked: KeyHash,
    /// What it did, as JSON, for the one who answers it again. Holds no secret.
    pub answer: String,
}

/// A match as it stands in lists.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchRow {
    /// The game's short name.
    pub game: String,
    /// Where it is in its life.
    pub stage: Stage,
    /// Whether only its seats and who has its key see it.
    pub private: bool,
    /// When it was made.
    pub created_ms: Millis,
    /// When it was over.
    pub ended_ms: Option<Millis>,
    /// The match that it is the rematch of. No two are the rematch of one.
    pub rematch_of: Option<MatchId>,
    /// What lists say of it, as JSON.
    pub summary: String,
    /// The players with a name of their own in it, with what it is worth for them (0 to 1) where it has a result.
    pub players: Vec<(PlayerRef, Option<f64>)>,
}

/// A match in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The match.
    pub id: MatchId,
    /// As it stands there.
    pub row: MatchRow,
}

/// Which matches a list holds, by whether they are private.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Only public ones.
    #[default]
    Public,
    /// Only private ones.
    Private,
    /// All: for the operator, and for a player's own list.
    All,
}

/// A player whose name in older events is not right any more: the id, and the name now; `None`: deleted.
pub type FormerName = (String, Option<String>);

/// A player in the operator's list.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerEntry {
    /// Who.
    pub who: PlayerRef,
    /// Since when.
    pub created_ms: Millis,
}

/// Which matches to list, the newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Of this game.
    pub game: Option<String>,
    /// At this point of their life.
    pub stage: Option<Stage>,
    /// Whether private ones are in it.
    pub scope: Scope,
    /// In which the player with this id plays.
    pub player: Option<String>,
    /// Made before this one: where the page before ended.
    pub before: Option<MatchId>,
    /// At most so many.
    pub limit: u32,
}

/// A player and how they have done.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// Who.
    pub who: PlayerRef,
    /// Since when.
    pub created_ms: Millis,
    /// Per game, in the order of the names. Private matches do not count: they would show that there are some.
    pub results: Vec<GameResults>,
}

/// How a player has done in a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameResults {
    /// The game's short name.
    pub game: String,
    /// Matches with a result.
    pub played: u64,
    /// Won alone.
    pub won: u64,
    /// First place shared.
    pub shared: u64,
}

/// The database.
pub trait Store: Send + Sync {
    /// Appends; returns when it is on disk. `Ok`: how long that took, in microseconds.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<u64, StoreError>>;
    /// The events of a match from this place on; empty where there are none.
    fn log(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>>;
    /// Matches as lists show them.
    fn list(&self, filter: Filter) -> BoxFuture<'_, Result<Vec<Listed>, StoreError>>;
    /// The rematch of a match.
    fn rematch(&self, of: MatchId) -> BoxFuture<'_, Result<Option<MatchId>, StoreError>>;
    /// The request with this key, if it was done before.
    fn request(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<RequestKey>, StoreError>>;

    /// Adds a player; `Conflict`: the name (whatever its case) or the request is there already.
    fn add_player(
        &self,
        who: PlayerRef,
        key: KeyHash,
        created_ms: Millis,
        request: Option<RequestKey>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;
    /// The player whose token has this hash.
    fn player_by_key(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<PlayerRef>, StoreError>>;
    /// The player of this name, whatever its case.
    fn player(&self, name: String) -> BoxFuture<'_, Result<Option<Player>, StoreError>>;

    /// Carries out a change; how many players, bans or matches it changed.
    fn change(&self, change: Change) -> BoxFuture<'_, Result<u64, StoreError>>;
    /// Counts up with every change to an account or a ban, by whatever server.
    fn accounts_version(&self) -> BoxFuture<'_, Result<i64, StoreError>>;
    /// Players whose names in older events are not right any more: the id, and the name now; `None`: deleted.
    fn former_names(&self) -> BoxFuture<'_, Result<Vec<FormerName>, StoreError>>;
    /// All bans, those that have run out included.
    fn bans(&self) -> BoxFuture<'_, Result<Vec<Ban>, StoreError>>;
    /// Whether a player has a name like this at this time, or has given it up lately.
    fn is_taken(&self, name: NameKey, now: Millis) -> BoxFuture<'_, Result<bool, StoreError>>;
    /// The matches of the player with this id that are not over.
    fn playing(&self, player: String) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
    /// Players in the order of their folded names, from behind this one.
    fn players(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<PlayerEntry>, StoreError>>;

    /// Matches that want to be looked at by this time and that no living server holds, the longest due first. A match
    /// is held by the server that made it until it says otherwise; one whose server has died is due at once. Another
    /// server may have taken over a match that lives here and let go of it: then it is due although it lives.
    fn due(&self, now: Millis, limit: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
    /// This server holds the match from now on. It need not be on disk when this returns.
    fn hold(&self, id: MatchId);
    /// This server holds the match no more, and it wants to be looked at then; `None`: not before somebody asks. It
    /// need not be on disk when this returns.
    fn release(&self, id: MatchId, wake_ms: Option<Millis>);
    /// This server takes requests from this time on. Where no other server did, there was a downtime, which ends when
    /// this returns.
    fn serve(&self, now: Millis) -> BoxFuture<'_, Result<(), StoreError>>;
    /// This server still serves, at this time. To be said about once a second: after a crash, the last of it is the begin
    /// of a downtime.
    fn beat(&self, now: Millis);
    /// This server has begun to stop, at this time: it takes no requests any more. No later beat changes that. It need
    /// not be on disk when this returns.
    fn stop(&self, now: Millis);
    /// The times in which no server served or nothing could be written, those that end after `from`, in order: from when
    /// (included) to when (not included). The last may have no end yet: [`Millis::MAX`].
    fn downtimes(&self, from: Millis) -> Vec<(Millis, Millis)>;
    /// The turn that event `seq` of this match gave was shown at this time: its commit took long. It is on disk after
    /// the next beat.
    fn shown(&self, id: MatchId, seq: u32, at_ms: Millis);
    /// What [`Self::shown`] said of this match last.
    fn shown_at(&self, id: MatchId) -> BoxFuture<'_, Result<Option<(u32, Millis)>, StoreError>>;
    /// Waits until writing begins to fail, or works again. For one caller.
    fn turned(&self) -> BoxFuture<'_, ()>;
    /// Waits until another server on the same database has appended something. Pending for ever where there is none.
    fn news(&self) -> BoxFuture<'_, Vec<MatchId>>;
    /// The database's own secret, 32 bytes, the same for ever.
    fn pepper(&self) -> &[u8; 32];
    /// Whether writing works now; `Err`: why not. Matches pause meanwhile.
    fn health(&self) -> Result<(), String>;
    /// Whether the server should get new requests: writing works and no damage to the file has been found; `Err`: why
    /// not. Matches go on in a damaged file as far as it can be read and written.
    fn ready(&self) -> Result<(), String>;
    /// Looks for damage in the whole file, without keeping others from reading and writing. What it finds,
    /// [`Self::ready`] says from then on.
    fn examine(&self) -> BoxFuture<'_, Result<(), StoreError>>;
    /// Writes what is still to be written and closes.
    fn close(&self) -> BoxFuture<'_, ()>;
}
