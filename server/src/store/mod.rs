//! The store: matches, their events, players, results, tournaments and bans. Only this module knows SQL; the rest of
//! the server uses the [`Store`] trait. It does not interpret events: an event is a JSON text with a sequence number.

mod account_sql;
mod address;
mod change;
mod chat_sql;
mod commands;
mod database_error;
mod downtime;
mod erasure_sql;
mod finished;
mod holds;
mod import;
pub(crate) mod lobby;
mod lobby_sql;
mod match_cache;
pub(crate) mod moderation;
mod moderation_sql;
mod open_error;
mod players;
mod postgres;
mod rating_sql;
mod ratings;
mod read_sql;
mod row;
mod seats;
mod shared;
mod shared_methods;
mod sqlite;
#[cfg(test)]
mod tests;
mod token_sql;
mod tournament_sql;
mod tournaments;
mod write_plan;

use std::sync::Arc;

use engines::game::Seat;
use futures_util::future::BoxFuture;

use crate::domain::names::NameKey;
use crate::domain::time::{Millis, ServerClock};
use crate::domain::token::KeyHash;
use crate::domain::{MatchId, PlayerRef, Stage, TournamentId};
use crate::error::Error;
use crate::limits::creations::SharedBuckets;
use crate::metrics::StoreMetrics;
use crate::store::downtime::Span;

pub use address::{DatabaseAddress, PostgresUrl};
pub use change::{Ban, StoreChange};
pub use chat_sql::{ChatLine, DeletedBy, MessageDeletion, StoredMessage};
pub use erasure_sql::{NameErasure, NamingText, PendingErasure};
pub use finished::{FinishedFilter, FinishedMatch, FinishedOf};
pub use import::{Imported, import};
pub use lobby::{ConnectedSeat, LobbyChange, LobbyRows, StoredChallenge};
pub use moderation::{
    Invitation, NewInvitation, NewReport, ReportSubject, RestrictedPlayer, Restriction, RestrictionKind,
    StoredReport,
};
pub use open_error::OpenError;
pub use players::{
    BotEntry, FormerName, LeaderboardFilter, NewBot, OpponentResults, PlayerEntry, PlayerGameResults,
    PlayerProfile, PlayerRating, RatedPlayer, RatingPoint,
};
pub use postgres::PostgresStore;
pub use ratings::RatingCheck;
pub use seats::{SeatNews, SeatTaken};
pub use sqlite::{SqliteStore, back_up, check};
pub use token_sql::{NewToken, StoredToken, TokenHolder};
pub use tournaments::{
    ListedTournament, MatchStatus, NewTournament, OpenedMatch, RunningTournament, TournamentAppend,
};

/// The reason why the store could not carry out a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another writer has already appended at this sequence number; or the name, the token, the request key or the
    /// rematch is taken. Nothing was written.
    #[error("taken already")]
    Conflict,
    /// Two of the owners have begun too many rated matches with each other today. Nothing was written.
    #[error("too many rated matches of these players")]
    RatedLimit,
    /// The database does not work: its disk is full, or its file is read-only or damaged. Something may have been
    /// written: the caller must look it up. The text is for the log and the operator.
    #[error("{0}")]
    Unavailable(String),
}

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// The time at which the server decided it.
    pub at_ms: Millis,
    /// The event as JSON.
    pub body: String,
}

/// Events to append to a match, all or none, and what changes together with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    /// The match.
    pub id: MatchId,
    /// The sequence number of the first of them: the number of events that the match has.
    pub seq: u32,
    /// At least one.
    pub events: Vec<StoredEvent>,
    /// The match's new row in lists; `None`: unchanged. The first event of a match needs one.
    pub row: Option<MatchRow>,
    /// The request that caused this append.
    pub request: Option<StoredRequest>,
    /// The result of a rated match that ends. The ratings change together with it.
    pub rated: Option<RatedResult>,
    /// The owners of the players of a rated match that begins.
    pub begins: Option<RatedBegin>,
}

/// The result of a rated match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedResult {
    /// The game's short name.
    pub game: String,
    /// Each seat: the player's id and the place; equal places are shared.
    pub seats: Vec<(String, u8)>,
}

/// The players of a rated match that begins, for the limit on rated matches of two owners on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedBegin {
    /// The ids of the owners of the seats: people and engines.
    pub owners: Vec<String>,
    /// The most rated matches of two of them on a day; otherwise the append is refused with [`StoreError::RatedLimit`].
    pub most: u32,
}

