//! The browsers in which a player is notified: add, list, choose, remove, try.

use std::sync::PoisonError;

use crate::domain::scope::ShownToken;
use crate::domain::text::alters_display;
use crate::domain::time::Millis;
use crate::domain::{NotificationKind, PlayerRef};
use crate::error::{Code, Error};
use crate::notifications::delivery::PushOutcome;
use crate::notifications::encryption::BrowserKeys;
use crate::notifications::{Notice, Notifications};
use crate::store::{
    ListedPushSubscription, NewPushSubscription, PushChange, PushTarget, StoreError, refused_by_store,
};

/// The most subscriptions of a player.
pub const MOST_SUBSCRIPTIONS: u32 = 10;

/// The longest address of a subscription, in characters.
pub const MAX_ENDPOINT: usize = 1_000;

/// The longest name of a browser, in characters.
const MAX_NAME: usize = 40;

/// How often a subscription can be tried, in milliseconds.
const TRY_EVERY_MS: Millis = 10_000;

/// The longest tag of a language.
const MAX_LANGUAGE: usize = 16;

/// A subscription that a player wants.
#[derive(Debug)]
pub struct WantedSubscription {
    /// The name of the browser, not yet checked.
    pub name: String,
    /// Where notifications go, not yet checked.
    pub target: PushTarget,
    /// The tag of the language of its texts, not yet checked.
    pub language: String,
    /// What the player wants to be notified of.
    pub kinds: Vec<NotificationKind>,
}

impl Notifications {
    /// Adds a subscription of a player, in place of an older one of the same browser. `by`: the token of the request; the
    /// subscription ends with it.
    ///
    /// # Errors
    /// `push_off`, `bad_field`, `not_a_person`, `token_needed`, `too_many`, `store_unavailable`.
    pub async fn subscribe(
        &self,
        who: &PlayerRef,
        by: Option<ShownToken>,
        wanted: WantedSubscription,
    ) -> Result<ListedPushSubscription, Error> {
        self.key()?;
        let by = by.ok_or_else(|| Error::new(Code::TokenNeeded, "a player's token is needed"))?;
        if who.owner.is_some() || who.is_engine() {
            return Err(Error::new(Code::NotAPerson, "only people are notified; bots stay connected"));
        }
        let WantedSubscription { name, target, language, kinds } = wanted;
        check_name(&name)?;
        check_language(&language)?;
        self.check_target(&target)?;
        let new = NewPushSubscription {
            id: uuid::Uuid::now_v7().hyphenated().to_string(),
            player: who.id.clone(),
            holder: by.hash,
            name,
            target,
            language,
            kinds: once_each(kinds),
            created_ms: self.deps.matches.now().ms(),
            most: MOST_SUBSCRIPTIONS,
        };
        match self.change(PushChange::Subscribe(new.clone())).await {
            Ok(0) => {
                let detail =
                    format!("a player can be notified in {MOST_SUBSCRIPTIONS} browsers: remove one first");
                Err(Error::new(Code::TooMany, detail))
            }
            Ok(_) => {
                self.deps.matches.notified().add(&who.id);
                let NewPushSubscription { id, name, kinds, created_ms, .. } = new;
                Ok(ListedPushSubscription { id, name, kinds, created_ms, delivered_ms: None })
            }
            Err(e) => Err(refused_target(&e)),
        }
    }

    /// Replaces the address and the keys of a subscription: the browser has got others. The subscription stays the same, and ends
    /// with the same token. Only the browser knows the earlier keys, so it needs no token.
    ///
    /// # Errors
    /// `push_off`, `bad_field`, `no_such_subscription`, `store_unavailable`.
    pub async fn renew(&self, from: PushTarget, to: PushTarget) -> Result<(), Error> {
        self.key()?;
        self.check_target(&to)?;
        let change = PushChange::Renew { from, to, now: self.deps.matches.now().ms() };
        match self.change(change).await.map_err(|e| refused_target(&e))? {
            0 => {
                let detail =
                    "no subscription has this address and these keys, or its token is no longer valid";
                Err(Error::new(Code::NoSuchSubscription, detail))
            }
            _ => Ok(()),
        }
    }

    fn check_target(&self, target: &PushTarget) -> Result<(), Error> {
        self.client.endpoint(&target.endpoint)?;
        if BrowserKeys::read(target).is_none() {
            let detail = "keys: p256dh must be a point of the curve P-256 (65 bytes), auth 16 bytes, both in URL-safe base 64";
            return Err(Error::new(Code::BadField, detail));
        }
        Ok(())
    }

