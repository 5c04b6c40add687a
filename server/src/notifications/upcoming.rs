//! Tournaments that start soon: their entrants are notified some minutes before.

use std::collections::HashMap;

use crate::domain::time::Millis;
use crate::domain::{NotificationKind, TournamentId};
use crate::notifications::Notifications;
use crate::store::{NewNotification, PushChange};
use crate::tournaments::service::TournamentSummary;

/// How long before the start, in milliseconds: ten minutes.
const BEFORE_MS: Millis = 600_000;

/// The tournaments whose entrants this node has noted, with their number then.
#[derive(Default)]
pub(super) struct KnownStarts(HashMap<TournamentId, usize>);

impl Notifications {
    /// Notes the entrants of the tournaments that start soon. Each node does so; the database adds each once.
    pub(super) async fn note_starts(&self, known: &mut KnownStarts) {
        let now = self.deps.matches.now().ms();
        let Ok(waiting) = self.store().tournaments_not_begun().await else { return };
        let mut soon = HashMap::new();
        for listed in waiting {
            let Ok(summary) = serde_json::from_str::<TournamentSummary>(&listed.summary) else { continue };
            let starts = summary.starts_ms.filter(|starts| (now..now + BEFORE_MS).contains(starts));
            let Some(starts) = starts else { continue };
            let noted = known.0.get(&listed.id) == Some(&summary.entrants);
            if noted || self.note_entrants(&listed.id, starts, now).await {
                soon.insert(listed.id, summary.entrants);
            }
        }
        known.0 = soon;
    }

    /// Notes the entrants of a tournament. Returns whether that was written.
    async fn note_entrants(&self, id: &TournamentId, starts_ms: Millis, now: Millis) -> bool {
        let Ok(loaded) = self.deps.tournaments.load(self.deps.matches, id).await else { return false };
        let entrants = loaded.state.entrants.iter().filter(|entrant| entrant.takes_part);
        let people = entrants.filter(|entrant| self.deps.matches.notified().contains(&entrant.player.id));
        let notifications = people.map(|entrant| NewNotification {
            player: entrant.player.id.clone(),
            kind: NotificationKind::Tournament,
            subject: id.as_str().to_owned(),
            due_ms: now,
            until_ms: starts_ms,
        });
        self.change(PushChange::Notify(notifications.collect())).await.is_ok()
    }
}
