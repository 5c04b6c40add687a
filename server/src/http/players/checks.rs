//! `GET /v1/me/bots/{name}/checks`: the reports of a bot's check matches.

use axum::extract::{RawPathParams, State};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::error::Error;
use crate::http::openapi;
use crate::http::players::bots::bot_of;
use crate::http::players::player_of;
use crate::lobby::{CheckShown, shown_checks};
use crate::request::caller::Reads;
use crate::request::json::{Json, NO_STORE};

/// The last check matches of a bot.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckList {
    /// At most ten, the newest first.
    checks: Vec<CheckShown>,
}

/// List the check matches of one of the caller's bots, with their reports.
///
/// Before its first rated match of a game on the ladder, a bot plays check matches. The report says how long its moves took, how
/// much memory it had, and which of its answers were void.
#[utoipa::path(get, path = "/v1/me/bots/{name}/checks", operation_id = "listBotChecks", tag = "players",
    security(("token" = ["read"])), params(openapi::PlayerPath),
    responses((status = 200, description = "The list.", body = CheckList), openapi::Refusals))]
pub(crate) async fn checks(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    params: RawPathParams,
) -> Result<Response, Error> {
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    let checks = shown_checks(app.matches, &bot).await?;
    Ok(([NO_STORE], Json(CheckList { checks })).into_response())
}
