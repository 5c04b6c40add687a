//! Lines of a lenient referee, for tests: cards listed twice or never held, invalid melds.

use super::super::rules::Card;
use crate::protocol::Lines;
use crate::rng::Rng;

/// Changes the opponent's commands, except discards: their card becomes the pile's top, which the reader may take.
pub(crate) fn distort(lines: &mut Lines, rng: &mut Rng) {
    for line in std::mem::take(lines) {
        if line == "GET_STOCK" && rng.below(16) == 0 {
            lines.push(line.clone());
        }
        let melds = line.starts_with("GET_DISCARD") || line.starts_with("MELD");
        lines.push(if melds && rng.below(2) == 0 { changed(&line, rng) } else { line });
        if melds && rng.below(8) == 0 {
            lines.push("MELD_JOIN 0 [  ]".to_owned());
        }
    }
}

fn changed(line: &str, rng: &mut Rng) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let first = words.iter().position(|word| word == "[").map_or(words.len() - 1, |at| at + 1);
    let at = (first + rng.below(3)).min(words.len() - 2);
    match rng.below(5) {
        0 | 1 => words.insert(at, words[at].clone()),
        2 => words[at] = Card::of(rng.below(4) as u8, 2).to_string(),
        3 => words.insert(first, Card::from_index(rng.below(52)).to_string()),
        _ if words[0] == "MELD_JOIN" => words[1] = rng.below(9).to_string(),
        _ => drop(words.remove(at)),
    }
    words.join(" ")
}
