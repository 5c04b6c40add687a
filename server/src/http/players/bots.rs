//! Routes for a person's own bots: create, list, describe, give a new token, delete.

use axum::extract::{RawPathParams, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::accounts;
use crate::accounts::{About, BotOf, NewAccount, register};
use crate::app::App;
use crate::domain::PlayerRef;
use crate::domain::names::folded;
use crate::domain::schema::PlayerName;
use crate::domain::time::Millis;
use crate::domain::token::TokenKind;
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::http::players::{PlayerAnswer, player_of, player_path};
use crate::request::caller::{Manages, Reads};
use crate::request::extract::Payload;
use crate::request::idempotency::IdempotencyHeader;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::store::{BotEntry, refused_by_store};

/// A bot to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "name": "robo", "about": { "version": "1.0" } }))]
pub(crate) struct BotRequest {
    /// The name; the rules are those for people's names.
    #[schemars(with = "PlayerName")]
    name: String,
    /// The bot's description of itself.
    #[serde(default)]
    about: About,
}

/// The caller's bots.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BotList {
    /// The bots, in the order of their names.
    bots: Vec<OwnBot>,
}

/// A bot of the caller.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OwnBot {
    #[schemars(with = "PlayerName")]
    name: String,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// Its description of itself.
    about: About,
}

/// Create a bot: a player that belongs to the caller.
///
/// A bot has a name, results and ratings of its own. Its token proves its identity, as a person's token does. With an
/// `Idempotency-Key`, the same request sent again gets the same answer and creates nothing.
#[utoipa::path(post, path = "/v1/me/bots", operation_id = "createBot", tag = "players", security(("token" = ["manage"])),
    params(openapi::IdempotencyKey),
    request_body = BotRequest,
    responses((status = 201, description = "The bot. `Location` is its path.", body = PlayerAnswer,
               headers(("Location" = String, description = "The bot's path."))),
              openapi::Refusals))]
pub(crate) async fn create(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    idempotency: IdempotencyHeader,
    payload: Payload,
) -> Result<Response, Error> {
    let network = caller.network;
    let owner = player_of(caller)?;
    app.accounts.check_mute(&owner)?;
    let BotRequest { name, about } = payload.json()?;
    let (retry, now) = (idempotency.retry(&payload.bytes), app.matches.now().ms());
    let charge = async || app.creations.charge_player(network).await;
    let bot = Some(BotOf { owner: &owner, about, most: app.matches.options().max_bots_per_player });
    let account = NewAccount { name, bot, invitation: None };
    let (who, token) =
        register(app.matches.store(), account, retry, now, app.matches.engine_names(), charge).await?;
    let location = [(header::LOCATION, player_path(&who.name))];
    let answer = PlayerAnswer { name: who.name, token: token.reveal().to_owned() };
    Ok((StatusCode::CREATED, location, [NO_STORE], Json(answer)).into_response())
}

/// List the caller's bots.
#[utoipa::path(get, path = "/v1/me/bots", operation_id = "listOwnBots", tag = "players", security(("token" = ["read"])),
    responses((status = 200, description = "The list.", body = BotList), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, Reads(caller): Reads) -> Result<Response, Error> {
    let bots = own(app, &player_of(caller)?).await?;
    let entry = |bot: BotEntry| OwnBot {
        name: bot.who.name,
        created_ms: bot.created_ms,
        about: About::read(bot.about.as_deref()),
    };
    Ok(([NO_STORE], Json(BotList { bots: bots.into_iter().map(entry).collect() })).into_response())
}

async fn own(app: &App, owner: &PlayerRef) -> Result<Vec<BotEntry>, Error> {
    app.matches.store().bots(owner.id.clone()).await.map_err(|e| refused_by_store(&e))
}

/// The bot of the caller that the path names.
///
/// # Errors
/// `no_such_player`, `store_unavailable`.
pub(super) async fn bot_of(app: &App, owner: &PlayerRef, params: &RawPathParams) -> Result<PlayerRef, Error> {
    named(app, owner, params.iter().find(|(param, _)| *param == "name").map_or("", |(_, name)| name)).await
}

/// The bot of this name that a player owns.
///
/// # Errors
/// `no_such_player`, `store_unavailable`.
pub(super) async fn named(app: &App, owner: &PlayerRef, name: &str) -> Result<PlayerRef, Error> {
    let name = folded(name);
    let found = own(app, owner).await?.into_iter().find(|bot| folded(&bot.who.name) == name);
    let missing = || Error::new(Code::NoSuchPlayer, "you have no bot of this name");
    found.map(|bot| bot.who).ok_or_else(missing)
}

/// Replace the description of one of the caller's bots.
#[utoipa::path(put, path = "/v1/me/bots/{name}/about", operation_id = "describeBot", tag = "players", security(("token" = ["manage"])),
    params(openapi::PlayerPath), request_body = About,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn describe(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let about: About = payload.json()?;
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    app.accounts.change_about(&bot, &about).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Get a new token for one of the caller's bots. The old one becomes invalid.
#[utoipa::path(post, path = "/v1/me/bots/{name}/token", operation_id = "rotateBotToken", tag = "players", security(("token" = ["manage"])),
    params(openapi::PlayerPath),
    responses((status = 200, description = "The bot and its new token.", body = PlayerAnswer), openapi::Refusals))]
pub(crate) async fn rotate(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    params: RawPathParams,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    let token = accounts::fresh_token(TokenKind::Player)?;
    app.accounts.change_token(&bot, &token, false, None).await?;
    let answer = PlayerAnswer { name: bot.name, token: token.reveal().to_owned() };
    Ok(([NO_STORE], Json(answer)).into_response())
}

/// Make the token of one of the caller's bots invalid.
///
/// The bot, its results and its ratings stay. `POST` on the same path gives it a new token.
#[utoipa::path(delete, path = "/v1/me/bots/{name}/token", operation_id = "revokeBotToken", tag = "players", security(("token" = ["manage"])),
    params(openapi::PlayerPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn revoke(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    app.accounts.revoke_token(&bot).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete one of the caller's bots, with the effect that deleting an account has.
#[utoipa::path(delete, path = "/v1/me/bots/{name}", operation_id = "deleteBot", tag = "players", security(("token" = ["manage"])),
    params(openapi::PlayerPath),
    responses((status = 204, description = "The bot was deleted."), openapi::Refusals))]
pub(crate) async fn delete(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    app.accounts.delete_player(&bot).await?;
    Ok(StatusCode::NO_CONTENT)
}
