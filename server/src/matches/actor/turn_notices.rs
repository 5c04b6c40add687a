//! The notifications of a turn to its player: at its beginning, and before the end of a time of days. The actor only writes them
//! into the database; what is due there is sent by `notifications`, which checks again whether it is still true.

use std::sync::Arc;

use crate::domain::NotificationKind;
use crate::domain::time::{DAY_MS, Millis};
use crate::matches::actor::MatchActor;
use crate::matches::event::SeatSetup;
use crate::matches::registry::MatchRegistry;
use crate::store::{NewNotification, PushChange, StoreChange};

/// How long after the beginning of a turn its notification is due, in milliseconds: a page that is loaded again is back by then.
const AFTER_MS: Millis = 3_000;

/// The longest time before the end of a turn at which its player is reminded, in milliseconds: twelve hours.
const REMINDED_BEFORE_MS: Millis = 12 * 3_600_000;

/// How long before its end a turn of this length is to be remembered, in milliseconds: for the last quarter, at most for twelve hours.
fn reminded_before(length_ms: Millis) -> Millis {
    (length_ms / 4).min(REMINDED_BEFORE_MS)
}

impl MatchActor {
    /// Has the player to move notified of the turn that begins, unless this was done before: if the time for it is of days, or if the
    /// player has no stream of the match open.
    pub(super) fn notify_turn(&mut self) {
        let ply = self.ledger.ply();
        if self.notified_ply == Some(ply) {
            return;
        }
        let Some((player, end_ms)) = self.notified_player() else { return };
        self.notified_ply = Some(ply);
        let now = self.now();
        let new = |kind, due_ms| NewNotification {
            player: player.clone(),
            kind,
            subject: format!("{} {ply}", self.id),
            due_ms,
            until_ms: end_ms,
        };
        let mut notifications = vec![new(NotificationKind::Turn, now.saturating_add(AFTER_MS))];
        if self.has_days() {
            let remind_ms = end_ms - reminded_before(end_ms.saturating_sub(now));
            notifications.push(new(NotificationKind::Reminder, remind_ms));
        }
        let registry: Arc<MatchRegistry> = Arc::clone(&self.registry);
        self.registry.tasks.spawn(async move {
            // If it fails, the next node that loads the match tries again.
            let change = StoreChange::Push(PushChange::Notify(notifications));
            if let Err(e) = registry.store.change(change).await {
                tracing::debug!(error = %e, "a turn could not be noted for a notification");
            }
        });
    }

    /// The id of the player to move and the end of the turn, if the player wants notifications and does not follow a fast match.
    fn notified_player(&self) -> Option<(String, Millis)> {
        let seat = self.ledger.turn()?;
        let now = &self.ledger.seats()[seat.index()];
        let SeatSetup::Held { holder } = &now.chair else { return None };
        let player = holder.player.as_ref().filter(|player| player.owner.is_none() && !now.out)?;
        if !self.registry.notified.contains(&player.id) {
            return None;
        }
        if !self.has_days() && self.registry.presence.follows(&self.id, seat) {
            return None;
        }
        Some((player.id.clone(), self.turn_end()?))
    }

    /// Whether the time for a move is of days, so that its player need not be there.
    fn has_days(&self) -> bool {
        let allowed = self.ledger.turn().and_then(|seat| self.ledger.clocks().allowed(seat));
        allowed.is_some_and(|allowed| allowed >= DAY_MS.unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reminder_comes_in_the_last_quarter_and_at_most_twelve_hours_before_the_end() {
        const HOUR: Millis = 3_600_000;
        assert_eq!(reminded_before(24 * HOUR), 6 * HOUR);
        assert_eq!(reminded_before(72 * HOUR), 12 * HOUR);
    }
}
