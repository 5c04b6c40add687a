//! Chooses the searches that have a slot now: each slot goes to the account that has used the least. Pure.

use std::collections::HashSet;

use crate::engine_pool::share_rules::ShareRules;
use crate::engine_pool::shares::{
    Account, AccountKey, AccountPath, QUANTUM, SearchEntry, SearchLength, SearchState,
};

/// The maximum number of begun searches per slot: of one kind of work, and of one address.
const BEGUN_PER_SLOT: usize = 8;
const BEGUN_PER_SLOT_AND_ADDRESS: usize = 2;

/// A change for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotChange {
    /// It begins.
    Start,
    /// It continues.
    Resume,
    /// It must wait.
    Suspend,
}

/// The number of begun searches of each class.
type BegunCounts = [usize; 2];

fn begun(node: &Account, class: SearchLength) -> usize {
    node.each().filter(|e| e.class == class && e.state != SearchState::Waiting).count()
}

/// The depth of the kinds of work in the tree: below are addresses (on the ladder, games), then players; above are the callers and
/// the ladder.
const KINDS: usize = 2;
const ADDRESSES: usize = KINDS + 1;

/// The maximum number of begun searches of a class at a depth of the tree.
/// `crowded`: half of the maximum for the kind of work is reached; then each address may have one.
fn places(depth: usize, slots: usize, crowded: bool) -> usize {
    match depth {
        0..KINDS => usize::MAX,
        KINDS => BEGUN_PER_SLOT * slots,
        ADDRESSES if crowded => 1,
        ADDRESSES => BEGUN_PER_SLOT_AND_ADDRESS * slots,
        _ => slots,
    }
}

fn is_crowded(begun: usize, slots: usize) -> bool {
    2 * begun >= BEGUN_PER_SLOT * slots
}

/// The begun searches for which a new search of this account must wait; `None` if it need not wait.
pub(super) fn blocking<'a>(
    root: &'a Account,
    path: &AccountPath,
    class: SearchLength,
    slots: usize,
) -> Option<impl Iterator<Item = &'a SearchEntry>> {
    let mut crowded = false;
    let mut node = root;
    for (depth, key) in (1..).zip(path) {
        node = node.children.get(key)?;
        let count = begun(node, class);
        if count >= places(depth, slots, crowded) {
            return Some(node.each().filter(move |e| e.class == class && e.state != SearchState::Waiting));
        }
        crowded = depth == KINDS && is_crowded(count, slots);
    }
    None
}

/// An account while slots are assigned.
struct AccountCandidate<'a> {
    /// The account's `used`, and a quantum for each slot assigned now.
    used: f64,
    weight: f64,
    depth: usize,
    begun: BegunCounts,
    /// Slots assigned so far.
    given: usize,
    children: Vec<Self>,
    entries: Vec<&'a SearchEntry>,
}

/// The ids of the searches that have a slot now. `sticky`: an account keeps its slots until it has used a quantum more
/// than the others.
pub(super) fn choose(root: &Account, rules: &ShareRules, sticky: bool) -> HashSet<u64> {
    let slots = rules.slots;
    let mut root = AccountCandidate::new(None, root, (0, sticky), rules);
    (0..slots).map_while(|_| root.pick(slots, [true; 2], [false; 2])).map(|entry| entry.id).collect()
}

impl<'a> AccountCandidate<'a> {
    fn new(
        key: Option<&AccountKey>,
        node: &'a Account,
        (depth, sticky): (usize, bool),
        rules: &ShareRules,
    ) -> Self {
        let children = node.children.iter().filter(|(_, child)| child.count > 0);
        let runs = sticky && node.each().any(|e| matches!(e.state, SearchState::Running(_)));
        let weight = key.map_or(1.0, |key| rules.weight(key));
        let kept = if runs { QUANTUM.as_secs_f64() / weight } else { 0.0 };
        Self {
            used: node.used - kept,
            weight,
            depth,
            begun: [SearchLength::Quick, SearchLength::Long].map(|class| begun(node, class)),
            given: 0,
            children: children
                .map(|(key, child)| Self::new(Some(key), child, (depth + 1, sticky), rules))
                .collect(),
            entries: node.entries.iter().collect(),
        }
    }

    /// Assigns a slot to the next search below. `may_begin`, per class: whether a search that has not begun may begin.
    fn pick(&mut self, slots: usize, may_begin: [bool; 2], crowded: [bool; 2]) -> Option<&'a SearchEntry> {
        let [quick, long] = [SearchLength::Quick, SearchLength::Long]
            .map(SearchLength::index)
            .map(|class| may_begin[class] && self.begun[class] < places(self.depth, slots, crowded[class]));
        let may_begin = [quick, long];
        let crowded =
            if self.depth == KINDS { self.begun.map(|begun| is_crowded(begun, slots)) } else { [false; 2] };
        let entry = if self.children.is_empty() {
            let may_run = |e: &&SearchEntry| e.state != SearchState::Waiting || may_begin[e.class.index()];
            let index = self.entries.iter().position(may_run)?;
            self.entries.remove(index)
        } else {
            // The least used account first; of equal ones, the one with fewer slots.
            self.children.sort_by(|a, b| a.used.total_cmp(&b.used).then(a.given.cmp(&b.given)));
            self.children.iter_mut().find_map(|child| child.pick(slots, may_begin, crowded))?
        };
        self.given += 1;
        self.used += QUANTUM.as_secs_f64() / self.weight;
        if entry.state == SearchState::Waiting {
            self.begun[entry.class.index()] += 1;
        }
        Some(entry)
    }
}
