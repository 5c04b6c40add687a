//! `/v1/reports`: what users report to the operator.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::error::Error;
use crate::http::openapi;
use crate::moderation::ReportTarget;
use crate::request::caller::Plays;
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;

/// A user's report to the operator.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "about": { "kind": "player", "name": "ana" }, "reason": "an insulting name" }))]
pub(crate) struct ReportRequest {
    /// The match, player, message or tournament that the report is about.
    about: ReportTarget,
    /// What is wrong: 1 to 300 characters in one line.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
}

/// A stored report.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReportAnswer {
    /// Its id, by which the caller can withdraw it.
    id: String,
}

/// Report a match, a player's name or description, a message, or the title of a tournament to the operator.
///
/// Only the operator reads it. A caller can report what they can see, guests too; only a player of the match can report a
/// message.
/// The same report of the same caller is stored once, and has the same answer. The operator settles a report by deleting it.
#[utoipa::path(post, path = "/v1/reports", operation_id = "report", tag = "players", security((), ("token" = ["play"]), ("match_key" = [])),
    request_body = ReportRequest,
    responses((status = 201, description = "The report.", body = ReportAnswer), openapi::Refusals))]
pub(crate) async fn create(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    payload: Payload,
) -> Result<Response, Error> {
    let ReportRequest { about, reason } = payload.json()?;
    let id = app.moderation.report(&caller, about, &reason).await?;
    Ok((StatusCode::CREATED, [NO_STORE], Json(ReportAnswer { id })).into_response())
}

/// Withdraw a report of one's own, with its text. A guest does this from the same address.
#[utoipa::path(delete, path = "/v1/reports/{id}", operation_id = "withdrawReport", tag = "players", security((), ("token" = ["play"])),
    params(openapi::EntryPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn withdraw(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.moderation.withdraw_report(&caller, entry_of(&params)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The id in the path.
pub(crate) fn entry_of(params: &RawPathParams) -> &str {
    params.iter().find(|(name, _)| *name == "id").map_or("", |(_, id)| id)
}
