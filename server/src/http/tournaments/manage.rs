//! The organizer's commands to a tournament: start, pause, resume, abort.

use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::error::Error;
use crate::http::matches::UNKEPT;
use crate::http::openapi;
use crate::http::players::player_of;
use crate::http::request::caller::Manages;
use crate::http::request::extract::Payload;
use crate::http::request::json::Json;
use crate::http::tournaments::TournamentOf;
use crate::http::tournaments::page::TournamentPage;
use crate::matches::ledger::Caller;
use crate::tournaments::ledger::TournamentCommand;
use crate::tournaments::service::require_organizer;

async fn carry_out(
    app: &App,
    caller: Caller,
    TournamentOf(id): TournamentOf,
    payload: &Payload,
    command: TournamentCommand,
) -> Result<Response, Error> {
    payload.nothing()?;
    let caller = player_of(caller)?;
    let (tournaments, matches) = (&app.tournaments, &app.matches);
    require_organizer(&tournaments.load(matches, &id).await?.state.setup, &caller)?;
    if command == TournamentCommand::Abort {
        tournaments.abort(matches, &id).await?;
    } else {
        tournaments.command(matches, &id, &command).await?;
    }
    let after = tournaments.load(matches, &id).await?;
    Ok(([UNKEPT], Json(TournamentPage::of(&after, matches.names()))).into_response())
}

/// Declares a route of the organizer.
macro_rules! commands {
    ($($(#[doc = $doc:literal])+ $name:ident: $path:literal, $operation:literal, $command:ident;)+) => {$(
        $(#[doc = $doc])+
        #[utoipa::path(post, path = $path, operation_id = $operation, tag = "tournaments", security(("token" = ["manage"])),
            params(openapi::TournamentPath),
            responses((status = 200, description = "The tournament.", body = TournamentPage), openapi::Refusals))]
        pub(crate) async fn $name(
            State(app): State<&'static App>,
            Manages(caller): Manages,
            of: TournamentOf,
            payload: Payload,
        ) -> Result<Response, Error> {
            carry_out(app, caller, of, &payload, TournamentCommand::$command).await
        }
    )+};
}

commands! {
    /// Start a tournament.
    ///
    /// The first games begin. A round robin takes no more entries.
    start: "/v1/tournaments/{id}/start", "startTournament", Start;
    /// Pause a tournament.
    ///
    /// Running matches go on, and no new games begin.
    pause: "/v1/tournaments/{id}/pause", "pauseTournament", Pause;
    /// Resume a tournament that is paused.
    resume: "/v1/tournaments/{id}/resume", "resumeTournament", Resume;
    /// Abort a tournament.
    ///
    /// Its running matches end without a result. The results until then stay, and its secret becomes public.
    abort: "/v1/tournaments/{id}/abort", "abortTournament", Abort;
}
