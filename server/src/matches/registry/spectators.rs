//! The number of spectators of each match on this node: viewers without a seat, by their open streams.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::MatchId;

/// The spectators of the matches on this node.
#[derive(Debug, Default)]
pub(crate) struct Spectators(Mutex<HashMap<MatchId, u32>>);

/// A stream of a spectator. Dropping it closes it.
#[derive(Debug)]
pub struct SpectatorConnection {
    all: Arc<Spectators>,
    id: MatchId,
}

impl Spectators {
    fn lock(&self) -> MutexGuard<'_, HashMap<MatchId, u32>> {
        // No holder of the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a stream.
    pub(crate) fn open(self: &Arc<Self>, id: &MatchId) -> SpectatorConnection {
        *self.lock().entry(id.clone()).or_default() += 1;
        SpectatorConnection { all: Arc::clone(self), id: id.clone() }
    }

    /// The number of spectators of a match.
    pub(crate) fn of(&self, id: &MatchId) -> u32 {
        self.lock().get(id).copied().unwrap_or(0)
    }
}

impl Drop for SpectatorConnection {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        if let Some(count) = all.get_mut(&self.id) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                all.remove(&self.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spectators_are_counted_while_they_watch() {
        let all = Arc::new(Spectators::default());
        let (id, other) = (MatchId::fresh(), MatchId::fresh());
        let (first, second) = (all.open(&id), all.open(&id));
        assert_eq!((all.of(&id), all.of(&other)), (2, 0));
        drop(first);
        assert_eq!(all.of(&id), 1);
        drop(second);
        assert_eq!(all.of(&id), 0);
        assert!(all.lock().is_empty());
    }
}
