//! Routes for the browsers in which a player is notified while no page is open.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::domain::NotificationKind;
use crate::domain::time::Millis;
use crate::error::Error;
use crate::http::openapi;
use crate::http::players::player_of;
use crate::notifications::WantedSubscription;
use crate::request::caller::{Anyone, OwnsAccount};
use crate::request::extract::Payload;
use crate::request::json::{Json, NO_STORE};
use crate::store::{ListedPushSubscription, PushTarget};

/// A browser in which the player wants to be notified, as its `PushSubscription` describes it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({
    "name": "Firefox, Linux",
    "endpoint": "https://push.example.org/send/abc",
    "keys": {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg"
    },
    "language": "en",
    "kinds": ["turn", "challenge"]
}))]
pub(crate) struct PushSubscriptionRequest {
    /// A name by which its player knows it, 1 to 40 characters.
    #[schemars(length(min = 1, max = 40))]
    name: String,
    /// The address at the push service of the browser. It begins with `https://` and is not in a private network.
    #[schemars(length(max = 1_000))]
    endpoint: String,
    /// The keys of the browser.
    keys: BrowserKeysRequest,
    /// The tag of the language of the notifications, such as `pt-BR`. Default: English.
    #[schemars(length(min = 1, max = 16), regex(pattern = "^[A-Za-z0-9-]+$"))]
    #[serde(default = "english")]
    language: String,
    /// What the player wants to be notified of.
    kinds: Vec<NotificationKind>,
}

/// The keys of a browser that subscribes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BrowserKeysRequest {
    /// Its public key on the curve P-256, uncompressed, in URL-safe base 64.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{87}$"))]
    p256dh: String,
    /// Its secret for this server, in URL-safe base 64.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{22}$"))]
    auth: String,
}

/// A subscription that the browser has replaced by another one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PushRenewalRequest {
    /// The one that the server knows.
    from: PushTargetRequest,
    /// The one in its place.
    to: PushTargetRequest,
}

/// The address and the keys of a subscription, as the browser's `PushSubscription` has them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PushTargetRequest {
    /// The address at the push service of the browser.
    #[schemars(length(max = 1_000))]
    endpoint: String,
    /// The keys of the browser.
    keys: BrowserKeysRequest,
}

impl From<PushTargetRequest> for PushTarget {
    fn from(PushTargetRequest { endpoint, keys }: PushTargetRequest) -> Self {
        Self { endpoint, public_key: keys.p256dh, secret: keys.auth }
    }
}

/// What a subscription is for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotificationKindsRequest {
    /// What the player wants to be notified of.
    kinds: Vec<NotificationKind>,
}

/// A browser in which the player is notified.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PushSubscriptionEntry {
    id: String,
    name: String,
    /// What the player wants to be notified of.
    kinds: Vec<NotificationKind>,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The time at which the push service took a notification last, in milliseconds since 1970; `null`: it has taken none.
    delivered_ms: Option<Millis>,
}

impl From<ListedPushSubscription> for PushSubscriptionEntry {
    fn from(
        ListedPushSubscription { id, name, kinds, created_ms, delivered_ms }: ListedPushSubscription,
    ) -> Self {
        Self { id, name, kinds, created_ms, delivered_ms }
    }
}

/// The browsers in which the player is notified.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PushSubscriptionList {
    /// The public key of this server, with which a browser subscribes (`applicationServerKey`), in URL-safe base 64; `null`: this
    /// server sends no notifications.
    public_key: Option<String>,
    /// The browsers, the oldest first.
    subscriptions: Vec<PushSubscriptionEntry>,
}

fn english() -> String {
    "en".to_owned()
}

/// List the browsers in which the caller is notified, with the key with which a browser subscribes.
#[utoipa::path(get, path = "/v1/me/push-subscriptions", operation_id = "listPushSubscriptions", tag = "players",
    security(("token" = ["account"])),
    responses((status = 200, description = "The list.", body = PushSubscriptionList), openapi::Refusals))]
