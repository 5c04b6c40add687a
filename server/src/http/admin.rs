//! `/v1/admin`: what the operator does. Needs the admin token; off where the server has none.

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::admin::bans;
use crate::app::App;
use crate::domain::time::Millis;
use crate::domain::token::{Token, TokenKind};
use crate::error::{Code, Error};
use crate::http::matches::{MatchOf, UNKEPT, framed};
use crate::http::openapi;
use crate::http::players::{MatchList, PlayerOf, filter, listed};
use crate::http::request::extract::{Payload, Query, unknown};
use crate::http::request::json::Json;
use crate::matches::refused_by_store;
use crate::matches::render;
use crate::players;
use crate::store::{Ban, Scope, StoreChange};
use crate::upkeep;

/// How many players a list holds by default, and at most.
const LISTED: u32 = 100;
const MOST_LISTED: u32 = 1000;

/// The request shows the admin token.
pub struct Operator;

impl FromRequestParts<&'static App> for Operator {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let Some(expected) = app.admin else {
            return Err(Error::new(Code::AdminOff, "this server was started without --admin-token-file"));
        };
        let Some(shown) = parts.headers.get(header::AUTHORIZATION) else {
            let detail = "the admin token is needed: Authorization: Bearer kba_...";
            return Err(Error::new(Code::TokenNeeded, detail));
        };
        let token = shown.to_str().ok().and_then(|value| {
            let (scheme, token) = value.trim().split_once(' ')?;
            let token = Token::parse(token.trim()).filter(|(kind, _)| *kind == TokenKind::Admin)?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.1)
        });
        // Hashes are compared in constant time.
        if token.is_some_and(|token| token.hash() == expected) {
            Ok(Self)
        } else {
            Err(Error::new(Code::BadToken, "this is not the admin token of this server"))
        }
    }
}

/// All matches, the newest first, private ones included.
#[utoipa::path(get, path = "/v1/admin/matches", operation_id = "adminListMatches", tag = "admin", security(("admin" = [])),
    params(openapi::ListQuery, openapi::PlayerQuery),
    responses((status = 200, description = "The list.", body = MatchList), openapi::Refusals))]
pub async fn matches(State(app): State<&'static App>, _: Operator, query: Query) -> Result<Response, Error> {
    let (mut filter, player) = filter(app, query)?;
    if let Some(name) = player {
        filter.player = Some(players::find(app.matches.store(), &name).await?.who.id);
    }
    filter.scope = Scope::All;
    Ok(([UNKEPT], listed(app, filter).await?).into_response())
}

/// End a match without a result.
#[utoipa::path(post, path = "/v1/admin/matches/{id}/end", operation_id = "adminEndMatch", tag = "admin", security(("admin" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "What happened.", body = render::Shown), openapi::Refusals))]
pub async fn end(
    State(app): State<&'static App>,
    _: Operator,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    let ended = app.matches.terminate(&id).await?;
    tracing::info!(id = id.as_str(), "the operator ended a match");
    Ok(framed(&ended))
}

/// Players in the order of their names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AdminPlayers")]
pub struct Players {
    /// The players.
    players: Vec<PlayerListed>,
    /// There are more: ask again with `after` set to this.
    next: Option<String>,
}

/// A player in the operator's list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlayerListed {
    /// The name.
    name: String,
    /// Since when, in milliseconds since 1970.
    created_ms: Millis,
}

/// Players in the order of their names.
#[utoipa::path(get, path = "/v1/admin/players", operation_id = "adminListPlayers", tag = "admin", security(("admin" = [])),
    params(("after" = Option<String>, Query, description = "Behind this name: `next` of the list before."),
        ("limit" = Option<u32>, Query, description = "At most so many, 1 to 1000. Default: 100.")),
    responses((status = 200, description = "The list.", body = Players), openapi::Refusals))]
