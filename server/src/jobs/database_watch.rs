//! Ends the open connections of a node that has lost its database.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::domain::time::Millis;
use crate::error::Error;
use crate::jobs::JobContext;

/// How often to look whether the database is away.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// After this long without a database, in milliseconds, a node ends its open connections.
const CUT_OFF_MS: Millis = 2_000;

/// Ends the open connections of a node that has lost its database, where others may have it: their clients then connect
/// elsewhere.
pub(super) async fn watch_database(context: &JobContext) {
    let store = context.matches.store();
    if !store.is_shared() {
        return;
    }
    let mut poll = interval(POLL_INTERVAL);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            _ = poll.tick() => {}
        }
        let now = context.matches.now().ms();
        let lasts = store.downtimes(now).last().filter(|(_, to)| *to == Millis::MAX).map(|(from, _)| *from);
        if lasts.is_some_and(|from| now.saturating_sub(from) >= CUT_OFF_MS) {
            context.accounts.sessions.end_all(&Error::cut_off());
        }
    }
}
