//! What operators ask: alive, ready, how much.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::openapi;

/// Whether the process lives.
#[utoipa::path(get, path = "/healthz", operation_id = "checkHealth", tag = "operations",
    responses((status = 200, description = "It does.", body = String)))]
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether new work is taken.
#[utoipa::path(get, path = "/readyz", operation_id = "checkReadiness", tag = "operations",
    responses((status = 200, description = "It is.", body = String), openapi::Refusals))]
pub async fn readyz(State(app): State<&'static App>) -> Result<&'static str, Error> {
    if app.stopping.is_cancelled() {
        return Err(Error::stopping());
    }
    let unwell = |why| Error::new(Code::StoreUnavailable, format!("not ready: {why}"));
    app.matches.store().ready().map_err(unwell)?;
    Ok("ready\n")
}

/// What is counted, for Prometheus (OpenMetrics 1.0).
#[utoipa::path(get, path = "/metrics", operation_id = "getMetrics", tag = "operations",
    responses((status = 200, description = "The counters.", body = String,
               content_type = "application/openmetrics-text")))]
pub async fn metrics(State(app): State<&'static App>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text())
}
