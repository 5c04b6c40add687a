//! Routes for challenges.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use engines::games::EXAMPLE;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::domain::schema::GameSlug;
use crate::error::Error;
use crate::http::lobby::of_kind;
use crate::http::openapi;
use crate::http::players::player_of;
use crate::lobby::{ChallengeShown, Proposal};
use crate::matches::clock::ClockSpec;
use crate::request::caller::{Plays, Reads};
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::PlayerOf;
use crate::store::data::lobby::LobbyPlayer;

/// A challenge to make: a match of two.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "game": EXAMPLE, "clock": { "initial_ms": 300_000 }, "rated": true }))]
pub(crate) struct ChallengeRequest {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The time control. Default: no limits.
    clock: Option<ClockSpec>,
    /// Whether the match is rated.
    #[serde(default)]
    rated: bool,
    /// The seat of the challenger. Default: either.
    #[schemars(range(max = 1))]
    seat: Option<u8>,
    /// How long the challenge is open, in milliseconds. Default: five minutes.
    #[schemars(range(min = 1000, max = 604_800_000))]
    open_ms: Option<u64>,
}

/// The reason why a challenge is declined.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeclineRequest {
    /// The reason, which the challenger sees: at most 200 characters.
    #[schemars(length(max = 200))]
    reason: Option<String>,
}

/// The caller's challenges, sent and received.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChallengeList {
    /// The challenges, the oldest first.
    challenges: Vec<ChallengeShown>,
}

/// Challenge a player to a match.
///
/// A person may be challenged at any time. A bot must be online and accept such matches (`GET /v1/bots`). Both players get
/// the challenge, and later its outcome, on their control connections. When it is accepted, both have their seats, and the
/// match begins.
#[utoipa::path(post, path = "/v1/players/{name}/challenges", operation_id = "challenge", tag = "players", security(("token" = ["play"])),
    params(openapi::PlayerPath), request_body = ChallengeRequest,
    responses((status = 201, description = "The challenge.", body = ChallengeShown), openapi::Refusals))]
pub(crate) async fn create(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    PlayerOf(opponent): PlayerOf,
    payload: Payload,
) -> Result<Response, Error> {
    let request: ChallengeRequest = payload.json()?;
    let network = caller.network;
    let challenger = of_kind(app, player_of(caller)?).await?;
    let opponent = LobbyPlayer { kind: opponent.kind, who: opponent.who };
    let ChallengeRequest { game, clock, rated, seat, open_ms } = request;
    let proposal = Proposal { game, clock, rated, seat, open_ms };
    let made = app.lobby.challenge(app.matches, challenger, network, opponent, proposal).await?;
    Ok((StatusCode::CREATED, [NO_STORE], Json(made)).into_response())
}

/// List the caller's challenges that are open, made and received.
#[utoipa::path(get, path = "/v1/me/challenges", operation_id = "listChallenges", tag = "players", security(("token" = ["read"])),
    responses((status = 200, description = "The list.", body = ChallengeList), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, Reads(caller): Reads) -> Result<Response, Error> {
    let challenges = app.lobby.challenges_of(&player_of(caller)?)?;
    Ok(([NO_STORE], Json(ChallengeList { challenges })).into_response())
}

/// The id in the path.
fn id_of(params: &RawPathParams) -> String {
    params.iter().find(|(name, _)| *name == "id").map(|(_, id)| id.to_owned()).unwrap_or_default()
}

fn shown(challenge: ChallengeShown) -> Response {
    ([NO_STORE], Json(challenge)).into_response()
}

/// Get one of the caller's challenges. A settled one can be read for a day.
#[utoipa::path(get, path = "/v1/challenges/{id}", operation_id = "getChallenge", tag = "players", security(("token" = ["read"])),
    params(openapi::ChallengePath),
    responses((status = 200, description = "The challenge.", body = ChallengeShown), openapi::Refusals))]
pub(crate) async fn page(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    params: RawPathParams,
) -> Result<Response, Error> {
    app.lobby.challenge_of(app.matches, &id_of(&params), &player_of(caller)?).await.map(shown)
}

/// Accept a challenge. The match exists when the answer arrives. Accepting again gets the same answer.
#[utoipa::path(post, path = "/v1/challenges/{id}/accept", operation_id = "acceptChallenge", tag = "players", security(("token" = ["play"])),
    params(openapi::ChallengePath),
    responses((status = 200, description = "The challenge, with its match.", body = ChallengeShown), openapi::Refusals))]
pub(crate) async fn accept(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    params: RawPathParams,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    let network = caller.network;
    app.lobby.accept(app.matches, &id_of(&params), &player_of(caller)?, network).await.map(shown)
}

/// Decline a challenge.
#[utoipa::path(post, path = "/v1/challenges/{id}/decline", operation_id = "declineChallenge", tag = "players", security(("token" = ["play"])),
    params(openapi::ChallengePath), request_body = Option<DeclineRequest>,
    responses((status = 200, description = "The challenge.", body = ChallengeShown), openapi::Refusals))]
pub(crate) async fn decline(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    params: RawPathParams,
    payload: Payload,
) -> Result<Response, Error> {
    let DeclineRequest { reason } = payload.json_if_any()?;
    let who = player_of(caller)?;
    app.lobby.refuse(app.matches, &id_of(&params), &who, false, reason).await.map(shown)
}

/// Delete the reason for which the caller has declined a challenge. The challenge stays declined.
#[utoipa::path(delete, path = "/v1/challenges/{id}/reason", operation_id = "deleteReason", tag = "players", security(("token" = ["play"])),
    params(openapi::ChallengePath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn forget_reason(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.lobby.forget_reason(app.matches, &id_of(&params), &player_of(caller)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Withdraw the caller's own challenge.
#[utoipa::path(post, path = "/v1/challenges/{id}/withdraw", operation_id = "withdrawChallenge", tag = "players", security(("token" = ["play"])),
    params(openapi::ChallengePath),
    responses((status = 200, description = "The challenge.", body = ChallengeShown), openapi::Refusals))]
pub(crate) async fn withdraw(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    params: RawPathParams,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    let who = player_of(caller)?;
    app.lobby.refuse(app.matches, &id_of(&params), &who, true, None).await.map(shown)
}
