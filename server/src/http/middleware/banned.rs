//! Refuses requests from banned addresses. The admin paths and the probes of load balancers stay open to all.

use axum::extract::Request;

use crate::app::App;
use crate::error::Error;
use crate::request::origin::Origin;

/// The refusal of this request if its address is banned.
pub(super) fn refusal(app: &App, request: &Request) -> Option<Error> {
    if app.matches.admission().bans.is_empty() {
        return None;
    }
    let path = request.uri().path();
    if path.starts_with("/v1/admin/") || matches!(path, "/healthz" | "/readyz") {
        return None;
    }
    let network = Origin::of(request.extensions(), request.headers(), app).network();
    let banned = app.matches.admission().bans.covers(network, app.matches.now().ms());
    banned.then(Error::banned)
}
