//! `/v1/matches/{id}/analysis`: what each decision of a finished match was worth.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::analysis::AnalysisShown;
use crate::app::App;
use crate::error::Error;
use crate::http::openapi;
use crate::request::caller::{Plays, Reads};
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::MatchOf;

/// Ask for the analysis of a finished match.
///
/// The game's default engine judges every decision with a fixed number of nodes, by what the seat could know: its value with
/// the best move and with the move that was made, the loss, and its class. The analysis also says how accurate each seat
/// played, what draws and decisions contributed to the result, and which three decisions cost most. It is computed once, with
/// the lowest priority, and then stored with the match for all who may see it. If there is one, this returns it. A caller may
/// have three that are not finished (`too_many`). The analysis of a match whose deal is sealed can be asked for once its
/// record is public.
#[utoipa::path(post, path = "/v1/matches/{id}/analysis", operation_id = "askForAnalysis", tag = "matches",
    security((), ("token" = ["play"]), ("match_key" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "The analysis, or how far it is.", body = AnalysisShown), openapi::Refusals))]
pub(crate) async fn ask(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(([NO_STORE], Json(app.analyses.ask(&id, &caller).await?)).into_response())
}

/// Read the analysis of a finished match.
///
/// While it is computed, the answer says how many moves are judged: ask again after a second.
#[utoipa::path(get, path = "/v1/matches/{id}/analysis", operation_id = "getAnalysis", tag = "matches",
    security((), ("token" = ["read"]), ("match_key" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "The analysis, or how far it is.", body = AnalysisShown), openapi::Refusals))]
pub(crate) async fn read(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    MatchOf(id): MatchOf,
) -> Result<Response, Error> {
    Ok(([NO_STORE], Json(app.analyses.get(&id, &caller).await?)).into_response())
}

/// Cancel an analysis that the caller asked for and that is not finished. Without one, this changes nothing.
///
/// A guest does this from the same address.
#[utoipa::path(delete, path = "/v1/matches/{id}/analysis", operation_id = "cancelAnalysis", tag = "matches",
    security((), ("token" = ["play"]), ("match_key" = [])),
    params(openapi::MatchPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn cancel(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.analyses.cancel(&id, &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}
