//! The operator's routes for bans of networks.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::admission::bans;
use crate::app::App;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::http::admin::AdminToken;
use crate::http::openapi;
use crate::request::extract::{Payload, UrlQuery, unknown};
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::store::{Ban, StoreChange, refused_by_store};

/// A network to ban.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BanRequest {
    /// An address, or a network in CIDR notation. IPv6 clients are identified by their /64 network, so a smaller network is
    /// widened to that.
    network: String,
    /// The reason, for the operator.
    #[serde(default)]
    reason: String,
    /// The duration, in milliseconds. Default: until the ban is lifted.
    for_ms: Option<u64>,
}

/// A network whose requests are refused.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BanShown")]
pub(crate) struct BanEntry {
    /// The network, in CIDR notation.
    network: String,
    reason: String,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The time of its end, in milliseconds since 1970; `null`: it lasts until it is lifted.
    until_ms: Option<Millis>,
}

impl From<Ban> for BanEntry {
    fn from(Ban { network, reason, created_ms, until_ms }: Ban) -> Self {
        Self { network, reason, created_ms, until_ms }
    }
}

/// All bans.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BanList {
    /// The bans, including those that have expired.
    bans: Vec<BanEntry>,
}

/// List all bans.
#[utoipa::path(get, path = "/v1/admin/bans", operation_id = "adminListBans", tag = "admin", security(("admin" = [])),
    responses((status = 200, description = "The list.", body = BanList), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, _: AdminToken) -> Result<Response, Error> {
    let bans = app.matches.store().bans().await.map_err(|e| refused_by_store(&e))?;
    let bans = bans.into_iter().map(BanEntry::from).collect();
    Ok(([NO_STORE], Json(BanList { bans })).into_response())
}

/// Ban an address or a network.
///
/// From now on, requests from it are refused with `banned`. Its open streams and WebSockets end within a second.
#[utoipa::path(post, path = "/v1/admin/bans", operation_id = "adminBan", tag = "admin", security(("admin" = [])),
    request_body = BanRequest,
    responses((status = 200, description = "The ban.", body = BanEntry), openapi::Refusals))]
pub(crate) async fn ban(
    State(app): State<&'static App>,
    _: AdminToken,
    payload: Payload,
) -> Result<Response, Error> {
    let request: BanRequest = payload.json()?;
    let network = network(&request.network, Code::BadField)?;
    let now = app.matches.now().ms();
    let until_ms = request.for_ms.map(|ms| now.saturating_add(Millis::try_from(ms).unwrap_or(Millis::MAX)));
    let ban = Ban { network, reason: request.reason, created_ms: now, until_ms };
    app.accounts.change(StoreChange::Ban(ban.clone())).await?;
    tracing::info!(network = ban.network, "the operator banned a network");
    Ok(([NO_STORE], Json(BanEntry::from(ban))).into_response())
}

/// Lift a ban.
#[utoipa::path(delete, path = "/v1/admin/bans", operation_id = "adminUnban", tag = "admin", security(("admin" = [])),
    params(("network" = String, Query, description = "The network, as the list of bans names it.")),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn unban(
    State(app): State<&'static App>,
    _: AdminToken,
    query: UrlQuery,
) -> Result<StatusCode, Error> {
    let mut wanted = None;
    for (name, value) in query.0 {
        match name.as_str() {
            "network" => wanted = Some(network(&value, Code::BadQuery)?),
            _ => return Err(unknown(&name, "network")),
        }
    }
    let wanted = wanted.ok_or_else(|| Error::new(Code::BadQuery, "network: this parameter is required"))?;
    if app.accounts.change(StoreChange::Unban(wanted.clone())).await? == 0 {
        return Err(Error::new(Code::NotFound, format!("{wanted} is not banned")));
    }
    tracing::info!(network = wanted, "the operator ended a ban");
    Ok(StatusCode::NO_CONTENT)
}

fn network(text: &str, code: Code) -> Result<String, Error> {
    bans::network(text)
        .map(|network| network.to_string())
        .map_err(|e| Error::new(code, format!("network: {e}")))
}
