//! `/v1/players` and `/v1/me`: names, how those who bear them have done, and lists of matches.

pub mod account;

use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::domain::MatchId;
use crate::domain::PlayerRef;
use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::http::matches::UNKEPT;
use crate::http::openapi;
use crate::http::request::caller::Who;
use crate::http::request::extract::{Payload, Query, unknown};
use crate::http::request::idempotency::IdempotencyHeader;
use crate::http::request::json::Json;
use crate::matches::ledger::Caller;
use crate::matches::listing::Summary;
use crate::matches::names::Names;
use crate::matches::refused_by_store;
use crate::players;
use crate::schema;
use crate::schema::{GameSlug, PLAYER_TOKEN, PlayerName};
use crate::store::{ListedMatch, MatchFilter, PlayerProfile};

/// How many matches a list holds when nobody says, and at most.
const LISTED: u32 = 20;
const MOST_LISTED: u32 = 100;

/// A player to make.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "name": "ana" }))]
pub struct PlayerRequest {
    /// 2 to 32 letters and digits of any script, and - _ . inside. No name differs from another player's only in case
    /// or in letters that look alike.
    #[schemars(with = "PlayerName")]
    name: String,
}

/// A player and what holds the name. The token is told here and never again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlayerAnswer {
    /// The name.
    #[schemars(with = "PlayerName")]
    pub name: String,
    /// What shows that one is this player: `Authorization: Bearer TOKEN`.
    #[schemars(regex(pattern = PLAYER_TOKEN))]
    pub token: String,
}

/// A player and how they have done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlayerPage {
    /// The name.
    #[schemars(with = "PlayerName")]
    name: String,
    /// Since when there is this player, in milliseconds since 1970.
    created_ms: Millis,
    /// Per game, in the order of the names.
    results: Vec<GameResults>,
}

/// How a player has done in a game.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GameResults {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// Matches with a result.
    played: u64,
    /// Won alone.
    won: u64,
    /// First place shared.
    shared: u64,
}

impl From<PlayerProfile> for PlayerPage {
    fn from(player: PlayerProfile) -> Self {
        let results = player.results.into_iter().map(|r| GameResults {
            game: r.game,
            played: r.played,
            won: r.won,
            shared: r.shared,
        });
        Self { name: player.who.name, created_ms: player.created_ms, results: results.collect() }
    }
}

/// Make a player: a name of one's own, and the token that holds it.
///
/// With an `Idempotency-Key`, the same request sent again gets the same answer and makes nothing.
#[utoipa::path(post, path = "/v1/players", operation_id = "createPlayer", tag = "players",
    params(openapi::IdempotencyKey),
    request_body = PlayerRequest,
    responses((status = 201, description = "The player. `Location` is their path.", body = PlayerAnswer,
               headers(("Location" = String, description = "The player's path."))),
              openapi::Refusals))]
pub async fn create(
    State(app): State<&'static App>,
    Who(caller): Who,
    again: IdempotencyHeader,
    payload: Payload,
) -> Result<Response, Error> {
    let request: PlayerRequest = payload.json()?;
    let (retry, now) = (again.retry(&payload.bytes), app.matches.now().ms());
    let charge = || app.creations.charge_player(caller.network);
    let engines = app.matches.engine_names();
    let (who, token) =
        players::register(app.matches.store(), request.name, retry, now, engines, charge).await?;
    let in_path = percent_encoding::utf8_percent_encode(&who.name, percent_encoding::NON_ALPHANUMERIC);
    let location = [(header::LOCATION, format!("/v1/players/{}", unreserved(&in_path.to_string())))];
    let answer = PlayerAnswer { name: who.name, token: token.reveal().to_owned() };
    Ok((StatusCode::CREATED, location, [UNKEPT], Json(answer)).into_response())
}

/// What needs no encoding in a path, as it is.
fn unreserved(encoded: &str) -> String {
    encoded.replace("%2D", "-").replace("%5F", "_").replace("%2E", ".")
}

/// The player that the path names.
pub struct PlayerOf(pub PlayerProfile);

impl FromRequestParts<&'static App> for PlayerOf {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let name = params.ok().and_then(|params| {
            let (_, name) = params.iter().find(|(param, _)| *param == "name")?;
            Some(name.to_owned())
        });
        players::find(app.matches.store(), &name.unwrap_or_default()).await.map(Self)
    }
}

/// A player and how they have done.
#[utoipa::path(get, path = "/v1/players/{name}", operation_id = "getPlayer", tag = "players", params(openapi::PlayerPath),
    responses((status = 200, description = "The player.", body = PlayerPage), openapi::Refusals))]
