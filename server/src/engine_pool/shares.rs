//! Decides which searches run now: fair shares of the slots. Engine time is divided between the ladder and the callers;
//! within these between hosted seats, requests, and matches between engines only; within each of them between addresses,
//! or on the ladder between games; within an address between players. Pure; the instants come in.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::domain::ClientId;
use crate::engine_pool::pick::SlotChange;
use crate::engine_pool::share_rules::{LeastShares, ShareRules};
use crate::engine_pool::{admission, pick};

/// How long a search runs at least before another one takes its slot.
pub(super) const QUANTUM: Duration = Duration::from_millis(10);

/// The owner of the share of engine time that a search uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The caller of a stateless request or of a hint.
    Request(ClientId),
    /// The payer of a hosted match with a person or an external bot: these matches have the reserve.
    Seat(MatchPayer),
    /// The payer of a hosted match between engines only: these come last.
    EnginesOnly(MatchPayer),
    /// A rated match that the permanent ladder has begun: the service pays.
    Ladder {
        /// The game's short name.
        game: Arc<str>,
        /// Whether only engines play in it.
        engines_only: bool,
    },
    /// The analysis of a finished match that a caller asked for: the service pays, and all callers share the result.
    Analysis {
        /// The game's short name.
        game: Arc<str>,
    },
    /// The turn of a hosted program: its owner pays.
    Program {
        /// The id of the owner.
        owner: Arc<str>,
        /// The id of the bot.
        bot: Arc<str>,
    },
    /// A search of another process, on a worker: the key of the node, and the number of the search there. Searches of a
    /// node take turns; the node decides which of its callers they are for.
    Node(Arc<str>, u64),
}

/// The payer of a hosted match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchPayer {
    /// A key of the address; `None` if it is unknown.
    pub network: Option<Arc<str>>,
    /// The id of the player; `None`: a guest.
    pub player: Option<Arc<str>>,
}

/// One step of the path from the root of the accounts to a player.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccountKey {
    /// All searches except those of the ladder, of analyses, and of hosted programs.
    Callers,
    /// All searches of the ladder and of analyses.
    Ladder,
    /// All turns of hosted programs.
    Programs,
    /// Hosted seats of matches with a person or an external bot.
    Seats,
    /// Stateless requests and hints.
    Requests,
    /// Matches between engines only.
    EnginesOnly,
    /// Analyses of finished matches.
    Analyses,
    /// All matches of the ladder, or all analyses, in a game.
    Game(Arc<str>),
    /// An address.
    Network(IpAddr),
    /// The address that pays for a match.
    MatchNetwork(Option<Arc<str>>),
    /// A player; `None` for guests.
    Player(Option<Arc<str>>),
    /// The searches that nodes send to this worker.
    Nodes,
    /// The searches of one node.
    Node(Arc<str>),
    /// One search of a node.
    NodeSearch(u64),
}

/// The path from the root to an account: callers, ladder or programs; kind of work; address, game or owner; player or bot.
pub(super) type AccountPath = [AccountKey; 4];

impl Source {
    /// The account that pays.
    pub fn path(&self) -> AccountPath {
        match self {
            Self::Request(client) => {
                let player = AccountKey::Player(client.player().map(Arc::from));
                let network = AccountKey::Network(client.network());
                [AccountKey::Callers, AccountKey::Requests, network, player]
            }
            Self::Seat(payer) => payer.path(AccountKey::Seats),
            Self::EnginesOnly(payer) => payer.path(AccountKey::EnginesOnly),
            Self::Ladder { game, engines_only } => {
                let kind = if *engines_only { AccountKey::EnginesOnly } else { AccountKey::Seats };
                [AccountKey::Ladder, kind, AccountKey::Game(Arc::clone(game)), AccountKey::Player(None)]
            }
            Self::Analysis { game } => {
                let game = AccountKey::Game(Arc::clone(game));
                [AccountKey::Ladder, AccountKey::Analyses, game, AccountKey::Player(None)]
            }
            Self::Program { owner, bot } => {
                let [owner, bot] = [owner, bot].map(|id| AccountKey::Player(Some(Arc::clone(id))));
                [AccountKey::Programs, AccountKey::Seats, owner, bot]
            }
            Self::Node(node, search) => {
                let node = AccountKey::Node(Arc::clone(node));
                [AccountKey::Callers, AccountKey::Nodes, node, AccountKey::NodeSearch(*search)]
            }
        }
    }
}

impl MatchPayer {
    fn path(&self, kind: AccountKey) -> AccountPath {
        let network = AccountKey::MatchNetwork(self.network.clone());
        [AccountKey::Callers, kind, network, AccountKey::Player(self.player.clone())]
    }
}

/// Whether a search is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SearchLength {
    /// Short enough to overtake long searches of the same player.
    Quick,
    /// Any other search.
    Long,
}

