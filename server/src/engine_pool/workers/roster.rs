//! The workers that a node knows, and how many slots they give to it. Pure; the instants come in.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::engine_pool::workers::wire::{Announcement, EngineVersion};

/// A worker that is silent for this long is lost.
pub(super) const SILENCE: Duration = Duration::from_secs(1);

/// More threads of one worker are not used.
const MOST_THREADS: usize = 1024;

/// The most workers that are remembered as not to be used.
const MOST_DISTRUSTED: usize = 1024;

/// The workers with the engines of this node.
#[derive(Debug)]
pub(super) struct Roster {
    node: String,
    engines: Vec<EngineVersion>,
    workers: HashMap<String, KnownWorker>,
    /// Workers with other engines, and the time of the last announcement of each.
    others: HashMap<String, Instant>,
    /// Workers that are not used until this time, because they gave a false answer or none.
    distrusted: HashMap<String, Instant>,
}

#[derive(Debug)]
struct KnownWorker {
    threads: usize,
    /// Searches of other nodes that want to compute.
    foreign: usize,
    /// The number of nodes that they are from.
    foreign_nodes: usize,
    /// Searches of this node that want to compute.
    own: usize,
    /// Searches of this node, also those that wait.
    live: usize,
    leaving: bool,
    heard: Instant,
    /// Cancelled when the worker is lost.
    lost: CancellationToken,
}

/// The change that an announcement made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RosterChange {
    /// A new worker.
    Appeared,
    /// A new worker that does not have the engines of this node.
    Unsuitable,
    /// A known worker begins to end.
    Leaving,
    /// No change that needs a log line.
    Known,
}

/// A search's place at a worker.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The worker's key.
    pub worker: String,
    /// Cancelled when the worker is lost.
    pub lost: CancellationToken,
}

impl KnownWorker {
    /// How many searches of this node it can compute at a time. Nodes share a worker equally, and may use what the others
    /// leave. A worker that is leaving only ends what it has.
    fn slots(&self) -> usize {
        if self.leaving {
            return self.own;
        }
        let share = (self.threads / (1 + self.foreign_nodes)).max(1);
        self.threads.saturating_sub(self.foreign).max(share)
    }

    fn load(&self) -> f64 {
        (self.own + self.foreign) as f64 / self.threads.max(1) as f64
    }
}

impl Roster {
    /// No workers yet, for a node with this key and these engines.
    pub(super) fn new(node: String, engines: Vec<EngineVersion>) -> Self {
        Self { node, engines, workers: HashMap::new(), others: HashMap::new(), distrusted: HashMap::new() }
    }

    /// Handles the announcement of a worker.
    pub(super) fn hear(&mut self, announcement: &Announcement, now: Instant) -> RosterChange {
        let Announcement { worker, threads, engines, busy, leaving } = announcement;
        if self.distrusted.get(worker).is_some_and(|until| now < *until) {
            return RosterChange::Known;
        }
        if !self.engines.iter().all(|engine| engines.contains(engine)) {
            let new = self.others.insert(worker.clone(), now).is_none();
            return if new { RosterChange::Unsuitable } else { RosterChange::Known };
        }
        let foreign = busy.iter().filter(|(node, count)| **node != self.node && **count > 0);
        let (foreign_nodes, foreign) =
            foreign.fold((0, 0), |(nodes, all), (_, count)| (nodes + 1, all + count.min(&MOST_THREADS)));
        let threads = (*threads).min(MOST_THREADS);
        if let Some(known) = self.workers.get_mut(worker) {
            let begins_to_leave = *leaving && !known.leaving;
            *known = KnownWorker {
                threads,
                foreign,
                foreign_nodes,
                leaving: *leaving,
                heard: now,
                lost: known.lost.clone(),
                ..*known
            };
            return if begins_to_leave { RosterChange::Leaving } else { RosterChange::Known };
        }
        if *leaving {
            return RosterChange::Known;
        }
        let lost = CancellationToken::new();
        let (own, live, leaving) = (0, 0, false);
        self.workers.insert(
            worker.clone(),
            KnownWorker { threads, foreign, foreign_nodes, own, live, leaving, heard: now, lost },
        );
        RosterChange::Appeared
    }

