//! `/v1/matches`: matches are made, found and looked at, and seats in them taken.

pub mod actions;
pub mod record;
pub mod seat;

use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engines::erased::AnyOptions;
use engines::game::Seat;
use engines::games::EXAMPLE;
use engines::search::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::http::request::caller::Who;
use crate::http::request::extract::Payload;
use crate::http::request::idempotency::IdempotencyHeader;
use crate::http::request::json::Json;
use crate::http::request::seed::SeedText;
use crate::matches::clock::ClockSpec;
use crate::matches::render;
use crate::matches::service::{Admission, NewMatch, NewSeat, RenderedEvent, SeatChoice};
use crate::schema;
use crate::schema::{EngineName, GameSlug, GuestName, MATCH_KEY, PlayerName, SEAT_TOKEN};

/// The match that the path names. Whether there is one is seen later.
pub struct MatchOf(pub MatchId);

impl FromRequestParts<&'static App> for MatchOf {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let id = params.ok().and_then(|params| {
            let (_, text) = params.iter().find(|(name, _)| *name == "id")?;
            MatchId::parse(text)
        });
        id.map(Self).ok_or_else(|| Error::new(Code::NoSuchMatch, "no match has a name like this"))
    }
}

/// A match to make.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "game": EXAMPLE, "seats": [{ "kind": "me" }, { "kind": "engine", "level": "easy" }] }))]
pub struct MatchRequest {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// Who is to sit where, in the order of the seats.
    seats: Vec<SeatRequest>,
    /// Variants: by the game's schema. Default: the usual ones for so many seats.
    #[schemars(with = "Option<AnyOptions>")]
    options: Option<Value>,
    /// How time is given. Default: without limits.
    clock: Option<ClockSpec>,
    /// Ends when nothing happens for so long, in milliseconds: before the start, and after it where there is no clock.
    /// Default: this server's own.
    idle_ms: Option<u64>,
    /// Whether only its seats, and whoever has the key that the answer holds, see it.
    #[serde(default)]
    private: bool,
    /// Whether its seats may ask engines for advice (`POST /v1/games/{game}/analysis`) while they play: whoever joins
    /// agrees to what is said here. Default: only where no two seats are people's.
    hints: Option<bool>,
    /// What decides the deal. Default: the system's randomness, which nobody knows before the end.
    seed: Option<SeedText>,
}

/// Who is to sit in a seat.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    deny_unknown_fields,
    expecting = "a seat must be an object, such as {\"kind\": \"open\"}"
)]
pub enum SeatRequest {
    /// An engine.
    Engine {
        /// Its name. Default: the game's best.
        #[schemars(with = "Option<EngineName>")]
        engine: Option<String>,
        /// How well it plays.
        #[serde(default)]
        level: Level,
        /// How long it thinks about a move, in milliseconds. Default: what suits the game.
        think_ms: Option<u64>,
        /// Stop a search after so many nodes.
        nodes: Option<u64>,
    },
    /// Whoever joins.
    Open {},
    /// Whoever makes the match.
    Me {
        /// What a guest wants to be called. Players have names of their own.
        #[schemars(with = "Option<GuestName>")]
        name: Option<String>,
    },
    /// This player, who still has to join.
    Player {
        /// Their name.
        #[schemars(with = "PlayerName")]
        name: String,
    },
}

impl From<MatchRequest> for NewMatch {
    fn from(request: MatchRequest) -> Self {
        let seats = request.seats.into_iter().map(|seat| match seat {
            SeatRequest::Engine { engine, level, think_ms, nodes } => {
                NewSeat::Engine { engine, level, think_ms, nodes }
            }
            SeatRequest::Open {} => NewSeat::Open,
            SeatRequest::Me { name } => NewSeat::Me { name },
            SeatRequest::Player { name } => NewSeat::Player { name },
        });
        Self {
            game: request.game,
            options: request.options,
            seats: seats.collect(),
            clock: request.clock,
            idle_ms: request.idle_ms,
            private: request.private,
            hints: request.hints,
            seed: request.seed.map(|seed| seed.0),
        }
    }
}

/// What making or joining a match gives. The tokens are told here and never again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdmissionAnswer {
    /// The match.
    #[schemars(with = "schema::MatchId")]
    id: String,
    /// Its path.
    url: String,
    /// The seats the caller has got.
    seats: Vec<SeatToken>,
    /// Of a private match, for the one who made it: what others show in the header `Match-Key` to see it.
    #[schemars(regex(pattern = MATCH_KEY))]
    key: Option<String>,
    /// For a maker who is no player and has no seat: what shows who made the match (`Authorization: Bearer TOKEN`), to
    /// cancel it or to remove a player from it. Whoever made a match otherwise shows the player's or the seat's token.
    #[serde(skip_serializing_if = "Option::is_none")]
    maker: Option<String>,
}

/// A seat and what holds it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeatToken {
    /// Which.
    seat: Seat,
    /// What holds it: `Authorization: Bearer TOKEN`. `null`: the token that the request showed.
    #[schemars(regex(pattern = SEAT_TOKEN))]
    token: Option<String>,
}

fn path(id: &MatchId) -> String {
    format!("/v1/matches/{id}")
}

