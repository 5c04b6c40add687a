//! Refuses requests from banned addresses. The operator's own paths and the probes of load balancers are always open.

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::limits::Origin;
use crate::app::App;
use crate::error::{Code, Error};
use crate::host::ledger::Caller;

/// Lets a request pass, or answers `banned`.
pub async fn refuse(State(app): State<&'static App>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let always = path.starts_with("/v1/admin/") || matches!(path, "/healthz" | "/readyz");
    if always || app.bans.is_empty() {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(origin) = Origin::from_request_parts(&mut parts, &app).await;
    let network = origin.client(&Caller::default()).network();
    if app.bans.covers(network, app.hall.now().ms()) {
        return Error::new(Code::Banned, "the operator of this server has banned this address")
            .into_response();
    }
    next.run(Request::from_parts(parts, body)).await
}
