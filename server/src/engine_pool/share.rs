//! Which searches run now: fair shares of the engine's slots. Time is divided between hosted seats, requests and matches
//! between engines alone; within each between addresses; within an address between players. Pure: instants come in.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::domain::ClientId;
use crate::engine_pool::pick;
use crate::engine_pool::pick::Change;
use crate::engine_pool::plan;

/// How long a search runs at least before another one takes its slot.
pub const QUANTUM: Duration = Duration::from_millis(10);

/// How far behind the others, in seconds of engine time, an account starts that was idle: so that a short request is
/// served before long ones that have run for a while.
const CREDIT: f64 = 0.5;

/// Who pays for a search with their share of the engine time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The caller of a stateless request or of a hint.
    Request(ClientId),
    /// The maker of a hosted match in which a person or a foreign bot plays: it has the reserve.
    Seat(Maker),
    /// The maker of a hosted match in which only engines play: it comes last.
    EnginesOnly(Maker),
}

/// A key of the address that made a match; `None` where it is not known.
pub type Maker = Option<Arc<str>>;

/// One step of the way from the root of the accounts to a player.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// Hosted seats of matches with a person or a foreign bot.
    Seats,
    /// Stateless requests and hints.
    Requests,
    /// Matches between engines alone.
    EnginesOnly,
    /// An address.
    Network(IpAddr),
    /// The address that made a match.
    Maker(Maker),
    /// A player; `None` for guests.
    Player(Option<String>),
}

impl Key {
    /// How much engine time it may have, compared with its siblings.
    pub fn weight(&self) -> f64 {
        match self {
            Self::Seats | Self::Requests => 10.0,
            Self::EnginesOnly | Self::Network(_) | Self::Maker(_) | Self::Player(_) => 1.0,
        }
    }
}

/// The way from the root to an account: what kind of work, which address, which player.
pub type Path = [Key; 3];

impl Source {
    /// The account that pays.
    pub fn path(&self) -> Path {
        match self {
            Self::Request(client) => {
                let player = client.player().map(str::to_owned);
                [Key::Requests, Key::Network(client.network()), Key::Player(player)]
            }
            Self::Seat(maker) => [Key::Seats, Key::Maker(maker.clone()), Key::Player(None)],
            Self::EnginesOnly(maker) => [Key::EnginesOnly, Key::Maker(maker.clone()), Key::Player(None)],
        }
    }
}

/// How short a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Short enough to overtake the long ones of the same player.
    Quick,
    /// Any other.
    Long,
}

impl Class {
    /// Its place in an array.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Where a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not begun.
    Waiting,
    /// It has a slot; charged up to this time.
    Running(Instant),
    /// It has begun and has no slot.
    Suspended,
}

/// A search as the accounts know it. Those of one account are served in the order of class and number.
#[derive(Clone, Debug)]
pub struct Entry {
    /// How short it is.
    pub class: Class,
    /// Ascending in the order of arrival.
    pub id: u64,
    /// How long it will take.
    pub expected: Duration,
    /// How long it has had a slot.
    pub ran: Duration,
    /// When it ends at the latest.
    pub ends_by: Instant,
    /// Where it is.
    pub state: State,
}

impl Entry {
    /// One that comes now.
    pub fn new(id: u64, class: Class, expected: Duration, ends_by: Instant) -> Self {
        Self { class, id, expected, ran: Duration::ZERO, ends_by, state: State::Waiting }
    }

    /// How long it still takes. One that outlasted what was expected is taken to last as long again.
    fn remaining(&self) -> Duration {
        if self.ran < self.expected { self.expected - self.ran } else { self.ran }
    }
}

/// An account, with those below it.
#[derive(Debug, Default)]
pub struct Node {
    /// Engine time had, in seconds by weight. Only differences between siblings mean something.
    pub used: f64,
    /// The least `used` of those below that had work: it never falls.
    floor: f64,
    /// Searches below.
    pub count: usize,
    pub children: BTreeMap<Key, Node>,
    /// Of an account without others below, in the order in which they are served.
    pub entries: Vec<Entry>,
}

impl Node {
    /// What an account below has used as soon as it has work.
    fn entry_level(&self, key: &Key) -> f64 {
        let least = self.floor - CREDIT / key.weight();
        self.children
            .get(key)
            .map_or(least, |child| if child.count > 0 { child.used } else { child.used.max(least) })
    }

    fn add(&mut self, path: &[Key], entry: Entry) {
        self.count += 1;
        let Some((key, rest)) = path.split_first() else {
            let place = self.entries.partition_point(|e| (e.class, e.id) < (entry.class, entry.id));
            self.entries.insert(place, entry);
            return;
        };
        let used = self.entry_level(key);
        let child = self.children.entry(key.clone()).or_default();
        child.used = used;
        child.add(rest, entry);
    }

    fn remove(&mut self, path: &[Key], id: u64) -> Option<Entry> {
        let Some((key, rest)) = path.split_first() else {
            let place = self.entries.iter().position(|e| e.id == id)?;
            self.count -= 1;
            return Some(self.entries.remove(place));
        };
        let entry = self.children.get_mut(key)?.remove(rest, id)?;
        self.count -= 1;
        // A forgotten account comes back as if it were new.
        let floor = self.floor;
        self.children.retain(|key, child| child.count > 0 || child.used > floor - CREDIT / key.weight());
        Some(entry)
    }

