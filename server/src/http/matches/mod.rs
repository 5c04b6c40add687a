//! `/v1/matches`: create, find, read and join matches.

pub(super) mod actions;
pub(super) mod chat;
pub(super) mod dialogue;
pub(super) mod match_analysis;
pub(super) mod match_ratings;
pub(super) mod output;
mod position;
pub(super) mod record;
pub(super) mod seat;
mod seat_path;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engines::erased::AnyOptions;
use engines::game::Seat;
use engines::games::EXAMPLE;
use engines::search::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::admission::Payers;
use crate::app::App;
use crate::domain::MatchId;
use crate::domain::schema;
use crate::domain::schema::{EngineName, GameSlug, GuestName, MATCH_KEY, PlayerName, SEAT_TOKEN};
use crate::error::Error;
use crate::http::openapi;
use crate::matches::clock::ClockSpec;
use crate::matches::render;
use crate::matches::render::RenderedEvent;
use crate::matches::request::{MatchTokens, NewMatch, NewSeat, Payment, SeatChoice, StartFrom};
use crate::request::caller::{Plays, Reads};
use crate::request::client::Client;
use crate::request::extract::Payload;
use crate::request::idempotency::IdempotencyHeader;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::MatchOf;
use crate::request::seed::SeedText;

/// A request to create a match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "game": EXAMPLE, "seats": [{ "kind": "me" }, { "kind": "engine", "level": "easy" }] }))]
pub(in crate::http) struct MatchRequest {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The seats, in order.
    seats: Vec<SeatRequest>,
    /// The options of the deal, by the game's schema. Default: the usual ones for this number of seats.
    #[schemars(with = "Option<AnyOptions>")]
    options: Option<Value>,
    /// The time control. Default: no limits.
    clock: Option<ClockSpec>,
    /// The match ends after this long without an event, in milliseconds: before the start, and after it if there is no
    /// clock. Default: set by the server.
    #[schemars(range(min = 1_000, max = 31_622_400_000_u64))]
    idle_ms: Option<u64>,
    /// Whether only its players and holders of the key in the answer can see it.
    #[serde(default)]
    private: bool,
    /// Whether the players may ask engines for hints (`POST /v1/games/{game}/analysis`) during the match. Joining means
    /// agreeing to it. Default: no if two seats are for people.
    hints: Option<bool>,
    /// The seed of the deal. Default: a random one, secret until the end.
    seed: Option<SeedText>,
    /// Whether the result changes the ratings of the players. A rated match is public, has a clock, a seed from the server
    /// and no hints; all its seats are for players with names, no two with the same owner, and for engines.
    #[serde(default)]
    rated: bool,
    /// The position with which the match begins. Default: it is dealt. Such a match is never rated. The options follow from the
    /// position unless it leaves them open. A bot that speaks the official protocol can have a seat only if the protocol can
    /// tell it the position.
    #[schemars(with = "Option<position::StartRequest>")]
    position: Option<Box<RawValue>>,
}

/// The kind of holder that a seat is for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    deny_unknown_fields,
    expecting = "a seat must be an object, such as {\"kind\": \"open\"}"
)]
pub(super) enum SeatRequest {
    Engine {
        /// Its name. Default: the game's best.
        #[schemars(with = "Option<EngineName>")]
        engine: Option<String>,
        #[serde(default)]
        level: Level,
        /// Its thinking time per move, in milliseconds. Default: set by the game.
        think_ms: Option<u64>,
        /// Stop each search after this many nodes.
        nodes: Option<u64>,
    },
    /// Anyone who joins.
    Open {},
    /// The creator of the match.
    Me {
        /// The name of a guest. Registered players have their own.
        #[schemars(with = "Option<GuestName>")]
        name: Option<String>,
    },
    /// A registered player, who still has to join.
    Player {
        /// The name of the player.
        #[schemars(with = "PlayerName")]
        name: String,
    },
}

impl MatchRequest {
    /// The order of this request. `position`: read from it.
    fn order(self, position: Option<StartFrom>) -> NewMatch {
        let seats = self.seats.into_iter().map(|seat| match seat {
            SeatRequest::Engine { engine, level, think_ms, nodes } => {
                NewSeat::Engine { engine, level, think_ms, nodes }
            }
            SeatRequest::Open {} => NewSeat::Open,
            SeatRequest::Me { name } => NewSeat::Me { name },
            SeatRequest::Player { name } => NewSeat::Player { name },
        });
        NewMatch {
            game: self.game,
            options: self.options,
            seats: seats.collect(),
            clock: self.clock,
            idle_ms: self.idle_ms,
            private: self.private,
            hints: self.hints,
            seed: self.seed.map(|seed| seed.0),
            rated: self.rated,
            tournament: None,
            ladder: None,
            position,
        }
    }
}

/// The result of creating or joining a match. The tokens appear only here.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AdmissionAnswer {
    /// The match.
    #[schemars(with = "schema::MatchId")]
    id: String,
    /// Its path.
    url: String,
    /// The seats of the caller.
    seats: Vec<SeatToken>,
    /// The key of a private match, for its creator. Others send it in the header `Match-Key` to see the match.
    #[schemars(regex(pattern = MATCH_KEY))]
    key: Option<String>,
    /// For a creator who is neither a registered player nor in a seat: the token (`Authorization: Bearer TOKEN`) to
    /// cancel the match or to remove a player. Other creators use the token of the player or the seat.
    #[serde(rename = "maker", skip_serializing_if = "Option::is_none")]
    creator: Option<String>,
}

/// A seat that the caller holds now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SeatToken {
    /// The number of the seat.
    seat: Seat,
    /// The token that holds it (`Authorization: Bearer TOKEN`). `null`: the token of the request holds it.
    #[schemars(regex(pattern = SEAT_TOKEN))]
    token: Option<String>,
}

