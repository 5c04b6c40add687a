//! `/v1/players` and `/v1/me`: accounts, bots, results, ratings, and lists of matches.

pub(super) mod account;
pub(super) mod blocks;
pub(super) mod bots;
pub(super) mod checks;
pub(super) mod faults;
pub(super) mod first_moves;
pub(super) mod mistakes;
pub(super) mod notifications;
pub(super) mod passkeys;
pub(super) mod profile;
pub(super) mod programs;
pub(crate) mod ratings;
pub(super) mod sign_in;
pub(super) mod tokens;
pub(super) mod vacation;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::accounts;
use crate::accounts::NewAccount;
use crate::accounts::Registration;
use crate::app::App;
use crate::domain::schema;
use crate::domain::schema::{GameSlug, INVITATION, PLAYER_TOKEN, PlayerName};
use crate::domain::time::Millis;
use crate::domain::token::{Token, TokenKind};
use crate::domain::{MatchId, PlayerRef, Stage};
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::http::players::profile::PlayerPage;
use crate::matches::ledger::Caller;
use crate::matches::listing::MatchSummary;
use crate::matches::names::Names;
use crate::request::caller::{Anyone, Reads};
use crate::request::extract::{Payload, UrlQuery, unknown};
use crate::request::idempotency::IdempotencyHeader;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::PlayerOf;
use crate::store::{ListedMatch, MatchFilter, PlayerProfile, Scope, refused_by_store};

/// How many matches a page of a list holds by default, and at most.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;

/// A player to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "name": "ana" }))]
pub(super) struct PlayerRequest {
    /// 2 to 32 letters and digits of any script, with - _ . allowed inside. The name must differ from other players' names in
    /// more than case and letters that look alike.
    #[schemars(with = "PlayerName")]
    name: String,
    /// The code of an invitation, if this server wants one: `kbi_` and 43 more characters.
    #[schemars(regex(pattern = INVITATION))]
    invitation: Option<String>,
}

/// A player and the token that proves the player's identity. No other answer contains the token.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PlayerAnswer {
    #[schemars(with = "PlayerName")]
    pub name: String,
    /// The token, to be sent as `Authorization: Bearer TOKEN`.
    #[schemars(regex(pattern = PLAYER_TOKEN))]
    pub token: String,
}

/// Create a player: a name, and the token that proves the player's identity.
///
/// With an `Idempotency-Key`, the same request sent again gets the same answer and creates nothing. A server can want an
/// invitation (`invitation_needed`), or take no new players (`registration_closed`).
#[utoipa::path(post, path = "/v1/players", operation_id = "createPlayer", tag = "players",
    params(openapi::IdempotencyKey),
    request_body = PlayerRequest,
    responses((status = 201, description = "The player. `Location` is their path.", body = PlayerAnswer,
               headers(("Location" = String, description = "The player's path."))),
              openapi::Refusals))]
pub(super) async fn create(
    State(app): State<&'static App>,
    caller: Anyone,
    idempotency: IdempotencyHeader,
    payload: Payload,
) -> Result<Response, Error> {
    let request: PlayerRequest = payload.json()?;
    let (retry, now) = (idempotency.retry(&payload.bytes), app.matches.now().ms());
    let invitation = request.invitation.as_deref().map(Token::parse);
    let charge = async || {
        check_registration(app.accounts.registration, invitation.as_ref())?;
        app.creations.charge_player(caller.network).await
    };
    let engines = app.matches.engine_names();
    let invitation = match &invitation {
        Some(Some((TokenKind::Invitation, code)))
            if app.accounts.registration == Registration::Invitation =>
        {
            Some(code.hash())
        }
        _ => None,
    };
    let account = NewAccount { name: request.name, bot: None, invitation };
    let (who, token) = accounts::register(app.matches.store(), account, retry, now, engines, charge).await?;
    let location = [(header::LOCATION, player_path(&who.name))];
    let answer = PlayerAnswer { name: who.name, token: token.reveal().to_owned() };
    Ok((StatusCode::CREATED, location, [NO_STORE], Json(answer)).into_response())
}

