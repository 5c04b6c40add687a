//! Trees on lent cores: each core grows a tree of its own from other random numbers, and the visits and values of the roots'
//! moves are added up (root parallelization: Chaslot, Winands and van den Herik, 2008).

use super::PuctEdge;
use crate::cores::{CorePermit, together};
use crate::search::Search;
use crate::search_kit::fast_rng::FastRng;

/// The most additional trees; each needs memory of its own.
const HELPERS: usize = 3;

/// Runs `own` here, and `grow` on each free core until `own` is done. `grow` gets a seed of its own, and returns the moves
/// of its root and the number of its iterations, which count as nodes. Returns the moves of all other roots.
pub fn grow_on_free_cores<M: Send>(
    search: &mut Search<'_>,
    seed: u64,
    grow: impl Fn(u64, &CorePermit<'_>) -> (Vec<PuctEdge<M>>, u64) + Sync,
    own: impl FnOnce(&mut Search<'_>),
) -> Vec<PuctEdge<M>> {
    let help = |number: usize, permit: &CorePermit<'_>| {
        grow(FastRng::new(seed.wrapping_add(1 + number as u64)).next_u64(), permit)
    };
    let ((), helped) = together(search.cores(), HELPERS, help, || own(search));
    search.count(helped.iter().map(|(_, iterations)| iterations).sum());
    helped.into_iter().flat_map(|(moves, _)| moves).collect()
}
