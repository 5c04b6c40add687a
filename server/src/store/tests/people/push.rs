//! Subscriptions to notifications: their limit, what ends and what renews them; notifications: each once, by one node.

use crate::domain::NotificationKind::{Challenge, Turn};
use crate::store::tests::people::tokens::new_token;
use crate::store::tests::*;

on_both_databases! {
    key_of_notifications_is_the_first_one,
    subscriptions_of_a_player_are_bounded_and_end_with_their_token,
    notification_is_added_once_and_claimed_by_one,
    notifications_that_are_over_are_swept,
    subscription_is_renewed_by_its_browser_alone,
    subscription_that_is_gone_waits_to_be_renewed,
}

/// A subscription of a player, for turns.
pub(in crate::store::tests) fn new_subscription(n: u8, player: &str, holder: u8) -> NewPushSubscription {
    let target = PushTarget {
        endpoint: format!("https://push.example/{n}"),
        public_key: format!("key {n}"),
        secret: format!("secret {n}"),
    };
    NewPushSubscription {
        id: format!("subscription {n}"),
        player: format!("id of {player}"),
        holder: hash(holder),
        name: format!("name {n}"),
        target,
        language: "en".to_owned(),
        kinds: vec![Turn],
        created_ms: 10,
        most: 2,
    }
}

/// A notification of ann.
pub(in crate::store::tests) fn new_notification(subject: &str) -> NewNotification {
    NewNotification {
        player: "id of ann".to_owned(),
        kind: Turn,
        subject: subject.to_owned(),
        due_ms: 20,
        until_ms: 100,
    }
}

/// A store with ann and ben.
async fn people(database: &TestDatabase) -> Arc<TestStore> {
    let store = database.open(0).await;
    store.add_player(named("ann"), hash(1), 5, None).await.unwrap();
    store.add_player(named("ben"), hash(2), 5, None).await.unwrap();
    store
}

async fn push(store: &TestStore, change: PushChange) -> Result<u64, StoreError> {
    store.change(StoreChange::Push(change)).await
}

async fn subscribe(store: &TestStore, new: NewPushSubscription) -> Result<u64, StoreError> {
    push(store, PushChange::Subscribe(new)).await
}

async fn ids(store: &TestStore, player: &str, now: Millis) -> Vec<String> {
    let listed = store.push_subscriptions(format!("id of {player}"), now).await.unwrap();
    listed.into_iter().map(|one| one.id).collect()
}

async fn key_of_notifications_is_the_first_one(database: TestDatabase) {
    let store = people(&database).await;
    assert_eq!(store.push_key().await, Ok(None));
    for (key, changed) in [("first", 1), ("second", 0)] {
        assert_eq!(push(&store, PushChange::KeepKey(key.to_owned())).await, Ok(changed));
    }
    assert_eq!(store.push_key().await, Ok(Some("first".to_owned())));
}

async fn subscriptions_of_a_player_are_bounded_and_end_with_their_token(database: TestDatabase) {
    let store = people(&database).await;
    let token = NewToken { expires_ms: Some(50), ..new_token(7, "ann") };
    let holder = token.key;
    assert_eq!(store.change(StoreChange::AddToken(token)).await, Ok(1));
    let version = store.accounts_version().await.unwrap();
    assert_eq!(subscribe(&store, new_subscription(1, "ann", 1)).await, Ok(1));
    assert!(store.accounts_version().await.unwrap() > version, "other nodes learn who has one");
    let of_token = NewPushSubscription { holder, ..new_subscription(2, "ann", 1) };
    assert_eq!(subscribe(&store, of_token).await, Ok(1));
    assert_eq!(subscribe(&store, new_subscription(3, "ann", 1)).await, Ok(0), "two are the most");
    assert_eq!(subscribe(&store, new_subscription(4, "nobody", 1)).await, Ok(0));
    assert_eq!(ids(&store, "ann", 20).await, ["subscription 1", "subscription 2"]);
    assert_eq!(ids(&store, "ann", 50).await, ["subscription 1"], "the token has expired");
    // The same browser, and another one that knows the address alone.
    let again = NewPushSubscription { id: "again".to_owned(), ..new_subscription(1, "ann", 1) };
    assert_eq!(subscribe(&store, again).await, Ok(1));
    let mut stranger = new_subscription(1, "ben", 2);
    stranger.target.secret = "another".to_owned();
    assert_eq!(subscribe(&store, stranger).await, Err(StoreError::Conflict));
    let taken = NewPushSubscription { id: "taken".to_owned(), ..new_subscription(1, "ben", 2) };
    assert_eq!(subscribe(&store, taken).await, Ok(1));
    assert_eq!(
        (ids(&store, "ann", 20).await, ids(&store, "ben", 20).await),
        (vec!["subscription 2".to_owned()], vec!["taken".to_owned()],)
    );
    let mut players = store.subscribed_players().await.unwrap();
    players.sort();
    assert_eq!(players, ["id of ann", "id of ben"]);
    let found =
        store.push_subscription("id of ben".to_owned(), "taken".to_owned(), 20).await.unwrap().unwrap();
    assert_eq!((found.who, found.target), (named("ben"), new_subscription(1, "ben", 2).target));
    // The account's own token is replaced; then the sweep removes what has ended.
    let replace = StoreChange::ReplaceToken {
        player: "id of ben".to_owned(),
        key: hash(9),
        end_others: false,
        by: None,
    };
    assert_eq!(store.change(replace).await, Ok(1));
    assert_eq!(ids(&store, "ben", 20).await, [] as [String; 0]);
    assert_eq!(push(&store, PushChange::Sweep { now: 50 }).await, Ok(2));
    assert_eq!(store.subscribed_players().await, Ok(vec![]));
}

