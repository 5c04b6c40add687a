//! `/v1/admin`: the operator's routes. They need the admin token, and are off if the server has none.

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
use crate::http::tournaments::TournamentOf;
use crate::matches::render;
use crate::players;
use crate::store::{Ban, RatingCheck, Scope, StoreChange, refused_by_store};
use crate::upkeep;

/// How many players a page of the list holds by default, and at most.
const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1000;

/// Extractor that accepts only requests with the admin token.
pub(super) struct AdminToken;

impl FromRequestParts<&'static App> for AdminToken {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let Some(expected) = app.admin else {
            return Err(Error::new(Code::AdminOff, "this server was started without --admin-token-file"));
        };
        let Some(header) = parts.headers.get(header::AUTHORIZATION) else {
            let detail = "the admin token is needed: Authorization: Bearer kba_...";
            return Err(Error::new(Code::TokenNeeded, detail));
        };
        let token = header.to_str().ok().and_then(|value| {
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

/// List all matches, the newest first, private ones included.
#[utoipa::path(get, path = "/v1/admin/matches", operation_id = "adminListMatches", tag = "admin", security(("admin" = [])),
    params(openapi::ListQuery, openapi::PlayerQuery),
    responses((status = 200, description = "The list.", body = MatchList), openapi::Refusals))]
pub(super) async fn matches(
    State(app): State<&'static App>,
    _: AdminToken,
    query: Query,
) -> Result<Response, Error> {
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
    responses((status = 200, description = "The event that ended it.", body = render::ViewerEvent), openapi::Refusals))]
pub(super) async fn end(
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
pub(super) async fn annul(
    State(app): State<&'static App>,
    _: AdminToken,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    upkeep::annul(app, &id).await?;
    tracing::info!(id = id.as_str(), "the operator annulled a match");
    Ok(StatusCode::NO_CONTENT)
}

/// Abort a tournament.
///
/// Its running matches end without a result. The results until then stay, and its secret becomes public.
#[utoipa::path(post, path = "/v1/admin/tournaments/{id}/abort", operation_id = "adminAbortTournament", tag = "admin", security(("admin" = [])),
    params(openapi::TournamentPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(super) async fn abort_tournament(
    State(app): State<&'static App>,
    _: AdminToken,
    TournamentOf(id): TournamentOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.tournaments.abort(&app.matches, &id).await?;
    tracing::info!(id = id.as_str(), "the operator aborted a tournament");
    Ok(StatusCode::NO_CONTENT)
}

/// The result of recomputing all ratings.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RatingCheckAnswer {
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
pub(super) async fn check_ratings(State(app): State<&'static App>, _: AdminToken) -> Result<Response, Error> {
    let RatingCheck { results, ratings, differences } =
        app.matches.store().check_ratings().await.map_err(|e| refused_by_store(&e))?;
    Ok(([UNKEPT], Json(RatingCheckAnswer { results, ratings, differences })).into_response())
}

/// A page of players, in the order of their names.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AdminPlayers {
    /// The players.
    players: Vec<ListedPlayer>,
    /// The value of `after` that requests the next page; `null`: there is none.
    next: Option<String>,
}

/// A player in the operator's list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PlayerListed")]
pub(super) struct ListedPlayer {
    /// The name.
    name: String,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
}

/// List players in the order of their names.
#[utoipa::path(get, path = "/v1/admin/players", operation_id = "adminListPlayers", tag = "admin", security(("admin" = [])),
    params(("after" = Option<String>, Query, description = "Only names after this one: `next` of the previous page."),
        ("limit" = Option<u32>, Query, description = "The most players to list, 1 to 1000. Default: 100.")),
    responses((status = 200, description = "The list.", body = AdminPlayers), openapi::Refusals))]
pub(super) async fn players(
    State(app): State<&'static App>,
    _: AdminToken,
    query: Query,
) -> Result<Response, Error> {
    let (mut after, mut limit) = (String::new(), DEFAULT_LIMIT);
    for (name, value) in query.0 {
        match name.as_str() {
            "after" => after = crate::domain::names::folded(&value),
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
    Ok(([UNKEPT], Json(AdminPlayers { players, next })).into_response())
}

/// A new name for a player.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RenameRequest {
    /// The new name.
    name: String,
}

/// Rename a player.
///
/// All matches of the player show the new name, also those that are over. The old name cannot be taken for 30 days.
#[utoipa::path(post, path = "/v1/admin/players/{name}/rename", operation_id = "adminRenamePlayer", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath), request_body = RenameRequest,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(super) async fn rename(
    State(app): State<&'static App>,
    _: AdminToken,
    PlayerOf(player): PlayerOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let request: RenameRequest = payload.json()?;
    upkeep::rename_player(app, &player.who, &request.name).await?;
    tracing::info!(id = player.who.id, "the operator renamed a player");
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a player's account, with the same effect as if the player deleted it.
#[utoipa::path(delete, path = "/v1/admin/players/{name}", operation_id = "adminRemovePlayer", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(super) async fn remove(
    State(app): State<&'static App>,
    _: AdminToken,
    PlayerOf(player): PlayerOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    upkeep::delete_player(app, &player.who).await?;
    tracing::info!(id = player.who.id, "the operator removed a player");
    Ok(StatusCode::NO_CONTENT)
}

