//! The operator's routes for players.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::accounts;
use crate::app::App;
use crate::domain::names;
use crate::domain::time::Millis;
use crate::domain::token::TokenKind;
use crate::error::{Code, Error};
use crate::http::admin::AdminToken;
use crate::http::openapi;
use crate::request::extract::{Payload, UrlQuery, unknown};
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::PlayerOf;
use crate::store::refused_by_store;

/// How many players a page of the list holds by default, and at most.
const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1000;

/// A page of players, in the order of their names.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdminPlayers {
    players: Vec<ListedPlayer>,
    /// The value of `after` that requests the next page; `null`: there is none.
    next: Option<String>,
}

/// A player in the operator's list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PlayerListed")]
pub(crate) struct ListedPlayer {
    name: String,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
}

/// List players in the order of their names.
#[utoipa::path(get, path = "/v1/admin/players", operation_id = "adminListPlayers", tag = "admin", security(("admin" = [])),
    params(("after" = Option<String>, Query, description = "Only names after this one: `next` of the previous page."),
        ("limit" = Option<u32>, Query, description = "The most players to list, 1 to 1000. Default: 100.")),
    responses((status = 200, description = "The list.", body = AdminPlayers), openapi::Refusals))]
pub(crate) async fn list(
    State(app): State<&'static App>,
    _: AdminToken,
    query: UrlQuery,
) -> Result<Response, Error> {
    let (mut after, mut limit) = (String::new(), DEFAULT_LIMIT);
    for (name, value) in query.0 {
        match name.as_str() {
            "after" => after = names::folded(&value),
            "limit" => {
                let bad = || Error::new(Code::BadQuery, format!("limit: must be from 1 to {MAX_LIMIT}"));
                limit = value.parse().ok().filter(|n| (1..=MAX_LIMIT).contains(n)).ok_or_else(bad)?;
            }
            _ => return Err(unknown(&name, "after and limit")),
        }
    }
    let found = app.matches.store().players(after, limit + 1).await.map_err(|e| refused_by_store(&e))?;
    let more = found.len() > limit as usize;
    let listed = found.into_iter().take(limit as usize);
    let players: Vec<_> =
        listed.map(|p| ListedPlayer { name: p.who.name, created_ms: p.created_ms }).collect();
    let next = players.last().filter(|_| more).map(|last| last.name.clone());
    Ok(([NO_STORE], Json(AdminPlayers { players, next })).into_response())
}

/// A new name for a player.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenameRequest {
    /// The new name.
    name: String,
}

/// Rename a player.
///
/// All matches of the player show the new name, also those that are over. The old name cannot be taken for 30 days.
#[utoipa::path(post, path = "/v1/admin/players/{name}/rename", operation_id = "adminRenamePlayer", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath), request_body = RenameRequest,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn rename(
    State(app): State<&'static App>,
    _: AdminToken,
    PlayerOf(player): PlayerOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let request: RenameRequest = payload.json()?;
    app.accounts.rename_player(&player.who, &request.name).await?;
    tracing::info!(id = player.who.id, "the operator renamed a player");
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a player's account, with the same effect as if the player deleted it.
#[utoipa::path(delete, path = "/v1/admin/players/{name}", operation_id = "adminRemovePlayer", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn remove(
    State(app): State<&'static App>,
    _: AdminToken,
    PlayerOf(player): PlayerOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.accounts.delete_player(&player.who).await?;
    tracing::info!(id = player.who.id, "the operator removed a player");
    Ok(StatusCode::NO_CONTENT)
}

/// How to revoke a player's tokens.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RevokeRequest {
    /// Whether the answer contains a new token of the account, to be given to the player.
    #[serde(default)]
    reissue: bool,
}

/// The result of revoking a player's tokens.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RevokeAnswer {
    /// The new token of the account, if the request asked for one.
    token: Option<String>,
}

/// Revoke a player's tokens: the account's own, those with a scope, and those with which others act for a bot.
///
/// Passkeys and recovery codes are removed, and browsers that have signed in are signed out.
#[utoipa::path(post, path = "/v1/admin/players/{name}/revoke", operation_id = "adminRevokeToken", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath), request_body = Option<RevokeRequest>,
    responses((status = 200, description = "Done.", body = RevokeAnswer), openapi::Refusals))]
pub(crate) async fn revoke(
    State(app): State<&'static App>,
    _: AdminToken,
    PlayerOf(player): PlayerOf,
    payload: Payload,
) -> Result<Response, Error> {
    let request: RevokeRequest = payload.json_if_any()?;
    let token = accounts::fresh_token(TokenKind::Player)?;
    app.accounts.forget_passkeys(&player.who).await?;
    app.accounts.change_token(&player.who, &token, true, None).await?;
    tracing::info!(id = player.who.id, "the operator revoked a player's tokens");
    let token = request.reissue.then(|| token.reveal().to_owned());
    Ok(([NO_STORE], Json(RevokeAnswer { token })).into_response())
}
