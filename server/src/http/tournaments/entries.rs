//! Entering a tournament and leaving it.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use engines::game::Info;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::accounts;
use crate::app::App;
use crate::catalogue::no_bot_seat;
use crate::domain::schema::AnyPlayerName;
use crate::domain::{EnginePlayer, PlayerRef};
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::http::players::player_of;
use crate::presentation::tournament::TournamentPage;
use crate::ratings::Rating;
use crate::request::caller::Manages;
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::TournamentOf;
use crate::store::PlayerProfile;
use crate::tournaments::event::Setup;
use crate::tournaments::ledger::TournamentCommand;

/// The player who enters.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "name": "robo" }))]
pub(crate) struct EntryRequest {
    /// The name of one of the caller's bots or, for the organizer, of a built-in engine. Default: the caller.
    #[schemars(with = "Option<AnyPlayerName>")]
    name: Option<String>,
    /// Whether it enters a gauntlet as a fixed opponent: a built-in engine, entered by the organizer. Default: no.
    #[serde(default)]
    opponent: bool,
    /// Of a bot: whether it knows the mirror dialogue of the game (`mirror_seats`). It must then be online with
    /// `--referee mirror=yes`. Default: no.
    #[serde(default)]
    mirror: bool,
}

/// Enter a tournament.
///
/// A player enters; a person enters their own bots; the organizer enters built-in engines. Anyone can enter before the
/// start. A Swiss tournament also takes later entries: with no points, from the next round on. A bot enters only where the
/// official protocol lets it hold every seat (`bot_seats` of the game), or with `mirror` if it knows the dialogue of the other
/// seats, because everyone plays from every seat.
#[utoipa::path(post, path = "/v1/tournaments/{id}/entries", operation_id = "enterTournament", tag = "tournaments",
    security(("token" = ["manage"])),
    params(openapi::TournamentPath),
    request_body = Option<EntryRequest>,
    responses((status = 201, description = "The tournament with the entry.", body = TournamentPage), openapi::Refusals))]
pub(crate) async fn enter(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    TournamentOf(id): TournamentOf,
    payload: Payload,
) -> Result<Response, Error> {
    let caller = player_of(caller)?;
    let request: EntryRequest = payload.json_if_any()?;
    let name = request.name.unwrap_or_else(|| caller.name.clone());
    let profile = accounts::find(app.matches.store(), &name).await?;
    let loaded = app.tournaments.load(app.matches, &id).await?;
    may_enter(&profile.who, &caller, &loaded.state.setup)?;
    if request.opponent && !profile.who.is_engine() {
        let detail = "opponent: a fixed opponent is a built-in engine";
        return Err(Error::new(Code::BadField, detail));
    }
    has_seats(
        &profile.who,
        app.games.find(&loaded.state.setup.game)?.info,
        &loaded.state.setup,
        request.mirror,
    )?;
    let strength = strength(&profile, &loaded.state.setup.game);
    let command = TournamentCommand::Enter { player: profile.who, strength, opponent: request.opponent };
    let after = app.tournaments.command(app.matches, &id, &command).await?;
    let page = TournamentPage::of(&after, app.matches.names());
    Ok((StatusCode::CREATED, [NO_STORE], Json(page)).into_response())
}

fn may_enter(player: &PlayerRef, caller: &PlayerRef, setup: &Setup) -> Result<(), Error> {
    if player.is_engine() {
        if caller.id != setup.organizer.id {
            let detail = "only the organizer enters built-in engines";
            return Err(Error::new(Code::NotYourTournament, detail));
        }
        if EnginePlayer::parse(&player.name).is_none_or(|engine| engine.game != setup.game) {
            let detail = format!("name: the engine plays another game than {}", setup.game);
            return Err(Error::new(Code::BadField, detail));
        }
        return Ok(());
    }
    if player.id == caller.id || player.owner.as_ref() == Some(&caller.id) {
        return Ok(());
    }
    let detail = "name: you can enter yourself and your own bots; other players enter by themselves";
    Err(Error::new(Code::NotEligible, detail))
}

/// Whether the player can hold every seat of a table. In some games a bot, which is a player with an owner, cannot.
fn has_seats(player: &PlayerRef, info: &Info, setup: &Setup, mirror: bool) -> Result<(), Error> {
    // A gauntlet gives bots only the seats that they can have.
    if player.owner.is_none() || info.bot_can_hold_all(setup.seats, mirror) || setup.contest.is_some() {
        return Ok(());
    }
    Err(no_bot_seat(
        info,
        "everyone plays from every seat, so enter a person, an engine, or a bot that knows the mirror dialogue (\"mirror\": true)",
    ))
}

/// The player's rating in the game.
fn strength(profile: &PlayerProfile, game: &str) -> f64 {
    let rating = profile.ratings.iter().find(|rating| rating.game == game);
    rating.map_or(Rating::NEW, |rating| rating.rating).points()
}

/// Leave a tournament, or remove an entrant.
///
/// A player leaves; a person withdraws their own bots; the organizer removes any entrant. Before the start the entry counts
/// as never made. Later the entrant's games that have not begun are forfeited; a running match goes on.
#[utoipa::path(delete, path = "/v1/tournaments/{id}/entries/{name}", operation_id = "leaveTournament", tag = "tournaments",
    security(("token" = ["manage"])),
    params(openapi::TournamentPath, openapi::PlayerPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn leave(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    TournamentOf(id): TournamentOf,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let caller = player_of(caller)?;
    let name = params.iter().find(|(param, _)| *param == "name").map_or("", |(_, name)| name);
    let loaded = app.tournaments.load(app.matches, &id).await?;
    let state = &loaded.state;
    let named = |player: &PlayerRef| {
        crate::domain::names::folded(&super::page::name_of(app.matches.names(), &id, player))
            == crate::domain::names::folded(name)
    };
    let found = state.entrants.iter().find(|entrant| entrant.takes_part && named(&entrant.player));
    let missing = || Error::new(Code::NotEntered, "no entrant who takes part has this name");
    let player = &found.ok_or_else(missing)?.player;
    let is_own = player.id == caller.id || player.owner.as_ref() == Some(&caller.id);
    if !is_own && caller.id != state.setup.organizer.id {
        let detail = "only the organizer can remove other entrants";
        return Err(Error::new(Code::NotYourTournament, detail));
    }
    let command = TournamentCommand::Withdraw { player: player.id.clone() };
    app.tournaments.command(app.matches, &id, &command).await?;
    Ok(StatusCode::NO_CONTENT)
}
