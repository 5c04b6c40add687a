//! The players whom the caller has blocked.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::domain::schema::AnyPlayerName;
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::http::players::player_of;
use crate::request::caller::{Manages, Reads};
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::PlayerOf;
use crate::store::{StoreChange, refused_by_store};

/// The most players whom a player can block.
const MOST_BLOCKED: u32 = 1000;

/// The players whom the caller has blocked.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BlockList {
    /// Their names.
    #[schemars(with = "Vec<AnyPlayerName>")]
    blocked: Vec<String>,
}

/// List the players whom the caller has blocked.
#[utoipa::path(get, path = "/v1/me/blocks", operation_id = "listBlocks", tag = "players", security(("token" = ["read"])),
    responses((status = 200, description = "The list.", body = BlockList), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, Reads(caller): Reads) -> Result<Response, Error> {
    let who = player_of(caller)?;
    let blocked = app.matches.store().blocked_by(who.owner_id().to_owned()).await;
    let blocked = blocked.map_err(|e| refused_by_store(&e))?;
    Ok(([NO_STORE], Json(BlockList { blocked })).into_response())
}

/// Block a player.
///
/// The player and the caller, and the bots of both, can then not challenge each other, keep seats for each other, take a
/// seat in a match of the other, say something in a match that they have in common, or be paired by quick pairing or on the
/// ladder. The other player is not told. A block is between people:
/// a bot blocks for its owner. Matches that have begun go on.
#[utoipa::path(put, path = "/v1/me/blocks/{name}", operation_id = "block", tag = "players", security(("token" = ["manage"])),
    params(openapi::PlayerPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn block(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    PlayerOf(other): PlayerOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let who = player_of(caller)?;
    if other.who.is_engine() || other.who.owner_id() == who.owner_id() {
        return Err(Error::new(
            Code::NotAPerson,
            "name: you cannot block yourself, your bots or a built-in engine",
        ));
    }
    let (player, blocked) = (who.owner_id().to_owned(), other.who.owner_id().to_owned());
    let known = app.matches.store().blocked_by(player.clone()).await.map_err(|e| refused_by_store(&e))?;
    if known.len() >= MOST_BLOCKED as usize {
        let detail = format!("a player can block {MOST_BLOCKED} others: end another block first");
        return Err(Error::new(Code::TooMany, detail));
    }
    let at_ms = app.matches.now().ms();
    // If nothing changes, the player is blocked already.
    app.accounts.change(StoreChange::Block { player, blocked, at_ms, most: MOST_BLOCKED }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// End the block of a player.
#[utoipa::path(delete, path = "/v1/me/blocks/{name}", operation_id = "unblock", tag = "players", security(("token" = ["manage"])),
    params(openapi::PlayerPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn unblock(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    PlayerOf(other): PlayerOf,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let who = player_of(caller)?;
    let (player, blocked) = (who.owner_id().to_owned(), other.who.owner_id().to_owned());
    app.accounts.change(StoreChange::Unblock { player, blocked }).await?;
    Ok(StatusCode::NO_CONTENT)
}
