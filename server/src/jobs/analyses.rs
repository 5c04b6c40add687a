//! Computes the analyses of matches that callers asked for, one after the other.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::jobs::JobContext;

/// How often to look for analyses that callers of other nodes asked for, or that a dead node left.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Works until the server stops.
pub(super) async fn compute_analyses(context: &JobContext) {
    let mut poll = interval(POLL_INTERVAL);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            () = context.analyses.asked.notified() => {}
            _ = poll.tick() => {}
        }
        loop {
            match context.analyses.compute_next().await {
                Ok(true) if !context.stopping.is_cancelled() => {}
                Ok(_) => break,
                Err(e) => {
                    // The next tick tries again.
                    tracing::debug!(error = %e, "an analysis could not be computed");
                    break;
                }
            }
        }
    }
}
