//! The matches that live on this node, as far as the store knows: whether this node holds them, and up to which event
//! the node knows them. It writes nothing.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::Holding;

#[derive(Debug, Default)]
pub(in crate::store) struct LiveMatches(Mutex<HashMap<MatchId, LiveMatch>>);

#[derive(Clone, Copy, Debug, Default)]
struct LiveMatch {
    holding: Holding,
    /// The number of events that the node wrote or was notified of; `None`: unknown.
    told: Option<u32>,
    /// The last heartbeat of the dead node that held the match before this one.
    unheld_since: Option<Millis>,
}

impl LiveMatches {
    fn lock(&self) -> MutexGuard<'_, HashMap<MatchId, LiveMatch>> {
        // No holder of the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the match lives here from now on.
    pub(in crate::store) fn add(&self, id: &MatchId) {
        self.lock().entry(id.clone()).or_default();
    }

    /// Records that the match no longer lives here.
    pub(in crate::store) fn remove(&self, id: &MatchId) {
        self.lock().remove(id);
    }

    /// Whether this node holds the match.
    pub(in crate::store) fn holding(&self, id: &MatchId) -> Holding {
        self.lock().get(id).map(|live| live.holding).unwrap_or_default()
    }

    /// Records a match that this node created and holds.
    pub(super) fn created(&self, id: &MatchId, events: u32) {
        self.lock()
            .insert(id.clone(), LiveMatch { holding: Holding::Here, told: Some(events), unheld_since: None });
    }

    /// Records whether this node or another one holds the match. Returns whether it is new that this node does.
    pub(super) fn set_held(&self, id: &MatchId, held: bool, unheld_since: Option<Millis>) -> bool {
        let mut all = self.lock();
        let Some(live) = all.get_mut(id) else { return false };
        let is_new = held && live.holding != Holding::Here;
        live.holding = if held { Holding::Here } else { Holding::Elsewhere };
        live.unheld_since = unheld_since.or(live.unheld_since);
        is_new
    }

    /// The time since which no living node held the match that this node took over. Returned only once.
    pub(in crate::store) fn take_unheld_since(&self, id: &MatchId) -> Option<Millis> {
        self.lock().get_mut(id)?.unheld_since.take()
    }

    /// Records that the match has this many events. Returns whether the node must be notified.
    pub(super) fn note(&self, id: &MatchId, events: u32) -> bool {
        let mut all = self.lock();
        // A match that does not live here may be on its way.
        let Some(live) = all.get_mut(id) else { return true };
        let is_news = live.told.is_none_or(|told| told < events);
        if is_news {
            live.told = Some(events);
        }
        is_news
    }

    /// Records that this node has lost its lease: it holds nothing. Calls `each` with every live match, none of which
    /// can be removed meanwhile.
    pub(super) fn lose_all(&self, mut each: impl FnMut(&MatchId)) {
        for (id, live) in self.lock().iter_mut() {
            live.holding = Holding::Unknown;
            each(id);
        }
    }

    /// All live matches.
    pub(super) fn ids(&self) -> Vec<String> {
        self.lock().keys().map(|id| id.as_str().to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_news_is_told() {
        let live = LiveMatches::default();
        let id = MatchId::fresh();
        assert!(live.note(&id, 1), "it may be on its way here");
        live.add(&id);
        assert!(live.note(&id, 3), "it is unknown what the node has read");
        assert!(!live.note(&id, 3) && !live.note(&id, 2));
        assert!(live.note(&id, 4));
        live.created(&id, 5);
        assert!(!live.note(&id, 5) && live.holding(&id) == Holding::Here);
    }

    #[test]
    fn takeover_is_told_once() {
        let live = LiveMatches::default();
        let id = MatchId::fresh();
        assert!(!live.set_held(&id, true, None), "it does not live here any more");
        live.add(&id);
        assert!(live.set_held(&id, true, Some(7)) && !live.set_held(&id, true, None));
        assert_eq!((live.take_unheld_since(&id), live.take_unheld_since(&id)), (Some(7), None));
        let mut lost = Vec::new();
        live.lose_all(|id| lost.push(id.clone()));
        assert_eq!(lost, std::slice::from_ref(&id));
        assert_eq!(live.holding(&id), Holding::Unknown);
        assert!(!live.set_held(&id, false, None));
        assert_eq!(live.holding(&id), Holding::Elsewhere);
    }
}
