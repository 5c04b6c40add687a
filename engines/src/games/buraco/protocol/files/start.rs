//! Reads a file for `node buraco.js -i`: the hands of both players, the card of the pile, and the starter's number.

use super::super::super::Buraco;
use super::super::super::rules::{CARDS, Card, PublicTable, State, take_all};
use crate::game::{RecordedMatch, Seat, State as _};
use crate::harness_file::{HarnessFile, HarnessFileError, HarnessFormat};
use crate::rng::{Rng, Seed};

/// A start for the referee's option `-i`.
pub(in super::super::super) const START: HarnessFormat<Buraco> =
    HarnessFormat { name: "a start file of `node buraco.js -i`", detect, read };

fn detect(text: &str) -> bool {
    lines(text).next().is_some_and(|(_, line)| line.starts_with('['))
}

/// The lines that are not empty, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end())).filter(|(_, line)| !line.is_empty())
}

fn read(text: &str) -> Result<HarnessFile<RecordedMatch<Buraco>>, HarnessFileError> {
    let all: Vec<(usize, &str)> = lines(text).collect();
    let missing =
        |what: &str| HarnessFileError::at(text, text.len(), format!("the file ends here; {what} is missing"));
    if all.iter().filter(|(_, line)| line.starts_with('[')).count() > 2 {
        let third = all.get(2).map_or(1, |(number, _)| *number);
        return Err(HarnessFileError::new(
            third,
            1,
            "this is a third hand; only matches of two can be played here",
        ));
    }
    let mut stock: Vec<Card> = Card::all().chain(Card::all()).collect();
    debug_assert_eq!(stock.len(), CARDS, "each card is there twice");
    let mut hands: [Vec<Card>; 2] = Default::default();
    for (seat, hand) in hands.iter_mut().enumerate() {
        let (number, line) = *all.get(seat).ok_or_else(|| missing("a hand"))?;
        *hand = cards(number, line, &mut stock)?;
    }
    let (number, line) = *all.get(2).ok_or_else(|| missing("the card of the pile"))?;
    let top = card(number, 1, line.trim(), &mut stock)?;
    let (number, line) = *all.get(3).ok_or_else(|| missing("the number of the starter"))?;
    let starter = match line.trim() {
        "0" => Seat(0),
        "1" => Seat(1),
        other => {
            return Err(HarnessFileError::new(number, 1, format!("the starter is 0 or 1, not {other:?}")));
        }
    };
    if let Some((number, _)) = all.get(4) {
        return Err(HarnessFileError::new(*number, 1, "a start ends with the number of the starter"));
    }
    Rng::new(&Seed::default()).shuffle(&mut stock);
    let mut open = PublicTable::new(starter, 0, top, stock.len() as u8);
    open.sizes = hands.each_ref().map(|hand| hand.len() as u8);
    let dealt = State { open, hands, stock };
    dealt.audit().map_err(|e| HarnessFileError::new(1, 1, e))?;
    Ok(HarnessFile::Match(RecordedMatch {
        dealt,
        moves: Vec::new(),
        names: ["p1", "p2"].map(str::to_owned).to_vec(),
    }))
}

/// The cards between brackets, which leave the stock.
fn cards(number: usize, line: &str, stock: &mut Vec<Card>) -> Result<Vec<Card>, HarnessFileError> {
    let wrong = |column: usize, what: &str| HarnessFileError::new(number, column, what);
    let inner = line.strip_prefix('[').ok_or_else(|| wrong(1, "a hand begins with '['"))?;
    let inner = inner.strip_suffix(']').ok_or_else(|| wrong(line.chars().count(), "a hand ends with ']'"))?;
    let mut hand = Vec::new();
    for word in inner.split_whitespace() {
        let offset = word.as_ptr() as usize - line.as_ptr() as usize;
        hand.push(card(number, line[..offset].chars().count() + 1, word, stock)?);
    }
    if hand.is_empty() { Err(wrong(1, "this hand has no card")) } else { Ok(hand) }
}

/// A card, which leaves the stock.
fn card(number: usize, column: usize, word: &str, stock: &mut Vec<Card>) -> Result<Card, HarnessFileError> {
    let card: Card = word.parse().map_err(|e: String| HarnessFileError::new(number, column, e))?;
    if !stock.contains(&card) {
        return Err(HarnessFileError::new(
            number,
            column,
            format!("this is a third {card}; each card is there twice"),
        ));
    }
    take_all(stock, &[card]);
    Ok(card)
}
