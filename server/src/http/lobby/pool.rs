//! `POST /v1/pool`: quick pairing.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use engines::games::EXAMPLE;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::domain::PlayerKind;
use crate::domain::schema::GameSlug;
use crate::error::{Code, Error};
use crate::http::live::admit::ConnectionPermit;
use crate::http::lobby::of_kind;
use crate::http::matches::MatchLink;
use crate::http::openapi;
use crate::http::players::player_of;
use crate::lobby::PoolWish;
use crate::matches::clock::ClockSpec;
use crate::request::caller::Plays;
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;

/// How long a request stays in the pool by default, and at most, in milliseconds.
const USUAL_STAY_MS: u64 = 25_000;
const MAX_STAY_MS: u64 = 120_000;

/// The default wait before an online bot or an engine is taken, in milliseconds.
const USUAL_WAIT_MS: u64 = 10_000;

/// A request to be paired with an opponent for a match of two.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "game": EXAMPLE, "clock": { "initial_ms": 300_000 }, "opponents": ["person", "engine"] }))]
pub(crate) struct PoolRequest {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The time control; players with the same one are paired. Default: no limits.
    clock: Option<ClockSpec>,
    /// Whether the match is rated.
    #[serde(default)]
    rated: bool,
    /// The kinds of opponents. Default: people only.
    #[serde(default = "people")]
    opponents: Vec<PlayerKind>,
    /// How long the request waits for a person before an online bot or an engine of about the same rating is taken, in
    /// milliseconds, if `opponents` names those. Default: 10 seconds.
    #[serde(default = "usual_wait")]
    others_after_ms: u64,
    /// How long the request waits, in milliseconds. Default: 25 seconds.
    #[serde(default = "usual_stay")]
    #[schemars(range(max = 120_000))]
    stay_ms: u64,
}

fn people() -> Vec<PlayerKind> {
    vec![PlayerKind::Person]
}

fn usual_wait() -> u64 {
    USUAL_WAIT_MS
}

fn usual_stay() -> u64 {
    USUAL_STAY_MS
}

/// Get paired with an opponent.
///
/// The request waits until the caller has a seat in a match, or until `stay_ms` have passed. Send it again to wait longer.
/// Closing the connection leaves the pool. People of about the same rating are paired first; the longer a player waits, the
/// more the ratings may differ.
#[utoipa::path(post, path = "/v1/pool", operation_id = "getPaired", tag = "players", security(("token" = ["play"])),
    request_body = PoolRequest,
    responses((status = 201, description = "The match.", body = MatchLink),
              (status = 204, description = "There was no opponent in this time."), openapi::Refusals))]
pub(crate) async fn wait(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    payload: Payload,
) -> Result<Response, Error> {
    let request: PoolRequest = payload.json()?;
    if request.stay_ms > MAX_STAY_MS {
        return Err(Error::new(Code::BadField, format!("stay_ms: must be at most {MAX_STAY_MS}")));
    }
    let (network, token) = (caller.network, caller.token);
    let player = of_kind(app, player_of(caller)?).await?;
    app.games.find(&request.game)?;
    let points = app.lobby.points(app.matches, &player, &request.game).await?;
    let PoolRequest { game, clock, rated, opponents, others_after_ms, stay_ms } = request;
    let wish = PoolWish { game, clock, rated, opponents, others_after_ms, points };
    // A request that waits counts as an open stream.
    let admitted = ConnectionPermit::new(app, app.metrics.streams("pool"), network, token)?;
    let ticket = app.lobby.ticket(app.matches, &player, network, &wish).await?;
    let found = tokio::select! {
        found = app.lobby.paired(&ticket, Duration::from_millis(stay_ms)) => found?,
        () = app.stopping.cancelled() => return Err(Error::stopping()),
        why = admitted.ended() => return Err(why),
    };
    Ok(match found {
        Some(id) => (StatusCode::CREATED, [NO_STORE], Json(MatchLink::of(&id))).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}
