//! Counts the running matches in which only engines play, by the address that created them, so that one address does
//! not have too many. In memory: a match is counted again when it is loaded after a restart.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::MatchId;

/// The matches in which only engines play, by the key of the address that created them.
#[derive(Debug, Default)]
pub(crate) struct EngineOnlyMatches(Mutex<HashMap<String, HashSet<MatchId>>>);

impl EngineOnlyMatches {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, HashSet<MatchId>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a match until the guard is dropped. `None`: its address already has `most` such matches.
    pub(crate) fn count(
        self: &Arc<Self>,
        address: &str,
        id: &MatchId,
        most: usize,
    ) -> Option<EngineOnlyGuard> {
        let mut all = self.lock();
        let matches = all.entry(address.to_owned()).or_default();
        if !matches.contains(id) && matches.len() >= most {
            return None;
        }
        matches.insert(id.clone());
        drop(all);
        Some(EngineOnlyGuard { all: Arc::clone(self), address: address.to_owned(), id: id.clone() })
    }
}

/// Counts one match.
#[derive(Debug)]
pub(crate) struct EngineOnlyGuard {
    all: Arc<EngineOnlyMatches>,
    address: String,
    id: MatchId,
}

impl EngineOnlyGuard {
    /// Leaves the match counted: its actor has taken over the count.
    pub(crate) fn keep(mut self) {
        self.address.clear();
    }
}

impl Drop for EngineOnlyGuard {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        if let Some(matches) = all.get_mut(&self.address) {
            matches.remove(&self.id);
            if matches.is_empty() {
                all.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_own_limit() {
        let alone = Arc::new(EngineOnlyMatches::default());
        let ids: Vec<MatchId> = (0..3).map(|_| MatchId::fresh()).collect();
        let first = alone.count("a", &ids[0], 2).unwrap();
        let second = alone.count("a", &ids[1], 2).unwrap();
        assert!(alone.count("a", &ids[2], 2).is_none());
        let again = alone.count("a", &ids[1], 2).expect("the same match counts once");
        again.keep();
        assert!(alone.count("b", &ids[2], 2).is_some());
        drop(first);
        assert!(alone.count("a", &ids[2], 2).is_some());
        drop(second);
        assert!(alone.lock().is_empty());
    }
}
