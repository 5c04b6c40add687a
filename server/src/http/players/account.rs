//! Routes for a player's own account: a new token, the player's matches, deletion. The paths begin with `/v1/me`, since a
//! player may be called "me".

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::accounts;
use crate::accounts::About;
use crate::app::App;
use crate::domain::token::{Token, TokenKind};
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::http::players::{MatchList, PlayerAnswer, filter, listed, player_of};
use crate::request::caller::{Manages, OwnsAccount, Reads};
use crate::request::extract::{Payload, UrlQuery};
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::store::Scope;

/// A request for a new token.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RotateRequest {
    /// The new token, if the client generates it: `kbp_` and 43 characters of URL-safe base 64 that encode 32 random bytes.
    /// Then the account is not lost if the answer does not arrive. Default: the server generates one.
    token: Option<String>,
    /// Whether the player's tokens with a scope become invalid, too. Default: they stay valid.
    #[serde(default)]
    end_others: bool,
}

/// Get a new token for the account.
///
/// The earlier one becomes invalid: at once on this server, within seconds on all servers of this database. So do the sign-ins that were
/// made with it, but not one that sends this request. Tokens with a scope (`POST /v1/me/tokens`) stay valid unless the request ends
/// them.
#[utoipa::path(post, path = "/v1/me/token", operation_id = "rotateToken", tag = "players", security(("token" = ["account"])),
    request_body = Option<RotateRequest>,
    responses((status = 200, description = "The player and the new token, which no other answer contains.",
               body = PlayerAnswer), openapi::Refusals))]
pub(crate) async fn rotate(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    payload: Payload,
) -> Result<Response, Error> {
    let request: RotateRequest = payload.json_if_any()?;
    let by = caller.token.map(|token| token.hash);
    let who = player_of(caller)?;
    let token = match request.token.as_deref().map(Token::parse) {
        None => accounts::fresh_token(TokenKind::Player)?,
        Some(Some((TokenKind::Player, token))) => token,
        Some(_) => {
            let detail = "token: must be kbp_ and 43 characters of URL-safe base 64";
            return Err(Error::new(Code::BadField, detail));
        }
    };
    app.accounts.change_token(&who, &token, request.end_others, by).await?;
    let answer = PlayerAnswer { name: who.name, token: token.reveal().to_owned() };
    Ok(([NO_STORE], Json(answer)).into_response())
}

/// Replace the caller's description of themselves. A bot can do this, too, for example with each new version.
#[utoipa::path(put, path = "/v1/me/about", operation_id = "describeMe", tag = "players", security(("token" = ["manage"])),
    request_body = About,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn describe(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let about: About = payload.json()?;
    app.accounts.change_about(&player_of(caller)?, &about).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete the account.
///
/// Its tokens, its passkeys, its name, its results and its bots are deleted. Its open matches are left and its running ones
/// resigned. Matches that are over are kept; in them the player is called "deleted player" and a number that differs between
/// matches. The name cannot be taken for 30 days.
#[utoipa::path(delete, path = "/v1/me", operation_id = "deleteAccount", tag = "players", security(("token" = ["account"])),
    responses((status = 204, description = "The account was deleted."), openapi::Refusals))]
pub(crate) async fn delete(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.accounts.delete_player(&player_of(caller)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List the caller's own matches, the newest first, private ones included, without those that ended before they began.
#[utoipa::path(get, path = "/v1/me/matches", operation_id = "listOwnMatches", tag = "players", security(("token" = ["read"])),
    params(openapi::ListQuery,
        ("private" = Option<bool>, Query, description = "`true`: only private matches; `false`: only public ones. Default: all."),
        ("days" = Option<bool>, Query, description = "`true`: only matches with a time for each move of a day or more. Default: all.")),
    responses((status = 200, description = "The list.", body = MatchList), openapi::Refusals))]
pub(crate) async fn matches(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    mut query: UrlQuery,
) -> Result<Response, Error> {
    let who = player_of(caller)?;
    let scope = match take_flag(&mut query, "private")? {
        Some(true) => Scope::Private,
        Some(false) => Scope::Public,
        None => Scope::All,
    };
    let days = take_flag(&mut query, "days")?.unwrap_or(false);
    // Only lists with private matches know the times for a move.
    if days && scope == Scope::Public {
        return Err(Error::new(Code::BadQuery, "days: not together with private=false"));
    }
    let (mut filter, other) = filter(app, query)?;
    if other.is_some() {
        return Err(Error::new(Code::BadQuery, "player: the token already determines the player"));
    }
    (filter.player, filter.scope, filter.days) = (Some(who.id), scope, days);
    Ok(([NO_STORE], listed(app, filter).await?).into_response())
}

/// Takes a parameter that is true or false out of a query.
fn take_flag(query: &mut UrlQuery, name: &str) -> Result<Option<bool>, Error> {
    let Some(place) = query.0.iter().position(|(given, _)| given == name) else { return Ok(None) };
    match query.0.remove(place).1.as_str() {
        "true" => Ok(Some(true)),
        "false" => Ok(Some(false)),
        _ => Err(Error::new(Code::BadQuery, format!("{name}: must be true or false"))),
    }
}
