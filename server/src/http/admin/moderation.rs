//! The operator's routes for texts: reports about them, and their deletion.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::About;
use crate::app::App;
use crate::error::{Code, Error};
use crate::http::admin::AdminToken;
use crate::http::matches::chat::message_of;
use crate::http::openapi;
use crate::http::reports::entry_of;
use crate::moderation::ReportShown;
use crate::request::extract::{Payload, UrlQuery, unknown};
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::MatchOf;
use crate::request::path::PlayerOf;
use crate::request::path::TournamentOf;
use crate::store::refused_by_store;
use crate::tournaments::ledger::TournamentCommand;

/// How many reports a page of the list holds.
const PAGE: u32 = 100;

/// A page of open reports, the oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReportList {
    reports: Vec<ReportShown>,
    /// The value of `after` that requests the next page; `null`: there is none.
    next: Option<String>,
}

/// List open reports, the oldest first.
#[utoipa::path(get, path = "/v1/admin/reports", operation_id = "adminListReports", tag = "admin", security(("admin" = [])),
    params(("after" = Option<String>, Query, description = "Only reports after this one: `next` of the previous page.")),
    responses((status = 200, description = "The list.", body = ReportList), openapi::Refusals))]
pub(crate) async fn reports(
    State(app): State<&'static App>,
    _: AdminToken,
    query: UrlQuery,
) -> Result<Response, Error> {
    let mut after = String::new();
    for (name, value) in query.0 {
        match name.as_str() {
            "after" => after = value,
            _ => return Err(unknown(&name, "after")),
        }
    }
    let found = app.matches.store().reports(after, PAGE + 1).await.map_err(|e| refused_by_store(&e))?;
    let more = found.len() > PAGE as usize;
    let reports: Vec<ReportShown> = found.into_iter().take(PAGE as usize).map(ReportShown::from).collect();
    let next = reports.last().filter(|_| more).map(|report| report.id.clone());
    Ok(([NO_STORE], Json(ReportList { reports, next })).into_response())
}

/// Settle a report: it is deleted.
#[utoipa::path(delete, path = "/v1/admin/reports/{id}", operation_id = "adminSettleReport", tag = "admin", security(("admin" = [])),
    params(openapi::EntryPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn settle(
    State(app): State<&'static App>,
    _: AdminToken,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.moderation.settle_report(entry_of(&params)).await?;
    tracing::info!(id = entry_of(&params), "the operator settled a report");
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a match.
///
/// A match that is not over ends first. Its events, its chat, its analysis, what its bots wrote and the reports about it are
/// deleted, and all its paths answer `no_such_match` on all servers. The result of a rated match stays counted.
#[utoipa::path(delete, path = "/v1/admin/matches/{id}", operation_id = "adminDeleteMatch", tag = "admin", security(("admin" = [])),
    params(openapi::MatchPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn delete_match(
    State(app): State<&'static App>,
    _: AdminToken,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.moderation.delete_match(&id).await?;
    tracing::info!(id = id.as_str(), "the operator deleted a match");
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a message in the chat of a match.
#[utoipa::path(delete, path = "/v1/admin/matches/{id}/chat/{n}", operation_id = "adminDeleteMessage", tag = "admin", security(("admin" = [])),
    params(openapi::MatchPath, openapi::MessagePath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn delete_message(
    State(app): State<&'static App>,
    _: AdminToken,
    MatchOf(id): MatchOf,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let n = message_of(&params)?;
    app.matches.delete_message(&id, n).await?;
    tracing::info!(id = id.as_str(), n, "the operator deleted a message");
    Ok(StatusCode::NO_CONTENT)
}

/// Delete the analysis of a match, or cancel it.
///
/// A caller who may see the match can ask for it again; the engines of that time then compute it.
#[utoipa::path(delete, path = "/v1/admin/matches/{id}/analysis", operation_id = "adminDeleteAnalysis", tag = "admin", security(("admin" = [])),
    params(openapi::MatchPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn delete_analysis(
    State(app): State<&'static App>,
    _: AdminToken,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.analyses.delete(&id).await?;
    tracing::info!(id = id.as_str(), "the operator deleted an analysis");
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a tournament.
///
/// A running one is aborted first. The matches of its games stay, and so do the ratings.
#[utoipa::path(delete, path = "/v1/admin/tournaments/{id}", operation_id = "adminDeleteTournament", tag = "admin", security(("admin" = [])),
    params(openapi::TournamentPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn delete_tournament(
    State(app): State<&'static App>,
    _: AdminToken,
    TournamentOf(id): TournamentOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.tournaments.delete(app.matches, &id).await?;
    tracing::info!(id = id.as_str(), "the operator deleted a tournament");
    Ok(StatusCode::NO_CONTENT)
}

/// Remove the title of a tournament.
#[utoipa::path(delete, path = "/v1/admin/tournaments/{id}/title", operation_id = "adminRemoveTitle", tag = "admin", security(("admin" = [])),
    params(openapi::TournamentPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn remove_title(
    State(app): State<&'static App>,
    _: AdminToken,
    TournamentOf(id): TournamentOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.tournaments.command(app.matches, &id, &TournamentCommand::RemoveTitle).await?;
    tracing::info!(id = id.as_str(), "the operator removed the title of a tournament");
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a player's description.
#[utoipa::path(delete, path = "/v1/admin/players/{name}/about", operation_id = "adminDeleteAbout", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn delete_about(
    State(app): State<&'static App>,
    _: AdminToken,
    PlayerOf(player): PlayerOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    if player.who.is_engine() {
        return Err(Error::new(
            Code::NotAPerson,
            "this player is a built-in engine, which has no description",
        ));
    }
    app.accounts.change_about(&player.who, &About::default()).await?;
    tracing::info!(id = player.who.id, "the operator deleted a description");
    Ok(StatusCode::NO_CONTENT)
}
