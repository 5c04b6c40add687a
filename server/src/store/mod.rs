//! The store: matches, their events, players, results, tournaments and bans. Only this module knows SQL; the rest of
//! the server uses the [`Store`] trait. It does not interpret events: an event is a JSON text with a sequence number.

mod address;
pub(crate) mod data;
mod database;
mod database_error;
mod database_store;
mod downtime;
mod import;
mod open_error;
mod postgres;
mod queries;
mod sqlite;
#[cfg(test)]
mod tests;
mod topics;
mod writing;

use std::sync::Arc;

use crate::domain::time::{Millis, ServerClock};
use crate::domain::token::KeyHash;
use crate::domain::{MatchId, PlayerRef, Stage};
use crate::error::Error;
use crate::limits::creations::SharedBuckets;
use crate::metrics::StoreMetrics;

pub use address::{DatabaseAddress, PostgresUrl};
pub use data::change::{Ban, StoreChange};
pub use data::finished::{FinishedFilter, FinishedMatch, FinishedOf};
pub use data::lobby::{ConnectedSeat, LobbyChange, LobbyRows, StoredChallenge};
pub use data::moderation::{
    Invitation, NewInvitation, NewReport, ReportSubject, RestrictedPlayer, Restriction, RestrictionKind,
    StoredReport,
};
pub use data::players::{
    BotEntry, FormerName, ImportedRating, LeaderboardFilter, NewBot, OpponentResults, PlayerEntry,
    PlayerGameResults, PlayerProfile, PlayerRating, PlayerStrength, RatedPlayer, RatingChange, RatingPoint,
};
pub use data::programs::{
    ActiveProgram, BannedProgram, ListedProgram, NewProgram, ProgramChange, ProgramResult, ProgramTally,
    ProgramUsage, SeatOutcome, StoredProgram,
};
pub use data::push::{
    DueNotification, ListedPushSubscription, NewNotification, NewPushSubscription, NotificationKey,
    PushChange, PushTarget, StoredPushSubscription,
};
pub use data::puzzles::{
    NewPuzzle, NextPuzzle, PuzzleRating, PuzzleTry, StoredPuzzle, StoredPuzzleTry, WantedPuzzle,
};
pub use data::ratings::RatingCheck;
pub use data::seats::{SeatNews, SeatTaken};
pub use data::sign_in::{ListedPasskey, NewPasskey, SignInChange, SignInProof, StoredPasskey};
pub use data::spectators::{SpectatorNews, SpectatorReport};
pub use data::tournaments::{
    ListedTournament, MatchStatus, NewTournament, OpenedMatch, RunningTournament, TournamentAppend,
};
pub use data::vacations::{PlannedVacation, VacationChange};
pub use database_store::DatabaseStore;
pub use import::{Imported, import};
pub use open_error::OpenError;
pub use queries::bot_faults::{FaultFilter, FaultGroup, ListedFault, NewFault, StoredFault};
pub use queries::bot_output::{KeptTurn, StoredOutput};
pub use queries::counts::StoreCounts;
pub use queries::history::analyses::{
    AnalysisChange, FinishedAnalysis, NewAnalysis, StoredAnalysis, StoredAnalysisStage,
};
pub use queries::history::chat::{ChatLine, DeletedBy, MessageDeletion, StoredMessage};
pub use queries::history::decisions::{LossCount, MistakeCount, MistakeFilter, NewDecision, StoredMistake};
pub use queries::people::erasure::{NameErasure, NamingText, PendingErasure};
pub use queries::people::tokens::{NewToken, StoredToken, TokenHolder};
pub use sqlite::{back_up, check};
pub use topics::{
    AccountStore, AnalysisStore, ChangeStore, HolderStore, LobbyStore, MatchStore, ModerationStore,
    NodeStore, PlayerStore, ProgramStore, PushStore, PuzzleStore, RatingStore, Store, TournamentStore,
    VacationStore,
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
    /// The faults of bots among the events.
    pub faults: Vec<NewFault>,
    /// The results of programs, if the match ends with one.
    pub program_results: Vec<ProgramResult>,
}

/// The result of a rated match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedResult {
    /// The game's short name.
    pub game: String,
    /// Each seat: the player's id and the place; equal places are shared.
    pub seats: Vec<(String, u8)>,
    /// Of each seat the number of the hosted program that played for the bot; empty: no program played.
    pub programs: Vec<Option<u32>>,
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
    pub request_hash: KeyHash,
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
#[expect(missing_docs, reason = "`row` says all")]
pub struct ListedMatch {
    /// The match.
    pub id: MatchId,
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
    /// Only matches with a time for each move of a day or more, in lists of a player that are not of [`Scope::Public`].
    pub days: bool,
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
            let system_ms = ServerClock::start(offset_ms).ms();
            let store = DatabaseStore::open_file(path, system_ms, metrics).await?;
            OpenedStore { now: store.now(), store: Arc::new(store), buckets: None }
        }
        DatabaseAddress::Postgres(url) => {
            let store = DatabaseStore::open_server(url, offset_ms, metrics).await?;
            OpenedStore { now: store.now(), buckets: store.shared_buckets(), store: Arc::new(store) }
        }
    })
}

/// The refusal of a request whose store operation failed and has no other meaning.
pub fn refused_by_store(e: &StoreError) -> Error {
    Error::store_unavailable(&e.to_string())
}