pub(crate) async fn list(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
) -> Result<Response, Error> {
    let found = app.notifications.subscriptions(&player_of(caller)?).await?;
    let subscriptions = found.into_iter().map(PushSubscriptionEntry::from).collect();
    let public_key = app.notifications.public_key().map(str::to_owned);
    Ok(([NO_STORE], Json(PushSubscriptionList { public_key, subscriptions })).into_response())
}

/// Have the caller notified in a browser while no page is open.
///
/// The browser shows what this server sends through the browser's push service, encrypted. A subscription with the same address
/// takes the place of an older one. It ends with the token of this request: when the player signs out, and when the account's
/// own token is replaced. A player can have 10.
#[utoipa::path(post, path = "/v1/me/push-subscriptions", operation_id = "addPushSubscription", tag = "players",
    security(("token" = ["account"])), request_body = PushSubscriptionRequest,
    responses((status = 201, description = "The subscription.", body = PushSubscriptionEntry), openapi::Refusals))]
pub(crate) async fn add(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    payload: Payload,
) -> Result<Response, Error> {
    let PushSubscriptionRequest { name, endpoint, keys, language, kinds } = payload.json()?;
    let target = PushTargetRequest { endpoint, keys }.into();
    let wanted = WantedSubscription { name, target, language, kinds };
    let by = caller.token;
    let added = app.notifications.subscribe(&player_of(caller)?, by, wanted).await?;
    Ok((StatusCode::CREATED, [NO_STORE], Json(PushSubscriptionEntry::from(added))).into_response())
}

/// Choose what a browser notifies the caller of.
#[utoipa::path(put, path = "/v1/me/push-subscriptions/{id}", operation_id = "changePushSubscription", tag = "players",
    security(("token" = ["account"])), params(openapi::PushSubscriptionPath), request_body = NotificationKindsRequest,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn choose(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let NotificationKindsRequest { kinds } = payload.json()?;
    app.notifications.choose(&player_of(caller)?, id_of(&params), kinds).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Notify the caller in a browser no longer.
#[utoipa::path(delete, path = "/v1/me/push-subscriptions/{id}", operation_id = "removePushSubscription", tag = "players",
    security(("token" = ["account"])), params(openapi::PushSubscriptionPath),
    responses((status = 204, description = "The subscription was removed."), openapi::Refusals))]
pub(crate) async fn remove(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.notifications.unsubscribe(&player_of(caller)?, id_of(&params)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Send a notification to a browser, to see that it works.
///
/// It is sent at once, also while a page is open; to one browser at most every ten seconds.
#[utoipa::path(post, path = "/v1/me/push-subscriptions/{id}/test", operation_id = "testPushSubscription", tag = "players",
    security(("token" = ["account"])), params(openapi::PushSubscriptionPath),
    responses((status = 204, description = "The push service has taken it."), openapi::Refusals))]
pub(crate) async fn test(
    State(app): State<&'static App>,
    OwnsAccount(caller): OwnsAccount,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.notifications.try_out(&player_of(caller)?, id_of(&params)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replace the address and the keys of a subscription.
///
/// Browsers replace their subscriptions by themselves now and then. The request needs no token: only the browser knows the earlier
/// keys. The subscription keeps its id and what it is for, and ends with the token that added it. A push service that does not know the
/// earlier address any more does no harm for 60 days. Each try is charged to the address as a sign-in is.
#[utoipa::path(post, path = "/v1/push-subscriptions/renew", operation_id = "renewPushSubscription", tag = "players",
    request_body = PushRenewalRequest,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn renew(
    State(app): State<&'static App>,
    caller: Anyone,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let PushRenewalRequest { from, to } = payload.json()?;
    app.creations.charge_sign_in(caller.network).await?;
    app.notifications.renew(from.into(), to.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn id_of(params: &RawPathParams) -> String {
    params.iter().find(|(name, _)| *name == "id").map_or("", |(_, id)| id).to_owned()
}
