//! The operator's routes for invitations.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::accounts;
use crate::app::App;
use crate::domain::schema::INVITATION;
use crate::domain::time::Millis;
use crate::domain::token::TokenKind;
use crate::error::{Code, Error};
use crate::http::admin::AdminToken;
use crate::http::openapi;
use crate::http::reports::entry_of;
use crate::moderation::check_text;
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::store::data::moderation::INVITATION_ID;
use crate::store::{Invitation, NewInvitation, StoreChange, refused_by_store};

/// The most players of an invitation.
const MOST_USES: u32 = 10_000;

/// An invitation to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationRequest {
    /// How many players it is for. Default: one.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10_000))]
    uses: u32,
    /// The duration, in milliseconds. Default: until it is revoked.
    for_ms: Option<u64>,
    /// A note for the operator: at most 300 characters in one line.
    #[serde(default)]
    #[schemars(length(max = 300))]
    note: String,
}

fn one() -> u32 {
    1
}

/// A new invitation. No other answer contains its code.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InvitationAnswer {
    /// The code, to be sent as `invitation` with `POST /v1/players`.
    #[schemars(regex(pattern = INVITATION))]
    code: String,
    /// Its id in the list.
    id: String,
}

/// An invitation in the list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InvitationShown {
    /// Its id, from which its code cannot be computed.
    id: String,
    note: String,
    /// How many players it is for.
    uses: u32,
    /// How many players it has created.
    used: u32,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The time of its end, in milliseconds since 1970; `null`: it lasts until it is revoked.
    until_ms: Option<Millis>,
}

impl From<Invitation> for InvitationShown {
    fn from(Invitation { id, note, uses, used, created_ms, until_ms }: Invitation) -> Self {
        Self { id, note, uses, used, created_ms, until_ms }
    }
}

/// All invitations.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InvitationList {
    /// The invitations, the oldest first, including those that have expired or are used up.
    invitations: Vec<InvitationShown>,
}

/// Create an invitation, with which players can be created while the server wants one (`--registration invitation`).
#[utoipa::path(post, path = "/v1/admin/invitations", operation_id = "adminInvite", tag = "admin", security(("admin" = [])),
    request_body = Option<InvitationRequest>,
    responses((status = 201, description = "The invitation.", body = InvitationAnswer), openapi::Refusals))]
pub(crate) async fn create(
    State(app): State<&'static App>,
    _: AdminToken,
    payload: Payload,
) -> Result<Response, Error> {
    let InvitationRequest { uses, for_ms, note } = payload.json_if_any()?;
    check_text("note", &note)?;
    if !(1..=MOST_USES).contains(&uses) {
        return Err(Error::new(Code::BadField, format!("uses: must be from 1 to {MOST_USES}")));
    }
    let (code, created_ms) = (accounts::fresh_token(TokenKind::Invitation)?, app.matches.now().ms());
    let until_ms = for_ms.map(|ms| created_ms.saturating_add_unsigned(ms));
    let invitation = NewInvitation { key: code.hash(), note, uses, created_ms, until_ms };
    let id = code.hash().to_string()[..INVITATION_ID].to_owned();
    let store = app.matches.store();
    store.change(StoreChange::Invite(invitation)).await.map_err(|e| refused_by_store(&e))?;
    tracing::info!(id, "the operator created an invitation");
    let answer = InvitationAnswer { code: code.reveal().to_owned(), id };
    Ok((StatusCode::CREATED, [NO_STORE], Json(answer)).into_response())
}

/// List all invitations, the oldest first.
#[utoipa::path(get, path = "/v1/admin/invitations", operation_id = "adminListInvitations", tag = "admin", security(("admin" = [])),
    responses((status = 200, description = "The list.", body = InvitationList), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, _: AdminToken) -> Result<Response, Error> {
    let found = app.matches.store().invitations().await.map_err(|e| refused_by_store(&e))?;
    let invitations = found.into_iter().map(InvitationShown::from).collect();
    Ok(([NO_STORE], Json(InvitationList { invitations })).into_response())
}

/// Revoke an invitation: it is deleted. The players that it has created stay.
#[utoipa::path(delete, path = "/v1/admin/invitations/{id}", operation_id = "adminRevokeInvitation", tag = "admin", security(("admin" = [])),
    params(openapi::EntryPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn revoke(
    State(app): State<&'static App>,
    _: AdminToken,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let id = entry_of(&params);
    let revoked = app.matches.store().change(StoreChange::RevokeInvitation(id.to_owned())).await;
    if revoked.map_err(|e| refused_by_store(&e))? == 0 {
        return Err(Error::new(Code::NotFound, "there is no invitation with this id"));
    }
    tracing::info!(id, "the operator revoked an invitation");
    Ok(StatusCode::NO_CONTENT)
}
