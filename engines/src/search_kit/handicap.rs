//! Lets a level play weaker than it could, in the same way on every machine.

use crate::rng::Rng;
use crate::search::Candidate;

/// The index of the candidate to play: the first, the best, except in a share `slips` (0 to 1) of decisions, where every
/// candidate is equally likely. Pass a shorter list for gentler slips. There is at least one candidate.
pub fn choose<M>(candidates: &[Candidate<M>], slips: f64, rng: &mut Rng) -> usize {
    if slips > 0.0 && rng.unit() < slips { rng.below(candidates.len()) } else { 0 }
}