async fn notification_is_added_once_and_claimed_by_one(database: TestDatabase) {
    let store = people(&database).await;
    assert_eq!(subscribe(&store, new_subscription(1, "ann", 1)).await, Ok(1));
    let challenge = NewNotification { kind: Challenge, ..new_notification("c") };
    let notify = PushChange::Notify(vec![new_notification("m 1"), new_notification("m 2"), challenge]);
    assert_eq!(push(&store, notify.clone()).await, Ok(2), "challenges are not wanted");
    assert_eq!(push(&store, notify).await, Ok(0), "each once");
    assert_eq!(store.due_notifications(19, 9).await, Ok(vec![]));
    assert_eq!(store.due_notifications(100, 9).await, Ok(vec![]), "they are of no use any more");
    let due = store.due_notifications(20, 9).await.unwrap();
    let subjects: Vec<_> = due.iter().map(|one| (one.key.subject.as_str(), one.tries)).collect();
    assert_eq!(subjects, [("m 1", 0), ("m 2", 0)]);
    assert_eq!(due[0].to.who, named("ann"));
    assert_eq!(store.due_notifications(20, 1).await.unwrap().len(), 1);
    let (first, second) = (due[0].key.clone(), due[1].key.clone());
    let claim = || PushChange::Claim { key: first.clone(), due_ms: 20, again_ms: 60 };
    assert_eq!(push(&store, claim()).await, Ok(1));
    assert_eq!(push(&store, claim()).await, Ok(0), "another node was faster");
    let settle = PushChange::Settle { key: second, delivered_ms: Some(30) };
    assert_eq!(push(&store, settle).await, Ok(1));
    assert_eq!(store.push_subscriptions("id of ann".to_owned(), 20).await.unwrap()[0].delivered_ms, Some(30));
    assert_eq!(store.due_notifications(59, 9).await, Ok(vec![]));
    let again = store.due_notifications(60, 9).await.unwrap();
    assert_eq!((again.len(), again[0].tries), (1, 1), "the node that claimed it has died");
    let later = PushChange::Postpone { key: first, due_ms: 150, until_ms: Some(200) };
    assert_eq!(push(&store, later).await, Ok(1));
    assert_eq!(store.due_notifications(150, 9).await.unwrap()[0].until_ms, 200);
}

async fn notifications_that_are_over_are_swept(database: TestDatabase) {
    let store = people(&database).await;
    assert_eq!(subscribe(&store, new_subscription(1, "ann", 1)).await, Ok(1));
    assert_eq!(push(&store, PushChange::Notify(vec![new_notification("m 1")])).await, Ok(1));
    assert_eq!(push(&store, PushChange::Sweep { now: 99 }).await, Ok(0));
    assert_eq!(push(&store, PushChange::Sweep { now: 100 }).await, Ok(1));
    assert_eq!(push(&store, PushChange::Notify(vec![new_notification("m 2")])).await, Ok(1));
    let choose =
        PushChange::Choose { player: "id of ann".to_owned(), id: "subscription 1".to_owned(), kinds: vec![] };
    assert_eq!(push(&store, choose).await, Ok(1));
    assert_eq!(push(&store, PushChange::Notify(vec![new_notification("m 3")])).await, Ok(0));
    let delete = StoreChange::DeletePlayer { player: "id of ann".to_owned(), at_ms: 6, held_until_ms: 7 };
    assert_eq!(store.change(delete).await, Ok(1));
    assert_eq!(push(&store, PushChange::Sweep { now: 20 }).await, Ok(1), "its subscription is gone");
}

/// The target of the subscription with this number.
fn target(n: u8) -> PushTarget {
    new_subscription(n, "ann", 1).target
}

