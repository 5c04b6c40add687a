//! The list of tournaments.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::domain::schema;
use crate::domain::schema::GameSlug;
use crate::domain::time::Millis;
use crate::domain::{TournamentId, TournamentStage};
use crate::error::{Code, Error};
use crate::request::extract::{UrlQuery, unknown};
use crate::store::{ListedTournament, refused_by_store};
use crate::tournaments::service::TournamentSummary;

/// How many tournaments a page of a list holds by default, and at most.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;

/// A page of tournaments, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TournamentList {
    /// The tournaments of this page.
    pub(crate) tournaments: Vec<TournamentEntry>,
    /// The value of `before` that requests the next page; `null`: there is none.
    #[schemars(with = "Option<schema::MatchId>")]
    pub(crate) next: Option<String>,
}

/// A tournament in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TournamentEntry {
    /// The tournament.
    #[schemars(with = "schema::MatchId")]
    pub(crate) id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub(crate) game: String,
    /// The stage of its life.
    pub(crate) stage: TournamentStage,
    /// The time of its creation, in milliseconds since 1970.
    pub(crate) created_ms: Millis,
    /// Its title and its progress.
    #[serde(flatten)]
    pub(crate) summary: TournamentSummary,
}

/// A page of the list, as the query asks for it.
///
/// # Errors
/// `bad_query`, `store_unavailable`.
pub(crate) async fn listed(app: &App, query: UrlQuery) -> Result<TournamentList, Error> {
    let bad = |detail: String| Error::new(Code::BadQuery, detail);
    let (mut game, mut before, mut limit) = (None, None, DEFAULT_LIMIT);
    for (name, value) in query.0 {
        match name.as_str() {
            "game" => {
                let offer = app.games.find(&value).map_err(|e| bad(format!("game: {}", e.detail())))?;
                game = Some(offer.info.slug.to_owned());
            }
            "before" => {
                let id = TournamentId::parse(&value);
                before = Some(id.ok_or_else(|| bad("before: must be the id of a tournament".into()))?);
            }
            "limit" => {
                let read = value.parse().ok().filter(|n| (1..=MAX_LIMIT).contains(n));
                limit = read.ok_or_else(|| bad(format!("limit: must be from 1 to {MAX_LIMIT}")))?;
            }
            _ => return Err(unknown(&name, "game, before and limit")),
        }
    }
    let found = app.matches.store().tournaments(game, before, limit + 1).await;
    let mut found = found.map_err(|e| refused_by_store(&e))?;
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let next = found.last().filter(|_| more).map(|last| last.id.to_string());
    let tournaments = found.into_iter().map(entry).collect::<Result<_, Error>>()?;
    Ok(TournamentList { tournaments, next })
}

fn entry(listed: ListedTournament) -> Result<TournamentEntry, Error> {
    let ListedTournament { id, game, stage, created_ms, summary } = listed;
    let summary = serde_json::from_str(&summary)
        .map_err(|e| Error::new(Code::Internal, format!("the summary of tournament {id}: {e}")))?;
    Ok(TournamentEntry { id: id.to_string(), game, stage, created_ms, summary })
}