/// How to revoke a token.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RevokeRequest {
    /// Whether the answer contains a new token, to be given to the player.
    #[serde(default)]
    reissue: bool,
}

/// The result of revoking a token.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RevokeAnswer {
    /// The new token, if the request asked for one.
    token: Option<String>,
}

/// Revoke a player's token.
#[utoipa::path(post, path = "/v1/admin/players/{name}/revoke", operation_id = "adminRevokeToken", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath), request_body = Option<RevokeRequest>,
    responses((status = 200, description = "Done.", body = RevokeAnswer), openapi::Refusals))]
pub(super) async fn revoke(
    State(app): State<&'static App>,
    _: AdminToken,
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
pub(super) struct BanRequest {
    /// An address, or a network in CIDR notation. IPv6 clients are identified by their /64 network, so a smaller network is
    /// widened to that.
    network: String,
    /// The reason, for the operator.
    #[serde(default)]
    reason: String,
    /// The duration, in milliseconds. Default: until the ban is lifted.
    for_ms: Option<u64>,
}

/// A ban.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BanShown")]
pub(super) struct BanEntry {
    /// The network, in CIDR notation.
    network: String,
    /// The reason.
    reason: String,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The time of its end, in milliseconds since 1970; `null`: it lasts until it is lifted.
    until_ms: Option<Millis>,
}

impl From<Ban> for BanEntry {
    fn from(Ban { network, reason, created_ms, until_ms }: Ban) -> Self {
        Self { network, reason, created_ms, until_ms }
    }
}

/// All bans.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BanList {
    /// The bans, including those that have expired.
    bans: Vec<BanEntry>,
}

/// List all bans.
#[utoipa::path(get, path = "/v1/admin/bans", operation_id = "adminListBans", tag = "admin", security(("admin" = [])),
    responses((status = 200, description = "The list.", body = BanList), openapi::Refusals))]
pub(super) async fn bans(State(app): State<&'static App>, _: AdminToken) -> Result<Response, Error> {
    let bans = app.matches.store().bans().await.map_err(|e| refused_by_store(&e))?;
    let bans = bans.into_iter().map(BanEntry::from).collect();
    Ok(([UNKEPT], Json(BanList { bans })).into_response())
}

/// Ban an address or a network.
///
/// From now on, requests from it are refused with `banned`. Open streams and WebSockets continue until they end.
#[utoipa::path(post, path = "/v1/admin/bans", operation_id = "adminBan", tag = "admin", security(("admin" = [])),
    request_body = BanRequest,
    responses((status = 200, description = "The ban.", body = BanEntry), openapi::Refusals))]
pub(super) async fn ban(
    State(app): State<&'static App>,
    _: AdminToken,
    payload: Payload,
) -> Result<Response, Error> {
    let request: BanRequest = payload.json()?;
    let network = network(&request.network, Code::BadField)?;
    let now = app.matches.now().ms();
    let until_ms = request.for_ms.map(|ms| now.saturating_add(Millis::try_from(ms).unwrap_or(Millis::MAX)));
    let ban = Ban { network, reason: request.reason, created_ms: now, until_ms };
    upkeep::change(app, StoreChange::Ban(ban.clone())).await?;
    tracing::info!(network = ban.network, "the operator banned a network");
    Ok(([UNKEPT], Json(BanEntry::from(ban))).into_response())
}

/// Lift a ban.
#[utoipa::path(delete, path = "/v1/admin/bans", operation_id = "adminUnban", tag = "admin", security(("admin" = [])),
    params(("network" = String, Query, description = "The network, as the list of bans names it.")),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(super) async fn unban(
    State(app): State<&'static App>,
    _: AdminToken,
    query: Query,
) -> Result<StatusCode, Error> {
    let mut wanted = None;
    for (name, value) in query.0 {
        match name.as_str() {
            "network" => wanted = Some(network(&value, Code::BadQuery)?),
            _ => return Err(unknown(&name, "network")),
        }
    }
    let wanted = wanted.ok_or_else(|| Error::new(Code::BadQuery, "network: this parameter is required"))?;
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

/// The matches to delete.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RetentionRequest {
    /// Only matches that ended at least this long ago, in milliseconds.
    older_than_ms: u64,
}

/// The result of deleting old matches.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RetentionAnswer {
    /// How many matches were deleted.
    deleted: u64,
}

/// Delete old matches that are over, with all their events.
///
/// The newest match is always kept. Players' results are kept.
#[utoipa::path(post, path = "/v1/admin/retention", operation_id = "adminDeleteOldMatches", tag = "admin", security(("admin" = [])),
    request_body = RetentionRequest,
    responses((status = 200, description = "Done.", body = RetentionAnswer), openapi::Refusals))]
pub(super) async fn retention(
    State(app): State<&'static App>,
    _: AdminToken,
    payload: Payload,
) -> Result<Response, Error> {
    let request: RetentionRequest = payload.json()?;
    let age = std::time::Duration::from_millis(request.older_than_ms);
    let deleted = upkeep::expire(app, age).await.map_err(|e| refused_by_store(&e))?;
    tracing::info!(deleted, "the operator deleted old matches");
    Ok(([UNKEPT], Json(RetentionAnswer { deleted })).into_response())
}
