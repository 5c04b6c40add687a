//! The operator's routes for matches, tournaments and ratings.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::accounts;
use crate::app::App;
use crate::error::Error;
use crate::http::admin::AdminToken;
use crate::http::matches::framed;
use crate::http::openapi;
use crate::http::players::{MatchList, filter, listed};
use crate::matches::render;
use crate::request::extract::{Payload, UrlQuery};
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::MatchOf;
use crate::request::path::TournamentOf;
use crate::store::{RatingCheck, Scope, refused_by_store};

/// List all matches, the newest first, private ones included.
#[utoipa::path(get, path = "/v1/admin/matches", operation_id = "adminListMatches", tag = "admin", security(("admin" = [])),
    params(openapi::ListQuery, openapi::PlayerQuery),
    responses((status = 200, description = "The list.", body = MatchList), openapi::Refusals))]
pub(crate) async fn list(
    State(app): State<&'static App>,
    _: AdminToken,
    query: UrlQuery,
) -> Result<Response, Error> {
    let (mut filter, player) = filter(app, query)?;
    if let Some(name) = player {
        filter.player = Some(accounts::find(app.matches.store(), &name).await?.who.id);
    }
    (filter.scope, filter.never_begun) = (Scope::All, true);
    Ok(([NO_STORE], listed(app, filter).await?).into_response())
}

/// End a match without a result.
#[utoipa::path(post, path = "/v1/admin/matches/{id}/end", operation_id = "adminEndMatch", tag = "admin", security(("admin" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "The event that ended it.", body = render::ViewerEvent), openapi::Refusals))]
pub(crate) async fn end(
    State(app): State<&'static App>,
    _: AdminToken,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    let ended = app.matches.terminate(&id).await?;
    tracing::info!(id = id.as_str(), "the operator ended a match");
    Ok(framed(&ended))
}

/// Annul the result of a rated match.
///
/// After that, the ratings, histories and results against opponents of all players are as if the match had not been rated.
/// The match and its record stay.
#[utoipa::path(post, path = "/v1/admin/matches/{id}/annul", operation_id = "adminAnnulMatch", tag = "admin", security(("admin" = [])),
    params(openapi::MatchPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn annul(
    State(app): State<&'static App>,
    _: AdminToken,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.moderation.annul(&id).await?;
    tracing::info!(id = id.as_str(), "the operator annulled a match");
    Ok(StatusCode::NO_CONTENT)
}

/// Abort a tournament.
///
/// Its running matches end without a result. The results until then stay, and its secret becomes public.
#[utoipa::path(post, path = "/v1/admin/tournaments/{id}/abort", operation_id = "adminAbortTournament", tag = "admin", security(("admin" = [])),
    params(openapi::TournamentPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn abort_tournament(
    State(app): State<&'static App>,
    _: AdminToken,
    TournamentOf(id): TournamentOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.tournaments.abort(app.matches, &id).await?;
    tracing::info!(id = id.as_str(), "the operator aborted a tournament");
    Ok(StatusCode::NO_CONTENT)
}

/// The result of recomputing all ratings.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RatingCheckAnswer {
    /// Results of rated matches that count.
    results: u64,
    /// Stored ratings.
    ratings: u64,
    /// The differences from the recomputed ratings, in words, at most 20 entries; empty: everything is exactly equal.
    differences: Vec<String>,
}

/// Recompute all ratings from the results of all rated matches, and compare them with the stored ones.
#[utoipa::path(get, path = "/v1/admin/ratings/check", operation_id = "adminCheckRatings", tag = "admin", security(("admin" = [])),
    responses((status = 200, description = "The comparison.", body = RatingCheckAnswer), openapi::Refusals))]
pub(crate) async fn check_ratings(State(app): State<&'static App>, _: AdminToken) -> Result<Response, Error> {
    let RatingCheck { results, ratings, differences } =
        app.matches.store().check_ratings().await.map_err(|e| refused_by_store(&e))?;
    Ok(([NO_STORE], Json(RatingCheckAnswer { results, ratings, differences })).into_response())
}

/// The matches to delete.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetentionRequest {
    /// Only matches that ended at least this long ago, in milliseconds.
    older_than_ms: u64,
}

/// The result of deleting old matches.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RetentionAnswer {
    /// How many matches were deleted.
    deleted: u64,
}

/// Delete old matches that are over, with all their events.
///
/// The newest match is always kept. Players' results are kept.
#[utoipa::path(post, path = "/v1/admin/retention", operation_id = "adminDeleteOldMatches", tag = "admin", security(("admin" = [])),
    request_body = RetentionRequest,
    responses((status = 200, description = "Done.", body = RetentionAnswer), openapi::Refusals))]
pub(crate) async fn retention(
    State(app): State<&'static App>,
    _: AdminToken,
    payload: Payload,
) -> Result<Response, Error> {
    let request: RetentionRequest = payload.json()?;
    let age = std::time::Duration::from_millis(request.older_than_ms);
    let deleted = app.moderation.delete_old_matches(age).await.map_err(|e| refused_by_store(&e))?;
    tracing::info!(deleted, "the operator deleted old matches");
    Ok(([NO_STORE], Json(RetentionAnswer { deleted })).into_response())
}
