//! Wakes matches whose time comes while nobody looks at them, and passes on what other servers append.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::time::MissedTickBehavior;

use crate::matches::registry::{ActorStart, MatchRegistry};
use crate::store::StoreError;

/// How often the store is asked.
const EVERY: Duration = Duration::from_secs(1);

/// How long ahead of its time a match is woken, and how near its time it is kept.
pub const AHEAD: Duration = Duration::from_secs(5);

/// How many matches are woken with one question.
const AT_ONCE: u32 = 256;

/// How many of them are loaded at a time: requests come first.
const LOADS: usize = 8;

/// Looks for what is due until the server stops.
pub async fn wake(registry: Arc<MatchRegistry>) {
    let loads = Arc::new(Semaphore::new(LOADS));
    let mut every = tokio::time::interval(EVERY);
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
                tracing::error!(why, "the database does not say what is due");
            }
            well = found.is_ok();
            if !matches!(found, Ok(true)) {
                break;
            }
        }
    }
}

/// Wakes what is due; whether there may be more.
async fn round(registry: &Arc<MatchRegistry>, loads: &Arc<Semaphore>) -> Result<bool, StoreError> {
    let due = registry.store.due(registry.now.at(Instant::now() + AHEAD), AT_ONCE).await?;
    let full = due.len() >= AT_ONCE as usize;
    let mut woken = false;
    for id in due {
        if registry.is_live(&id) {
            // Another server had it too, and let go of it: held anew, so that it is free when this server dies.
            registry.store.hold(id);
            continue;
        }
        let Ok(permit) = Arc::clone(loads).acquire_owned().await else { return Ok(false) };
        match registry.enter(&id, || ActorStart::Woken(permit)) {
            Ok(_) => woken = true,
            Err(e) => tracing::debug!(id = id.as_str(), error = %e, "a match could not be woken"),
        }
    }
    if full {
        // All of them, so that the next question does not find them again.
        drop(loads.acquire_many(LOADS as u32).await);
    }
    Ok(full && woken)
}

/// Lets all live matches pause when writing begins to fail, and go on when it works again, until the server stops.
pub async fn watch_store(registry: Arc<MatchRegistry>) {
    loop {
        tokio::select! {
            biased;
            () = registry.stopping.cancelled() => return,
            () = registry.store.health_changed() => registry.tell_all(),
        }
    }
}

/// Passes on what other servers append until the server stops.
pub async fn listen(registry: Arc<MatchRegistry>) {
    loop {
        tokio::select! {
            biased;
            () = registry.stopping.cancelled() => return,
            ids = registry.store.changed_elsewhere() => registry.tell_news(&ids),
        }
    }
}
