//! Random refills of the displays, as the search samples them.

use crate::games::azul::rules::Position;
use crate::search_kit::fast_rng::FastRng;

/// Fills the displays from the bag, each order of its tiles equally likely.
pub fn refill(position: &mut Position, rng: &mut FastRng) {
    let mut bag = [0u8; 100];
    let mut size = 0;
    for (colour, n) in (0u8..).zip(position.bag()) {
        bag[size..size + usize::from(n)].fill(colour);
        size += usize::from(n);
    }
    loop {
        for i in 0..20.min(size) {
            bag.swap(i, i + rng.below(size - i));
        }
        position.fill(&bag[..20]);
        if !position.is_dull() {
            return;
        }
    }
}