    /// Removes a lost worker, and notifies its searches. Returns whether it was known.
    pub(super) fn lose(&mut self, worker: &str) -> bool {
        let Some(known) = self.workers.remove(worker) else { return false };
        known.lost.cancel();
        true
    }

    /// Removes a worker that gave a false answer or none, and does not use it until this time. Returns whether it was known.
    pub(super) fn distrust(&mut self, worker: &str, until: Instant) -> bool {
        if self.distrusted.len() >= MOST_DISTRUSTED {
            self.distrusted.clear();
        }
        self.distrusted.insert(worker.to_owned(), until);
        self.lose(worker)
    }

    /// The workers that have been silent for too long.
    pub(super) fn silent(&mut self, now: Instant) -> Vec<String> {
        let silent = |heard: Instant| now.saturating_duration_since(heard) > SILENCE;
        self.others.retain(|_, heard| !silent(*heard));
        self.workers.iter().filter(|(_, w)| silent(w.heard)).map(|(key, _)| key.clone()).collect()
    }

    /// All workers.
    pub(super) fn keys(&self) -> Vec<String> {
        self.workers.keys().cloned().collect()
    }

    /// The workers that have searches of this node.
    pub(super) fn in_use(&self) -> Vec<String> {
        self.workers.iter().filter(|(_, w)| w.live > 0).map(|(key, _)| key.clone()).collect()
    }

    /// How many searches of this node all workers can compute at a time.
    pub(super) fn slots(&self) -> usize {
        self.workers.values().map(KnownWorker::slots).sum()
    }

    /// The number of workers.
    pub(super) fn len(&self) -> usize {
        self.workers.len()
    }

    /// Gives a search a place at the worker with the least load that is not among `tried`.
    pub(super) fn place(&mut self, tried: &[String]) -> Option<Place> {
        let usable = self.workers.iter_mut().filter(|(key, w)| !w.leaving && !tried.contains(key));
        let (key, worker) = usable.min_by(|(_, a), (_, b)| a.load().total_cmp(&b.load()))?;
        worker.own += 1;
        worker.live += 1;
        Some(Place { worker: key.clone(), lost: worker.lost.clone() })
    }

    /// The worker of this place, unless it was lost since, even if it came back.
    fn worker_of(&mut self, place: &Place) -> Option<&mut KnownWorker> {
        if place.lost.is_cancelled() { None } else { self.workers.get_mut(&place.worker) }
    }

    /// Records that a search at this place waits (`true`) or continues.
    pub(super) fn suspend(&mut self, place: &Place, waits: bool) {
        if let Some(worker) = self.worker_of(place) {
            worker.own = if waits { worker.own.saturating_sub(1) } else { worker.own + 1 };
        }
    }

