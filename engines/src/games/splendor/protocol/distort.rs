//! Lines of a lenient referee, for tests: impossible hands of the other players.

use super::super::rules::LEVELS;
use crate::game::Seat;
use crate::protocol::Lines;
use crate::rng::Rng;

/// Changes the other players' lines as a careless referee could: missing chips, a card or a noble twice.
pub(crate) fn distort(reader: Seat, lines: &mut Lines, rng: &mut Rng) {
    let Some(levels) = lines.get(3..3 + LEVELS) else { return };
    let shown = levels[rng.below(LEVELS)].split(' ').nth(1).unwrap_or_default().to_owned();
    let first = 4 + LEVELS;
    for seat in (0..lines.len().saturating_sub(first) / 4).filter(|seat| *seat != reader.index()) {
        let section = &mut lines[first + 4 * seat..];
        match rng.below(4) {
            0 => section[0] = "3 0 0 4 0 1".to_owned(),
            1 => section[1] = more(&section[1], &shown),
            2 => section[3] = more(&section[3], "7"),
            _ => {}
        }
    }
}

/// The list, which begins with its length, with one more number.
fn more(list: &str, number: &str) -> String {
    let mut words: Vec<String> = list.split(' ').map(str::to_owned).collect();
    words[0] = words.len().to_string();
    words.push(number.to_owned());
    words.join(" ")
}
