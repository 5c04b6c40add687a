//! Routes for the vacation of a player, during which the time in matches with days for a move does not run.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::accounts::VacationState;
use crate::app::App;
use crate::domain::time::Millis;
use crate::error::Error;
use crate::http::openapi;
use crate::http::players::player_of;
use crate::request::caller::OwnsAccount;
use crate::request::extract::Payload;
use crate::request::json::{Json, NO_STORE};

/// A vacation to begin, or to move the end of.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "until_ms": 1_785_000_000_000_i64 }))]
pub(crate) struct VacationRequest {
    /// Its end, in milliseconds since 1970: in the future, and at most `latest_ms`.
    until_ms: Millis,
}

/// The caller's vacation, and what is left of the allowance.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VacationAnswer {
    /// When the vacation that goes on began, in milliseconds since 1970; `null`: there is none.
    begun_ms: Option<Millis>,
    /// When it ends.
    until_ms: Option<Millis>,
    /// The days of vacation in a calendar year (UTC); 0: this server has no vacations.
    days_per_year: u32,
    /// The hours that are left of this year's days, after the planned end of the vacation that goes on. Each vacation counts in
    /// started hours.
    left_hours: Millis,
    /// The latest end that the vacation can have, or one that begins now, in milliseconds since 1970; `null`: none can begin now.
    latest_ms: Option<Millis>,
}

impl From<VacationState> for VacationAnswer {
    fn from(VacationState { current, days_per_year, left_hours, latest_ms }: VacationState) -> Self {
        let (begun_ms, until_ms) = (current.map(|one| one.begun_ms), current.map(|one| one.until_ms));
        Self { begun_ms, until_ms, days_per_year, left_hours, latest_ms }
    }
}

/// Get the caller's vacation, and what is left of the allowance.
#[utoipa::path(get, path = "/v1/me/vacation", operation_id = "getVacation", tag = "players",
    security(("token" = ["account"])),
    responses((status = 200, description = "The vacation.", body = VacationAnswer), openapi::Refusals))]
pub(crate) async fn read(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
) -> Result<Response, Error> {
    let state = app.accounts.vacation(&player_of(caller)?).await?;
    Ok(([NO_STORE], Json(VacationAnswer::from(state))).into_response())
}

/// Begin a vacation, or move the end of the one that goes on.
///
/// It begins now. While the caller is on vacation, the time of the caller's turns does not run out in matches with a time for each move
/// of a day or more, rated or not, except in those of tournaments. Others see it. Moves can be made meanwhile; they do not end it.
#[utoipa::path(put, path = "/v1/me/vacation", operation_id = "takeVacation", tag = "players",
    security(("token" = ["account"])), request_body = VacationRequest,
    responses((status = 200, description = "The vacation.", body = VacationAnswer), openapi::Refusals))]
pub(crate) async fn take(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    payload: Payload,
) -> Result<Response, Error> {
    let VacationRequest { until_ms } = payload.json()?;
    let state = app.accounts.take_vacation(&player_of(caller)?, until_ms).await?;
    Ok(([NO_STORE], Json(VacationAnswer::from(state))).into_response())
}

/// End the caller's vacation now, if there is one.
#[utoipa::path(delete, path = "/v1/me/vacation", operation_id = "endVacation", tag = "players",
    security(("token" = ["account"])),
    responses((status = 204, description = "There is no vacation any more."), openapi::Refusals))]
pub(crate) async fn end(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.accounts.end_vacation(&player_of(caller)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
