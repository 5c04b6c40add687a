//! Follows the changes to accounts, bans and blocks that other nodes on the database make.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::jobs::JobContext;

/// How often to look for changes.
const POLL_INTERVAL: Duration = Duration::from_millis(400);

/// Works until the server stops.
pub(super) async fn watch_accounts(context: &JobContext) {
    let mut known = None;
    let mut poll = interval(POLL_INTERVAL);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            _ = poll.tick() => {}
        }
        // A read that fails is repeated at the next tick; the log says elsewhere that the database is unavailable.
        let Ok(version) = context.matches.store().accounts_version().await else { continue };
        if known != Some(version) && context.accounts.refresh().await.is_ok() {
            known = Some(version);
        }
    }
}
