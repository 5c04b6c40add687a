//! The writer's cache of live matches, so that it need not query the database for each move.

use std::collections::HashMap;

use crate::domain::{MatchId, Stage};
use crate::store::Append;
use crate::store::writing::commands::{Batch, WriteCommand};
use crate::store::writing::write_plan::{AppendContext, WritePlan};

/// The maximum number of matches in the cache; above it, the cache is cleared.
const MAX_MATCHES: usize = 1 << 16;

/// The maximum number of events that a plan of the cache contains.
pub(in crate::store) const MAX_EVENTS: usize = 256;

/// A match in the cache.
#[derive(Clone, Copy, Debug)]
struct CachedMatch {
    nr: i64,
    next_seq: u32,
}

/// The matches to which this node writes. The cache may be behind the database when another node writes, but never ahead
/// of it.
#[derive(Debug, Default)]
pub(in crate::store) struct MatchCache {
    /// The position of the last event that this node knows.
    pub last_position: i64,
    /// The number of the last match, once it was looked up.
    last_nr: Option<i64>,
    matches: HashMap<MatchId, CachedMatch>,
}

impl MatchCache {
    /// An empty cache; `last_position`: of the last event in the database.
    pub(in crate::store) fn new(last_position: i64) -> Self {
        Self { last_position, ..Self::default() }
    }

    /// Plans the batch without a query, if it contains only events that continue cached matches, and new matches.
    pub(in crate::store) fn plan<'a>(&self, batch: &Batch<'a>) -> Option<WritePlan<'a>> {
        if !batch.holds.is_empty() || batch.heartbeat.is_some() || batch.commands.is_empty() {
            return None;
        }
        let mut plan = WritePlan::new(self.last_nr?);
        for command in batch.commands {
            let WriteCommand::Append(append) = command else { return None };
            if command.changes_ratings() || !append.faults.is_empty() || !append.program_results.is_empty() {
                return None;
            }
            let context =
                self.context(append).or_else(|| self.is_new(append).then(AppendContext::default))?;
            // A refusal must be based on the database, not on the cache.
            plan.append(append, context).ok()?;
        }
        (plan.events.len() <= MAX_EVENTS).then_some(plan)
    }

    /// Whether the append begins a match and needs no query. Its id is fresh; if it were not, the table's unique key
    /// would report the conflict.
    fn is_new(&self, append: &Append) -> bool {
        append.seq == 0 && !needs_query(append) && !self.matches.contains_key(&append.id)
    }

    /// The cached facts for this append; `None` if they are not enough to decide it.
    pub(in crate::store) fn context(&self, append: &Append) -> Option<AppendContext> {
        let cached = self.matches.get(&append.id).filter(|_| !needs_query(append))?;
        let last_seq = cached.next_seq.checked_sub(1);
        Some(AppendContext { nr: Some(cached.nr), last_seq, ..AppendContext::default() })
    }

    /// Updates the cache after the whole plan was written.
    pub(in crate::store) fn update(&mut self, plan: &WritePlan<'_>) {
        if self.matches.len() + plan.matches().count() > MAX_MATCHES {
            self.matches.clear();
        }
        self.last_nr = Some(plan.last_nr());
        for (id, nr, next_seq) in plan.matches() {
            self.matches.insert(id.clone(), CachedMatch { nr, next_seq });
        }
        for (id, row) in plan.rows.values() {
            if row.stage == Stage::Over {
                self.matches.remove(id);
            }
        }
    }

    /// Sets the number of the last match: new matches are numbered from the next number on.
    pub(in crate::store) fn set_last_nr(&mut self, last_nr: i64) {
        self.last_nr = Some(last_nr);
    }

    /// Removes a match to which another node has written.
    pub(in crate::store) fn remove(&mut self, id: &MatchId) {
        self.matches.remove(id);
    }

    /// Clears the cache: other nodes have written, or it is uncertain what was written.
    pub(in crate::store) fn clear(&mut self) {
        self.last_nr = None;
        self.matches.clear();
    }
}

/// Whether the decision needs more than the match itself: a stored request or a rematch.
fn needs_query(append: &Append) -> bool {
    append.request.is_some() || append.row.as_ref().is_some_and(|row| row.rematch_of.is_some())
}
