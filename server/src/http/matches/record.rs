//! `GET /v1/matches/{id}/record`: all events of a finished match.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::domain::schema::GameRecord;
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::matches::bots::hosted::SeatProof;
use crate::matches::event::LoggedEvent;
use crate::matches::record;
use crate::matches::record::{FORMAT, Record};
use crate::request::caller::Reads;
use crate::request::extract::{UrlQuery, unknown};
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::origin::Origin;
use crate::request::path::MatchOf;

/// The formats of records.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum RecordFile {
    /// The default, `kibitz-record-1`.
    Usual(Record),
    /// A format of the game.
    Game(#[schemars(with = "GameRecord")] ()),
}

/// Download the record of a finished match.
///
/// `kibitz verify` deals and plays it again and checks all of it. The record of a match of a tournament is sealed
/// as long as other games with the same deal are to be played. Some games have their own formats for the programs of
/// their contests.
#[utoipa::path(get, path = "/v1/matches/{id}/record", operation_id = "getRecord", tag = "matches",
    security((), ("token" = ["read"]), ("match_key" = [])),
    params(openapi::MatchPath, openapi::FormatQuery),
    responses((status = 200, description = "The record, to be kept as a file.",
               content((RecordFile = "application/json"), (String = "text/plain"))),
              openapi::Refusals))]
pub(crate) async fn record(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    MatchOf(id): MatchOf,
    query: UrlQuery,
) -> Result<Response, Error> {
    let mut format = None;
    for (name, value) in query.0 {
        match name.as_str() {
            "format" => format = Some(value),
            _ => return Err(unknown(&name, "format")),
        }
    }
    let log = app.matches.log(&id, &caller).await?;
    let lines = app.matches.public_lines(&id).await?;
    // A format may need the rules at every move.
    let rendered = tokio::task::spawn_blocking(move || {
        let record = Record::of(id.as_str(), &log, lines)
            .ok_or_else(|| Error::new(Code::Internal, "a match that is over has no end"))?;
        let (kind, text) = record.rendered(app.games.find(&record.game)?.game, format.as_deref())?;
        let form =
            format.as_deref().filter(|name| *name != FORMAT).map_or(String::new(), |name| format!(".{name}"));
        let ending = if kind == "application/json" { "json" } else { "txt" };
        Ok((kind, format!("attachment; filename=\"{}-{id}{form}.{ending}\"", record.game), text))
    });
    let lost = |_| Err(Error::new(Code::Internal, "a record could not be rendered"));
    let (kind, place, text) = rendered.await.unwrap_or_else(lost)?;
    let value = |text: &str| {
        HeaderValue::from_str(text)
            .map_err(|_| Error::new(Code::Internal, "a format has no name that can be sent"))
    };
    let headers =
        [(header::CONTENT_TYPE, value(&kind)?), (header::CONTENT_DISPOSITION, value(&place)?), NO_STORE];
    Ok((headers, text).into_response())
}

/// The result of checking a record.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Verdict {
    /// Whether all of it is true.
    #[serde(rename = "true")]
    holds: bool,
    /// A summary in one line, or the first thing that is not true.
    detail: String,
    /// What came of running the hosted programs again, by seat. Only if it was asked for, and the rest is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    programs: Option<Vec<SeatProof>>,
}

/// Verify the record of a finished match.
///
/// The server deals again from the seed and plays all moves again, as `kibitz verify` does with a downloaded record. With
/// `programs=true` it also runs the hosted programs of the match again, also those that only their owners can download: every decision
/// and its fuel must be the same. This uses engine time of the caller.
#[utoipa::path(get, path = "/v1/matches/{id}/record/verify", operation_id = "verifyRecord", tag = "matches",
    security((), ("token" = ["read"]), ("match_key" = [])),
    params(openapi::MatchPath, openapi::VerifyQuery),
    responses((status = 200, description = "What came out.", body = Verdict), openapi::Refusals))]
pub(crate) async fn check(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    origin: Origin,
    MatchOf(id): MatchOf,
    query: UrlQuery,
) -> Result<Response, Error> {
    let mut with_programs = false;
    for (name, value) in query.0 {
        match (name.as_str(), value.as_str()) {
            ("programs", "true") => with_programs = true,
            ("programs", "false") => with_programs = false,
            ("programs", _) => return Err(Error::new(Code::BadQuery, "programs: must be true or false")),
            _ => return Err(unknown(&name, "programs")),
        }
    }
    let log: Arc<[LoggedEvent]> = app.matches.log(&id, &caller).await?.into();
    let played = Arc::clone(&log);
    // Every move is played again.
    let checked = tokio::task::spawn_blocking(move || {
        let record = Record::of(id.as_str(), &played, Vec::new())
            .ok_or_else(|| Error::new(Code::Internal, "a match that is over has no end"))?;
        Ok(match record::verdict(record.to_json().as_bytes()) {
            Ok(detail) => Verdict { holds: true, detail, programs: None },
            Err(detail) => Verdict { holds: false, detail, programs: None },
        })
    });
    let lost = |_| Err(Error::new(Code::Internal, "a record could not be checked"));
    let mut verdict = checked.await.unwrap_or_else(lost)?;
    if with_programs && verdict.holds {
        let proofs = app.programs.prove(app.engine_pool, &origin.client(&caller), log).await?;
        verdict.holds = proofs.iter().all(|proof| proof.difference.is_none());
        verdict.programs = Some(proofs);
    }
    Ok(([NO_STORE], Json(verdict)).into_response())
}
