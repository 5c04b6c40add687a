//! The matches that this node has begun to hold or has released, until the next transaction writes that.

use std::collections::{HashMap, HashSet};

use crate::domain::MatchId;
use crate::domain::time::Millis;

/// A change of a match's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum HoldChange {
    /// This node holds the match.
    Hold,
    /// This node no longer holds the match, which is due at this time.
    Release(Option<Millis>),
}

/// The changes that are not written yet.
#[derive(Debug, Default)]
pub(in crate::store) struct UnwrittenHolds {
    changes: HashMap<MatchId, HoldChange>,
}

impl UnwrittenHolds {
    /// Records that this node holds the match from now on.
    pub(in crate::store) fn hold(&mut self, id: MatchId) {
        self.changes.insert(id, HoldChange::Hold);
    }

    /// Records that this node no longer holds the match.
    pub(in crate::store) fn release(&mut self, id: MatchId, wake_ms: Option<Millis>) {
        self.changes.insert(id, HoldChange::Release(wake_ms));
    }

    /// Forgets a match that is over: its row says so, and it needs no holder.
    pub(in crate::store) fn remove(&mut self, id: &MatchId) {
        self.changes.remove(id);
    }

    /// All changes that are not written yet.
    pub(in crate::store) fn all(&self) -> Vec<(MatchId, HoldChange)> {
        self.changes.iter().map(|(id, change)| (id.clone(), *change)).collect()
    }

    /// Removes these changes, which are written. A match that has changed again since then stays.
    pub(in crate::store) fn mark_written(&mut self, written: &[(MatchId, HoldChange)]) {
        for (id, change) in written {
            if self.changes.get(id) == Some(change) {
                self.changes.remove(id);
            }
        }
    }

    /// The matches that are not due by `now`, although the database may still list them as due.
    pub(in crate::store) fn not_due(&self, now: Millis) -> HashSet<MatchId> {
        let later = |change: &HoldChange| !matches!(change, HoldChange::Release(Some(wake)) if *wake <= now);
        self.changes.iter().filter(|(_, change)| later(change)).map(|(id, _)| id.clone()).collect()
    }
}
