//! Trees side by side: each free core grows a tree of its own from other random numbers, and the moves of all roots are added
//! up (root parallelization; Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search", 2008).

use super::PuctEdge;
use crate::cores::{CorePermit, Cores, MOST_HELPERS, together};
use crate::search::Search;

/// A tree that grows by iterations.
pub trait GrowingTree: Sized {
    /// A move of its root.
    type Move: Copy + PartialEq + Send;

    /// One iteration.
    fn step(&mut self);
    /// The moves of its root; a move may be listed several times, with a part of its visits each time.
    fn root_edges(&self) -> Vec<PuctEdge<Self::Move>>;
}

/// Grows `tree` until the search must stop, and on each of the `cores` a tree that `another` makes for its number, from 1. Calls
/// `tell` when the host asks for an intermediate result. Returns the root moves of the other trees. Their iterations count as
/// nodes of the search.
pub fn grow<T: GrowingTree>(
    tree: &mut T,
    search: &mut Search<'_>,
    cores: Option<&dyn Cores>,
    another: impl Fn(u64) -> T + Sync,
    tell: impl Fn(&T, &mut Search<'_>),
) -> Vec<PuctEdge<T::Move>> {
    let help = |number: usize, permit: &CorePermit<'_>| {
        let mut tree = another(1 + number as u64);
        let mut iterations = 0;
        while permit.go_on() {
            tree.step();
            iterations += 1;
        }
        (tree.root_edges(), iterations)
    };
    let ((), helped) = together(cores, MOST_HELPERS, help, || {
        while search.tick() {
            tree.step();
            if search.is_asked() {
                tell(tree, search);
            }
        }
    });
    search.count(helped.iter().map(|(_, iterations)| iterations).sum());
    helped.into_iter().flat_map(|(moves, _)| moves).collect()
}
