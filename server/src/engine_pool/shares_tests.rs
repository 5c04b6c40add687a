//! The shares in virtual time: searches of known length on a given number of slots.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::domain::ClientId;
use crate::engine_pool::share_rules::LeastShares;
use crate::engine_pool::shares::MatchPayer;
use crate::engine_pool::shares::{
    AccountPath, FairShares, QUANTUM, SearchEntry, SearchLength, SearchState, Source,
};

pub(super) const MS: Duration = Duration::from_millis(1);
pub(super) const SECOND: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(30);

pub(super) fn guest(n: u8) -> AccountPath {
    Source::Request(ClientId::new([10, 0, 0, n].into(), None)).path()
}

fn player(n: u8, name: &str) -> AccountPath {
    Source::Request(ClientId::new([10, 0, 0, n].into(), Some(name.to_owned()))).path()
}

fn payer(network: &str) -> MatchPayer {
    MatchPayer { network: Some(network.into()), player: None }
}

pub(super) fn seat(creator: &str) -> AccountPath {
    Source::Seat(payer(creator)).path()
}

fn engines(creator: &str) -> AccountPath {
    Source::EnginesOnly(payer(creator)).path()
}

/// A pool in virtual time: only the test moves the clock.
pub(super) struct Sim {
    shares: FairShares,
    pub(super) now: Instant,
    next: u64,
    live: BTreeMap<u64, AccountPath>,
    /// The time at which each finished search ended.
    pub(super) ended: BTreeMap<u64, Instant>,
}

impl Sim {
    fn new(slots: usize) -> Self {
        Self::with_ladder(slots, 10)
    }

    /// `percent`: the share of the ladder.
    pub(super) fn with_ladder(slots: usize, percent: u8) -> Self {
        let (live, ended) = (BTreeMap::new(), BTreeMap::new());
        Self {
            shares: FairShares::new(slots, LeastShares { ladder: percent, programs: 20 }),
            now: Instant::now(),
            next: 0,
            live,
            ended,
        }
    }

    fn entry(&self, takes: Duration, deadline: Duration) -> SearchEntry {
        let class = if takes <= 100 * MS { SearchLength::Quick } else { SearchLength::Long };
        SearchEntry::new(self.next, class, takes, self.now + deadline)
    }

    /// Adds a search that needs this long.
    pub(super) fn add(&mut self, path: &AccountPath, takes: Duration) -> u64 {
        let entry = self.entry(takes, 3600 * SECOND);
        self.shares.add(path, entry);
        self.live.insert(self.next, path.clone());
        self.next += 1;
        self.shares.balance(self.now, false);
        self.next - 1
    }

    /// Whether a search that needs this long would be admitted.
    pub(super) fn admits(&mut self, path: &AccountPath, takes: Duration, deadline: Duration) -> bool {
        let entry = self.entry(takes, deadline);
        self.shares.admission_delay(path, &entry, takes, self.now).is_zero()
    }

    /// Lets time pass; each search that has run for as long as it needs ends.
    pub(super) fn run(&mut self, time: Duration) {
        let until = self.now + time;
        while self.now < until {
            self.now += QUANTUM;
            self.shares.balance(self.now, true);
            let over: Vec<u64> = self.shares.each().filter(|e| e.ran >= e.expected).map(|e| e.id).collect();
            for id in over {
                self.shares.remove(&self.live.remove(&id).unwrap(), id, self.now);
                self.ended.insert(id, self.now);
                self.shares.balance(self.now, true);
            }
        }
    }

    pub(super) fn ran(&self, id: u64) -> f64 {
        self.shares.each().find(|e| e.id == id).unwrap().ran.as_secs_f64()
    }

    pub(super) fn runs(&self, id: u64) -> bool {
        self.shares.each().any(|e| e.id == id && matches!(e.state, SearchState::Running(_)))
    }

    fn begun(&self) -> usize {
        self.shares.each().filter(|e| e.state != SearchState::Waiting).count()
    }
}

#[track_caller]
pub(super) fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 0.05 * a.max(b) + 0.1, "{a} is not about {b}");
}

#[test]
fn sole_caller_has_all_slots_in_order_of_arrival() {
    let mut sim = Sim::new(2);
    let all: Vec<u64> = (0..4).map(|_| sim.add(&guest(1), SECOND)).collect();
    assert!(sim.runs(all[0]) && sim.runs(all[1]));
    sim.run(SECOND);
    assert!(sim.ended.contains_key(&all[0]) && sim.ended.contains_key(&all[1]));
    assert!(sim.runs(all[2]) && sim.runs(all[3]));
}

#[test]
fn new_caller_is_served_at_once_beside_a_busy_one() {
    for slots in [1, 2, 4] {
        let mut sim = Sim::new(slots);
        for _ in 0..10 {
            sim.add(&guest(1), LONG);
        }
        for _ in 0..64 {
            sim.add(&guest(1), 100 * MS);
        }
        sim.run(SECOND);
        assert!(sim.admits(&guest(2), SECOND / 2, 530 * MS), "{slots}");
        let other = sim.add(&guest(2), SECOND / 2);
        let came = sim.now;
        sim.run(SECOND);
        assert!(sim.ended[&other] <= came + 550 * MS, "{slots}: {:?}", sim.ended[&other] - came);
    }
}

