//! The life of matches in the log: when each was created, began and ended, and each move. It has a level of its own
//! (`--match-log-level`), since it is a line for each match, however quiet the rest of the log is.

use crate::domain::MatchId;
use crate::matches::event::{Event, LoggedEvent};

/// The target of these lines: `LogArgs` sets its level.
pub const TARGET: &str = "match";

/// Logs what these committed events mean for the life of their match: its creation, beginning and end at level `info`, all
/// other events at level `debug`.
pub(super) fn log(id: &MatchId, game: &str, events: &[LoggedEvent]) {
    let id = id.as_str();
    for LoggedEvent { seq, event, .. } in events {
        match event {
            Event::Created(_) => tracing::info!(target: TARGET, id, game, "created"),
            Event::Started => tracing::info!(target: TARGET, id, game, "begun"),
            Event::Ended(ended) => {
                tracing::info!(target: TARGET, id, game, how = ended.how.name(), events = seq + 1, "ended");
            }
            Event::Moved(moved) => {
                tracing::debug!(target: TARGET, id, game, seq, seat = moved.seat.0, "moved")
            }
            Event::Fouled(fouled) => {
                tracing::debug!(target: TARGET, id, game, seq, seat = fouled.seat.0, "fouled");
            }
            Event::Joined { seat, .. } => {
                tracing::debug!(target: TARGET, id, game, seq, seat = seat.0, "joined")
            }
            Event::Left { seat, .. } => tracing::debug!(target: TARGET, id, game, seq, seat = seat.0, "left"),
            Event::WentOut { seat, .. } => {
                tracing::debug!(target: TARGET, id, game, seq, seat = seat.0, "went out");
            }
            Event::TakenBack { seat, .. } => {
                tracing::debug!(target: TARGET, id, game, seq, seat = seat.0, "taken back");
            }
            Event::Resumed { .. } => tracing::debug!(target: TARGET, id, game, seq, "resumed"),
            Event::RefereeSet { .. } => {}
        }
    }
}
