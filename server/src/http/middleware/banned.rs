//! Refuses requests from banned addresses. The operator's own paths and the probes of load balancers are always open.

use axum::extract::Request;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::request::origin::Origin;

/// Why this request gets no answer, if its address is banned.
pub fn refusal(app: &App, request: &Request) -> Option<Error> {
    if app.bans.is_empty() {
        return None;
    }
    let path = request.uri().path();
    if path.starts_with("/v1/admin/") || matches!(path, "/healthz" | "/readyz") {
        return None;
    }
    let network = Origin::of(request.extensions(), request.headers(), app).network();
    let banned = app.bans.covers(network, app.matches.now().ms());
    banned.then(|| Error::new(Code::Banned, "the operator of this server has banned this address"))
}
