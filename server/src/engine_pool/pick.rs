//! The choice of the searches that have a slot now: again and again one of the account that has had least. Pure.

use std::collections::HashSet;

use crate::engine_pool::share::{Class, Entry, Key, Node, Path, QUANTUM, State};

/// Searches that may have begun and not ended, for each slot: of a kind of work, and of one address.
const PLACES: usize = 8;
const PLACES_OF_ADDRESS: usize = 2;

/// A change for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It begins.
    Start,
    /// It goes on.
    Resume,
    /// It must wait.
    Suspend,
}

/// Searches that have begun, of each class.
type Begun = [usize; 2];

fn begun(node: &Node, class: Class) -> usize {
    node.each().filter(|e| e.class == class && e.state != State::Waiting).count()
}

/// How many searches of a class may have begun at a depth of the tree: the root, kinds of work, addresses, players.
/// `crowded`: when half of the places for the kind of work are taken, each address has one.
fn places(depth: usize, slots: usize, crowded: bool) -> usize {
    match depth {
        0 => usize::MAX,
        1 => PLACES * slots,
        2 if crowded => 1,
        2 => PLACES_OF_ADDRESS * slots,
        _ => slots,
    }
}

fn is_crowded(begun: usize, slots: usize) -> bool {
    2 * begun >= PLACES * slots
}

/// The searches that a new one of this account must wait for because too many have begun; `None` if it need not.
pub fn blocking<'a>(
    root: &'a Node,
    path: &Path,
    class: Class,
    slots: usize,
) -> Option<impl Iterator<Item = &'a Entry>> {
    let mut crowded = false;
    let mut node = root;
    for (depth, key) in (1..).zip(path) {
        node = node.children.get(key)?;
        let count = begun(node, class);
        if count >= places(depth, slots, crowded) {
            return Some(node.each().filter(move |e| e.class == class && e.state != State::Waiting));
        }
        crowded = depth == 1 && is_crowded(count, slots);
    }
    None
}

/// An account while slots are handed out.
struct Candidate<'a> {
    /// As in the account, and a quantum for each slot it is given now.
    used: f64,
    weight: f64,
    depth: usize,
    begun: Begun,
    /// Slots given so far.
    given: usize,
    children: Vec<Self>,
    entries: Vec<&'a Entry>,
}

/// The searches that have a slot now, by number. `sticky`: an account that has slots keeps one until it has had a quantum
/// more than the others.
pub fn choose(root: &Node, slots: usize, sticky: bool) -> HashSet<u64> {
    let mut root = Candidate::new(None, root, 0, sticky);
    (0..slots).map_while(|_| root.pick(slots, [true; 2], [false; 2])).map(|entry| entry.id).collect()
}

impl<'a> Candidate<'a> {
    fn new(key: Option<&Key>, node: &'a Node, depth: usize, sticky: bool) -> Self {
        let children = node.children.iter().filter(|(_, child)| child.count > 0);
        let runs = sticky && node.each().any(|e| matches!(e.state, State::Running(_)));
        let weight = key.map_or(1.0, Key::weight);
        let kept = if runs { QUANTUM.as_secs_f64() / weight } else { 0.0 };
        Self {
            used: node.used - kept,
            weight,
            depth,
            begun: [Class::Quick, Class::Long].map(|class| begun(node, class)),
            given: 0,
            children: children.map(|(key, child)| Self::new(Some(key), child, depth + 1, sticky)).collect(),
            entries: node.entries.iter().collect(),
        }
    }

    /// Gives a slot to the next search below. `may_begin`, per class: whether a search may that has not begun.
    fn pick(&mut self, slots: usize, may_begin: [bool; 2], crowded: [bool; 2]) -> Option<&'a Entry> {
        let [quick, long] = [Class::Quick, Class::Long]
            .map(Class::index)
            .map(|class| may_begin[class] && self.begun[class] < places(self.depth, slots, crowded[class]));
        let may_begin = [quick, long];
        let crowded =
            if self.depth == 1 { self.begun.map(|begun| is_crowded(begun, slots)) } else { [false; 2] };
        let entry = if self.children.is_empty() {
            let may_run = |e: &&Entry| e.state != State::Waiting || may_begin[e.class.index()];
            let place = self.entries.iter().position(may_run)?;
            self.entries.remove(place)
        } else {
            // Least used first; where that is equal, the one with fewer slots.
            self.children.sort_by(|a, b| a.used.total_cmp(&b.used).then(a.given.cmp(&b.given)));
            self.children.iter_mut().find_map(|child| child.pick(slots, may_begin, crowded))?
        };
        self.given += 1;
        self.used += QUANTUM.as_secs_f64() / self.weight;
        if entry.state == State::Waiting {
            self.begun[entry.class.index()] += 1;
        }
        Some(entry)
    }
}
