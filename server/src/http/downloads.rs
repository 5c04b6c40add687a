//! Files that clients download: their headers, and the records of many matches as lines, one after the other, so that a
//! download of any length needs little memory.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::App;
use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::http::live::admit::ConnectionPermit;
use crate::matches::ledger::Caller;
use crate::matches::record::Record;
use crate::request::json::NO_STORE;

/// The media type of lines of JSON.
pub(super) const LINES: &str = "application/x-ndjson";

/// An answer that is kept as a file of this name. Its `Content-Disposition` also shows the layer that compresses answers that no
/// reader waits for its next line.
pub(super) fn file(app: &App, kind: &'static str, name: &str, body: Body) -> Response {
    // RFC 6266: the second form is for names of other letters.
    let place = match name.is_ascii() {
        true => format!("attachment; filename=\"{name}\""),
        false => format!("attachment; filename*=UTF-8''{}", utf8_percent_encode(name, NON_ALPHANUMERIC)),
    };
    let place = HeaderValue::from_str(&place).unwrap_or(HeaderValue::from_static("attachment"));
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_DISPOSITION, place);
    headers.insert(NO_STORE.0, NO_STORE.1);
    // RFC 8288, with the relation of RFC 4946.
    let license = app.matches.options().data_license.as_ref();
    let link =
        license.and_then(|license| HeaderValue::from_str(&format!("<{license}>; rel=\"license\"")).ok());
    headers.extend(link.map(|link| (header::LINK, link)));
    (headers, body).into_response()
}

/// The records of those of these matches that anyone may read, as lines. As long as it lasts, the download counts as the open
/// stream that was admitted. Its address pays for the time that it takes to read them, and waits when it has none left. It breaks
/// off, so that the client sees that it is not complete, when an id or a log cannot be read, when the caller loses its rights, and
/// when the server stops.
pub(super) fn records(
    app: &'static App,
    admitted: ConnectionPermit,
    network: Option<IpAddr>,
    matches: impl Stream<Item = Result<MatchId, Error>> + Send + 'static,
) -> Body {
    let lines = matches.then(move |id| {
        let may_go_on = admitted.check();
        async move {
            may_go_on?;
            let began = Instant::now();
            let line = line(app, id?).await;
            let wait = match network {
                Some(network) => app.side_work.pay(network, began.elapsed()).await,
                None => Duration::ZERO,
            };
            tokio::select! {
                biased;
                () = app.stopping.cancelled() => Err(Error::stopping()),
                () = tokio::time::sleep(wait) => line,
            }
        }
    });
    let lines = lines.inspect(|line| {
        if let Err(e) = line {
            tracing::warn!(error = %e, "a download breaks off");
        }
    });
    Body::from_stream(lines.filter_map(|line| async { line.transpose() }))
}

/// The record of a match as a line; `None`: not anyone may read it, or it was deleted. The log names a match that is left out
/// because its events are damaged: otherwise no download could get past it.
async fn line(app: &App, id: MatchId) -> Result<Option<Bytes>, Error> {
    let log = match app.matches.log(&id, &Caller::default()).await {
        Ok(log) => log,
        Err(e) if matches!(e.code(), Code::NoSuchMatch | Code::Sealed | Code::MatchNotOver) => {
            return Ok(None);
        }
        Err(e) if e.code() == Code::Internal => {
            tracing::error!(%id, error = %e, "a download leaves out a match that cannot be read");
            return Ok(None);
        }
        Err(e) => return Err(e),
    };
    let lines = app.matches.public_lines(&id).await?;
    Ok(Record::of(id.as_str(), &log, lines).map(|record| Bytes::from(record.to_json() + "\n")))
}
