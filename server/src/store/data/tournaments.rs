//! Tournaments as the store keeps them. It does not interpret their events.

use crate::domain::time::Millis;
use crate::domain::{MatchId, Stage, TournamentId, TournamentStage};
use crate::store::{MatchRow, RatedResult, StoredEvent, StoredRequest};

/// Events to append to a tournament, all or none.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentAppend {
    /// The tournament.
    pub id: TournamentId,
    /// The sequence number of the first of them: the number of events that the tournament has.
    pub seq: u32,
    /// The events, in order.
    pub events: Vec<StoredEvent>,
    /// The stage after them.
    pub stage: TournamentStage,
    /// The entry in lists after them, as JSON.
    pub summary: String,
    /// Of a new tournament, whose first events these are.
    pub new: Option<NewTournament>,
    /// What replaces the first event of the log: the same without its title.
    pub first: Option<String>,
    /// The sealed matches that these events open.
    pub opened: Vec<OpenedMatch>,
}

/// A match that is over and is not sealed any more.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedMatch {
    /// The match.
    pub id: MatchId,
    /// Its row, with the result.
    pub row: MatchRow,
    /// Its result, if it is rated. The ratings change now.
    pub rated: Option<RatedResult>,
}

/// A tournament to add.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTournament {
    /// The game's short name.
    pub game: String,
    /// The id of the organizer.
    pub organizer: String,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The most tournaments of the organizer that are not over.
    pub most: u32,
    /// The request that caused this.
    pub request: Option<StoredRequest>,
}

/// A tournament in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedTournament {
    /// The tournament.
    pub id: TournamentId,
    /// The game's short name.
    pub game: String,
    /// The stage of its life.
    pub stage: TournamentStage,
    /// The time of its creation.
    pub created_ms: Millis,
    /// Its entry in lists, as JSON.
    pub summary: String,
}

/// A tournament that has begun and is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningTournament {
    /// The tournament.
    pub id: TournamentId,
    /// The living node that runs it; `None`: any node may take it over.
    pub holder: Option<String>,
}

/// The facts about a match that a tournament needs.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchStatus {
    /// The match.
    pub id: MatchId,
    /// The stage of its life.
    pub stage: Stage,
    /// The match's entry in lists, as JSON: see [`crate::store::MatchRow::summary`].
    pub summary: String,
}
