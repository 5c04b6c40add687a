//! Starts the tournaments whose time has come.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::error::Code;
use crate::jobs::JobContext;
use crate::tournaments::ledger::TournamentCommand;
use crate::tournaments::service::TournamentSummary;

/// How often to look. A tournament starts at most this long after its time.
const INTERVAL: Duration = Duration::from_secs(2);

/// Works until the server stops. Any node may start a tournament: it starts once.
pub(super) async fn start_tournaments(context: &JobContext) {
    let mut tick = interval(INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            _ = tick.tick() => {}
        }
        // A read that fails is repeated at the next tick; the log says elsewhere that the database is unavailable.
        let Ok(waiting) = context.matches.store().tournaments_not_begun().await else { continue };
        let now = context.matches.now().ms();
        for listed in waiting {
            let summary = serde_json::from_str::<TournamentSummary>(&listed.summary);
            let starts = summary.ok().and_then(|summary| summary.starts_ms);
            if starts.is_none_or(|starts| starts > now) {
                continue;
            }
            let start = TournamentCommand::Start;
            match context.tournaments.command(context.matches, &listed.id, &start).await {
                // It waits for more entrants, or another node has started it.
                Ok(_) => {}
                Err(e) if matches!(e.code(), Code::TooFewEntrants | Code::TournamentStage) => {}
                Err(e) => tracing::warn!(id = listed.id.as_str(), error = %e, "a tournament cannot start"),
            }
        }
    }
}
