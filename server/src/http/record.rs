//! `GET /v1/matches/{id}/record`: everything that happened in a match that is over.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::caller::Who;
use super::extract::Query;
use super::matches::MatchOf;
use super::openapi;
use crate::app::App;
use crate::error::{Code, Error};
use crate::host::record::{FORMAT, Record};

/// The record of a match that is over.
///
/// Everything that happened, the deal and its seed included: `kibitz verify` says whether all of it is true. Some games
/// have formats of their own, which their page lists.
#[utoipa::path(get, path = "/v1/matches/{id}/record", tag = "matches",
    security((), ("token" = []), ("match_key" = [])),
    params(openapi::MatchPath,
        ("format" = Option<String>, Query, description = "Default: `kibitz-record-1`.")),
    responses((status = 200, description = "The record.", body = Object),
              openapi::Refusals))]
pub async fn record(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    query: Query,
) -> Result<Response, Error> {
    let mut format = None;
    for (name, value) in query.0 {
        match name.as_str() {
            "format" => format = Some(value),
            _ => return Err(Error::new(Code::BadQuery, "the one parameter here is format")),
        }
    }
    let log = app.hall.log(&id, &caller).await?;
    let broken = || Error::new(Code::Internal, format!("the log of {id} begins or ends with something else"));
    let record = Record::of(id.as_str(), &log).ok_or_else(broken)?;
    let text = match format.as_deref() {
        None | Some(FORMAT) => record.to_json(),
        Some(format) => {
            let offer = app.games.find(&record.game)?;
            record.in_format(offer.game, format)?
        }
    };
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(([kind], text).into_response())
}
