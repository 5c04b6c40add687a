//! Subscriptions of browsers to notifications, and the notifications to send.

use futures_util::future::BoxFuture;

use crate::domain::time::Millis;
use crate::store::database_store::DatabaseStore;
use crate::store::queries::push;
use crate::store::{DueNotification, ListedPushSubscription, StoreError, StoredPushSubscription};

/// Subscriptions of browsers to notifications, and the notifications to send.
pub trait PushStore: Send + Sync {
    /// The private key of this database's servers, once there is one.
    fn push_key(&self) -> BoxFuture<'_, Result<Option<String>, StoreError>>;
    /// The subscriptions of the player with this id that count now, the oldest first.
    fn push_subscriptions(
        &self,
        player: String,
        now: Millis,
    ) -> BoxFuture<'_, Result<Vec<ListedPushSubscription>, StoreError>>;
    /// The subscription of the player with this id, if it counts now.
    fn push_subscription(
        &self,
        player: String,
        id: String,
        now: Millis,
    ) -> BoxFuture<'_, Result<Option<StoredPushSubscription>, StoreError>>;
    /// The ids of the players who have a subscription.
    fn subscribed_players(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
    /// The notifications that are due, those that have waited longest first.
    fn due_notifications(
        &self,
        now: Millis,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<DueNotification>, StoreError>>;
}

impl PushStore for DatabaseStore {
    fn push_key(&self) -> BoxFuture<'_, Result<Option<String>, StoreError>> {
        Box::pin(async move { self.read(push::key(&self.readers())).await })
    }

    fn push_subscriptions(
        &self,
        player: String,
        now: Millis,
    ) -> BoxFuture<'_, Result<Vec<ListedPushSubscription>, StoreError>> {
        Box::pin(async move { self.read(push::subscriptions(&self.readers(), &player, now)).await })
    }

    fn push_subscription(
        &self,
        player: String,
        id: String,
        now: Millis,
    ) -> BoxFuture<'_, Result<Option<StoredPushSubscription>, StoreError>> {
        Box::pin(async move { self.read(push::subscription(&self.readers(), &player, &id, now)).await })
    }

    fn subscribed_players(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(async move { self.read(push::players(&self.readers())).await })
    }

    fn due_notifications(
        &self,
        now: Millis,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<DueNotification>, StoreError>> {
        Box::pin(async move { self.read(push::due(&self.readers(), now, limit)).await })
    }
}
