//! A tournament as files: the standings as CSV, and the records of all its matches.

use std::fmt::Write as _;

use axum::extract::State;
use axum::response::Response;
use futures_util::stream::{self, StreamExt};

use crate::app::App;
use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::http::downloads::{self, LINES, file};
use crate::http::live::admit::ConnectionPermit;
use crate::http::openapi;
use crate::presentation::tournament::{self as page, Interval, TournamentPage};
use crate::request::caller::Anyone;
use crate::request::path::TournamentOf;
use crate::tournaments::ledger::{GameState, Tournament};

/// Download the standings of a tournament as CSV.
#[utoipa::path(get, path = "/v1/tournaments/{id}/standings.csv", operation_id = "getStandingsCsv", tag = "tournaments",
    params(openapi::TournamentPath),
    responses((status = 200, description = "The standings, the best first.", content((String = "text/csv"))),
              openapi::Refusals))]
pub(crate) async fn standings(
    State(app): State<&'static App>,
    _: Anyone,
    TournamentOf(id): TournamentOf,
) -> Result<Response, Error> {
    let page = page::read(app, &id).await?;
    Ok(file(app, "text/csv; charset=utf-8", &format!("standings-{id}.csv"), csv(&page).into()))
}

/// The standings as RFC 4180 describes it.
pub(super) fn csv(page: &TournamentPage) -> String {
    let mut out = "place,name,kind,points,games,won,direct,buchholz,sonneborn_berger,score,score_low,score_high,superiority,\
        denominator,points_exact,direct_exact,buchholz_exact,sonneborn_berger_exact,ahead,ahead_low,ahead_high\r\n"
        .to_owned();
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for line in &page.standings {
        let (entrant, exact) = (&page.entrants[line.entrant], &line.exact);
        let interval = |found: Option<Interval>| {
            let of = |part: fn(Interval) -> Option<f64>| number(found.and_then(part));
            [of(|found| Some(found.mean)), of(|found| found.low), of(|found| found.high)]
        };
        let ([mean, low, high], [ahead, ahead_low, ahead_high]) =
            (interval(line.score), interval(line.ahead));
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "{},{},{},{},{},{},{},{},{},{mean},{low},{high},{},{},{},{},{},{},{ahead},{ahead_low},{ahead_high}\r\n",
            line.place,
            quoted(&entrant.name),
            entrant.kind.name(),
            line.points,
            line.games,
            line.won,
            number(line.direct),
            number(line.buchholz),
            number(line.sonneborn_berger),
            number(line.superiority),
            exact.denominator,
            exact.points,
            exact.direct.as_deref().unwrap_or_default(),
            exact.buchholz.as_deref().unwrap_or_default(),
            exact.sonneborn_berger.as_deref().unwrap_or_default(),
        );
    }
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Download the records of all matches of a tournament that is over.
///
/// One JSON object per line, each as `GET /v1/matches/{id}/record` returns it. Matches that have been deleted meanwhile
/// are missing. Ask for compression with `Accept-Encoding`.
#[utoipa::path(get, path = "/v1/tournaments/{id}/records", operation_id = "getTournamentRecords", tag = "tournaments",
    params(openapi::TournamentPath),
    responses((status = 200, description = "The records: one `Record` per line.", content((String = "application/x-ndjson"))),
              openapi::Refusals))]
pub(crate) async fn records(
    State(app): State<&'static App>,
    caller: Anyone,
    TournamentOf(id): TournamentOf,
) -> Result<Response, Error> {
    let loaded = app.tournaments.load(app.matches, &id).await?;
    if !loaded.state.stage.is_over() {
        let detail =
            "several games of a tournament have the same deal: its records are public when it is over";
        return Err(Error::new(Code::Sealed, detail));
    }
    // As long as it lasts, the download counts as an open stream.
    let admitted = ConnectionPermit::new(app, app.metrics.streams("ndjson"), caller.network, caller.token)?;
    let played = stream::iter(matches_of(&loaded.state)).map(Ok);
    Ok(file(
        app,
        LINES,
        &format!("records-{id}.ndjson"),
        downloads::records(app, admitted, caller.network, played),
    ))
}

/// The matches of the games, in the order of the games.
fn matches_of(state: &Tournament) -> Vec<MatchId> {
    let id = |state: &GameState| match state {
        GameState::Running(id) => Some(id.clone()),
        GameState::Done { match_id, .. } => match_id.clone(),
        GameState::Waiting | GameState::Void => None,
    };
    state.games.iter().filter_map(|game| id(&game.state)).collect()
}
