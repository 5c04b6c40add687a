//! Routes for a player's passkeys and recovery codes.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::accounts::BegunCeremony;
use crate::app::App;
use crate::domain::time::Millis;
use crate::error::Error;
use crate::http::openapi;
use crate::http::players::player_of;
use crate::request::caller::{OwnsAccount, Reads};
use crate::request::extract::Payload;
use crate::request::json::{Json, NO_STORE};
use crate::store::ListedPasskey;

/// The pattern of a recovery code.
pub(super) const RECOVERY_CODE: &str = "^[0-9a-hjkmnp-tv-z]{5}(-[0-9a-hjkmnp-tv-z]{5}){3}$";

/// The beginning of a ceremony in which a device makes or proves a passkey.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CeremonyAnswer {
    /// To be sent back with the answer of the device, within ten minutes.
    ceremony: String,
    /// The options for the browser, as WebAuthn defines their JSON: `PublicKeyCredentialCreationOptionsJSON` for a new passkey,
    /// `PublicKeyCredentialRequestOptionsJSON` for a sign-in.
    #[schemars(with = "Map<String, Value>")]
    options: Value,
}

impl From<BegunCeremony> for CeremonyAnswer {
    fn from(BegunCeremony { ceremony, options }: BegunCeremony) -> Self {
        Self { ceremony, options }
    }
}

/// A passkey to add.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyRequest {
    /// A name by which its player knows it, 1 to 40 characters.
    #[schemars(length(min = 1, max = 40))]
    name: String,
    /// The ceremony that the device answers (`POST /v1/me/passkeys/options`).
    ceremony: String,
    /// The answer, as WebAuthn defines its JSON: `RegistrationResponseJSON`.
    credential: Map<String, Value>,
}

/// A new name for a passkey.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyNameRequest {
    /// The name, 1 to 40 characters.
    #[schemars(length(min = 1, max = 40))]
    name: String,
}

/// A passkey. It contains no secret: the server knows only its public key.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PasskeyEntry {
    id: String,
    name: String,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The time of the last sign-in with it, in milliseconds since 1970; `null`: never used.
    used_ms: Option<Millis>,
}

impl From<ListedPasskey> for PasskeyEntry {
    fn from(ListedPasskey { id, name, created_ms, used_ms, .. }: ListedPasskey) -> Self {
        Self { id, name, created_ms, used_ms }
    }
}

/// The caller's ways to sign in besides the account's own token.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PasskeyList {
    /// The passkeys, the oldest first.
    passkeys: Vec<PasskeyEntry>,
    /// How many recovery codes are not used yet.
    recovery_codes_left: i64,
}

/// New recovery codes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecoveryCodesAnswer {
    /// The codes. No other answer contains them.
    #[schemars(inner(regex(pattern = RECOVERY_CODE)))]
    codes: Vec<String>,
}

/// Begin to make a passkey.
#[utoipa::path(post, path = "/v1/me/passkeys/options", operation_id = "beginPasskey", tag = "players",
    security(("token" = ["account"])),
    responses((status = 200, description = "The options for the browser.", body = CeremonyAnswer), openapi::Refusals))]
pub(crate) async fn begin(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    let begun = app.accounts.begin_passkey(&player_of(caller)?).await?;
    Ok(([NO_STORE], Json(CeremonyAnswer::from(begun))).into_response())
}

/// Add the passkey that a device has made.
///
/// A player can have 10 passkeys.
#[utoipa::path(post, path = "/v1/me/passkeys", operation_id = "addPasskey", tag = "players", security(("token" = ["account"])),
    request_body = PasskeyRequest,
    responses((status = 201, description = "The passkey.", body = PasskeyEntry), openapi::Refusals))]
pub(crate) async fn add(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    payload: Payload,
) -> Result<Response, Error> {
    let PasskeyRequest { name, ceremony, credential } = payload.json()?;
    let added = app.accounts.add_passkey(&player_of(caller)?, name, &ceremony, credential).await?;
    Ok((StatusCode::CREATED, [NO_STORE], Json(PasskeyEntry::from(added))).into_response())
}

/// List the caller's passkeys, and how many recovery codes are left.
#[utoipa::path(get, path = "/v1/me/passkeys", operation_id = "listPasskeys", tag = "players", security(("token" = ["read"])),
    responses((status = 200, description = "The list.", body = PasskeyList), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, Reads(caller): Reads) -> Result<Response, Error> {
    let who = player_of(caller)?;
    let passkeys = app.accounts.passkeys(&who).await?.into_iter().map(PasskeyEntry::from).collect();
    let recovery_codes_left = app.accounts.recovery_codes_left(&who).await?;
    Ok(([NO_STORE], Json(PasskeyList { passkeys, recovery_codes_left })).into_response())
}

/// Give a passkey another name.
#[utoipa::path(put, path = "/v1/me/passkeys/{id}", operation_id = "renamePasskey", tag = "players",
    security(("token" = ["account"])), params(openapi::PasskeyPath), request_body = PasskeyNameRequest,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn rename(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let PasskeyNameRequest { name } = payload.json()?;
    app.accounts.rename_passkey(&player_of(caller)?, id_of(&params), name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Remove a passkey.
///
/// It can no longer sign in. What has signed in with it stays signed in: `DELETE /v1/me/tokens/{id}` ends that.
#[utoipa::path(delete, path = "/v1/me/passkeys/{id}", operation_id = "removePasskey", tag = "players",
    security(("token" = ["account"])), params(openapi::PasskeyPath),
    responses((status = 204, description = "The passkey was removed."), openapi::Refusals))]
pub(crate) async fn remove(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.accounts.remove_passkey(&player_of(caller)?, id_of(&params)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Make ten new recovery codes.
///
/// Each signs in once (`POST /v1/sign-in/recovery-code`). Codes that were made before become invalid.
#[utoipa::path(post, path = "/v1/me/recovery-codes", operation_id = "makeRecoveryCodes", tag = "players",
    security(("token" = ["account"])),
    responses((status = 201, description = "The codes.", body = RecoveryCodesAnswer), openapi::Refusals))]
pub(crate) async fn make_codes(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    let codes = app.accounts.new_recovery_codes(&player_of(caller)?).await?;
    Ok((StatusCode::CREATED, [NO_STORE], Json(RecoveryCodesAnswer { codes })).into_response())
}

fn id_of(params: &RawPathParams) -> String {
    params.iter().find(|(name, _)| *name == "id").map_or("", |(_, id)| id).to_owned()
}