impl SearchLength {
    /// Its index in an array.
    pub(super) fn index(self) -> usize {
        self as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchState {
    /// It has not begun.
    Waiting,
    /// It has a slot; charged up to this time.
    Running(Instant),
    /// It has begun but has no slot.
    Suspended,
}

/// A search in an account. Searches of one account are served in the order of class and id.
#[derive(Clone, Debug)]
pub(super) struct SearchEntry {
    /// Whether it is short.
    pub class: SearchLength,
    /// Ascending in the order of arrival.
    pub id: u64,
    /// How long it will probably take.
    pub expected: Duration,
    /// How long it has had a slot.
    pub ran: Duration,
    /// The latest time at which it ends.
    pub ends_by: Instant,
    pub state: SearchState,
}

impl SearchEntry {
    /// A new search.
    pub(super) fn new(id: u64, class: SearchLength, expected: Duration, ends_by: Instant) -> Self {
        Self { class, id, expected, ran: Duration::ZERO, ends_by, state: SearchState::Waiting }
    }

    /// How long it will still take. A search that exceeds its estimate is expected to take as long again.
    fn remaining(&self) -> Duration {
        if self.ran < self.expected { self.expected - self.ran } else { self.ran }
    }
}

/// An account and the accounts below it.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Engine time used, in seconds divided by weight. Only differences between siblings matter.
    pub used: f64,
    /// The least `used` of the accounts below that had work; it never decreases.
    floor: f64,
    /// The number of searches below.
    pub count: usize,
    pub children: BTreeMap<AccountKey, Account>,
    /// The searches of a leaf account, in the order in which they are served.
    pub entries: Vec<SearchEntry>,
}

impl Account {
    /// The `used` of an account below when it gets work.
    fn entry_level(&self, key: &AccountKey, rules: &ShareRules) -> f64 {
        let least = self.floor - rules.credit(key);
        self.children
            .get(key)
            .map_or(least, |child| if child.count > 0 { child.used } else { child.used.max(least) })
    }

    fn add(&mut self, path: &[AccountKey], entry: SearchEntry, rules: &ShareRules) {
        self.count += 1;
        let Some((key, rest)) = path.split_first() else {
            let place = self.entries.partition_point(|e| (e.class, e.id) < (entry.class, entry.id));
            self.entries.insert(place, entry);
            return;
        };
        let used = self.entry_level(key, rules);
        let child = self.children.entry(key.clone()).or_default();
        child.used = used;
        child.add(rest, entry, rules);
    }

    fn remove(&mut self, path: &[AccountKey], id: u64, rules: &ShareRules) -> Option<SearchEntry> {
        let Some((key, rest)) = path.split_first() else {
            let place = self.entries.iter().position(|e| e.id == id)?;
            self.count -= 1;
            return Some(self.entries.remove(place));
        };
        let entry = self.children.get_mut(key)?.remove(rest, id, rules)?;
        self.count -= 1;
        // A removed account comes back as a new one.
        let floor = self.floor;
        self.children.retain(|key, child| child.count > 0 || child.used > floor - rules.credit(key));
        Some(entry)
    }

    /// Charges the running searches up to now; returns the seconds charged.
    fn settle(&mut self, now: Instant, rules: &ShareRules) -> f64 {
        let mut spent = 0.0;
        for entry in &mut self.entries {
            if let SearchState::Running(since) = &mut entry.state {
                let time = now.saturating_duration_since(*since);
                *since = now.max(*since);
                entry.ran += time;
                spent += time.as_secs_f64();
            }
        }
        let mut least = f64::INFINITY;
        for (key, child) in self.children.iter_mut().filter(|(_, child)| child.count > 0) {
            let seconds = child.settle(now, rules);
            child.used += seconds / rules.weight(key);
            spent += seconds;
            least = least.min(child.used);
        }
        if least.is_finite() {
            self.floor = self.floor.max(least);
            for (key, child) in self.children.iter_mut().filter(|(_, child)| child.count > 0) {
                child.used = child.used.min(least + rules.most_ahead(key));
            }
        }
        spent
    }

    /// All searches below.
    pub(super) fn each(&self) -> Box<dyn Iterator<Item = &SearchEntry> + '_> {
        Box::new(self.entries.iter().chain(self.children.values().flat_map(Self::each)))
    }

    fn each_mut(&mut self, act: &mut impl FnMut(&mut SearchEntry)) {
        self.entries.iter_mut().for_each(&mut *act);
        self.children.values_mut().for_each(|child| child.each_mut(act));
    }

    fn find(&self, path: &[AccountKey]) -> Option<&Self> {
        let Some((key, rest)) = path.split_first() else { return Some(self) };
        self.children.get(key)?.find(rest)
    }
}

/// All searches of a pool, and the accounts that pay for them.
#[derive(Debug)]
pub(super) struct FairShares {
    rules: ShareRules,
    root: Account,
}

