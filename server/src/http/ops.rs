//! Routes for monitoring: liveness, readiness and metrics.

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::request::direct::Monitor;

/// Check that the process is alive.
#[utoipa::path(get, path = "/healthz", operation_id = "checkHealth", tag = "operations",
    responses((status = 200, description = "It is alive.", body = String)))]
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Check that the server takes new work.
#[utoipa::path(get, path = "/readyz", operation_id = "checkReadiness", tag = "operations",
    responses((status = 200, description = "It takes new work.", body = String), openapi::Refusals))]
pub(super) async fn readyz(State(app): State<&'static App>) -> Result<&'static str, Error> {
    if app.stopping.is_cancelled() {
        return Err(Error::stopping());
    }
    let not_ready = |why| Error::new(Code::StoreUnavailable, format!("not ready: {why}"));
    app.matches.store().ready().map_err(not_ready)?;
    Ok("ready\n")
}

/// Metrics for Prometheus. A request from the server's own machine or private network that no proxy passed on needs no token.
/// Others need the admin token.
///
/// The format is the text format of Prometheus, or OpenMetrics for those who prefer it (`Accept`).
#[utoipa::path(get, path = "/metrics", operation_id = "getMetrics", tag = "operations", security((), ("admin" = [])),
    responses((status = 200, description = "The metrics.",
               content((String = "text/plain"), (String = "application/openmetrics-text"))), openapi::Refusals))]
pub(super) async fn metrics(
    State(app): State<&'static App>,
    _: Monitor,
    headers: HeaderMap,
) -> impl IntoResponse {
    let (kind, text) = if prefers_open_metrics(&headers) {
        ("application/openmetrics-text; version=1.0.0; charset=utf-8", app.metrics.text())
    } else {
        ("text/plain; version=0.0.4; charset=utf-8", app.metrics.classic_text())
    };
    ([(header::CONTENT_TYPE, kind)], text)
}

/// Whether the request names OpenMetrics and prefers it to plain text (RFC 9110, section 12.5.1).
fn prefers_open_metrics(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let (mut open, mut classic) = (0.0_f32, 0.0_f32);
    for part in values.flat_map(|value| value.split(',')) {
        let mut parameters = part.split(';').map(str::trim);
        let kind = parameters.next().unwrap_or_default().to_ascii_lowercase();
        let weight =
            parameters.find_map(|parameter| parameter.strip_prefix("q=")?.parse().ok()).unwrap_or(1.0);
        match kind.as_str() {
            "application/openmetrics-text" => open = open.max(weight),
            "text/plain" | "text/*" | "*/*" => classic = classic.max(weight),
            _ => {}
        }
    }
    open > 0.0 && open >= classic
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_is_the_one_that_the_client_prefers() {
        let prefers = |accept: &str| {
            let headers = [(header::ACCEPT, accept.parse().unwrap())].into_iter().collect();
            prefers_open_metrics(&headers)
        };
        // Of Prometheus 2.42.
        let prometheus = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
                          text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        assert!(prefers(prometheus));
        assert!(prefers("application/openmetrics-text"));
        assert!(!prefers("text/plain"));
        assert!(!prefers("*/*"));
        assert!(!prefers("text/plain;version=0.0.4, application/openmetrics-text;q=0.5"));
        assert!(!prefers("application/openmetrics-text;q=0"));
        assert!(!prefers_open_metrics(&HeaderMap::new()));
    }
}
