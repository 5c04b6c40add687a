//! Routes for monitoring: liveness, readiness and metrics.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::openapi;

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

/// Metrics for Prometheus (OpenMetrics 1.0).
#[utoipa::path(get, path = "/metrics", operation_id = "getMetrics", tag = "operations",
    responses((status = 200, description = "The metrics.", body = String,
               content_type = "application/openmetrics-text")))]
pub(super) async fn metrics(State(app): State<&'static App>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text())
}
