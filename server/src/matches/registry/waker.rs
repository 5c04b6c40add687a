//! Wakes matches that become due while no client uses them, and forwards news of events that other servers append.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::time::MissedTickBehavior;

use crate::matches::registry::{ActorStart, MatchRegistry, freeze};
use crate::store::StoreError;

/// How often the store is queried.
const PERIOD: Duration = Duration::from_secs(1);

/// A match is woken this long before it is due, and stays in memory if it is due within this time.
pub(crate) const AHEAD: Duration = Duration::from_secs(5);

/// The most matches that one query returns.
const BATCH: u32 = 256;

/// The most matches that are loaded at a time, so that requests come first.
const MAX_LOADS: usize = 8;

/// Wakes due matches until the server stops.
pub(crate) async fn wake(registry: Arc<MatchRegistry>) {
    let loads = Arc::new(Semaphore::new(MAX_LOADS));
    let mut every = tokio::time::interval(PERIOD);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut well = true;
    loop {
        tokio::select! {
            biased;
            () = registry.stopping.cancelled() => return,
            _ = every.tick() => registry.store.heartbeat(registry.now.ms()),
        }
        loop {
            let found = round(&registry, &loads).await;
            if let (Err(StoreError::Unavailable(why)), true) = (&found, well) {
                tracing::error!(why, "the query for due matches failed");
            }
            well = found.is_ok();
            if !matches!(found, Ok(true)) {
                break;
            }
        }
    }
}

/// Wakes one batch of due matches. Returns whether there may be more.
async fn round(registry: &Arc<MatchRegistry>, loads: &Arc<Semaphore>) -> Result<bool, StoreError> {
    let due = registry.store.due(registry.now.at(Instant::now() + AHEAD), BATCH).await?;
    let full = due.len() >= BATCH as usize;
    let mut woken = false;
    for id in due {
        // Another server held it too and released it: hold it again, so that it is free if this server dies.
        if registry.hold_if_live(&id) {
            continue;
        }
        let Ok(permit) = Arc::clone(loads).acquire_owned().await else { return Ok(false) };
        match registry.enter(&id, || ActorStart::Woken(permit)) {
            Ok(()) => woken = true,
            Err(e) => tracing::debug!(id = id.as_str(), error = %e, "a match could not be woken"),
        }
    }
    if full {
        // Wait until all of them are loaded, so that the next query does not return them again.
        drop(loads.acquire_many(MAX_LOADS as u32).await);
    }
    Ok(full && woken)
}

/// Notifies all live matches when writing to the store begins to fail, when it works again, and when the server stops.
pub(crate) async fn watch_store(registry: Arc<MatchRegistry>) {
    loop {
        tokio::select! {
            biased;
            () = registry.stopping.cancelled() => return registry.tell_all(),
            () = registry.store.health_changed() => registry.tell_all(),
        }
    }
}

/// Looks for freezes of this process, as long as there is a registry: on a thread, since tasks also wait for each other.
pub(crate) fn watch_freezes(registry: Weak<MatchRegistry>) {
    let watch = move || {
        while let Some(registry) = registry.upgrade().filter(|registry| !registry.stopping.is_cancelled()) {
            registry.look_for_freeze();
            drop(registry);
            std::thread::sleep(freeze::TICK);
        }
    };
    if let Err(e) = std::thread::Builder::new().name("freezes".to_owned()).spawn(watch) {
        tracing::warn!(error = %e, "freezes of this process are noticed only when a request comes");
    }
}

/// Forwards news of events that other servers append, until the server stops.
pub(crate) async fn listen(registry: Arc<MatchRegistry>) {
    loop {
        tokio::select! {
            biased;
            () = registry.stopping.cancelled() => return,
            ids = registry.store.changed_elsewhere() => registry.tell_news(&ids),
        }
    }
}
