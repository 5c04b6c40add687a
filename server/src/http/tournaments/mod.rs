//! `/v1/tournaments`: create, list and read tournaments.

pub(crate) mod downloads;
pub(crate) mod entries;
pub(crate) mod events;
pub(crate) mod manage;
#[cfg(test)]
mod tests;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use engines::erased::AnyOptions;
use engines::games::EXAMPLE;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::domain::PlayerRef;
use crate::domain::schema::GameSlug;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::http::players::player_of;
use crate::matches::clock::ClockSpec;
use crate::presentation::tournament::{self as page, TournamentPage};
use crate::presentation::tournament_list::{TournamentList, listed};
use crate::request::caller::{Anyone, Manages};
use crate::request::extract::{Payload, UrlQuery};
use crate::request::idempotency::IdempotencyHeader;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::TournamentOf;
use crate::tournaments::event::{Dealing, Format};
use crate::tournaments::setup::NewSetup;

/// A person, who may organize tournaments.
///
/// # Errors
/// `token_needed`, `not_a_person`.
pub(super) fn person(who: crate::matches::ledger::Caller) -> Result<PlayerRef, Error> {
    let player = player_of(who)?;
    if player.owner.is_some() {
        return Err(Error::new(Code::NotAPerson, "a bot cannot organize tournaments; its owner can"));
    }
    Ok(player)
}

/// A request to create a tournament.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "title": "First cup", "game": EXAMPLE, "format": { "kind": "round_robin" },
    "clock": { "initial_ms": 300_000, "increment_ms": 2000 } }))]
pub struct TournamentRequest {
    /// The title, 1 to 80 characters.
    #[schemars(length(min = 1, max = 80))]
    title: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The system that pairs opponents.
    format: Format,
    /// The time control of every game.
    clock: ClockSpec,
    /// The options of every deal, by the game's schema. Default: the usual ones for this number of seats.
    #[schemars(with = "Option<AnyOptions>")]
    options: Option<Value>,
    /// Seats of a table. Default: 2.
    #[serde(default = "two")]
    #[schemars(range(min = 2, max = 8))]
    seats: usize,
    /// How often the entrants of a pairing play from every seat: a pairing has this many games for each seat. Default: 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 64))]
    deals: u32,
    /// Which games have the same deal. Default: `mirror` for games of perfect information, else `duplicate`.
    dealing: Option<Dealing>,
    /// Whether the games change the players' ratings. Games between players of one owner never do. Default: no.
    #[serde(default)]
    rated: bool,
    /// The most games that are played at the same time. Default: 16.
    #[serde(default = "sixteen")]
    #[schemars(range(min = 1, max = 64))]
    max_running: usize,
    /// The most games that a person or bot plays at the same time. Default: 1.
    #[serde(default = "single")]
    #[schemars(range(min = 1, max = 64))]
    per_entrant: usize,
    /// How long a game waits for its players, in milliseconds, before those who are absent forfeit it. The time begins
    /// anew when another player joins; downtime of the server does not count. Default: 5 minutes.
    #[serde(default = "five_minutes")]
    #[schemars(range(min = 1_000, max = 86_400_000))]
    grace_ms: u64,
    /// How long after the start games wait for absent players, in milliseconds: a game begins when all its players are connected
    /// (`/v1/me`), and is forfeited at the end of this time only. In a Swiss tournament each round has an equal share of it.
    /// Default: games begin at once.
    #[schemars(range(min = 1_000, max = 2_678_400_000_u64))]
    window_ms: Option<u64>,
    /// The time at which it starts by itself, in milliseconds since 1970. With too few entrants it waits for more. Default: its
    /// organizer starts it.
    #[schemars(range(min = 0))]
    starts_ms: Option<Millis>,
    /// The most entrants. Default: 32.
    #[serde(default = "thirty_two")]
    #[schemars(range(min = 2, max = 256))]
    max_entrants: usize,
}

fn one() -> u32 {
    1
}

fn single() -> usize {
    1
}

fn two() -> usize {
    2
}

fn sixteen() -> usize {
    16
}

fn five_minutes() -> u64 {
    300_000
}

fn thirty_two() -> usize {
    32
}

impl From<TournamentRequest> for NewSetup {
    fn from(request: TournamentRequest) -> Self {
        let TournamentRequest { title, game, format, clock, options, seats, deals, dealing, rated, .. } =
            request;
        let TournamentRequest {
            max_running, per_entrant, grace_ms, window_ms, starts_ms, max_entrants, ..
        } = request;
        Self {
            title,
            game,
            options,
            seats,
            format,
            deals,
            dealing,
            clock,
            rated,
            max_running,
            per_entrant,
            grace_ms,
            window_ms,
            starts_ms,
            max_entrants,
        }
    }
}

/// Create a tournament.
///
/// The caller is its organizer. Players can enter until the organizer starts it. All deals follow from a secret. The
/// tournament commits to the secret now, and shows it at the end. With an `Idempotency-Key`, a retry gets the same answer
/// and creates nothing.
#[utoipa::path(post, path = "/v1/tournaments", operation_id = "createTournament", tag = "tournaments",
    security(("token" = ["manage"])),
    params(openapi::IdempotencyKey),
    request_body = TournamentRequest,
    responses((status = 201, description = "The tournament. `Location` is its path.", body = TournamentPage,
               headers(("Location" = String, description = "The tournament's path."))),
              openapi::Refusals))]
pub(super) async fn create(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    idempotency: IdempotencyHeader,
    payload: Payload,
) -> Result<Response, Error> {
    let network = caller.network;
    let organizer = person(caller)?;
    app.accounts.check_mute(&organizer)?;
    let request: TournamentRequest = payload.json()?;
    let setup = NewSetup::from(request).checked(organizer.clone(), app.games)?;
    app.creations.charge_match(network, std::slice::from_ref(&organizer.id)).await?;
    let most = app.matches.options().max_tournaments_per_player;
    let retry = idempotency.retry(&payload.bytes);
    let id = app.tournaments.create(app.matches, setup, retry, most).await?;
    let page = page::read(app, &id).await?;
    let location = [(header::LOCATION, format!("/v1/tournaments/{id}"))];
    Ok((StatusCode::CREATED, location, [NO_STORE], Json(page)).into_response())
}

/// List tournaments, the newest first.
#[utoipa::path(get, path = "/v1/tournaments", operation_id = "listTournaments", tag = "tournaments",
    params(openapi::TournamentQuery),
    responses((status = 200, description = "The list.", body = TournamentList), openapi::Refusals))]
pub(super) async fn list(
    State(app): State<&'static App>,
    _: Anyone,
    query: UrlQuery,
) -> Result<Json<TournamentList>, Error> {
    listed(app, query).await.map(Json)
}

/// Read a tournament: its setup, entrants, standings, crosstable and games.
///
/// When it is over, the answer also contains the secret of its deals and the salt of the commitment to it.
#[utoipa::path(get, path = "/v1/tournaments/{id}", operation_id = "getTournament", tag = "tournaments",
    params(openapi::TournamentPath),
    responses((status = 200, description = "The tournament.", body = TournamentPage), openapi::Refusals))]
pub(super) async fn read(
    State(app): State<&'static App>,
    _: Anyone,
    TournamentOf(id): TournamentOf,
) -> Result<Response, Error> {
    Ok(([NO_STORE], Json(page::read(app, &id).await?)).into_response())
}