/// Whether a player may be created with this invitation, if it is valid.
fn check_registration(
    registration: Registration,
    invitation: Option<&Option<(TokenKind, Token)>>,
) -> Result<(), Error> {
    match (registration, invitation) {
        (Registration::Closed, _) => {
            Err(Error::new(Code::RegistrationClosed, "this server takes no new players"))
        }
        (Registration::Invitation, None) => {
            let detail = "new players need an invitation here: ask the operator for a code and send it as `invitation`";
            Err(Error::new(Code::InvitationNeeded, detail))
        }
        (Registration::Open, _) | (Registration::Invitation, Some(Some((TokenKind::Invitation, _)))) => {
            Ok(())
        }
        (Registration::Invitation, Some(_)) => Err(accounts::bad_invitation()),
    }
}

pub(super) fn player_path(name: &str) -> String {
    let encoded = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC).to_string();
    // These need no encoding (RFC 3986, unreserved).
    format!("/v1/players/{}", encoded.replace("%2D", "-").replace("%5F", "_").replace("%2E", "."))
}

/// Get a player, their results and their ratings.
#[utoipa::path(get, path = "/v1/players/{name}", operation_id = "getPlayer", tag = "players", params(openapi::PlayerPath),
    responses((status = 200, description = "The player.", body = PlayerPage), openapi::Refusals))]
pub(super) async fn page(
    State(app): State<&'static App>,
    _: Anyone,
    PlayerOf(player): PlayerOf,
) -> Json<PlayerPage> {
    Json(shown(app, player))
}

/// A player's page, as this node knows it now.
fn shown(app: &App, player: PlayerProfile) -> PlayerPage {
    let vacation = app.matches.vacations().of(&player.who.id, app.matches.now().ms());
    PlayerPage::of(player, vacation.map(|vacation| vacation.until_ms))
}

/// Get the player whose token the request contains.
#[utoipa::path(get, path = "/v1/me", operation_id = "getMe", tag = "players", security(("token" = ["read"])),
    responses((status = 200, description = "The caller.", body = PlayerPage), openapi::Refusals))]
pub(super) async fn me(State(app): State<&'static App>, Reads(caller): Reads) -> Result<Response, Error> {
    let who = player_of(caller)?;
    let player = accounts::find(app.matches.store(), &who.name).await?;
    Ok(([NO_STORE], Json(shown(app, player))).into_response())
}

/// The player whose token the request contains.
///
/// # Errors
/// `token_needed`.
pub(super) fn player_of(caller: Caller) -> Result<PlayerRef, Error> {
    let needed =
        || Error::new(Code::TokenNeeded, "a player's token is needed: Authorization: Bearer kbp_...");
    caller.player.ok_or_else(needed)
}

/// A page of matches, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MatchList {
    /// The matches of this page.
    matches: Vec<MatchEntry>,
    /// The value of `before` that requests the next page; `null`: there is none.
    #[schemars(with = "Option<schema::MatchId>")]
    next: Option<String>,
}

/// A match in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MatchEntry {
    /// The match.
    #[schemars(with = "schema::MatchId")]
    id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// Whether it is open, running or over.
    stage: Stage,
    /// Whether it is private. Absent for public matches. Only lists of the caller's own matches and of the operator contain
    /// private ones.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    private: bool,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The time of its end, in milliseconds since 1970.
    ended_ms: Option<Millis>,
    /// The seats and the result.
    #[serde(flatten)]
    summary: MatchSummary,
}

impl MatchEntry {
    fn of(ListedMatch { id, row }: ListedMatch, names: &Names) -> Result<Self, Error> {
        let mut summary: MatchSummary = serde_json::from_str(&row.summary)
            .map_err(|e| Error::new(Code::Internal, format!("the summary of match {id}: {e}")))?;
        names.put_into(&mut summary, &id, &row);
        Ok(Self {
            id: id.to_string(),
            game: row.game,
            stage: row.stage,
            private: row.private,
            created_ms: row.created_ms,
            ended_ms: row.ended_ms,
            summary,
        })
    }

