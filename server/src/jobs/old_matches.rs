//! Deletes matches that ended long ago, if the operator wants that.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::jobs::JobContext;

/// How often to look for old matches.
const INTERVAL: Duration = Duration::from_secs(600);

/// Works until the server stops.
pub(super) async fn delete_old_matches(context: &JobContext) {
    let Some(days) = context.options.retention_days else { return };
    let age = Duration::from_secs(u64::from(days) * 24 * 3600);
    let mut every = interval(INTERVAL);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            _ = every.tick() => {}
        }
        match context.moderation.delete_old_matches(age).await {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(deleted, days, "old matches were deleted"),
            Err(e) => tracing::warn!(error = %e, "old matches could not be deleted"),
        }
    }
}