pub async fn page(_: Who, PlayerOf(player): PlayerOf) -> Json<PlayerPage> {
    Json(player.into())
}

/// The player whose token is shown.
#[utoipa::path(get, path = "/v1/me", operation_id = "getMe", tag = "players", security(("token" = [])),
    responses((status = 200, description = "The caller.", body = PlayerPage), openapi::Refusals))]
pub async fn me(State(app): State<&'static App>, Who(caller): Who) -> Result<Response, Error> {
    let who = player_of(caller)?;
    let player = players::find(app.matches.store(), &who.name).await?;
    Ok(([UNKEPT], Json(PlayerPage::from(player))).into_response())
}

/// The player whose token is shown.
///
/// # Errors
/// `token_needed`.
pub fn player_of(caller: Caller) -> Result<PlayerRef, Error> {
    let needed =
        || Error::new(Code::TokenNeeded, "a player's token is needed: Authorization: Bearer kbp_...");
    caller.player.ok_or_else(needed)
}

/// Matches, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchList {
    /// Those that fit.
    matches: Vec<MatchEntry>,
    /// There are more: ask again with `before` set to this.
    #[schemars(with = "Option<schema::MatchId>")]
    next: Option<String>,
}

/// A match in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchEntry {
    /// The match.
    #[schemars(with = "schema::MatchId")]
    id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// Where it is in its life.
    stage: Stage,
    /// Whether it is private: only in lists of one's own matches and of the operator's. Not there for public ones.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    private: bool,
    /// When it was made, in milliseconds since 1970.
    created_ms: Millis,
    /// When it was over.
    ended_ms: Option<Millis>,
    /// Who sits where, and the result.
    #[serde(flatten)]
    summary: Summary,
}

impl MatchEntry {
    fn of(ListedMatch { id, row }: ListedMatch, names: &Names) -> Result<Self, Error> {
        let mut summary: Summary = serde_json::from_str(&row.summary)
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
}

/// Which matches a query asks for, and whose.
pub fn filter(app: &App, query: Query) -> Result<(MatchFilter, Option<String>), Error> {
    let bad = |detail: String| Error::new(Code::BadQuery, detail);
    let (mut filter, mut player) = (MatchFilter { limit: LISTED, ..MatchFilter::default() }, None);
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
                let limit = value.parse().ok().filter(|n| (1..=MOST_LISTED).contains(n));
                filter.limit = limit.ok_or_else(|| bad(format!("limit: must be from 1 to {MOST_LISTED}")))?;
            }
            _ => return Err(unknown(&name, "game, stage, player, before and limit")),
        }
    }
    Ok((filter, player))
}

/// The list of these matches.
pub async fn listed(app: &App, mut filter: MatchFilter) -> Result<Json<MatchList>, Error> {
    let limit = filter.limit as usize;
    // One more tells whether there are more.
    filter.limit += 1;
    let mut found = app.matches.store().list(filter).await.map_err(|e| refused_by_store(&e))?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|last| last.id.to_string());
    let matches = found
        .into_iter()
        .map(|listed| MatchEntry::of(listed, app.matches.names()))
        .collect::<Result<_, Error>>()?;
    Ok(Json(MatchList { matches, next }))
}

/// Matches, the newest first. Private ones are in no list.
#[utoipa::path(get, path = "/v1/matches", operation_id = "listMatches", tag = "matches",
    params(openapi::ListQuery, openapi::PlayerQuery),
    responses((status = 200, description = "The list.", body = MatchList), openapi::Refusals))]
pub async fn matches(
    State(app): State<&'static App>,
    _: Who,
    query: Query,
) -> Result<Json<MatchList>, Error> {
    let (mut filter, player) = filter(app, query)?;
    if let Some(name) = player {
        filter.player = Some(players::find(app.matches.store(), &name).await?.who.id);
    }
    listed(app, filter).await
}

/// The matches of a player, the newest first. Private ones are in no list.
#[utoipa::path(get, path = "/v1/players/{name}/matches", operation_id = "listPlayerMatches", tag = "players",
    params(openapi::PlayerPath, openapi::ListQuery),
    responses((status = 200, description = "The list.", body = MatchList), openapi::Refusals))]
pub async fn matches_of(
    State(app): State<&'static App>,
    _: Who,
    PlayerOf(player): PlayerOf,
    query: Query,
) -> Result<Json<MatchList>, Error> {
    let (mut filter, other) = filter(app, query)?;
    if other.is_some() {
        return Err(Error::new(Code::BadQuery, "player: the path names the player already"));
    }
    filter.player = Some(player.who.id);
    listed(app, filter).await
}