async fn renew(store: &TestStore, from: PushTarget, to: PushTarget) -> Result<u64, StoreError> {
    push(store, PushChange::Renew { from, to, now: 20 }).await
}

async fn target_of(store: &TestStore, player: &str, id: &str) -> Option<PushTarget> {
    let found = store.push_subscription(format!("id of {player}"), id.to_owned(), 20).await.unwrap();
    found.map(|found| found.target)
}

async fn subscription_is_renewed_by_its_browser_alone(database: TestDatabase) {
    let store = people(&database).await;
    assert_eq!(subscribe(&store, new_subscription(1, "ann", 1)).await, Ok(1));
    assert_eq!(subscribe(&store, new_subscription(2, "ben", 2)).await, Ok(1));
    for guess in [
        PushTarget { secret: "another".to_owned(), ..target(1) },
        PushTarget { public_key: "another".to_owned(), ..target(1) },
        target(3),
    ] {
        assert_eq!(renew(&store, guess, target(4)).await, Ok(0));
    }
    assert_eq!(renew(&store, target(1), target(4)).await, Ok(1));
    assert_eq!(target_of(&store, "ann", "subscription 1").await, Some(target(4)));
    assert_eq!(renew(&store, target(1), target(4)).await, Ok(1), "the answer was lost");
    let stranger = PushTarget { secret: "another".to_owned(), ..target(2) };
    assert_eq!(renew(&store, target(4), stranger).await, Err(StoreError::Conflict));
    // The browser has subscribed anew before it renews.
    assert_eq!(subscribe(&store, new_subscription(5, "ann", 1)).await, Ok(1));
    assert_eq!(renew(&store, target(4), target(5)).await, Ok(1));
    assert_eq!(ids(&store, "ann", 20).await, ["subscription 1"]);
    assert_eq!(target_of(&store, "ann", "subscription 1").await, Some(target(5)));
    // It ends with its token.
    let (player, key) = ("id of ann".to_owned(), hash(9));
    let replace = StoreChange::ReplaceToken { player, key, end_others: false, by: None };
    assert_eq!(store.change(replace).await, Ok(1));
    assert_eq!(renew(&store, target(5), target(6)).await, Ok(0));
    assert_eq!(target_of(&store, "ben", "subscription 2").await, Some(target(2)), "another player's stays");
}

async fn subscription_that_is_gone_waits_to_be_renewed(database: TestDatabase) {
    const DAYS: Millis = 86_400_000;
    let store = people(&database).await;
    let lapse = async |n: u8, endpoint: u8, at_ms| {
        let (id, endpoint) = (format!("subscription {n}"), target(endpoint).endpoint);
        push(&store, PushChange::Lapse { id, endpoint, at_ms }).await.unwrap()
    };
    assert_eq!(subscribe(&store, new_subscription(1, "ann", 1)).await, Ok(1));
    assert_eq!(push(&store, PushChange::Notify(vec![new_notification("m 1")])).await, Ok(1));
    assert_eq!(lapse(1, 1, 20).await, 1);
    assert_eq!(ids(&store, "ann", 20).await, [] as [String; 0]);
    assert_eq!(target_of(&store, "ann", "subscription 1").await, None);
    assert_eq!(store.due_notifications(30, 9).await, Ok(vec![]), "nothing is sent");
    assert_eq!(renew(&store, target(1), target(3)).await, Ok(1));
    let due = store.due_notifications(30, 9).await.unwrap();
    assert_eq!((due.len(), &due[0].to.target), (1, &target(3)), "what still holds is sent");
    assert_eq!(lapse(1, 1, 30).await, 0, "an answer to the former address");
    assert_eq!(ids(&store, "ann", 20).await, ["subscription 1"]);
    // Those that wait make room for others, and are removed after some time.
    assert_eq!(subscribe(&store, new_subscription(2, "ann", 1)).await, Ok(1));
    assert_eq!(lapse(1, 3, 40).await, 1);
    assert_eq!(subscribe(&store, new_subscription(4, "ann", 1)).await, Ok(1));
    assert_eq!(renew(&store, target(3), target(5)).await, Ok(0));
    assert_eq!(ids(&store, "ann", 20).await, ["subscription 2", "subscription 4"]);
    assert_eq!(lapse(2, 2, 50).await, 1);
    let sweep = async |now| push(&store, PushChange::Sweep { now }).await.unwrap();
    sweep(50 + 60 * DAYS - 1).await;
    assert_eq!(renew(&store, target(2), target(2)).await, Ok(1), "it is known again");
    assert_eq!(lapse(2, 2, 50).await, 1);
    sweep(50 + 60 * DAYS).await;
    assert_eq!(renew(&store, target(2), target(2)).await, Ok(0));
}