    /// Records that a search has left this place; `waited`: it was suspended.
    pub(super) fn leave(&mut self, place: &Place, waited: bool) {
        if let Some(worker) = self.worker_of(place) {
            worker.live = worker.live.saturating_sub(1);
            worker.own = worker.own.saturating_sub(usize::from(!waited));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines(version: u32) -> Vec<EngineVersion> {
        vec![EngineVersion { game: "g".to_owned(), name: "e".to_owned(), version }]
    }

    fn announcement(worker: &str, threads: usize, busy: &[(&str, usize)]) -> Announcement {
        let busy = busy.iter().map(|(node, count)| ((*node).to_owned(), *count)).collect();
        Announcement { worker: worker.to_owned(), threads, engines: engines(1), busy, leaving: false }
    }

    fn roster() -> Roster {
        Roster::new("me".to_owned(), engines(1))
    }

    #[test]
    fn nodes_share_a_worker_and_may_use_what_others_leave() {
        let (mut roster, now) = (roster(), Instant::now());
        assert_eq!(roster.hear(&announcement("a", 4, &[]), now), RosterChange::Appeared);
        assert_eq!(roster.slots(), 4);
        for (busy, slots) in [
            (&[("me", 4)][..], 4),
            (&[("me", 4), ("other", 1)], 3),
            (&[("other", 4)], 2),
            (&[("b", 1), ("c", 9)], 1),
        ] {
            assert_eq!(roster.hear(&announcement("a", 4, busy), now), RosterChange::Known);
            assert_eq!(roster.slots(), slots, "{busy:?}");
        }
    }

    #[test]
    fn search_goes_to_the_worker_with_the_least_load() {
        let (mut roster, now) = (roster(), Instant::now());
        roster.hear(&announcement("small", 1, &[]), now);
        roster.hear(&announcement("large", 4, &[("other", 2)]), now);
        let first = roster.place(&[]).unwrap();
        assert_eq!(first.worker, "small");
        let second = roster.place(&[]).unwrap();
        assert_eq!(second.worker, "large");
        roster.suspend(&first, true);
        assert_eq!(roster.place(&[]).unwrap().worker, "small", "a search that waits is no load");
        assert_eq!(roster.place(&["large".to_owned()]).unwrap().worker, "small");
        assert!(roster.place(&["large".to_owned(), "small".to_owned()]).is_none());
        roster.leave(&second, false);
        assert_eq!(roster.in_use(), ["small"], "the large one has none any more");
    }

    #[test]
    fn silent_worker_is_lost_and_its_searches_hear_of_it() {
        let (mut roster, now) = (roster(), Instant::now());
        roster.hear(&announcement("a", 4, &[]), now);
        let place = roster.place(&[]).unwrap();
        assert!(roster.silent(now + SILENCE).is_empty());
        assert_eq!(roster.silent(now + SILENCE * 2), ["a"]);
        assert!(roster.lose("a") && !roster.lose("a"));
        assert!(place.lost.is_cancelled());
        assert_eq!((roster.slots(), roster.len()), (0, 0));
        assert_eq!(roster.hear(&announcement("a", 4, &[]), now), RosterChange::Appeared, "it may come back");
        let back = roster.place(&[]).unwrap();
        roster.leave(&place, false);
        assert_eq!(roster.in_use(), ["a"], "the old search does not count any more");
        assert!(!back.lost.is_cancelled());
    }

    #[test]
    fn worker_with_another_engine_version_is_not_used() {
        let (mut roster, now) = (roster(), Instant::now());
        let other = Announcement { engines: engines(2), ..announcement("a", 4, &[]) };
        assert_eq!(roster.hear(&other, now), RosterChange::Unsuitable);
        assert_eq!(roster.hear(&other, now), RosterChange::Known);
        assert_eq!(roster.slots(), 0);
        let more = Announcement { engines: [engines(1), engines(2)].concat(), ..other };
        assert_eq!(roster.hear(&more, now), RosterChange::Appeared, "it may have further engines");
    }

    #[test]
    fn distrusted_worker_is_not_used_for_a_while() {
        let (mut roster, now) = (roster(), Instant::now());
        roster.hear(&announcement("a", 10_000, &[]), now);
        let place = roster.place(&[]).unwrap();
        assert!(roster.distrust("a", now + SILENCE) && place.lost.is_cancelled());
        assert_eq!(roster.hear(&announcement("a", 10_000, &[]), now), RosterChange::Known);
        assert_eq!((roster.slots(), roster.len()), (0, 0));
        assert_eq!(roster.hear(&announcement("a", 4, &[]), now + SILENCE), RosterChange::Appeared);
    }

    #[test]
    fn leaving_worker_keeps_its_searches_and_gets_no_new_ones() {
        let (mut roster, now) = (roster(), Instant::now());
        roster.hear(&announcement("a", 4, &[]), now);
        let place = roster.place(&[]).unwrap();
        let leaving = Announcement { leaving: true, ..announcement("a", 4, &[]) };
        assert_eq!(roster.hear(&leaving, now), RosterChange::Leaving);
        assert_eq!(roster.slots(), 1);
        assert!(roster.place(&[]).is_none());
        roster.leave(&place, false);
        assert_eq!(roster.slots(), 0);
    }
}