/// A request that a client may repeat: its idempotency key, stored together with the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRequest {
    /// A hash of the caller and of the idempotency key that the caller gave.
    pub key: KeyHash,
    /// A hash of the content of the request.
    pub asked: KeyHash,
    /// The result as JSON, from which the same response is built again. Contains no secret.
    pub answer: String,
}

/// A match as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchRow {
    /// The game's short name.
    pub game: String,
    /// The stage of its life.
    pub stage: Stage,
    /// Whether only its seats and holders of its token see it.
    pub private: bool,
    /// Whether it ended before it began.
    pub never_begun: bool,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time at which it ended.
    pub ended_ms: Option<Millis>,
    /// The match of which it is the rematch. A match has at most one rematch.
    pub rematch_of: Option<MatchId>,
    /// Its entry in lists, as JSON.
    pub summary: String,
    /// The named players in it, each with the value of the result for them (0 to 1) once there is one.
    pub players: Vec<(PlayerRef, Option<f64>)>,
}

/// A match in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedMatch {
    /// The match.
    pub id: MatchId,
    /// Its row.
    pub row: MatchRow,
}

/// Whether a list contains public or private matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Only public ones.
    #[default]
    Public,
    /// Only private ones.
    Private,
    /// Both: for the operator, and for a player's own list.
    All,
}

/// A selection of matches for a list; the newest come first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchFilter {
    /// Only this game.
    pub game: Option<String>,
    /// Only this stage.
    pub stage: Option<Stage>,
    /// Public matches, private matches or both.
    pub scope: Scope,
    /// Only matches of the player with this id.
    pub player: Option<String>,
    /// Also matches that ended before they began: for the operator. Lists of [`Scope::Public`] never contain them.
    pub never_begun: bool,
    /// Only matches created before this one: the last match of the previous page.
    pub before: Option<MatchId>,
    /// The maximum number of matches.
    pub limit: u32,
}

/// Whether a node holds a match that lives on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holding {
    /// Not known yet; the node will know soon.
    #[default]
    Unknown,
    /// The node holds it.
    Here,
    /// Another living node holds it.
    Elsewhere,
}

