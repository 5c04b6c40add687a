//! The operator's routes for mutes and bans of players.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::domain::schema::PlayerName;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::http::admin::AdminToken;
use crate::http::openapi;
use crate::moderation::check_text;
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::PlayerOf;
use crate::store::{RestrictedPlayer, Restriction, RestrictionKind, StoreChange, refused_by_store};

/// Why and for how long a player is muted or banned.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestrictionRequest {
    /// The reason, which the player gets to read: at most 300 characters in one line.
    #[serde(default)]
    #[schemars(length(max = 300))]
    reason: String,
    /// The duration, in milliseconds. Default: until it is lifted.
    for_ms: Option<u64>,
}

/// A mute or a ban.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestrictionShown {
    /// The player.
    #[schemars(with = "PlayerName")]
    name: String,
    /// What the player may not do.
    kind: RestrictionKind,
    reason: String,
    /// The time of its beginning, in milliseconds since 1970.
    created_ms: Millis,
    /// The time of its end, in milliseconds since 1970; `null`: it lasts until it is lifted.
    until_ms: Option<Millis>,
}

impl RestrictionShown {
    fn of(name: String, kind: RestrictionKind, restriction: Restriction) -> Self {
        let Restriction { reason, created_ms, until_ms } = restriction;
        Self { name, kind, reason, created_ms, until_ms }
    }
}

/// All mutes and bans of players.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestrictionList {
    /// The mutes and bans in the order of the names, including those that have expired.
    restrictions: Vec<RestrictionShown>,
}

/// List all mutes and bans of players.
#[utoipa::path(get, path = "/v1/admin/restrictions", operation_id = "adminListRestrictions", tag = "admin", security(("admin" = [])),
    responses((status = 200, description = "The list.", body = RestrictionList), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, _: AdminToken) -> Result<Response, Error> {
    let found = app.matches.store().restrictions().await.map_err(|e| refused_by_store(&e))?;
    let shown =
        |RestrictedPlayer { name, kind, restriction, .. }| RestrictionShown::of(name, kind, restriction);
    let restrictions = found.into_iter().map(shown).collect();
    Ok(([NO_STORE], Json(RestrictionList { restrictions })).into_response())
}

/// Mute or ban a player, and with a person the person's bots.
///
/// A muted player writes nothing that others read (`muted`). The token of a banned player has no power (`banned`), and the
/// player's open streams and WebSockets end within a second on all servers. Clocks of running matches go on.
#[utoipa::path(put, path = "/v1/admin/players/{name}/restrictions/{kind}", operation_id = "adminRestrict", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath, openapi::RestrictionPath), request_body = Option<RestrictionRequest>,
    responses((status = 200, description = "The mute or ban.", body = RestrictionShown), openapi::Refusals))]
pub(crate) async fn restrict(
    State(app): State<&'static App>,
    _: AdminToken,
    PlayerOf(player): PlayerOf,
    params: RawPathParams,
    payload: Payload,
) -> Result<Response, Error> {
    let kind = kind_of(&params)?;
    let RestrictionRequest { reason, for_ms } = payload.json_if_any()?;
    check_text("reason", &reason)?;
    if player.who.is_engine() {
        return Err(Error::new(Code::NotAPerson, "this player is a built-in engine"));
    }
    let created_ms = app.matches.now().ms();
    let until_ms = for_ms.map(|ms| created_ms.saturating_add_unsigned(ms));
    let restriction = Restriction { reason, created_ms, until_ms };
    let id = player.who.id.clone();
    app.accounts.change(StoreChange::Restrict { player: id, kind, restriction: restriction.clone() }).await?;
    tracing::info!(id = player.who.id, kind = kind.name(), "the operator restricted a player");
    Ok(([NO_STORE], Json(RestrictionShown::of(player.who.name, kind, restriction))).into_response())
}

/// Lift the mute or the ban of a player.
#[utoipa::path(delete, path = "/v1/admin/players/{name}/restrictions/{kind}", operation_id = "adminLiftRestriction", tag = "admin", security(("admin" = [])),
    params(openapi::PlayerPath, openapi::RestrictionPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn lift(
    State(app): State<&'static App>,
    _: AdminToken,
    PlayerOf(player): PlayerOf,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let kind = kind_of(&params)?;
    let id = player.who.id.clone();
    if app.accounts.change(StoreChange::Unrestrict { player: id, kind }).await? == 0 {
        let detail = format!("{:?} has no {}", player.who.name, kind.name());
        return Err(Error::new(Code::NotFound, detail));
    }
    tracing::info!(id = player.who.id, kind = kind.name(), "the operator lifted a restriction");
    Ok(StatusCode::NO_CONTENT)
}

fn kind_of(params: &RawPathParams) -> Result<RestrictionKind, Error> {
    let text = params.iter().find(|(name, _)| *name == "kind").map_or("", |(_, kind)| kind);
    let wrong = || Error::new(Code::NotFound, "a restriction is mute or ban");
    RestrictionKind::parse(text).ok_or_else(wrong)
}