pub async fn players(State(app): State<&'static App>, _: Operator, query: Query) -> Result<Response, Error> {
    let (mut after, mut limit) = (String::new(), LISTED);
    for (name, value) in query.0 {
        match name.as_str() {
            "after" => after = crate::domain::names::folded(&value),
            "limit" => {
                let bad = || Error::new(Code::BadQuery, format!("limit: must be from 1 to {MOST_LISTED}"));
                limit = value.parse().ok().filter(|n| (1..=MOST_LISTED).contains(n)).ok_or_else(bad)?;
            }
            _ => return Err(unknown(&name, "after and limit")),
        }
    }
    let found = app.matches.store().players(after, limit + 1).await.map_err(|e| refused_by_store(&e))?;
    let more = found.len() > limit as usize;
    let listed = found.into_iter().take(limit as usize);
    let players: Vec<_> =
        listed.map(|p| PlayerListed { name: p.who.name, created_ms: p.created_ms }).collect();
    let next = players.last().filter(|_| more).map(|last| last.name.clone());
    Ok(([UNKEPT], Json(Players { players, next })).into_response())
}

/// Another name for a player.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameRequest {
    /// The new name.
    name: String,
}

/// Give a player another name.
///
/// It is shown in all their matches, also in those that are over. Nobody can take the old name for 30 days.
#[utoipa::path(post, path = "/v1/admin/players/{name}/rename", operation_id = "adminRenamePlayer", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath), request_body = RenameRequest,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub async fn rename(
    State(app): State<&'static App>,
    _: Operator,
    PlayerOf(player): PlayerOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let request: RenameRequest = payload.json()?;
    upkeep::rename_player(app, &player.who, &request.name).await?;
    tracing::info!(id = player.who.id, "the operator renamed a player");
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a player's account, as the player could do it.
#[utoipa::path(delete, path = "/v1/admin/players/{name}", operation_id = "adminRemovePlayer", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub async fn remove(
    State(app): State<&'static App>,
    _: Operator,
    PlayerOf(player): PlayerOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    upkeep::delete_player(app, &player.who).await?;
    tracing::info!(id = player.who.id, "the operator removed a player");
    Ok(StatusCode::NO_CONTENT)
}

/// What to do besides revoking a token.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevokeRequest {
    /// Whether the answer holds a new token, for the one to whom the name belongs.
    #[serde(default)]
    reissue: bool,
}

/// What came of revoking a token.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RevokeAnswer {
    /// The new token, if one was asked for.
    token: Option<String>,
}

/// Revoke a player's token.
#[utoipa::path(post, path = "/v1/admin/players/{name}/revoke", operation_id = "adminRevokeToken", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath), request_body = Option<RevokeRequest>,
    responses((status = 200, description = "Done.", body = RevokeAnswer), openapi::Refusals))]
pub async fn revoke(
    State(app): State<&'static App>,
    _: Operator,
    PlayerOf(player): PlayerOf,
    payload: Payload,
) -> Result<Response, Error> {
    let request: RevokeRequest = payload.json_if_any()?;
    let token = upkeep::fresh_token(TokenKind::Player)?;
    upkeep::change_token(app, &player.who, &token).await?;
    tracing::info!(id = player.who.id, "the operator revoked a token");
    let token = request.reissue.then(|| token.reveal().to_owned());
    Ok(([UNKEPT], Json(RevokeAnswer { token })).into_response())
}

/// A network to ban.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BanRequest {
    /// An address, or a network in CIDR notation. IPv6 callers are known by their /64 network, so a smaller one is
    /// widened to it.
    network: String,
    /// Why, for the operator.
    #[serde(default)]
    reason: String,
    /// For how long, in milliseconds. Default: until it is ended.
    for_ms: Option<u64>,
}

/// A ban.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BanShown {
    /// The network, in CIDR notation.
    network: String,
    /// Why.
    reason: String,
    /// Since when, in milliseconds since 1970.
    created_ms: Millis,
    /// Until when; `null`: until it is ended.
    until_ms: Option<Millis>,
}

impl From<Ban> for BanShown {
    fn from(Ban { network, reason, created_ms, until_ms }: Ban) -> Self {
        Self { network, reason, created_ms, until_ms }
    }
}