    /// The subscriptions of a player, the oldest first.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn subscriptions(&self, who: &PlayerRef) -> Result<Vec<ListedPushSubscription>, Error> {
        let now = self.deps.matches.now().ms();
        self.store().push_subscriptions(who.id.clone(), now).await.map_err(|e| refused_by_store(&e))
    }

    /// Chooses what a subscription of a player is for.
    ///
    /// # Errors
    /// `no_such_subscription`, `store_unavailable`.
    pub async fn choose(
        &self,
        who: &PlayerRef,
        id: String,
        kinds: Vec<NotificationKind>,
    ) -> Result<(), Error> {
        self.change_own(PushChange::Choose { player: who.id.clone(), id, kinds: once_each(kinds) }).await
    }

    /// Removes a subscription of a player.
    ///
    /// # Errors
    /// `no_such_subscription`, `store_unavailable`.
    pub async fn unsubscribe(&self, who: &PlayerRef, id: String) -> Result<(), Error> {
        self.change_own(PushChange::Unsubscribe { player: who.id.clone(), id }).await
    }

    /// Sends a notification to a subscription of a player at once, to show that it works.
    ///
    /// # Errors
    /// `push_off`, `no_such_subscription`, `push_failed`, `store_unavailable`.
    pub async fn try_out(&self, who: &PlayerRef, id: String) -> Result<(), Error> {
        self.key()?;
        let now = self.deps.matches.now().ms();
        let found = self.store().push_subscription(who.id.clone(), id.clone(), now).await;
        let to = found.map_err(|e| refused_by_store(&e))?.ok_or_else(no_such_subscription)?;
        self.note_try(&id, now)?;
        let failed = |detail| Err(Error::new(Code::PushFailed, detail));
        match self.deliver(&to, &Notice::Test, now.saturating_add(600_000)).await? {
            PushOutcome::Taken => {
                let change = PushChange::Delivered { id, at_ms: now };
                self.change(change).await.map(drop).map_err(|e| refused_by_store(&e))
            }
            PushOutcome::Gone => {
                let lapse = PushChange::Lapse { id, endpoint: to.target.endpoint, at_ms: now };
                self.change(lapse).await.map_err(|e| refused_by_store(&e))?;
                failed(
                    "the browser's push service does not know the subscription any more; it is unused until the browser renews it",
                )
            }
            PushOutcome::Later(_) => failed("the browser's push service cannot be reached now"),
            PushOutcome::Refused => failed("the browser's push service has refused the notification"),
        }
    }

    /// Notes a try of a subscription: each has the server send a request to an address that a player has named.
    fn note_try(&self, id: &str, now: Millis) -> Result<(), Error> {
        // No holder of the lock can panic half-way.
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.retain(|_, at_ms| now.saturating_sub(*at_ms) < TRY_EVERY_MS);
        match tried.insert(id.to_owned(), now) {
            None => Ok(()),
            Some(before) => {
                tried.insert(id.to_owned(), before);
                let detail = format!("a browser can be tried every {} seconds", TRY_EVERY_MS / 1_000);
                Err(Error::new(Code::TooMany, detail))
            }
        }
    }

    async fn change_own(&self, change: PushChange) -> Result<(), Error> {
        match self.change(change).await.map_err(|e| refused_by_store(&e))? {
            0 => Err(no_such_subscription()),
            _ => Ok(()),
        }
    }
}

fn refused_target(error: &StoreError) -> Error {
    match error {
        StoreError::Conflict => {
            Error::new(Code::BadField, "endpoint: it is another player's, with other keys")
        }
        e => refused_by_store(e),
    }
}

fn no_such_subscription() -> Error {
    Error::new(Code::NoSuchSubscription, "you have no subscription with this id")
}

fn once_each(mut kinds: Vec<NotificationKind>) -> Vec<NotificationKind> {
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn check_name(name: &str) -> Result<(), Error> {
    let length = name.chars().count();
    if (1..=MAX_NAME).contains(&length) && name.trim() == name && !name.chars().any(alters_display) {
        return Ok(());
    }
    let detail =
        format!("name: must have 1 to {MAX_NAME} characters that can be read, and no spaces at its ends");
    Err(Error::new(Code::BadField, detail))
}

fn check_language(tag: &str) -> Result<(), Error> {
    let is_tag = (1..=MAX_LANGUAGE).contains(&tag.len())
        && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if is_tag { Ok(()) } else { Err(Error::new(Code::BadField, "language: must be a tag such as pt-BR")) }
}
