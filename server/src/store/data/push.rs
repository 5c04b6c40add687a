//! Subscriptions of browsers to notifications, and the notifications to send, as the store keeps them.

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::domain::{NotificationKind, PlayerRef};

/// A subscription to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPushSubscription {
    /// Its id here.
    pub id: String,
    /// The id of its player.
    pub player: String,
    /// The hash of the token that adds it. The subscription counts as long as this token does.
    pub holder: KeyHash,
    /// The name of the browser.
    pub name: String,
    /// The address at the push service and the keys of the browser.
    pub target: PushTarget,
    /// The tag of the language of its texts.
    pub language: String,
    /// What the player wants to be notified of.
    pub kinds: Vec<NotificationKind>,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The most subscriptions of the player.
    pub most: u32,
}

/// Where a notification goes, and the keys that encrypt it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushTarget {
    /// The address at the push service.
    pub endpoint: String,
    /// The public key of the browser, in URL-safe base 64.
    pub public_key: String,
    /// The secret that the browser has made for this server, in URL-safe base 64.
    pub secret: String,
}

/// A subscription in its player's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPushSubscription {
    /// Its id here.
    pub id: String,
    /// The name of the browser.
    pub name: String,
    /// What the player wants to be notified of.
    pub kinds: Vec<NotificationKind>,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time at which the push service took a notification last; `None`: it has taken none.
    pub delivered_ms: Option<Millis>,
}

/// A subscription to send to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPushSubscription {
    /// Its id here.
    pub id: String,
    /// Its player.
    pub who: PlayerRef,
    /// Where notifications go.
    pub target: PushTarget,
    /// The tag of the language of its texts.
    pub language: String,
}

/// A notification to send to all subscriptions of a player that want this kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNotification {
    /// The id of the player.
    pub player: String,
    /// What it is about.
    pub kind: NotificationKind,
    /// The match and the number of its moves, the challenge, or the tournament. A subscription gets one of a kind for a subject.
    pub subject: String,
    /// When to send it.
    pub due_ms: Millis,
    /// From then on it is of no use.
    pub until_ms: Millis,
}

/// Names a notification to one subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationKey {
    /// The id of the subscription.
    pub subscription: String,
    /// What it is about.
    pub kind: NotificationKind,
    /// As in [`NewNotification`].
    pub subject: String,
}

/// A notification whose time has come, with where to send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueNotification {
    /// Its name.
    pub key: NotificationKey,
    /// Since when it is due.
    pub due_ms: Millis,
    /// From then on it is of no use.
    pub until_ms: Millis,
    /// How often it was tried before.
    pub tries: u32,
    /// Where to send it.
    pub to: StoredPushSubscription,
}

/// A change to subscriptions and notifications.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`id` says all")]
pub enum PushChange {
    /// Keeps the private key of this database's servers, unless there is one.
    KeepKey(String),
    /// Adds a subscription in place of an older one of the same browser. Changes nothing if the player has too many, or was deleted.
    Subscribe(NewPushSubscription),
    /// Chooses what a subscription is for.
    Choose {
        /// The id of its player.
        player: String,
        id: String,
        /// What the player wants to be notified of.
        kinds: Vec<NotificationKind>,
    },
    /// Removes a subscription.
    Unsubscribe {
        /// The id of its player.
        player: String,
        id: String,
    },
    /// Replaces the address and the keys of a subscription, unless its token is no longer valid. Changes nothing but says so by a
    /// row if that was done before.
    Renew {
        /// The ones that are known.
        from: PushTarget,
        /// The ones in their place.
        to: PushTarget,
        /// The time of the change.
        now: Millis,
    },
    /// Sends nothing to a subscription until it is renewed: its push service does not know it any more. Changes nothing if it has
    /// another address by now.
    Lapse {
        id: String,
        /// Its address.
        endpoint: String,
        /// The time of the change.
        at_ms: Millis,
    },
    /// Adds notifications, each once.
    Notify(Vec<NewNotification>),
    /// Makes this node send a notification. Changes nothing if another one was faster.
    Claim {
        /// The notification.
        key: NotificationKey,
        /// Since when it is due.
        due_ms: Millis,
        /// When any node may try again, if this one dies meanwhile.
        again_ms: Millis,
    },
    /// Sends a notification later.
    Postpone {
        /// The notification.
        key: NotificationKey,
        /// When to try again.
        due_ms: Millis,
        /// From then on it is of no use; `None`: as before.
        until_ms: Option<Millis>,
    },
    /// A notification need not be sent any more. It stays for a while, so that it is not added again.
    Settle {
        /// The notification.
        key: NotificationKey,
        /// Whether the push service has taken it, at this time.
        delivered_ms: Option<Millis>,
    },
    /// Records that the push service has taken a notification that is not in the table.
    Delivered {
        /// The id of the subscription.
        id: String,
        /// The time.
        at_ms: Millis,
    },
    /// Removes what is over: notifications of no use, subscriptions whose token is no longer valid, or that no browser has renewed
    /// in time.
    Sweep {
        /// The time of the change.
        now: Millis,
    },
}