/// All bans.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BanList {
    /// The bans, those that have run out included.
    bans: Vec<BanShown>,
}

/// All bans.
#[utoipa::path(get, path = "/v1/admin/bans", operation_id = "adminListBans", tag = "admin", security(("admin" = [])),
    responses((status = 200, description = "The list.", body = BanList), openapi::Refusals))]
pub async fn bans(State(app): State<&'static App>, _: Operator) -> Result<Response, Error> {
    let bans = app.matches.store().bans().await.map_err(|e| refused_by_store(&e))?;
    let bans = bans.into_iter().map(BanShown::from).collect();
    Ok(([UNKEPT], Json(BanList { bans })).into_response())
}

/// Ban an address or a network.
///
/// Its requests are refused with `banned` from then on. Streams and WebSockets that are open go on until they end.
#[utoipa::path(post, path = "/v1/admin/bans", operation_id = "adminBan", tag = "admin", security(("admin" = [])),
    request_body = BanRequest,
    responses((status = 200, description = "The ban.", body = BanShown), openapi::Refusals))]
pub async fn ban(State(app): State<&'static App>, _: Operator, payload: Payload) -> Result<Response, Error> {
    let request: BanRequest = payload.json()?;
    let network = network(&request.network, Code::BadField)?;
    let now = app.matches.now().ms();
    let until_ms = request.for_ms.map(|ms| now.saturating_add(Millis::try_from(ms).unwrap_or(Millis::MAX)));
    let ban = Ban { network, reason: request.reason, created_ms: now, until_ms };
    upkeep::change(app, StoreChange::Ban(ban.clone())).await?;
    tracing::info!(network = ban.network, "the operator banned a network");
    Ok(([UNKEPT], Json(BanShown::from(ban))).into_response())
}

/// End a ban.
#[utoipa::path(delete, path = "/v1/admin/bans", operation_id = "adminUnban", tag = "admin", security(("admin" = [])),
    params(("network" = String, Query, description = "The network, as the list of bans tells it.")),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub async fn unban(State(app): State<&'static App>, _: Operator, query: Query) -> Result<StatusCode, Error> {
    let mut wanted = None;
    for (name, value) in query.0 {
        match name.as_str() {
            "network" => wanted = Some(network(&value, Code::BadQuery)?),
            _ => return Err(unknown(&name, "network")),
        }
    }
    let wanted = wanted.ok_or_else(|| Error::new(Code::BadQuery, "network: it is missing"))?;
    if upkeep::change(app, StoreChange::Unban(wanted.clone())).await? == 0 {
        return Err(Error::new(Code::NotFound, format!("{wanted} is not banned")));
    }
    tracing::info!(network = wanted, "the operator ended a ban");
    Ok(StatusCode::NO_CONTENT)
}

fn network(text: &str, code: Code) -> Result<String, Error> {
    bans::network(text)
        .map(|network| network.to_string())
        .map_err(|e| Error::new(code, format!("network: {e}")))
}

/// Which matches to delete.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetentionRequest {
    /// Those that were over at least so long ago, in milliseconds.
    older_than_ms: u64,
}

/// What was deleted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RetentionAnswer {
    /// How many matches.
    deleted: u64,
}

/// Delete matches that have long been over, with all that happened in them.
///
/// The newest match stays in any case. Players' results stay.
#[utoipa::path(post, path = "/v1/admin/retention", operation_id = "adminDeleteOldMatches", tag = "admin", security(("admin" = [])),
    request_body = RetentionRequest,
    responses((status = 200, description = "Done.", body = RetentionAnswer), openapi::Refusals))]
pub async fn retention(
    State(app): State<&'static App>,
    _: Operator,
    payload: Payload,
) -> Result<Response, Error> {
    let request: RetentionRequest = payload.json()?;
    let age = std::time::Duration::from_millis(request.older_than_ms);
    let deleted = upkeep::expire(app, age).await.map_err(|e| refused_by_store(&e))?;
    tracing::info!(deleted, "the operator deleted old matches");
    Ok(([UNKEPT], Json(RetentionAnswer { deleted })).into_response())
}
