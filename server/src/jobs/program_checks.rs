//! Checks uploaded programs, one after the other.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::jobs::JobContext;

/// How often to look for programs that other nodes took, or that a dead node left.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Works until the server stops.
pub(super) async fn check_programs(context: &JobContext) {
    let mut poll = interval(POLL_INTERVAL);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut changed = context.matches.store().programs_changed();
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            Ok(()) = changed.changed() => {}
            _ = poll.tick() => {}
        }
        loop {
            match context.programs.check_next().await {
                Ok(true) if !context.stopping.is_cancelled() => {}
                Ok(_) => break,
                Err(e) => {
                    // The next tick tries again.
                    tracing::debug!(error = %e, "a program could not be checked");
                    break;
                }
            }
        }
    }
}
