//! Downloads of the records of many matches: those of a player, and those of a game in a month. The database is read page by page,
//! each page by an id, so that no read takes long.

use std::collections::VecDeque;

use axum::extract::State;
use axum::response::Response;
use futures_util::Stream;
use futures_util::stream;
use time::{Date, Month};

use crate::app::App;
use crate::domain::MatchId;
use crate::domain::time::{DAY_MS, Millis};
use crate::error::{Code, Error};
use crate::http::downloads::{LINES, file, records};
use crate::http::live::admit::ConnectionPermit;
use crate::http::openapi;
use crate::matches::listing::MatchSummary;
use crate::ratings::Rating;
use crate::request::caller::Anyone;
use crate::request::extract::{UrlQuery, unknown};
use crate::request::path::GameOf;
use crate::request::path::PlayerOf;
use crate::store::{FinishedFilter, FinishedMatch, FinishedOf, refused_by_store};

/// How many matches one read of the database looks at.
const PAGE: u32 = 200;

/// Download the records of a player's matches, the oldest first.
///
/// One JSON object per line, each as `GET /v1/matches/{id}/record` returns it. Only matches that have begun, are over, and that
/// anyone may read. A download that broke off goes on with `after`. Ask for compression with `Accept-Encoding`.
#[utoipa::path(get, path = "/v1/players/{name}/records", operation_id = "getPlayerRecords", tag = "players",
    params(openapi::PlayerPath, openapi::GameQuery, openapi::RecordsQuery),
    responses((status = 200, description = "The records: one `Record` per line.", content((String = "application/x-ndjson"))),
              openapi::Refusals))]
pub(super) async fn of_player(
    State(app): State<&'static App>,
    caller: Anyone,
    PlayerOf(player): PlayerOf,
    mut query: UrlQuery,
) -> Result<Response, Error> {
    let game = match take(&mut query, "game") {
        Some(slug) => Some(app.games.find(&slug).map_err(|e| bad("game", e.detail()))?.info.slug.to_owned()),
        None => None,
    };
    let wanted = MatchSelection::of(query, "game, from, to, rated, min_rating and after")?;
    let name = format!("records-{}.ndjson", player.who.name);
    download(app, caller, FinishedOf::Player(player.who.id, game), wanted, &name)
}

/// Download the records of a game's matches of one month, the oldest first.
///
/// One JSON object per line, each as `GET /v1/matches/{id}/record` returns it. Only matches that have begun, are over, and that
/// anyone may read. A download that broke off goes on with `after`. Ask for compression with `Accept-Encoding`.
#[utoipa::path(get, path = "/v1/games/{game}/records", operation_id = "getGameRecords", tag = "games",
    params(openapi::GamePath, openapi::MonthQuery, openapi::RecordsQuery),
    responses((status = 200, description = "The records: one `Record` per line.", content((String = "application/x-ndjson"))),
              openapi::Refusals))]
pub(super) async fn of_game(
    State(app): State<&'static App>,
    caller: Anyone,
    GameOf(offer): GameOf,
    mut query: UrlQuery,
) -> Result<Response, Error> {
    let text = take(&mut query, "month").ok_or_else(|| bad("month", "is needed, as 2026-11"))?;
    let month = month(&text).ok_or_else(|| bad("month", "must be a year and a month, as 2026-11"))?;
    let mut wanted = MatchSelection::of(query, "month, from, to, rated, min_rating and after")?;
    wanted.narrow(month);
    let slug = offer.info.slug;
    let name = format!("records-{slug}-{text}.ndjson");
    download(app, caller, FinishedOf::Game(slug.to_owned()), wanted, &name)
}

fn bad(name: &str, what: &str) -> Error {
    Error::new(Code::BadQuery, format!("{name}: {what}"))
}

/// Removes a parameter from the query.
fn take(query: &mut UrlQuery, name: &str) -> Option<String> {
    let place = query.0.iter().position(|(given, _)| given == name)?;
    Some(query.0.swap_remove(place).1)
}

/// The matches that a download contains.
struct MatchSelection {
    /// Created at this time or later.
    from: Millis,
    /// Created before this time.
    until: Millis,
    /// Only after this match.
    after: Option<MatchId>,
    /// Only rated or only other ones.
    rated: Option<bool>,
    /// Only those after which each player had at least this `mu`.
    least_mu: Option<f64>,
}

impl MatchSelection {
    fn of(query: UrlQuery, known: &str) -> Result<Self, Error> {
        let (from, until) = (0, Millis::MAX);
        let mut wanted = Self { from, until, after: None, rated: None, least_mu: None };
        for (name, value) in query.0 {
            let day = || day(&value).ok_or_else(|| bad(&name, "must be a day, as 2026-11-30"));
            match name.as_str() {
                "from" => wanted.from = day()?,
                "to" => wanted.until = day()?.saturating_add(DAY_MS),
                "rated" => {
                    wanted.rated = Some(value.parse().map_err(|_| bad("rated", "must be true or false"))?);
                }
                "min_rating" => {
                    let points: i32 =
                        value.parse().map_err(|_| bad("min_rating", "must be a whole number"))?;
                    wanted.least_mu = Some(Rating::at(points.into()).mu);
                }
                "after" => {
                    let id = MatchId::parse(&value);
                    wanted.after = Some(id.ok_or_else(|| bad("after", "must be the id of a match"))?);
                }
                _ => return Err(unknown(&name, known)),
            }
        }
        Ok(wanted)
    }