fn path(id: &MatchId) -> String {
    format!("/v1/matches/{id}")
}

impl From<MatchTokens> for AdmissionAnswer {
    fn from(admission: MatchTokens) -> Self {
        let seat = |(seat, token): (Seat, Option<crate::domain::token::Token>)| {
            let token = token.map(|token| token.reveal().to_owned());
            SeatToken { seat, token }
        };
        Self {
            id: admission.id.to_string(),
            url: path(&admission.id),
            seats: admission.seats.into_iter().map(seat).collect(),
            key: admission.key.map(|key| key.reveal().to_owned()),
            creator: admission.creator.map(|token| token.reveal().to_owned()),
        }
    }
}

/// A rendered event as an answer.
pub(super) fn framed(frame: &RenderedEvent) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    ([kind, NO_STORE], frame.json.clone()).into_response()
}

/// Create a match.
///
/// It starts when all its seats are taken. The caller gets the seats of kind `me` at once: as a registered player if
/// the request carries the player's token, else each with a token of its own. With an `Idempotency-Key`, a retry gets
/// the same answer and creates nothing.
#[utoipa::path(post, path = "/v1/matches", operation_id = "createMatch", tag = "matches", security((), ("token" = ["play"])),
    params(openapi::IdempotencyKey),
    request_body = MatchRequest,
    responses((status = 201, description = "The match. `Location` is its path.", body = AdmissionAnswer,
               headers(("Location" = String, description = "The match's path."))),
              openapi::Refusals))]
pub(super) async fn create(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    Client(client): Client,
    again: IdempotencyHeader,
    payload: Payload,
) -> Result<Response, Error> {
    let request: MatchRequest = payload.json()?;
    let position = match &request.position {
        Some(json) => {
            let offer = app.games.find(&request.game)?;
            Some(position::read(app, offer, &client, &caller, json).await?)
        }
        None => None,
    };
    let payment = Payment::Due(Payers::new(caller.network, &caller.player));
    let retry = again.retry(&payload.bytes);
    let admission = app.matches.create(request.order(position), &caller, retry, payment).await?;
    let location = [(header::LOCATION, path(&admission.id))];
    Ok((StatusCode::CREATED, location, [NO_STORE], Json(AdmissionAnswer::from(admission))).into_response())
}

/// Read a match.
///
/// With the token of a seat, the answer is the match as that seat sees it; otherwise, as spectators see it. The `ETag` of
/// the answer is the ply, which a move needs in `If-Match`.
#[utoipa::path(get, path = "/v1/matches/{id}", operation_id = "getMatch", tag = "matches", security((), ("token" = ["read"]), ("match_key" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "The match.", body = render::Page,
               headers(("ETag" = String, description = "The number of moves made so far, in quotes."))),
              openapi::Refusals))]
pub(super) async fn page(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    MatchOf(id): MatchOf,
) -> Result<Response, Error> {
    let page = app.matches.page(&id, &caller).await?;
    let mut response = framed(&page);
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", page.place.ply)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}

/// The seat to take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "name": "Bogdan" }))]
pub(super) struct JoinRequest {
    /// The number of the seat. Default: the one reserved for the caller, else the first open one.
    seat: Option<Seat>,
    /// The name of a guest. Registered players have their own.
    #[schemars(with = "Option<GuestName>")]
    name: Option<String>,
    /// Whether a foreign bot will play: then only seats that the official protocol gives to a bot count.
    #[serde(default)]
    bot: bool,
    /// Whether that bot knows the mirror dialogue of its game, so that it can have the other seats, too (`mirror_seats`).
    #[serde(default)]
    mirror: bool,
}

/// Take a seat.
///
/// A registered player sends the player's token, which then holds the seat. A guest gets a token for the seat.
#[utoipa::path(post, path = "/v1/matches/{id}/join", operation_id = "joinMatch", tag = "matches",
    security((), ("token" = ["play"]), ("match_key" = [])),
    params(openapi::MatchPath, openapi::IdempotencyKey),
    request_body = Option<JoinRequest>,
    responses((status = 200, description = "The seat.", body = AdmissionAnswer), openapi::Refusals))]
pub(super) async fn join(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    again: IdempotencyHeader,
    payload: Payload,
) -> Result<Response, Error> {
    let request: JoinRequest = payload.json_if_any()?;
    let retry = again.retry(&payload.bytes);
    let wanted = SeatChoice { seat: request.seat, bot: request.bot, mirror: request.mirror };
    let admission = app.matches.join(&id, wanted, request.name, &caller, retry).await?;
    Ok(([NO_STORE], Json(AdmissionAnswer::from(admission))).into_response())
}

/// A reference to a match.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MatchLink {
    /// The match.
    #[schemars(with = "schema::MatchId")]
    id: String,
    /// Its path.
    url: String,
}

impl MatchLink {
    /// A reference to this match.
    pub(crate) fn of(id: &MatchId) -> Self {
        Self { id: id.to_string(), url: path(id) }
    }
}

/// Create or join the rematch of a match.
///
/// The first seat of a finished match that asks creates a match with the same settings, a fresh deal, and the seats
/// rotated by one. The seats are reserved for their holders: each asks here too and then has a seat, with the token of
/// the finished match.
#[utoipa::path(post, path = "/v1/matches/{id}/rematch", operation_id = "rematch", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath),
    responses((status = 200, description = "The rematch.", body = MatchLink), openapi::Refusals))]
pub(super) async fn rematch(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    let rematch = app.matches.rematch(&id, &caller).await?;
    Ok(([NO_STORE], Json(MatchLink::of(&rematch))).into_response())
}