#[test]
fn callers_have_equal_shares_for_any_number_of_searches() {
    let mut sim = Sim::new(2);
    let a: Vec<u64> = (0..2).map(|_| sim.add(&guest(1), LONG)).collect();
    let b = sim.add(&guest(2), LONG);
    let c = sim.add(&guest(3), LONG);
    sim.run(9 * SECOND);
    near(a.iter().map(|id| sim.ran(*id)).sum(), 6.0);
    near(sim.ran(b), 6.0);
    near(sim.ran(c), 6.0);
}

#[test]
fn names_add_nothing_to_the_share_of_an_address() {
    let mut sim = Sim::new(1);
    let crowd: Vec<u64> = ["a", "b"].iter().map(|name| sim.add(&player(1, name), LONG)).collect();
    let other = sim.add(&guest(2), LONG);
    sim.run(8 * SECOND);
    near(sim.ran(other), 4.0);
    near(sim.ran(crowd[0]), 2.0);
    near(sim.ran(crowd[1]), 2.0);
}

#[test]
fn many_short_requests_get_no_more_than_a_share() {
    let mut sim = Sim::new(1);
    let long: Vec<u64> = (1..4).map(|n| sim.add(&guest(n), LONG)).collect();
    let begin = sim.now;
    let mut had = 0.0;
    while sim.now < begin + 20 * SECOND {
        let id = sim.add(&guest(9), 50 * MS);
        while !sim.ended.contains_key(&id) {
            sim.run(QUANTUM);
        }
        had += 0.05;
    }
    // An idle caller has a head start of half a second.
    assert!(had < 20.0 / 4.0 + 1.0, "{had}");
    assert!(had > 20.0 / 4.0 - 1.0, "{had}");
    long.iter().for_each(|id| near(sim.ran(*id), (sim.now - begin).as_secs_f64() / 4.0));
}

#[test]
fn short_request_does_not_wait_for_many_long_ones() {
    let mut sim = Sim::new(2);
    for n in 0..8 {
        sim.add(&guest(n), LONG);
    }
    sim.run(2 * SECOND);
    assert!(sim.admits(&guest(99), SECOND / 2, 530 * MS));
    let (id, came) = (sim.add(&guest(99), SECOND / 2), sim.now);
    sim.run(SECOND);
    assert!(sim.ended[&id] <= came + 550 * MS, "{:?}", sim.ended[&id] - came);
}

#[test]
fn hosted_seats_have_a_reserve() {
    let mut sim = Sim::new(2);
    for n in 0..20 {
        sim.add(&guest(n), LONG);
    }
    sim.run(SECOND);
    let (own, came) = (sim.add(&seat("a"), SECOND), sim.now);
    assert!(sim.runs(own));
    sim.run(2 * SECOND);
    assert!(sim.ended[&own] <= came + SECOND + 20 * MS, "{:?}", sim.ended[&own] - came);
    // More of them get half of the time, divided between the creators of the matches.
    let [a, b, c] = [seat("a"), seat("a"), seat("b")].map(|path| sim.add(&path, LONG));
    sim.run(16 * SECOND);
    near(sim.ran(a) + sim.ran(b), 8.0);
    near(sim.ran(c), 8.0);
}

#[test]
fn matches_between_engines_only_come_last_but_continue() {
    let mut sim = Sim::new(1);
    let background = sim.add(&engines("a"), 3600 * SECOND);
    sim.run(60 * SECOND);
    near(sim.ran(background), 60.0);
    let before = sim.ran(background);
    let request = sim.add(&guest(1), LONG);
    sim.run(11 * SECOND);
    near(sim.ran(request), 10.0);
    assert!(sim.ran(background) > before, "it still continues");
}

#[test]
fn quick_search_overtakes_the_long_ones_of_its_caller() {
    let mut sim = Sim::new(1);
    let long = sim.add(&guest(1), LONG);
    sim.run(SECOND);
    let quick = sim.add(&guest(1), 50 * MS);
    assert!(sim.runs(quick) && !sim.runs(long));
    sim.run(60 * MS);
    assert!(sim.runs(long));
}

#[test]
fn few_searches_have_begun_at_a_time() {
    let mut sim = Sim::new(2);
    for _ in 0..4 {
        for n in 0..20 {
            sim.add(&guest(n), LONG);
        }
    }
    sim.run(20 * SECOND);
    assert_eq!(sim.begun(), 16, "eight for each slot");
}

#[test]
fn search_that_cannot_meet_its_deadline_is_refused() {
    let mut sim = Sim::new(2);
    sim.add(&guest(1), LONG);
    assert!(sim.admits(&guest(1), LONG, LONG + 30 * MS));
    sim.add(&guest(1), LONG);
    assert!(!sim.admits(&guest(1), SECOND, 2 * SECOND), "both slots are its own for half a minute");
    assert!(sim.admits(&guest(1), SECOND, 60 * SECOND), "it has time");
    assert!(sim.admits(&guest(1), 50 * MS, 80 * MS), "it is quick");
    assert!(sim.admits(&guest(2), SECOND, SECOND + 30 * MS), "another caller");
}

#[test]
fn only_many_callers_together_fill_the_slots() {
    let mut sim = Sim::new(2);
    let mut admitted = 0;
    for n in 0..20 {
        if sim.admits(&guest(n), LONG, LONG + 30 * MS) {
            sim.add(&guest(n), LONG);
            admitted += 1;
        }
        sim.run(QUANTUM);
    }
    assert_eq!(admitted, 8, "a quarter of a core is the least");
    assert!(sim.admits(&seat("a"), LONG, LONG + 30 * MS), "hosted seats have their own");
}