    /// Leaves out what is not between these times.
    fn narrow(&mut self, (from, until): (Millis, Millis)) {
        self.from = self.from.max(from);
        self.until = self.until.min(until);
    }

    /// Whether a match is among them, as far as the filter of the database does not see to that.
    fn contains(&self, found: &FinishedMatch) -> Result<bool, Error> {
        let is_rated = || {
            let summary: MatchSummary = serde_json::from_str(&found.summary)
                .map_err(|e| Error::new(Code::Internal, format!("the summary of match {}: {e}", found.id)))?;
            Ok::<bool, Error>(summary.rated)
        };
        let fits_rated = match self.rated {
            Some(rated) => is_rated()? == rated,
            None => true,
        };
        let fits_rating = self.least_mu.is_none_or(|least| found.least_mu.is_some_and(|mu| mu >= least));
        Ok(fits_rated && fits_rating)
    }
}

/// The first millisecond of a day, written as `2026-11-30`.
fn day(text: &str) -> Option<Millis> {
    let (month, day) = text.rsplit_once('-')?;
    let date = first_of(month)?.replace_day(number(day, 2)?).ok()?;
    Some(millis(date))
}

/// The first millisecond of a month, written as `2026-11`, and the first after it.
fn month(text: &str) -> Option<(Millis, Millis)> {
    let first = first_of(text)?;
    let days = first.month().length(first.year());
    Some((millis(first), millis(first) + Millis::from(days) * DAY_MS))
}

fn first_of(month: &str) -> Option<Date> {
    let (year, month) = month.split_once('-')?;
    let month: u8 = number(month, 2)?;
    Date::from_calendar_date(number(year, 4)?, Month::try_from(month).ok()?, 1).ok()
}

/// A number of exactly this many digits.
fn number<T: std::str::FromStr>(text: &str, digits: usize) -> Option<T> {
    let fits = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

fn millis(date: Date) -> Millis {
    date.midnight().assume_utc().unix_timestamp() * 1000
}

fn download(
    app: &'static App,
    caller: Anyone,
    of: FinishedOf,
    wanted: MatchSelection,
    name: &str,
) -> Result<Response, Error> {
    let admitted = ConnectionPermit::new(app, app.metrics.streams("ndjson"), caller.network, caller.token)?;
    Ok(file(app, LINES, name, records(app, admitted, caller.network, matches(app, of, wanted))))
}

/// The ids of the matches.
fn matches(
    app: &'static App,
    of: FinishedOf,
    wanted: MatchSelection,
) -> impl Stream<Item = Result<MatchId, Error>> + Send + 'static {
    let from = MatchId::least_at(wanted.from);
    let after = wanted.after.clone().map_or(from.clone(), |after| after.max(from));
    let filter = FinishedFilter { of, after, until: MatchId::least_at(wanted.until), limit: PAGE };
    let download = Download { app, wanted, filter, found: VecDeque::new(), more: true };
    stream::try_unfold(download, |mut download| async { Ok(download.next().await?.map(|id| (id, download))) })
}

/// The state of a download: the place up to which the database was read.
struct Download {
    app: &'static App,
    wanted: MatchSelection,
    filter: FinishedFilter,
    found: VecDeque<FinishedMatch>,
    more: bool,
}

impl Download {
    async fn next(&mut self) -> Result<Option<MatchId>, Error> {
        loop {
            while let Some(found) = self.found.pop_front() {
                if self.wanted.contains(&found)? {
                    return Ok(Some(found.id));
                }
            }
            if !self.more {
                return Ok(None);
            }
            let page = self.app.matches.store().finished(self.filter.clone());
            self.found = page.await.map_err(|e| refused_by_store(&e))?.into();
            self.more = self.found.len() == PAGE as usize;
            if let Some(last) = self.found.back() {
                self.filter.after = last.id.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_months_are_read_strictly() {
        assert_eq!(day("1970-01-02"), Some(DAY_MS));
        assert_eq!(day("2024-02-29"), Some(1_709_164_800_000));
        for wrong in ["", "2026", "2026-11", "2026-11-31", "2026-13-01", "2026-1-1", "26-11-01", "2026-11-1a"]
        {
            assert_eq!(day(wrong), None, "{wrong}");
        }
        assert_eq!(month("1970-02"), Some((31 * DAY_MS, 59 * DAY_MS)));
        assert_eq!(month("2026-12").map(|(_, until)| until), day("2027-01-01"));
        for wrong in ["", "2026", "2026-13", "2026-00", "2026-1", "2026-11-01", "+026-11"] {
            assert_eq!(month(wrong), None, "{wrong}");
        }
    }
}