impl From<Admission> for AdmissionAnswer {
    fn from(admission: Admission) -> Self {
        let seat = |(seat, token): (Seat, Option<crate::domain::token::Token>)| {
            let token = token.map(|token| token.reveal().to_owned());
            SeatToken { seat, token }
        };
        Self {
            id: admission.id.to_string(),
            url: path(&admission.id),
            seats: admission.seats.into_iter().map(seat).collect(),
            key: admission.key.map(|key| key.reveal().to_owned()),
            maker: admission.maker.map(|token| token.reveal().to_owned()),
        }
    }
}

/// Answers of matches are for their caller, and soon old.
pub const UNKEPT: (header::HeaderName, HeaderValue) =
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));

/// A frame as an answer.
pub fn framed(frame: &RenderedEvent) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    ([kind, UNKEPT], frame.json.clone()).into_response()
}

/// Make a match.
///
/// It starts when all its seats are taken. Seats of kind `me` are given to the caller at once: to the player whose
/// token is shown, else each with a token of its own. With an `Idempotency-Key`, the same request sent again gets
/// the same answer and makes nothing.
#[utoipa::path(post, path = "/v1/matches", operation_id = "createMatch", tag = "matches", security((), ("token" = [])),
    params(openapi::IdempotencyKey),
    request_body = MatchRequest,
    responses((status = 201, description = "The match. `Location` is its path.", body = AdmissionAnswer,
               headers(("Location" = String, description = "The match's path."))),
              openapi::Refusals))]
pub async fn create(
    State(app): State<&'static App>,
    Who(caller): Who,
    again: IdempotencyHeader,
    payload: Payload,
) -> Result<Response, Error> {
    let request: MatchRequest = payload.json()?;
    let admission = app.matches.create(request.into(), &caller, again.retry(&payload.bytes)).await?;
    let location = [(header::LOCATION, path(&admission.id))];
    Ok((StatusCode::CREATED, location, [UNKEPT], Json(AdmissionAnswer::from(admission))).into_response())
}

/// A match as its caller may see it.
///
/// With the token of a seat: what that seat sees; otherwise what spectators see. The tag of the answer is the ply, as
/// a move needs it in `If-Match`.
#[utoipa::path(get, path = "/v1/matches/{id}", operation_id = "getMatch", tag = "matches", security((), ("token" = []), ("match_key" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "The match.", body = render::Page,
               headers(("ETag" = String, description = "The number of moves made so far, in quotes."))),
              openapi::Refusals))]
pub async fn page(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
) -> Result<Response, Error> {
    let page = app.matches.page(&id, &caller).await?;
    let mut response = framed(&page);
    if let Some(ply) = Place::of(&page).ply
        && let Ok(tag) = HeaderValue::from_str(&format!("\"{ply}\""))
    {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}

/// Where a page stands.
#[derive(Default, Deserialize)]
pub struct Place {
    /// Moves made so far.
    pub ply: Option<u32>,
    /// The place of the last event.
    pub seq: Option<u32>,
}

impl Place {
    /// That of this page.
    pub fn of(page: &RenderedEvent) -> Self {
        serde_json::from_slice(&page.json).unwrap_or_default()
    }
}

/// Which seat to take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "name": "Bogdan" }))]
pub struct JoinRequest {
    /// Which seat. Default: the one kept for the caller, else the first open one.
    seat: Option<Seat>,
    /// What a guest wants to be called. Players have names of their own.
    #[schemars(with = "Option<GuestName>")]
    name: Option<String>,
    /// Whether a foreign bot will play here: only a seat is taken that the game's official protocol lets one hold.
    #[serde(default)]
    bot: bool,
}

/// Take a seat.
///
/// A player shows their token and holds the seat with it; a guest gets a token for the seat.
#[utoipa::path(post, path = "/v1/matches/{id}/join", operation_id = "joinMatch", tag = "matches",
    security((), ("token" = []), ("match_key" = [])),
    params(openapi::MatchPath, openapi::IdempotencyKey),
    request_body = Option<JoinRequest>,
    responses((status = 200, description = "The seat.", body = AdmissionAnswer), openapi::Refusals))]
pub async fn join(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    again: IdempotencyHeader,
    payload: Payload,
) -> Result<Response, Error> {
    let request: JoinRequest = payload.json_if_any()?;
    let retry = again.retry(&payload.bytes);
    let wanted = SeatChoice { seat: request.seat, bot: request.bot };
    let admission = app.matches.join(&id, wanted, request.name, &caller, retry).await?;
    Ok(([UNKEPT], Json(AdmissionAnswer::from(admission))).into_response())
}

/// A match by name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchLink {
    /// The match.
    #[schemars(with = "schema::MatchId")]
    id: String,
    /// Its path.
    url: String,
}

/// Play once more.
///
/// The first seat of a finished match that asks makes a match with the same settings, a fresh deal, and the seats
/// moved on by one. The seats are kept for their holders: each asks here too, and has a seat then, with the token of
/// before.
#[utoipa::path(post, path = "/v1/matches/{id}/rematch", operation_id = "rematch", tag = "matches", security(("token" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "The rematch.", body = MatchLink), openapi::Refusals))]
pub async fn rematch(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    let rematch = app.matches.rematch(&id, &caller).await?;
    Ok(([UNKEPT], Json(MatchLink { id: rematch.to_string(), url: path(&rematch) })).into_response())
}