    /// Whether only guests sit in it and all of them left a while ago.
    fn is_deserted(&self, app: &App) -> bool {
        let id = MatchId::parse(&self.id);
        id.is_some_and(|id| app.matches.is_deserted(&id, self.stage, self.created_ms, &self.summary))
    }
}

/// Reads a query for matches: the filter, and the name of a player.
pub(super) fn filter(app: &App, query: UrlQuery) -> Result<(MatchFilter, Option<String>), Error> {
    let bad = |detail: String| Error::new(Code::BadQuery, detail);
    let (mut filter, mut player) = (MatchFilter { limit: DEFAULT_LIMIT, ..MatchFilter::default() }, None);
    for (name, value) in query.0 {
        match name.as_str() {
            "game" => {
                let offer = app.games.find(&value).map_err(|e| bad(format!("game: {}", e.detail())))?;
                filter.game = Some(offer.info.slug.to_owned());
            }
            "stage" => {
                let stage = serde_json::from_value(value.into());
                filter.stage = Some(stage.map_err(|_| bad("stage: must be open, running or over".into()))?);
            }
            "player" => player = Some(value),
            "before" => {
                let id = MatchId::parse(&value);
                filter.before = Some(id.ok_or_else(|| bad("before: must be the id of a match".into()))?);
            }
            "limit" => {
                let limit = value.parse().ok().filter(|n| (1..=MAX_LIMIT).contains(n));
                filter.limit = limit.ok_or_else(|| bad(format!("limit: must be from 1 to {MAX_LIMIT}")))?;
            }
            _ => return Err(unknown(&name, "game, stage, player, before and limit")),
        }
    }
    Ok((filter, player))
}

/// One page of the matches that pass the filter.
pub(super) async fn listed(app: &App, mut filter: MatchFilter) -> Result<Json<MatchList>, Error> {
    let limit = filter.limit as usize;
    let hide_deserted = filter.player.is_none() && matches!(filter.scope, Scope::Public);
    // One more than the limit shows whether there is another page.
    filter.limit += 1;
    let mut found = app.matches.store().list(filter).await.map_err(|e| refused_by_store(&e))?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|last| last.id.to_string());
    let mut matches = found
        .into_iter()
        .map(|listed| MatchEntry::of(listed, app.matches.names()))
        .collect::<Result<Vec<_>, Error>>()?;
    if hide_deserted {
        matches.retain(|entry| !entry.is_deserted(app));
    }
    Ok(Json(MatchList { matches, next }))
}

/// List matches, the newest first.
///
/// The list contains no private matches, no matches that ended before they began, and no matches of guests alone that all
/// guests left more than a minute ago. A page can therefore have fewer entries than `limit` although there is a `next`.
#[utoipa::path(get, path = "/v1/matches", operation_id = "listMatches", tag = "matches",
    params(openapi::ListQuery, openapi::PlayerQuery),
    responses((status = 200, description = "The list.", body = MatchList), openapi::Refusals))]
pub(super) async fn matches(
    State(app): State<&'static App>,
    _: Anyone,
    query: UrlQuery,
) -> Result<Json<MatchList>, Error> {
    let (mut filter, player) = filter(app, query)?;
    if let Some(name) = player {
        filter.player = Some(accounts::find(app.matches.store(), &name).await?.who.id);
    }
    listed(app, filter).await
}

/// List a player's matches, the newest first. Private ones, and those that ended before they began, are not listed.
#[utoipa::path(get, path = "/v1/players/{name}/matches", operation_id = "listPlayerMatches", tag = "players",
    params(openapi::PlayerPath, openapi::ListQuery),
    responses((status = 200, description = "The list.", body = MatchList), openapi::Refusals))]
pub(super) async fn matches_of(
    State(app): State<&'static App>,
    _: Anyone,
    PlayerOf(player): PlayerOf,
    query: UrlQuery,
) -> Result<Json<MatchList>, Error> {
    let (mut filter, other) = filter(app, query)?;
    if other.is_some() {
        return Err(Error::new(Code::BadQuery, "player: the path already names the player"));
    }
    filter.player = Some(player.who.id);
    listed(app, filter).await
}
