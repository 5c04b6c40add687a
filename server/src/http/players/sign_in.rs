//! Routes for signing in with a passkey, a recovery code or the account's own token. Each attempt is charged to the caller's address.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::accounts::SignedIn;
use crate::app::App;
use crate::domain::schema::{PLAYER_TOKEN, PlayerName, SCOPED_TOKEN};
use crate::domain::time::Millis;
use crate::error::Error;
use crate::http::openapi;
use crate::http::players::passkeys::{CeremonyAnswer, RECOVERY_CODE};
use crate::request::caller::Anyone;
use crate::request::extract::Payload;
use crate::request::json::{Json, NO_STORE};

/// The answer of a passkey, to sign in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeySignInRequest {
    /// The ceremony that the device answers (`POST /v1/sign-in/passkey/options`).
    ceremony: String,
    /// The answer, as WebAuthn defines its JSON: `AuthenticationResponseJSON`.
    credential: Map<String, Value>,
    /// A name by which the player knows this sign-in in the list of tokens, 1 to 40 characters.
    #[schemars(length(min = 1, max = 40))]
    name: String,
}

/// A recovery code, to sign in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "code": "7q2mz-k0x4d-3hv9s-w8rt1", "name": "Firefox, Linux" }))]
pub(crate) struct CodeSignInRequest {
    /// The code: four groups of five letters and digits, in upper or lower case.
    #[schemars(regex(pattern = RECOVERY_CODE))]
    code: String,
    /// A name by which the player knows this sign-in in the list of tokens, 1 to 40 characters.
    #[schemars(length(min = 1, max = 40))]
    name: String,
}

/// The account's own token, to sign in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenSignInRequest {
    /// The token: `kbp_` and 43 characters.
    #[schemars(regex(pattern = PLAYER_TOKEN))]
    token: String,
    /// A name by which the player knows this sign-in in the list of tokens, 1 to 40 characters.
    #[schemars(length(min = 1, max = 40))]
    name: String,
}

/// The answer to a sign-in that succeeded.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SignInAnswer {
    /// The player who is signed in.
    #[schemars(with = "PlayerName")]
    name: String,
    /// The token, to be sent as `Authorization: Bearer TOKEN`. It has all rights of the account. No other answer contains it.
    #[schemars(regex(pattern = SCOPED_TOKEN))]
    token: String,
    /// Its id in the list of tokens. `DELETE /v1/me/tokens/{id}` signs out.
    id: String,
    /// The time at which it expires, in milliseconds since 1970.
    expires_ms: Millis,
}

impl From<SignedIn> for SignInAnswer {
    fn from(SignedIn { who, id, token, expires_ms }: SignedIn) -> Self {
        Self { name: who.name, token: token.reveal().to_owned(), id, expires_ms }
    }
}

/// Begin a sign-in with a passkey.
#[utoipa::path(post, path = "/v1/sign-in/passkey/options", operation_id = "beginSignIn", tag = "players",
    responses((status = 200, description = "The options for the browser.", body = CeremonyAnswer), openapi::Refusals))]
pub(crate) async fn begin(
    State(app): State<&'static App>,
    _: Anyone,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(([NO_STORE], Json(CeremonyAnswer::from(app.accounts.begin_sign_in()?))).into_response())
}

/// Sign in with a passkey.
///
/// The answer has a token with all rights of the account. It is in the list of the player's tokens with the scope `account`, and
/// can be revoked there. It is valid for a year; of a player's sign-ins at most 20 are valid, those that were used last.
#[utoipa::path(post, path = "/v1/sign-in/passkey", operation_id = "signInWithPasskey", tag = "players",
    request_body = PasskeySignInRequest,
    responses((status = 201, description = "The sign-in.", body = SignInAnswer), openapi::Refusals))]
pub(crate) async fn with_passkey(
    State(app): State<&'static App>,
    caller: Anyone,
    payload: Payload,
) -> Result<Response, Error> {
    let PasskeySignInRequest { ceremony, credential, name } = payload.json()?;
    app.creations.charge_sign_in(caller.network).await?;
    answer(app.accounts.sign_in_with_passkey(&ceremony, credential, name).await?)
}

/// Sign in with a recovery code, which is then used up.
///
/// The answer is that of a sign-in with a passkey.
#[utoipa::path(post, path = "/v1/sign-in/recovery-code", operation_id = "signInWithCode", tag = "players",
    request_body = CodeSignInRequest,
    responses((status = 201, description = "The sign-in.", body = SignInAnswer), openapi::Refusals))]
pub(crate) async fn with_code(
    State(app): State<&'static App>,
    caller: Anyone,
    payload: Payload,
) -> Result<Response, Error> {
    let CodeSignInRequest { code, name } = payload.json()?;
    app.creations.charge_sign_in(caller.network).await?;
    answer(app.accounts.sign_in_with_code(&code, name).await?)
}

/// Sign in with the account's own token.
///
/// The answer is that of a sign-in with a passkey. A browser that signs in so need not keep the account's own token, and is signed out
/// alone. The sign-in ends when the account's own token is replaced, unless its token sends that request.
#[utoipa::path(post, path = "/v1/sign-in/token", operation_id = "signInWithToken", tag = "players",
    request_body = TokenSignInRequest,
    responses((status = 201, description = "The sign-in.", body = SignInAnswer), openapi::Refusals))]
pub(crate) async fn with_token(
    State(app): State<&'static App>,
    caller: Anyone,
    payload: Payload,
) -> Result<Response, Error> {
    let TokenSignInRequest { token, name } = payload.json()?;
    app.creations.charge_sign_in(caller.network).await?;
    answer(app.accounts.sign_in_with_token(&token, name).await?)
}

fn answer(signed_in: SignedIn) -> Result<Response, Error> {
    Ok((StatusCode::CREATED, [NO_STORE], Json(SignInAnswer::from(signed_in))).into_response())
}
