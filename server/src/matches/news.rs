//! Messages from other nodes to the matches of this one: news, and connected seats.

use std::collections::BTreeSet;

use crate::domain::time::Millis;
use crate::domain::{MatchId, Stage};
use crate::matches::listing::MatchSummary;
use crate::matches::registry::presence::UnsharedSeats;
use crate::matches::service::Matches;
use crate::store::{ConnectedSeat, StoreError};

impl Matches {
    /// Tells the actors of these matches to read the log and the names again.
    pub fn tell_news(&self, ids: &[MatchId]) {
        self.registry.tell_news(ids);
    }

    /// Tells the actors of these matches that something about them has changed besides their logs.
    pub fn tell_changed(&self, ids: &[MatchId]) {
        self.registry.tell_changed(ids);
    }

    /// Ends the actors of matches that were deleted.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn end_deleted(&self) -> Result<(), StoreError> {
        self.registry.end_deleted().await
    }

    /// Tells the matches what the database says of the connected seats of `matches` (`None`: of all): of those here, and of those
    /// on other nodes. Returns the seats here that came and that left, as far as the database does not know it.
    pub fn update_presence(
        &self,
        matches: Option<&BTreeSet<MatchId>>,
        own: &BTreeSet<ConnectedSeat>,
        elsewhere: &BTreeSet<ConnectedSeat>,
    ) -> UnsharedSeats {
        let Self { registry } = self;
        let changed: Vec<MatchId> = registry.presence.update(matches, own, elsewhere).into_iter().collect();
        registry.tell_changed(&changed);
        let kept_ms = i64::try_from(registry.options.guest_absence_ms).unwrap_or(i64::MAX);
        registry
            .presence
            .forget_before(registry.now.ms().saturating_sub(kept_ms.max(registry.options.deserted_ms)));
        registry.presence.unshared()
    }

    /// Whether guests alone play this match and all of them left some time ago, so that it is not really being played.
    pub fn is_deserted(
        &self,
        id: &MatchId,
        stage: Stage,
        created_ms: Millis,
        summary: &MatchSummary,
    ) -> bool {
        if stage == Stage::Over || !summary.is_of_guests() {
            return false;
        }
        let Self { registry } = self;
        let since = registry.presence.empty_since(id, created_ms);
        since.is_some_and(|since| registry.now.ms().saturating_sub(since) >= registry.options.deserted_ms)
    }
}
