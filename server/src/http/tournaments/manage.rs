//! The organizer's commands to a tournament: start, pause, resume, abort, remove its title, delete it.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::domain::TournamentId;
use crate::error::Error;
use crate::http::openapi;
use crate::http::players::player_of;
use crate::matches::ledger::Caller;
use crate::presentation::tournament::TournamentPage;
use crate::request::caller::Manages;
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::TournamentOf;
use crate::tournaments::ledger::TournamentCommand;
use crate::tournaments::service::require_organizer;

/// The caller must be the organizer.
async fn require(app: &App, caller: Caller, id: &TournamentId) -> Result<(), Error> {
    let caller = player_of(caller)?;
    require_organizer(&app.tournaments.load(app.matches, id).await?.state.setup, &caller)
}

async fn carry_out(
    app: &App,
    caller: Caller,
    TournamentOf(id): TournamentOf,
    payload: &Payload,
    command: TournamentCommand,
) -> Result<Response, Error> {
    payload.nothing()?;
    require(app, caller, &id).await?;
    let (tournaments, matches) = (app.tournaments, app.matches);
    if command == TournamentCommand::Abort {
        tournaments.abort(matches, &id).await?;
    } else {
        tournaments.command(matches, &id, &command).await?;
    }
    let after = tournaments.load(matches, &id).await?;
    Ok(([NO_STORE], Json(TournamentPage::of(&after, matches.names()))).into_response())
}

/// Start a tournament.
///
/// The first games begin. A round robin takes no more entries.
#[utoipa::path(post, path = "/v1/tournaments/{id}/start", operation_id = "startTournament", tag = "tournaments",
    security(("token" = ["manage"])), params(openapi::TournamentPath),
    responses((status = 200, description = "The tournament.", body = TournamentPage), openapi::Refusals))]
pub(crate) async fn start(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    of: TournamentOf,
    payload: Payload,
) -> Result<Response, Error> {
    carry_out(app, caller, of, &payload, TournamentCommand::Start).await
}

/// Pause a tournament.
///
/// Running matches go on, and no new games begin.
#[utoipa::path(post, path = "/v1/tournaments/{id}/pause", operation_id = "pauseTournament", tag = "tournaments",
    security(("token" = ["manage"])), params(openapi::TournamentPath),
    responses((status = 200, description = "The tournament.", body = TournamentPage), openapi::Refusals))]
pub(crate) async fn pause(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    of: TournamentOf,
    payload: Payload,
) -> Result<Response, Error> {
    carry_out(app, caller, of, &payload, TournamentCommand::Pause).await
}

/// Resume a tournament that is paused.
#[utoipa::path(post, path = "/v1/tournaments/{id}/resume", operation_id = "resumeTournament", tag = "tournaments",
    security(("token" = ["manage"])), params(openapi::TournamentPath),
    responses((status = 200, description = "The tournament.", body = TournamentPage), openapi::Refusals))]
pub(crate) async fn resume(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    of: TournamentOf,
    payload: Payload,
) -> Result<Response, Error> {
    carry_out(app, caller, of, &payload, TournamentCommand::Resume).await
}

/// Abort a tournament.
///
/// Its running matches end without a result. The results until then stay, and its secret becomes public.
#[utoipa::path(post, path = "/v1/tournaments/{id}/abort", operation_id = "abortTournament", tag = "tournaments",
    security(("token" = ["manage"])), params(openapi::TournamentPath),
    responses((status = 200, description = "The tournament.", body = TournamentPage), openapi::Refusals))]
pub(crate) async fn abort(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    of: TournamentOf,
    payload: Payload,
) -> Result<Response, Error> {
    carry_out(app, caller, of, &payload, TournamentCommand::Abort).await
}

/// Delete a tournament.
///
/// Its organizer can do this before it starts, and if it ended without a game. Later the organizer can remove its title, and the
/// operator can delete it.
#[utoipa::path(delete, path = "/v1/tournaments/{id}", operation_id = "deleteTournament", tag = "tournaments", security(("token" = ["manage"])),
    params(openapi::TournamentPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn delete(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    TournamentOf(id): TournamentOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    require(app, caller, &id).await?;
    app.tournaments.delete_unplayed(app.matches, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Remove the title of a tournament, in any stage.
///
/// `title` is empty from then on, and the stored events contain the title no more.
#[utoipa::path(delete, path = "/v1/tournaments/{id}/title", operation_id = "removeTitle", tag = "tournaments", security(("token" = ["manage"])),
    params(openapi::TournamentPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn remove_title(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    TournamentOf(id): TournamentOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    require(app, caller, &id).await?;
    app.tournaments.command(app.matches, &id, &TournamentCommand::RemoveTitle).await?;
    Ok(StatusCode::NO_CONTENT)
}
