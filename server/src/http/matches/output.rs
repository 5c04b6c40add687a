//! `GET /v1/matches/{id}/seats/{seat}/output`: what a bot wrote to standard error, and used.

use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::error::Error;
use crate::http::matches::seat_path::SeatOf;
use crate::http::openapi;
use crate::matches::bots::bot_output::BotOutput;
use crate::request::caller::Reads;
use crate::request::extract::{UrlQuery, unknown};
use crate::request::json::{Json, NO_STORE};
use crate::request::path::MatchOf;

/// Read what a bot wrote to standard error, turn by turn.
///
/// `kibitz-shim join` and `play` send it while the match runs. The holder of the seat and the owner of the bot see all of it at
/// any time, with the processor time and the memory of the bot's processes. Everybody else sees the lines that begin with
/// `kibitz `, once the match is over. A bot may write anything: nothing of this is checked. At most 4 KiB of a turn and 256 KiB of
/// a match are kept, as long as the match is.
#[utoipa::path(get, path = "/v1/matches/{id}/seats/{seat}/output", operation_id = "getBotOutput", tag = "matches",
    security((), ("token" = ["read"]), ("match_key" = [])),
    params(openapi::MatchPath, openapi::SeatPath),
    responses((status = 200, description = "What is kept.", body = BotOutput), openapi::Refusals))]
pub(crate) async fn output(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    MatchOf(id): MatchOf,
    seat: SeatOf,
    query: UrlQuery,
) -> Result<Response, Error> {
    if let Some((name, _)) = query.0.first() {
        return Err(unknown(name, "none"));
    }
    let seat = seat.of(app, &id, &caller).await?;
    let output = app.matches.bot_output(&id, &caller, seat).await?;
    Ok(([NO_STORE], Json(output)).into_response())
}
