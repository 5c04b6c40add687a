//! The number of spectators of each match: viewers without a seat, by their open streams. Nodes on one PostgreSQL database tell each
//! other theirs: each second those that have changed, and all of them to a node that does not know them.

use std::collections::{HashMap, HashSet};
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::domain::MatchId;
use crate::store::{SpectatorNews, SpectatorReport, Store};

/// How often this node tells the others what has changed.
const TELL_INTERVAL: Duration = Duration::from_secs(1);

/// The spectators of all matches.
#[derive(Debug)]
pub(crate) struct Spectators {
    /// Whether there can be nodes that tell each other.
    shared: bool,
    counts: Mutex<SpectatorCounts>,
}

/// The numbers of spectators on this node and on the others.
#[derive(Debug, Default)]
struct SpectatorCounts {
    own: HashMap<MatchId, u32>,
    /// The matches whose number here the other nodes do not know yet.
    changed: HashSet<MatchId>,
    /// Whether the other nodes need all numbers of this one.
    tells_all: bool,
    /// By the id of the node.
    elsewhere: HashMap<String, NodeSpectators>,
    /// The other nodes that lived at the last look.
    living: Vec<String>,
}

/// The spectators of another node.
#[derive(Debug, Default)]
struct NodeSpectators {
    counts: HashMap<MatchId, u32>,
    /// Whether none of its reports was missed.
    complete: bool,
}

/// A stream of a spectator. Dropping it closes it.
#[derive(Debug)]
pub struct SpectatorConnection {
    all: Arc<Spectators>,
    id: MatchId,
}

