//! Why cards form no meld, in words. Must not know the table.

use super::cards::{ACE, Card, RANKS, TWO};
use super::meld::{LARGEST, SMALLEST};

/// The most missing cards that are named.
const NAMED: usize = 3;

/// The rule that cards break which form no meld, as a clause.
pub(super) fn no_meld(cards: &[Card]) -> String {
    match cards.len() {
        ..SMALLEST => return format!("a meld has {SMALLEST} cards or more"),
        // The official referee accepts one more.
        size if size > LARGEST + 1 => return format!("a meld has at most {LARGEST} cards"),
        _ => {}
    }
    format!("this is no sequence: {}", no_sequence(cards))
}

fn no_sequence(cards: &[Card]) -> String {
    let count = |rank: u8| cards.iter().filter(|card| card.rank() == rank).count();
    let plain: Vec<Card> = cards.iter().copied().filter(|card| card.rank() > TWO).collect();
    let Some(first) = plain.first().or_else(|| cards.iter().find(|card| card.rank() == ACE)) else {
        return "2s alone form no meld".to_owned();
    };
    let suit = first.suit();
    if let Some(other) = plain.iter().find(|card| card.suit() != suit) {
        return format!("{first} and {other} are of different suits");
    }
    let twice = |card: &&Card| plain.iter().filter(|one| one == card).count() > 1;
    if let Some(card) = plain.iter().find(twice) {
        return format!("{card} is there twice");
    }
    if count(ACE) > 2 {
        return "it has more than two aces".to_owned();
    }
    let two = Card::of(suit, TWO);
    let natural = cards.contains(&two);
    match count(TWO) - usize::from(natural) {
        0 | 1 => {}
        _ if natural => return format!("only one 2 besides {two} can be wild"),
        _ => return "only one 2 can be wild".to_owned(),
    }
    let missing = fewest_missing(&plain, suit, count(ACE), natural);
    let wild = if count(TWO) > usize::from(natural) { ", and a wild 2 fills only one gap" } else { "" };
    match missing.as_slice() {
        [one] => format!("{one} is missing"),
        [before @ .., last] if missing.len() <= NAMED => {
            let before: Vec<String> = before.iter().map(Card::to_string).collect();
            format!("{} and {last} are missing{wild}", before.join(", "))
        }
        _ => format!("{} cards between its cards are missing{wild}", missing.len()),
    }
}

/// The cards that are missing between the lowest and the highest card, with the aces where the fewest are.
fn fewest_missing(plain: &[Card], suit: u8, aces: usize, natural: bool) -> Vec<Card> {
    let high = RANKS + 1;
    let aces_at: &[&[u8]] = match aces {
        0 => &[&[]],
        1 => &[&[ACE], &[RANKS + 1]],
        _ => &[&[ACE, RANKS + 1]],
    };
    let missing = |aces: &&[u8]| {
        let mut places: Vec<u8> = plain.iter().map(|card| card.rank()).collect();
        places.extend(natural.then_some(TWO));
        places.extend_from_slice(aces);
        let (low, top) = (places.iter().min().copied(), places.iter().max().copied());
        let between = low.unwrap_or(ACE)..=top.unwrap_or(high);
        between.filter(|place| !places.contains(place)).map(|rank| Card::of(suit, rank)).collect()
    };
    aces_at.iter().map(missing).min_by_key(Vec::len).unwrap_or_default()
}
