//! Measures what the service holds, for the metrics.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::domain::{PlayerKind, TournamentStage};
use crate::jobs::JobContext;
use crate::lobby::LobbySnapshot;
use crate::store::StoreCounts;

/// The pause between two measurements: Prometheus's usual scrape interval.
const EVERY: Duration = Duration::from_secs(15);

/// Counting reads whole tables. It pauses this many times as long as it took, so that it costs at most a hundredth of the time
/// however many accounts there are.
const PAUSE: u32 = 100;

/// Measures until the server stops.
pub(super) async fn measure_service(context: &JobContext) {
    let mut poll = interval(EVERY);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut next_count = Instant::now();
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            _ = poll.tick() => {}
        }
        context.matches.metrics().service.ready.set(i64::from(context.matches.store().ready().is_ok()));
        show_lobby(context, &context.lobby.now());
        if Instant::now() < next_count {
            continue;
        }
        let began = Instant::now();
        match context.matches.store().counts().await {
            Ok(counts) => show_counts(context, &counts),
            // The last ones stay; the log says elsewhere that the database is unavailable.
            Err(error) => tracing::debug!(%error, "what the database holds cannot be counted now"),
        }
        next_count = Instant::now() + began.elapsed() * PAUSE;
    }
}

fn show_counts(context: &JobContext, counts: &StoreCounts) {
    let metrics = &context.matches.metrics().service;
    let of = |groups: &[(String, i64)], name: &str| {
        groups.iter().find(|(group, _)| group == name).map_or(0, |(_, number)| *number)
    };
    for kind in PlayerKind::ALL {
        metrics.players(kind.name()).set(of(&counts.players, kind.name()));
    }
    for stage in TournamentStage::ALL {
        metrics.tournaments(stage.name()).set(of(&counts.tournaments, stage.name()));
    }
    for offer in context.matches.games().offers() {
        metrics.rated_players(offer.info.slug).set(of(&counts.rated_players, offer.info.slug));
    }
    metrics.reports.set(counts.reports);
    metrics.database_size.set(counts.bytes);
}

fn show_lobby(context: &JobContext, lobby: &LobbySnapshot) {
    let metrics = &context.matches.metrics().service;
    for kind in PlayerKind::ALL {
        let mut online: Vec<&str> = lobby
            .connections()
            .filter(|connection| connection.open.player.kind == kind)
            .map(|connection| connection.open.player.who.id.as_str())
            .collect();
        // They come in the order of the players' ids.
        online.dedup();
        metrics.online(kind.name()).set(online.len() as i64);
    }
    let mut ladder: Vec<&str> = lobby
        .bots_online()
        .filter(|(_, policy)| policy.ladder)
        .map(|(open, _)| open.player.who.id.as_str())
        .collect();
    ladder.dedup();
    metrics.ladder_bots.set(ladder.len() as i64);
    let keeps = lobby.ladder_holder() == Some(context.matches.store().node());
    metrics.ladder_holder.set(i64::from(keeps));
    let open = lobby.challenges().filter(|challenge| challenge.settled_ms.is_none());
    metrics.challenges.set(open.count() as i64);
    metrics.waiting.set(lobby.tickets().count() as i64);
}
