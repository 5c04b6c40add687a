//! Routes for a player's tokens with a scope: make, list, revoke.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::accounts::tokens::{self, WantedToken};
use crate::app::App;
use crate::domain::schema::SCOPED_TOKEN;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::http::players::{bots, player_of};
use crate::request::caller::{Manages, Reads};
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::store::{StoreChange, StoredToken, refused_by_store};

/// A token to make.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "name": "laptop", "scope": "play", "lifetime_ms": 2_592_000_000_u64 }))]
pub(crate) struct TokenRequest {
    /// A name by which its owner knows it, 1 to 40 characters.
    #[schemars(length(min = 1, max = 40))]
    name: String,
    /// `read`, `play`, `manage`, or `bot:NAME` with the name of one of the caller's bots.
    #[schemars(regex(pattern = "^(read|play|manage|bot:.+)$"))]
    scope: String,
    /// How long it is valid, in milliseconds: at most ten years. Default: without end. A token that another one makes expires
    /// with that one at the latest.
    #[schemars(range(min = 1_000, max = 315_576_000_000_u64))]
    lifetime_ms: Option<u64>,
}

/// A token in its owner's list. The list does not contain the token itself.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TokenEntry {
    id: String,
    name: String,
    /// Its scope: `read`, `play`, `manage`, `bot:NAME`, or `account`: a sign-in.
    scope: String,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The time at which it expires, in milliseconds since 1970; `null`: never. One that has expired stays in the list until
    /// its owner makes another one.
    expires_ms: Option<Millis>,
    /// The time of its last use, in milliseconds since 1970, accurate to about a minute; `null`: never used.
    used_ms: Option<Millis>,
}

/// The caller's tokens.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TokenList {
    /// The tokens besides the account's own, the oldest first.
    tokens: Vec<TokenEntry>,
}

/// A new token.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TokenAnswer {
    /// Its entry in the list.
    #[serde(flatten)]
    entry: TokenEntry,
    /// The token, to be sent as `Authorization: Bearer TOKEN`. No other answer contains it.
    #[schemars(regex(pattern = SCOPED_TOKEN))]
    token: String,
}

impl From<StoredToken> for TokenEntry {
    fn from(token: StoredToken) -> Self {
        let StoredToken { id, name, scope, bot, created_ms, expires_ms, used_ms } = token;
        let scope = bot.map_or_else(|| scope.name().to_owned(), |bot| format!("{}:{bot}", scope.name()));
        Self { id, name, scope, created_ms, expires_ms, used_ms }
    }
}

/// Make a token with a scope: for a program that needs fewer rights than the account's own token has.
///
/// Every token shows what its player may see. `play` also plays, `manage` also changes what belongs to the account, and
/// `bot:NAME` reads and plays as that bot of the caller. A token makes only tokens whose rights it has: one of the scope
/// `manage` makes none of the scope `play`. A player can have 50 tokens that have not expired.
#[utoipa::path(post, path = "/v1/me/tokens", operation_id = "createToken", tag = "players", security(("token" = ["manage"])),
    request_body = TokenRequest,
    responses((status = 201, description = "The token.", body = TokenAnswer), openapi::Refusals))]
pub(crate) async fn create(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    payload: Payload,
) -> Result<Response, Error> {
    let TokenRequest { name, scope, lifetime_ms } = payload.json()?;
    let by = caller.token;
    let (scope, bot) = tokens::read_scope(&scope)?;
    scope.rights_to_make().iter().try_for_each(|right| caller.require(*right))?;
    let owner = player_of(caller)?;
    let bot = match bot {
        Some(name) => Some(bots::named(app, &owner, name).await?),
        None => None,
    };
    let wanted = WantedToken { name, scope, bot, lifetime_ms };
    let (made, token) =
        tokens::create(app.matches.store(), &owner, by, wanted, app.matches.now().ms()).await?;
    let answer = TokenAnswer { entry: made.into(), token: token.reveal().to_owned() };
    Ok((StatusCode::CREATED, [NO_STORE], Json(answer)).into_response())
}

/// List the caller's tokens besides the account's own, sign-ins among them.
#[utoipa::path(get, path = "/v1/me/tokens", operation_id = "listTokens", tag = "players", security(("token" = ["read"])),
    responses((status = 200, description = "The list.", body = TokenList), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, Reads(caller): Reads) -> Result<Response, Error> {
    let found = app.matches.store().tokens(player_of(caller)?.id).await.map_err(|e| refused_by_store(&e))?;
    let tokens = found.into_iter().map(TokenEntry::from).collect();
    Ok(([NO_STORE], Json(TokenList { tokens })).into_response())
}

/// Revoke a token.
///
/// What it has opened ends within a second.
#[utoipa::path(delete, path = "/v1/me/tokens/{id}", operation_id = "revokeToken", tag = "players", security(("token" = ["manage"])),
    params(openapi::TokenPath),
    responses((status = 204, description = "The token is no longer valid."), openapi::Refusals))]
pub(crate) async fn revoke(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let player = player_of(caller)?.id;
    let id = params.iter().find(|(name, _)| *name == "id").map_or("", |(_, id)| id).to_owned();
    match app.accounts.change(StoreChange::EndToken { player, id }).await? {
        0 => Err(Error::new(Code::NoSuchToken, "you have no token with this id")),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}
