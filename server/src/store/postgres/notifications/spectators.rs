//! Tells the other nodes how many spectators this node has, and hears it from them. A node that is alone tells nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};

use sqlx::PgPool;
use tokio::sync::Notify;

use crate::domain::MatchId;
use crate::store::StoreError;
use crate::store::data::spectators::{SpectatorNews, SpectatorReport};
use crate::store::postgres::notifications::announce::MAX_NOTE;

/// The channel on which nodes tell each other of spectators.
pub(in crate::store::postgres) const CHANNEL: &str = "kibitz_spectators";

/// How many nodes one notification asks.
const ASKED: usize = 100;

/// The other nodes that live. If there are any, they are notified: PostgreSQL computes the second column once, for the first row.
const TELL: &str =
    "SELECT id, (SELECT count(pg_notify('kibitz_spectators', note)) FROM unnest($2::text[]) AS n (note))
    FROM nodes WHERE id <> $1 AND expires_at > clock_timestamp()";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store::postgres) const STATEMENTS: [&str; 1] = [TELL];

/// What this node has heard of spectators.
#[derive(Debug, Default)]
pub(in crate::store) struct SpectatorChannel {
    heard: Mutex<SpectatorNews>,
    came: Notify,
}

impl SpectatorChannel {
    /// Takes a notification. `node`: the id of this one, which has heard its own reports before.
    pub(in crate::store::postgres) fn hear(&self, node: &str, note: &str) {
        if let Some((of, report)) = read_note(note).filter(|(of, _)| of != node) {
            self.lock().reports.push((of, report));
            self.came.notify_one();
        }
    }

    /// Records that notifications may have been missed.
    pub(in crate::store::postgres) fn missed(&self) {
        self.lock().missed = true;
        self.came.notify_one();
    }

    /// Waits for notifications.
    pub(in crate::store) async fn news(&self) -> SpectatorNews {
        self.came.notified().await;
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, SpectatorNews> {
        // No holder of the lock can panic half-way.
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the other nodes a report of this node; returns the ids of those that live.
pub(in crate::store::postgres) async fn tell(
    db: &PgPool,
    node: &str,
    report: &SpectatorReport,
) -> Result<Vec<String>, StoreError> {
    let query = sqlx::query_as::<_, (String, i64)>(TELL).bind(node).bind(notes(node, report));
    Ok(query.fetch_all(db).await?.into_iter().map(|(id, _)| id).collect())
}

/// The texts of the notifications: the node and the kind of the notification, then each match with its number, or each node that is
/// asked. What does not fit into the first one follows as changes.
fn notes(node: &str, report: &SpectatorReport) -> Vec<String> {
    let mut notes = Vec::new();
    if report.all {
        notes.push(format!("{node} all"));
    }
    for (id, count) in &report.counts {
        let entry = format!("|{id} {count}");
        match notes.last_mut().filter(|note: &&mut String| note.len() + entry.len() <= MAX_NOTE) {
            Some(note) => note.push_str(&entry),
            None => notes.push(format!("{node} more{entry}")),
        }
    }
    notes.extend(report.asks.chunks(ASKED).map(|asked| format!("{node} ask|{}", asked.join("|"))));
    notes
}

/// The node of a notification, and what it reports; `None` if this version does not know it.
fn read_note(note: &str) -> Option<(String, SpectatorReport)> {
    let mut parts = note.split('|');
    let (node, kind) = parts.next()?.split_once(' ')?;
    let mut report = SpectatorReport::default();
    match kind {
        "ask" => report.asks = parts.map(str::to_owned).collect(),
        "all" | "more" => {
            report.all = kind == "all";
            let count = |entry: &str| {
                let (id, count) = entry.split_once(' ')?;
                Some((MatchId::parse(id)?, count.parse().ok()?))
            };
            report.counts = parts.filter_map(count).collect();
        }
        _ => return None,
    }
    Some((node.to_owned(), report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_reports_are_split_and_read_back() {
        let counts: Vec<(MatchId, u32)> = (0..400).map(|n| (MatchId::fresh(), n)).collect();
        for all in [true, false] {
            let asks = vec!["b".to_owned(), "c".to_owned()];
            let report = SpectatorReport { all, counts: counts.clone(), asks: asks.clone() };
            let notes = notes("a", &report);
            assert!(notes.len() > 2 && notes.iter().all(|note| note.len() < 8000));
            let read: Vec<_> = notes.iter().map(|note| read_note(note).unwrap()).collect();
            assert!(read.iter().all(|(node, _)| node == "a"));
            let firsts: Vec<bool> = read.iter().map(|(_, report)| report.all).collect();
            assert_eq!(firsts.iter().filter(|first| **first).count(), usize::from(all));
            assert_eq!(firsts[0], all, "what is known of the node is replaced first");
            assert_eq!(read.iter().flat_map(|(_, read)| read.counts.clone()).collect::<Vec<_>>(), counts);
            assert_eq!(read.iter().flat_map(|(_, read)| read.asks.clone()).collect::<Vec<_>>(), asks);
        }
        let none = SpectatorReport { all: true, ..SpectatorReport::default() };
        assert_eq!(notes("a", &none), ["a all"]);
        assert_eq!(read_note("a all"), Some(("a".to_owned(), none)));
        assert!(notes("a", &SpectatorReport::default()).is_empty(), "nothing has changed");
        assert_eq!(read_note("a weather|x"), None, "of a later version");
        assert_eq!(read_note("nonsense"), None);
    }

    #[test]
    fn node_does_not_hear_itself() {
        let channel = SpectatorChannel::default();
        channel.hear("a", "a all");
        channel.hear("a", "b all");
        let heard = channel.lock().reports.iter().map(|(node, _)| node.clone()).collect::<Vec<_>>();
        assert_eq!(heard, ["b"]);
    }
}