    /// Charges what ran until now; the seconds it was.
    fn settle(&mut self, now: Instant) -> f64 {
        let mut spent = 0.0;
        for entry in &mut self.entries {
            if let State::Running(since) = &mut entry.state {
                let time = now.saturating_duration_since(*since);
                *since = now.max(*since);
                entry.ran += time;
                spent += time.as_secs_f64();
            }
        }
        let mut least = f64::INFINITY;
        for (key, child) in self.children.iter_mut().filter(|(_, child)| child.count > 0) {
            let seconds = child.settle(now);
            child.used += seconds / key.weight();
            spent += seconds;
            least = least.min(child.used);
        }
        if least.is_finite() {
            self.floor = self.floor.max(least);
        }
        spent
    }

    /// All searches below.
    pub fn each(&self) -> Box<dyn Iterator<Item = &Entry> + '_> {
        Box::new(self.entries.iter().chain(self.children.values().flat_map(Self::each)))
    }

    fn each_mut(&mut self, act: &mut impl FnMut(&mut Entry)) {
        self.entries.iter_mut().for_each(&mut *act);
        self.children.values_mut().for_each(|child| child.each_mut(act));
    }

    fn find(&self, path: &[Key]) -> Option<&Self> {
        let Some((key, rest)) = path.split_first() else { return Some(self) };
        self.children.get(key)?.find(rest)
    }
}

/// All searches of a pool, and the accounts that pay for them.
#[derive(Debug)]
pub struct Shares {
    slots: usize,
    root: Node,
}

impl Shares {
    /// Nothing to do yet, for this many searches at a time.
    pub fn new(slots: usize) -> Self {
        Self { slots, root: Node::default() }
    }

    /// One more search.
    pub fn add(&mut self, path: &Path, entry: Entry) {
        self.root.add(path, entry);
    }

    /// A search is over, or no longer wanted.
    pub fn remove(&mut self, path: &Path, id: u64, now: Instant) {
        self.root.settle(now);
        self.root.remove(path, id);
        if self.root.count == 0 {
            // An idle server: all accounts begin equal again.
            self.root = Node::default();
        }
    }

    /// Divides the slots anew; returns the changes. `sticky`: see [`pick::choose`].
    pub fn balance(&mut self, now: Instant, sticky: bool) -> Vec<(u64, Change)> {
        self.root.settle(now);
        let chosen = pick::choose(&self.root, self.slots, sticky);
        let mut changes = Vec::new();
        self.root.each_mut(&mut |entry| {
            let change = match (chosen.contains(&entry.id), entry.state) {
                (true, State::Waiting) => Change::Start,
                (true, State::Suspended) => Change::Resume,
                (false, State::Running(_)) => Change::Suspend,
                _ => return,
            };
            entry.state =
                if matches!(change, Change::Suspend) { State::Suspended } else { State::Running(now) };
            changes.push((entry.id, change));
        });
        changes
    }

    /// All searches.
    pub fn each(&self) -> impl Iterator<Item = &Entry> {
        self.root.each()
    }

    /// Whether some search has no slot.
    pub fn is_contended(&self) -> bool {
        self.each().any(|entry| !matches!(entry.state, State::Running(_)))
    }

    /// Searches of this class that wait: of the address, and of all addresses with this kind of work.
    pub fn waiting(&self, path: &Path, class: Class) -> (usize, usize) {
        let count = |path: &[Key]| {
            let all = self.root.find(path).into_iter().flat_map(Node::each);
            all.filter(|e| e.class == class && e.state == State::Waiting).count()
        };
        (count(&path[..2]), count(&path[..1]))
    }

    /// How much later this search would have to come to be admitted; zero when it may come now. `needs`: what must fit
    /// before its end.
    pub fn too_early_by(&mut self, path: &Path, entry: &Entry, needs: Duration, now: Instant) -> Duration {
        self.root.settle(now);
        let own = self.root.find(path).map_or(&[][..], |node| &node.entries);
        let ahead: Vec<&Entry> = own.iter().filter(|e| (e.class, e.id) < (entry.class, entry.id)).collect();
        let work: Duration = ahead.iter().map(|e| e.remaining()).sum();
        let cores = self.cores_for(path, (work + entry.expected).as_secs_f64());
        let rate = cores.min(1.0);
        let threads = (cores.floor() as usize).max(1);
        let queue = ahead.iter().map(|e| (e.remaining().div_f64(rate), e.ends_by));
        let mut begin = plan::begins(now, threads, queue);
        if let Some(blocking) = pick::blocking(&self.root, path, entry.class, self.slots) {
            let place = blocking.map(|e| (now + e.remaining()).min(e.ends_by)).min();
            begin = begin.max(place.unwrap_or(now));
        }
        plan::too_early_by(begin, needs, rate, entry.ends_by)
    }

    /// How many slots, or which part of one, this account will have until it has had this many seconds more.
    fn cores_for(&self, path: &Path, seconds: f64) -> f64 {
        let mut cores = self.slots as f64;
        let mut node = Some(&self.root);
        for key in path {
            let Some(parent) = node else { break };
            let own = parent.entry_level(key);
            let until = own + seconds / key.weight();
            let rivals = parent.children.iter().filter(|(k, c)| *k != key && c.count > 0 && c.used < until);
            let (weight, count) =
                rivals.fold((0.0, 0), |(weight, count), (k, c)| (weight + k.weight(), count + c.count));
            // The rivals leave what they do not need.
            cores = (cores * key.weight() / (key.weight() + weight)).max(cores - count as f64);
            node = parent.children.get(key);
        }
        cores
    }
}
