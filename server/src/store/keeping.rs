//! Which matches this server holds and which no more, as far as the database does not know it yet: it is written with
//! the next transaction.

use std::collections::{HashMap, HashSet};

use crate::domain::MatchId;
use crate::domain::time::Millis;

/// What is to be written of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// This server holds it.
    Hold,
    /// This server holds it no more.
    Release(Option<Millis>),
}

/// What is not written yet.
#[derive(Debug, Default)]
pub struct Keeping {
    unwritten: HashMap<MatchId, Wish>,
}

impl Keeping {
    /// This server holds it from now on.
    pub fn hold(&mut self, id: MatchId) {
        self.unwritten.insert(id, Wish::Hold);
    }

    /// This server holds it no more.
    pub fn release(&mut self, id: MatchId, wake_ms: Option<Millis>) {
        self.unwritten.insert(id, Wish::Release(wake_ms));
    }

    /// It is over, which says so in the database already.
    pub fn over(&mut self, id: &MatchId) {
        self.unwritten.remove(id);
    }

    /// All that is not written yet.
    pub fn unwritten(&self) -> Vec<(MatchId, Wish)> {
        self.unwritten.iter().map(|(id, wish)| (id.clone(), *wish)).collect()
    }

    /// These are written; what has changed meanwhile is not.
    pub fn written(&mut self, wishes: &[(MatchId, Wish)]) {
        for (id, wish) in wishes {
            if self.unwritten.get(id) == Some(wish) {
                self.unwritten.remove(id);
            }
        }
    }

    /// Those that the database may still call due by `now` although they are not.
    pub fn not_due(&self, now: Millis) -> HashSet<MatchId> {
        let later = |wish: &Wish| !matches!(wish, Wish::Release(Some(wake)) if *wake <= now);
        self.unwritten.iter().filter(|(_, wish)| later(wish)).map(|(id, _)| id.clone()).collect()
    }
}
