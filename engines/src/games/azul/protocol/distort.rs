//! Lines of a lenient referee, for tests: impossible boards of the opponent.

use crate::protocol::Lines;
use crate::rng::Rng;

/// Lines of a turn in the format `state`.
const LINES: usize = 30;
/// Lines of one board. The opponent's board comes last.
const BOARD: usize = 11;

/// Changes lines of the opponent's board in a turn in the format `state`.
pub(crate) fn distort(lines: &mut Lines, rng: &mut Rng) {
    if lines.len() != LINES || rng.below(3) == 0 {
        return;
    }
    let board = &mut lines[LINES - BOARD..];
    let texts: &[(usize, &[&str])] = &[
        (0, &["5 r", "0 g", "1 .", "9 b", "3 x"]),
        (5, &["g g g g g", "g o b y r", "o . . . .", ". . . . x", "r g o b y"]),
        (10, &["0 999", "7 0", "255 3", "900 -4", "0 32768", "x y"]),
    ];
    for _ in 0..=rng.below(3) {
        let (first, texts) = texts[rng.below(texts.len())];
        let row = if first == 10 { 10 } else { first + rng.below(5) };
        board[row] = texts[rng.below(texts.len())].to_owned();
    }
}
