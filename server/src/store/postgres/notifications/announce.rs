//! Notifies the other nodes of the matches to which this node has appended. It does so after the commit, in a
//! transaction of its own that does not wait for the disk: PostgreSQL lets only one transaction with a notification
//! commit at a time, so nodes that notified while they wrote would wait for the disk one after the other. If a node
//! dies in between, the others find its last events by their regular comparison.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::domain::MatchId;
use crate::store::postgres::nodes::Node;
use crate::store::postgres::read_pool::{READ_LIMIT, ReadPool};

/// The channel on which nodes tell each other of new events.
pub(in crate::store::postgres) const CHANNEL: &str = "kibitz";

/// The largest notification, in bytes. PostgreSQL takes less than 8000.
pub(in crate::store::postgres) const MAX_NOTE: usize = 7_500;

const NOTIFY: &str = "SELECT count(pg_notify('kibitz', note)) FROM unnest($1::text[]) AS n (note)";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store::postgres) const STATEMENTS: [&str; 1] = [NOTIFY];

/// The matches with commits of this node that the other nodes do not know yet, each with its number of events.
#[derive(Debug, Default)]
pub(in crate::store::postgres) struct Untold {
    matches: Mutex<HashMap<MatchId, u32>>,
    added: Notify,
}

impl Untold {
    /// Adds a match that has this many events now.
    pub(in crate::store::postgres) fn add(&self, id: &MatchId, events: u32) {
        // No holder of the lock can panic half-way.
        let mut matches = self.matches.lock().unwrap_or_else(PoisonError::into_inner);
        matches.insert(id.clone(), events);
        self.added.notify_one();
    }

    /// Tells the other nodes of each match that is added.
    pub(in crate::store::postgres) async fn tell_always(&self, node: &Node, db: &ReadPool) {
        loop {
            self.added.notified().await;
            self.tell(node, db).await;
        }
    }

    /// Tells the other nodes what was added. While one notification is sent, the next one gathers.
    pub(in crate::store::postgres) async fn tell(&self, node: &Node, db: &ReadPool) {
        let all = std::mem::take(&mut *self.matches.lock().unwrap_or_else(PoisonError::into_inner));
        if !all.is_empty() {
            // While the database is away, the others cannot hear either; then they compare.
            let pool = db.current();
            let _ = db.within(READ_LIMIT, sqlx::query(NOTIFY).bind(notes(node, &all)).execute(&pool)).await;
        }
    }
}

/// The texts of the notifications: the node, then each match with its last sequence number.
fn notes(node: &Node, matches: &HashMap<MatchId, u32>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for (id, events) in matches {
        let entry = format!("|{id} {}", events.saturating_sub(1));
        match notes.last_mut().filter(|note| note.len() + entry.len() <= MAX_NOTE) {
            Some(note) => note.push_str(&entry),
            None => notes.push(format!("{}{entry}", node.id)),
        }
    }
    notes
}

/// The matches of a notification, each with its number of events; `None`: it is this node's own.
pub(in crate::store::postgres) fn read_note<'a>(
    node: &Node,
    note: &'a str,
) -> Option<impl Iterator<Item = (&'a str, u32)> + use<'a>> {
    let mut parts = note.split('|');
    if parts.next() == Some(node.id.as_str()) {
        return None;
    }
    Some(parts.filter_map(|entry| {
        let (id, seq) = entry.split_once(' ')?;
        Some((id, seq.parse::<u32>().ok()?.saturating_add(1)))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_notifications_are_split_and_read_back() {
        let (ours, theirs) = (Node::fresh(), Node::fresh());
        let matches: HashMap<MatchId, u32> = (1..=300).map(|n| (MatchId::fresh(), n)).collect();
        let notes = notes(&ours, &matches);
        assert!(notes.len() > 1 && notes.iter().all(|note| note.len() < 8000));
        assert!(notes.iter().all(|note| read_note(&ours, note).is_none()), "a node ignores its own");
        let read = notes.iter().flat_map(|note| read_note(&theirs, note).unwrap());
        let read: HashMap<&str, u32> = read.collect();
        assert_eq!(read, matches.iter().map(|(id, events)| (id.as_str(), *events)).collect());
    }
}
