//! Lines of a lenient referee, for tests: a line without a pit.

use crate::protocol::Lines;
use crate::rng::Rng;

/// Inserts a line without a pit before the opponent's move, in about half of the calls.
pub(crate) fn distort(lines: &mut Lines, rng: &mut Rng) {
    if lines.len() == 1 && lines[0].len() == 1 && rng.below(2) == 0 {
        lines.insert(0, "your turn?".to_owned());
    }
}