/// The database.
pub trait Store: Send + Sync {
    /// Appends, and returns once the events are on disk. `Ok`: how long that took, in microseconds.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<u64, StoreError>>;
    /// The events of a match from sequence number `from` on; empty if there are none.
    fn log(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>>;
    /// Matches as lists show them.
    fn list(&self, filter: MatchFilter) -> BoxFuture<'_, Result<Vec<ListedMatch>, StoreError>>;
    /// Public matches that are over, the oldest first.
    fn finished(&self, filter: FinishedFilter) -> BoxFuture<'_, Result<Vec<FinishedMatch>, StoreError>>;
    /// The rematch of a match.
    fn rematch(&self, of: MatchId) -> BoxFuture<'_, Result<Option<MatchId>, StoreError>>;
    /// The request stored under this key.
    fn request(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<StoredRequest>, StoreError>>;

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
    /// Compares the stored ratings with those recomputed from all results.
    fn check_ratings(&self) -> BoxFuture<'_, Result<RatingCheck, StoreError>>;

    /// The events of a tournament from sequence number `from` on; empty if there are none.
    fn tournament_log(
        &self,
        id: TournamentId,
        from: u32,
    ) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>>;
    /// Tournaments, the newest first, of this game; `before`: only those created before this one.
    fn tournaments(
        &self,
        game: Option<String>,
        before: Option<TournamentId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<ListedTournament>, StoreError>>;
    /// The tournaments that the player with this id organizes or has organized.
    fn organized(&self, player: String) -> BoxFuture<'_, Result<Vec<TournamentId>, StoreError>>;
    /// The tournaments that have begun and are not over.
    fn running_tournaments(&self) -> BoxFuture<'_, Result<Vec<RunningTournament>, StoreError>>;
    /// The stage and the summary of those of these matches that exist, on any node.
    fn match_status(&self, ids: Vec<MatchId>) -> BoxFuture<'_, Result<Vec<MatchStatus>, StoreError>>;

    /// The player for whom the token with this hash acts, also if the token has expired.
    fn token_holder(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<TokenHolder>, StoreError>>;
    /// The tokens of the player with this id besides the account's own, the oldest first.
    fn tokens(&self, player: String) -> BoxFuture<'_, Result<Vec<StoredToken>, StoreError>>;
    /// Those of these hashes that are of the tokens of players, each with the player for whom the token acts.
    fn known_keys(&self, keys: Vec<KeyHash>) -> BoxFuture<'_, Result<Vec<(KeyHash, PlayerRef)>, StoreError>>;
    /// The player with this name; upper and lower case are the same.
    fn player(&self, name: String) -> BoxFuture<'_, Result<Option<PlayerProfile>, StoreError>>;

    /// The lobby as it is on all nodes. `settled_after_ms`: challenges that were settled before are left out.
    fn lobby(&self, settled_after_ms: Millis) -> BoxFuture<'_, Result<LobbyRows, StoreError>>;
    /// The challenge with this id.
    fn challenge(&self, id: String) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>>;
    /// Waits until any node has changed the lobby. Only one task may wait. A change may be reported late or not at all,
    /// so read the lobby from time to time, too.
    fn lobby_changed(&self) -> BoxFuture<'_, ()>;

    /// Carries out a change; returns the number of players, bans or matches that it changed.
    fn change(&self, change: StoreChange) -> BoxFuture<'_, Result<u64, StoreError>>;
    /// Increases with every change to an account or a ban by any node.
    fn accounts_version(&self) -> BoxFuture<'_, Result<i64, StoreError>>;
    /// Players whose names in older events are out of date: the id, and the current name; `None`: deleted.
    fn former_names(&self) -> BoxFuture<'_, Result<Vec<FormerName>, StoreError>>;
    /// The messages of a match from number `from` on, and those before that were deleted.
    fn chat(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredMessage>, StoreError>>;
    /// All blocks: the id of the one who blocks, and that of the one who is blocked.
    fn blocks(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, StoreError>>;
    /// The names of those whom the player with this id has blocked.
    fn blocked_by(&self, player: String) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
    /// All bans, including those that have expired.
    fn bans(&self) -> BoxFuture<'_, Result<Vec<Ban>, StoreError>>;
    /// The matches that the operator has deleted within the last hour.
    fn deleted_matches(&self) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
    /// All mutes and bans of players, in the order of their names, including those that have expired.
    fn restrictions(&self) -> BoxFuture<'_, Result<Vec<RestrictedPlayer>, StoreError>>;
    /// All invitations, the oldest first.
    fn invitations(&self) -> BoxFuture<'_, Result<Vec<Invitation>, StoreError>>;
    /// The id of the report of this reporter about this subject.
    fn reported(
        &self,
        subject: ReportSubject,
        reporter: String,
    ) -> BoxFuture<'_, Result<Option<String>, StoreError>>;
    /// Reports with ids after this one, the oldest first.
    fn reports(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<StoredReport>, StoreError>>;
    /// The next texts that name a player who was deleted before this time, of at most this many matches.
    fn pending_erasure(
        &self,
        before_ms: Millis,
        matches: u32,
    ) -> BoxFuture<'_, Result<Option<PendingErasure>, StoreError>>;
    /// Whether a player has a name that looks like this one, or gave such a name up a short time before `now`.
    fn is_taken(&self, name: NameKey, now: Millis) -> BoxFuture<'_, Result<bool, StoreError>>;
    /// The unfinished matches of the player with this id.
    fn playing(&self, player: String) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
    /// Players in the order of their folded names, beginning after the folded name `after`.
    fn players(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<PlayerEntry>, StoreError>>;

    /// Matches that need attention by `now` and that no living node holds; the longest overdue come first. The node that
    /// created a match holds it until it releases it. The matches of a dead node are due at once. A match can be due
    /// although it lives on this node: another node may have taken it over and released it.
    fn due(&self, now: Millis, limit: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>>;
    /// Makes this node hold the match from now on, unless another living node does ([`Self::holding`]). Returns before
    /// that is on disk.
    fn hold(&self, id: MatchId);
    /// Releases the match: this node no longer holds it. The match is due at `wake_ms`; `None`: only when a client asks
    /// for it. Returns before that is on disk.
    fn release(&self, id: MatchId, wake_ms: Option<Millis>);
    /// Records that this node accepts requests from `now` on. If no other node did, there was a downtime, which ends
    /// when this returns.
    fn serve(&self, now: Millis) -> BoxFuture<'_, Result<(), StoreError>>;
    /// Heartbeat: this node still serves at this time. Call it about once a second: after a crash, the downtime begins
    /// at the last heartbeat.
    fn heartbeat(&self, now: Millis);
    /// Records that this node began to stop at this time and accepts no more requests. Later heartbeats have no effect.
    /// Returns before that is on disk.
    fn stop(&self, now: Millis);
    /// The times in which no node served or nothing could be written, as (first millisecond, first millisecond after it),
    /// in order, without those that ended by `from`. The last one may have no end yet: [`Millis::MAX`].
    fn downtimes(&self, from: Millis) -> Vec<Span>;
    /// The same without those of this node alone.
    fn common_downtimes(&self, from: Millis) -> Vec<Span>;
    /// Records that this node did not run in this time, in which it served: its process was frozen. That is a downtime of
    /// this node.
    fn record_freeze(&self, span: Span);
    /// Records when the turn that event `seq` of this match gave became visible, if its commit was slow. Written with the
    /// next heartbeat.
    fn record_shown(&self, id: MatchId, seq: u32, at_ms: Millis);
    /// The last record of [`Self::record_shown`] for this match.
    fn shown_at(&self, id: MatchId) -> BoxFuture<'_, Result<Option<(u32, Millis)>, StoreError>>;
    /// Waits until writing begins to fail, or works again. Only one task may wait.
    fn health_changed(&self) -> BoxFuture<'_, ()>;
    /// Waits until another node on the same database has appended events; returns their matches. Never ready if there is
    /// no other node.
    fn changed_elsewhere(&self) -> BoxFuture<'_, Vec<MatchId>>;
    /// Tells the other nodes on the same database that a dialogue of this node has taken a seat.
    fn announce_seat(&self, taken: SeatTaken) {
        let _ = taken;
    }
    /// Waits until nodes on the same database, this one among them, have announced dialogues that have taken a seat. Never ready
    /// if nodes cannot hear each other. Only one task may wait.
    fn seats_taken(&self) -> BoxFuture<'_, SeatNews> {
        Box::pin(std::future::pending())
    }
    /// The database's own secret: 32 bytes that never change.
    fn pepper(&self) -> &[u8; 32];
    /// Whether writing works now; `Err`: why not. Matches pause while it does not.
    fn health(&self) -> Result<(), String>;
    /// Whether the node should receive new requests: writing works and no damage to the file was found; `Err`: why not.
    /// Running matches continue in a damaged file as far as it can be read and written.
    fn ready(&self) -> Result<(), String>;
    /// Looks for damage in the whole file while other tasks read and write. [`Self::ready`] reports what it finds.
    fn check_file(&self) -> BoxFuture<'_, Result<(), StoreError>>;
    /// The id of this node.
    fn node(&self) -> &str;
    /// Whether other nodes, of which this one may not know yet, can write to the database. Then a match that lives here
    /// can be behind its log at any moment.
    fn is_shared(&self) -> bool;
    /// Whether this node moves the engines of a match that lives here and ends its turns in time: of the nodes on which
    /// a match lives, one does. [`Self::changed_elsewhere`] reports a match that this node begins to hold.
    fn holding(&self, id: &MatchId) -> Holding;
    /// The time in which another node, to which the player of this seat is connected, did not reach the database: up to now,
    /// or until it was found dead. `None`: there is no such node, or the player follows the match on a third one.
    fn cut_off(&self, id: MatchId, seat: Seat) -> BoxFuture<'_, Result<Option<Span>, StoreError>>;
    /// The last heartbeat of the dead node that held the match before this one, which has held it since a moment ago.
    /// Returned only once.
    fn take_unheld_since(&self, id: &MatchId) -> Option<Millis>;
    /// Writes what is not written yet, and closes the database.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// A database that is open.
pub struct OpenedStore {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The clock that all nodes on it share.
    pub now: ServerClock,
    /// The rate limits that hold for all nodes together; `None`: each node has its own.
    pub buckets: Option<Arc<dyn SharedBuckets>>,
}

/// Opens a database. `offset_ms`: a value that tests add to the time.
///
/// # Errors
/// If it cannot be used; the text says what to do.
pub async fn open(
    address: &DatabaseAddress,
    offset_ms: Millis,
    metrics: StoreMetrics,
) -> Result<OpenedStore, OpenError> {
    Ok(match address {
        DatabaseAddress::File(path) => {
            let store = SqliteStore::open(path, ServerClock::start(offset_ms).ms(), metrics).await?;
            OpenedStore { now: store.now(), store: Arc::new(store), buckets: None }
        }
        DatabaseAddress::Postgres(url) => {
            let store = Arc::new(PostgresStore::open(url, offset_ms, metrics).await?);
            OpenedStore { now: store.now(), buckets: Some(Arc::<PostgresStore>::clone(&store)), store }
        }
    })
}

/// The refusal of a request whose store operation failed and has no other meaning.
pub fn refused_by_store(e: &StoreError) -> Error {
    Error::store_unavailable(&e.to_string())
}