impl FairShares {
    /// No searches yet, for this many slots. `least`: the least shares of lanes.
    pub(super) fn new(slots: usize, least: LeastShares) -> Self {
        Self { rules: ShareRules::new(slots, least), root: Account::default() }
    }

    /// Adds a search.
    pub(super) fn add(&mut self, path: &AccountPath, entry: SearchEntry) {
        self.root.add(path, entry, &self.rules);
    }

    /// The number of slots.
    pub(super) fn slots(&self) -> usize {
        self.rules.slots
    }

    /// Sets the number of slots; the next [`Self::balance`] applies it.
    pub(super) fn set_slots(&mut self, slots: usize) {
        self.rules.slots = slots;
    }

    /// Removes a search, and returns its entry.
    pub(super) fn remove(&mut self, path: &AccountPath, id: u64, now: Instant) -> Option<SearchEntry> {
        self.root.settle(now, &self.rules);
        let entry = self.root.remove(path, id, &self.rules);
        if self.root.count == 0 {
            // The pool is idle: all accounts begin equal again.
            self.root = Account::default();
        }
        entry
    }

    /// Assigns the slots again; returns the changes. `sticky`: see [`pick::choose`].
    pub(super) fn balance(&mut self, now: Instant, sticky: bool) -> Vec<(u64, SlotChange)> {
        self.root.settle(now, &self.rules);
        let chosen = pick::choose(&self.root, &self.rules, sticky);
        let mut changes = Vec::new();
        self.root.each_mut(&mut |entry| {
            let change = match (chosen.contains(&entry.id), entry.state) {
                (true, SearchState::Waiting) => SlotChange::Start,
                (true, SearchState::Suspended) => SlotChange::Resume,
                (false, SearchState::Running(_)) => SlotChange::Suspend,
                _ => return,
            };
            entry.state = if matches!(change, SlotChange::Suspend) {
                SearchState::Suspended
            } else {
                SearchState::Running(now)
            };
            changes.push((entry.id, change));
        });
        changes
    }

    /// All searches.
    pub(super) fn each(&self) -> impl Iterator<Item = &SearchEntry> {
        self.root.each()
    }

    /// Whether some search has no slot.
    pub(super) fn is_contended(&self) -> bool {
        self.each().any(|entry| !matches!(entry.state, SearchState::Running(_)))
    }

    /// The number of waiting searches of this class: of the address, and of all addresses with this kind of work.
    pub(super) fn waiting(&self, path: &AccountPath, class: SearchLength) -> (usize, usize) {
        let count = |path: &[AccountKey]| {
            let all = self.root.find(path).into_iter().flat_map(Account::each);
            all.filter(|e| e.class == class && e.state == SearchState::Waiting).count()
        };
        (count(&path[..3]), count(&path[..2]))
    }

    /// How much later this search would have to arrive to be admitted; zero if it is admitted now. `needs`: the time that
    /// must fit before its end.
    pub(super) fn admission_delay(
        &mut self,
        path: &AccountPath,
        entry: &SearchEntry,
        needs: Duration,
        now: Instant,
    ) -> Duration {
        self.root.settle(now, &self.rules);
        let own = self.root.find(path).map_or(&[][..], |node| &node.entries);
        let ahead: Vec<&SearchEntry> =
            own.iter().filter(|e| (e.class, e.id) < (entry.class, entry.id)).collect();
        let work: Duration = ahead.iter().map(|e| e.remaining()).sum();
        let cores = self.cores_for(path, (work + entry.expected).as_secs_f64());
        let rate = cores.min(1.0);
        let threads = (cores.floor() as usize).max(1);
        let queue = ahead.iter().map(|e| (e.remaining().div_f64(rate), e.ends_by));
        let mut begin = admission::start_time(now, threads, queue);
        if let Some(blocking) = pick::blocking(&self.root, path, entry.class, self.rules.slots) {
            let place = blocking.map(|e| (now + e.remaining()).min(e.ends_by)).min();
            begin = begin.max(place.unwrap_or(now));
        }
        admission::admission_delay(begin, needs, rate, entry.ends_by)
    }

    /// How many slots (or which fraction of one) this account will have until it has used this many seconds more.
    fn cores_for(&self, path: &AccountPath, seconds: f64) -> f64 {
        let mut cores = self.rules.slots as f64;
        let mut node = Some(&self.root);
        for key in path {
            let Some(parent) = node else { break };
            let own = parent.entry_level(key, &self.rules);
            let own_weight = self.rules.weight(key);
            let until = own + seconds / own_weight;
            let rivals = parent.children.iter().filter(|(k, c)| *k != key && c.count > 0 && c.used < until);
            let (weight, count) = rivals
                .fold((0.0, 0), |(weight, count), (k, c)| (weight + self.rules.weight(k), count + c.count));
            // The rivals leave the slots that they do not need.
            cores = (cores * own_weight / (own_weight + weight)).max(cores - count as f64);
            node = parent.children.get(key);
        }
        cores
    }
}
