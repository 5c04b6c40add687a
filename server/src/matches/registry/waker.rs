//! Wakes matches whose time comes while nobody looks at them, and passes on what other servers append.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::time::MissedTickBehavior;

use crate::matches::registry::{House, Origin};
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
pub async fn wake(house: Arc<House>) {
    let loads = Arc::new(Semaphore::new(LOADS));
    let mut every = tokio::time::interval(EVERY);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut well = true;
    loop {
        tokio::select! {
            biased;
            () = house.stopping.cancelled() => return,
            _ = every.tick() => house.store.beat(house.now.ms()),
        }
        loop {
            let found = round(&house, &loads).await;
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
async fn round(house: &Arc<House>, loads: &Arc<Semaphore>) -> Result<bool, StoreError> {
    let due = house.store.due(house.now.at(Instant::now() + AHEAD), AT_ONCE).await?;
    let full = due.len() >= AT_ONCE as usize;
    let mut woken = false;
    for id in due {
        if house.is_live(&id) {
            // Another server had it too, and let go of it: held anew, so that it is free when this server dies.
            house.store.hold(id);
            continue;
        }
        let Ok(permit) = Arc::clone(loads).acquire_owned().await else { return Ok(false) };
        match house.enter(&id, || Origin::Woken(permit)) {
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
pub async fn watch_store(house: Arc<House>) {
    loop {
        tokio::select! {
            biased;
            () = house.stopping.cancelled() => return,
            () = house.store.turned() => house.tell_all(),
        }
    }
}

/// Passes on what other servers append until the server stops.
pub async fn listen(house: Arc<House>) {
    loop {
        tokio::select! {
            biased;
            () = house.stopping.cancelled() => return,
            ids = house.store.news() => house.tell_news(&ids),
        }
    }
}