impl Spectators {
    /// No spectators. `shared`: whether there can be nodes that tell each other.
    pub(crate) fn new(shared: bool) -> Self {
        Self { shared, counts: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, SpectatorCounts> {
        // No holder of the lock can panic half-way.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a stream.
    pub(crate) fn open(self: &Arc<Self>, id: &MatchId) -> SpectatorConnection {
        self.change(id, |count| count.saturating_add(1));
        SpectatorConnection { all: Arc::clone(self), id: id.clone() }
    }

    fn change(&self, id: &MatchId, change: impl Fn(u32) -> u32) {
        let mut counts = self.lock();
        let count = change(counts.own.get(id).copied().unwrap_or(0));
        set(&mut counts.own, id.clone(), count);
        if self.shared {
            counts.changed.insert(id.clone());
        }
    }

    /// The number of spectators of a match on all nodes, as far as this one knows.
    pub(crate) fn of(&self, id: &MatchId) -> u32 {
        let counts = self.lock();
        let all = counts.elsewhere.values().map(|node| &node.counts).chain([&counts.own]);
        all.filter_map(|counts| counts.get(id)).fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Tells the other nodes of the spectators here, and learns of theirs, until the server stops.
    pub(crate) async fn share(&self, store: &dyn Store, stopping: CancellationToken) {
        if !self.shared {
            return;
        }
        let mut every = interval(TELL_INTERVAL);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                news = store.spectator_news() => self.hear(store.node(), news),
                _ = every.tick() => {
                    let report = self.report();
                    match store.report_spectators(report.clone()).await {
                        Ok(living) => self.note_living(living),
                        // The database is away, so no node hears another. The next report contains this one.
                        Err(_) => self.keep(report),
                    }
                }
            }
        }
    }

    /// What the other nodes do not know yet.
    fn report(&self) -> SpectatorReport {
        let mut counts = self.lock();
        let (all, changed) = (take(&mut counts.tells_all), take(&mut counts.changed));
        let told = if all { counts.own.keys().cloned().collect() } else { changed };
        let count = |id: MatchId| {
            let count = counts.own.get(&id).copied().unwrap_or(0);
            (id, count)
        };
        let told = told.into_iter().map(count).collect();
        let incomplete = |node: &&String| !counts.elsewhere.get(*node).is_some_and(|node| node.complete);
        let asks = counts.living.iter().filter(incomplete).cloned().collect();
        SpectatorReport { all, counts: told, asks }
    }

    /// Takes a report back that could not be told.
    fn keep(&self, report: SpectatorReport) {
        let mut counts = self.lock();
        counts.tells_all |= report.all;
        counts.changed.extend(report.counts.into_iter().map(|(id, _)| id));
    }

    /// Forgets the spectators of nodes that do not live any more. A node that has just come gets all numbers.
    fn note_living(&self, living: Vec<String>) {
        let mut counts = self.lock();
        counts.elsewhere.retain(|node, _| living.contains(node));
        counts.tells_all |= living.iter().any(|node| !counts.living.contains(node));
        counts.living = living;
    }

    /// Takes what other nodes have reported. `own`: the id of this one.
    fn hear(&self, own: &str, news: SpectatorNews) {
        let mut counts = self.lock();
        for (node, report) in news.reports {
            counts.tells_all |= report.asks.iter().any(|asked| asked == own);
            if report.all {
                let complete = NodeSpectators { counts: HashMap::new(), complete: true };
                counts.elsewhere.insert(node.clone(), complete);
            }
            // The changes of a node whose numbers are not known say nothing.
            let Some(known) = counts.elsewhere.get_mut(&node) else { continue };
            report.counts.into_iter().for_each(|(id, count)| set(&mut known.counts, id, count));
        }
        if news.missed {
            counts.elsewhere.values_mut().for_each(|node| node.complete = false);
        }
    }
}

/// Sets the number of a match. Matches that have no spectators are not kept.
fn set(counts: &mut HashMap<MatchId, u32>, id: MatchId, count: u32) {
    if count == 0 {
        counts.remove(&id);
    } else {
        counts.insert(id, count);
    }
}

impl Drop for SpectatorConnection {
    fn drop(&mut self) {
        self.all.change(&self.id, |count| count.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets all nodes tell each other what they have to tell. `heard`: whether the notifications arrive. Returns the number of matches
    /// that they told of.
    fn tell(nodes: &[(&str, &Arc<Spectators>)], heard: bool) -> usize {
        let mut told = 0;
        for (own, node) in nodes {
            let report = node.report();
            told += report.counts.len();
            let others = nodes.iter().filter(|(other, _)| other != own);
            for (other, them) in others.clone().filter(|_| heard) {
                let reports = vec![((*own).to_owned(), report.clone())];
                them.hear(other, SpectatorNews { reports, missed: false });
            }
            node.note_living(others.map(|(other, _)| (*other).to_owned()).collect());
        }
        told
    }

    /// Lets them tell each other until they have nothing more to tell.
    fn settle(nodes: &[(&str, &Arc<Spectators>)]) {
        (0..4).for_each(|_| {
            tell(nodes, true);
        });
        assert_eq!(tell(nodes, true), 0);
    }

    #[test]
    fn spectators_are_counted_while_they_watch() {
        let all = Arc::new(Spectators::new(false));
        let (id, other) = (MatchId::fresh(), MatchId::fresh());
        let (first, second) = (all.open(&id), all.open(&id));
        assert_eq!((all.of(&id), all.of(&other)), (2, 0));
        drop(first);
        assert_eq!(all.of(&id), 1);
        drop(second);
        assert_eq!(all.of(&id), 0);
        let counts = all.lock();
        assert!(counts.own.is_empty() && counts.changed.is_empty());
    }

    #[test]
    fn nodes_add_up_their_spectators_and_tell_only_changes() {
        let [a, b] = [(); 2].map(|()| Arc::new(Spectators::new(true)));
        let nodes = [("a", &a), ("b", &b)];
        let (id, other) = (MatchId::fresh(), MatchId::fresh());
        let (one, two, three) = (a.open(&id), b.open(&id), b.open(&other));
        // At first they learn of each other.
        settle(&nodes);
        for node in [&a, &b] {
            assert_eq!((node.of(&id), node.of(&other)), (2, 1));
        }
        assert_eq!(tell(&nodes, true), 0, "nothing has changed");
        let four = a.open(&id);
        assert_eq!(tell(&nodes, true), 1, "one number has changed");
        assert_eq!((a.of(&id), b.of(&id)), (3, 3));
        drop((two, four));
        tell(&nodes, true);
        assert_eq!((a.of(&id), b.of(&id)), (1, 1));
        drop((one, three));
        tell(&nodes, true);
        assert_eq!((a.of(&id), b.of(&other), tell(&nodes, true)), (0, 0, 0));
    }

    #[test]
    fn missed_reports_are_asked_for_and_dead_nodes_forgotten() {
        let [a, b] = [(); 2].map(|()| Arc::new(Spectators::new(true)));
        let nodes = [("a", &a), ("b", &b)];
        let id = MatchId::fresh();
        let first = a.open(&id);
        settle(&nodes);
        // The connection of b is lost, and the report of a with it.
        let second = a.open(&id);
        tell(&nodes, false);
        b.hear("b", SpectatorNews { reports: Vec::new(), missed: true });
        assert_eq!(b.of(&id), 1, "the last known number");
        settle(&nodes);
        assert_eq!(b.of(&id), 2);
        assert_eq!(tell(&nodes, true), 0);
        // The lease of a expires, and it comes back.
        b.note_living(Vec::new());
        assert_eq!(b.of(&id), 0);
        settle(&nodes);
        assert_eq!(b.of(&id), 2);
        // A report that failed is a part of the next one.
        drop((first, second));
        let report = a.report();
        a.keep(report);
        tell(&nodes, true);
        assert_eq!(b.of(&id), 0);
        // A node that is alone keeps no changes.
        a.note_living(Vec::new());
        drop(a.open(&id));
        a.report();
        assert!(a.lock().changed.is_empty());
    }
}
