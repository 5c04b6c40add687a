//! Notifications to people while no page is open, by Web Push: a browser names an address at its push service and a key; this server
//! sends encrypted messages there. The database holds the subscriptions and what is to be sent, so that any node can send it, and one
//! does. Before a notification is sent, the server checks that it still holds.

mod delivery;
mod encryption;
mod notice;
mod sender;
mod subscriptions;
mod upcoming;
mod vapid;

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::lobby::Lobby;
use crate::matches::service::Matches;
use crate::store::{PushChange, Store, StoreChange, StoreError};
use crate::tournaments::service::Tournaments;
use delivery::PushClient;
use vapid::{VapidContact, VapidKey};

pub use notice::{Notice, NotificationText, NotificationTexts};
pub use subscriptions::{MAX_ENDPOINT, MOST_SUBSCRIPTIONS, WantedSubscription};

/// Settings of notifications.
#[derive(Clone, Debug, clap::Args)]
pub struct NotificationOptions {
    /// Whether players can be notified while no page is open. The server then connects to the push services of browsers.
    #[arg(long, env = "KIBITZ_PUSH", value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    pub push: bool,
    /// The address at which push services can reach the operator: `mailto:` or `https:`. Default: the address of `--public-url`.
    #[arg(long, env = "KIBITZ_PUSH_CONTACT", value_name = "URL")]
    pub push_contact: Option<VapidContact>,
    /// Send notifications also to push services in private networks and on this machine, there also over plain HTTP. Players name
    /// the addresses of push services, so with this they can have the server send requests to its own network.
    #[arg(long, env = "KIBITZ_PUSH_PRIVATE_NETWORKS")]
    pub push_private_networks: bool,
    /// The pause before the second attempt to send a notification; each later one is four times as long.
    #[arg(skip = Duration::from_secs(30))]
    pub push_retry_after: Duration,
}

/// The parts of the server that notifications use.
#[derive(Clone, Copy)]
pub struct NotificationDeps {
    /// Knows the turns.
    pub matches: &'static Matches,
    /// Knows the challenges, and which players have a page open.
    pub lobby: &'static Lobby,
    /// Knows the tournaments.
    pub tournaments: &'static Tournaments,
    /// Says notifications in the language of a subscription.
    pub texts: NotificationTexts,
}

/// Sends notifications, and keeps the subscriptions to them.
pub struct Notifications {
    deps: NotificationDeps,
    retry_after: Duration,
    client: PushClient,
    /// `None`: they are off.
    key: Option<VapidKey>,
    /// The subscriptions that were tried a moment ago, with the time.
    tried: Mutex<HashMap<String, Millis>>,
}

impl Notifications {
    /// The notifications of a server. Makes the key of this database's servers if there is none. `public_url`: the address of the
    /// pages.
    ///
    /// # Errors
    /// When the database cannot be used, or the system gives no random numbers.
    pub async fn open(
        options: &NotificationOptions,
        public_url: Option<&str>,
        deps: NotificationDeps,
    ) -> Result<Self, Error> {
        let contact = options.push_contact.clone().or_else(|| public_url?.parse().ok());
        let key = if options.push { Some(kept_key(deps.matches.store(), contact).await?) } else { None };
        let client = PushClient::new(options.push_private_networks);
        Ok(Self { deps, retry_after: options.push_retry_after, client, key, tried: Mutex::default() })
    }

    /// The public key by which a browser knows this server, in URL-safe base 64; `None`: notifications are off.
    pub fn public_key(&self) -> Option<&str> {
        self.key.as_ref().map(VapidKey::public)
    }

    fn key(&self) -> Result<&VapidKey, Error> {
        let off = || Error::new(Code::PushOff, "this server sends no notifications (--push=false)");
        self.key.as_ref().ok_or_else(off)
    }

    fn store(&self) -> &'static dyn Store {
        self.deps.matches.store()
    }

    async fn change(&self, change: PushChange) -> Result<u64, StoreError> {
        self.store().change(StoreChange::Push(change)).await
    }
}

/// The key of this database's servers, which the first of them makes.
async fn kept_key(store: &dyn Store, contact: Option<VapidContact>) -> Result<VapidKey, Error> {
    let failed = |e: StoreError| crate::store::refused_by_store(&e);
    let known = match store.push_key().await.map_err(failed)? {
        Some(known) => known,
        None => {
            let fresh = VapidKey::fresh()?;
            store.change(StoreChange::Push(PushChange::KeepKey(fresh.clone()))).await.map_err(failed)?;
            // Another node may have been faster.
            store.push_key().await.map_err(failed)?.unwrap_or(fresh)
        }
    };
    VapidKey::read(&known, contact)
        .ok_or_else(|| Error::new(Code::Internal, "the database's key of notifications cannot be read"))
}

/// Random bytes.
///
/// # Errors
/// `internal` if the system gives none.
fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(e) => Err(Error::new(Code::Internal, format!("no randomness: {e}"))),
    }
}

/// A random private key on the curve P-256.
fn fresh_secret() -> Result<p256::SecretKey, Error> {
    loop {
        // Of 2^32 random numbers less than one is no key.
        if let Ok(secret) = p256::SecretKey::from_slice(&random::<32>()?) {
            return Ok(secret);
        }
    }
}
