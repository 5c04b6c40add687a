//! The list of moves worth considering: all draws and discards, natural runs, and simple uses of one wild card. None of
//! them needs a leniency of the official referee. [`PublicTable::check`] accepts every legal move.

use std::collections::HashSet;

use super::cards::{ACE, Card, Cards, KINDS, RANKS, TWO};
use super::meld::{LARGEST, Meld, SMALLEST};
use super::moves::Move;
use super::table::PublicTable;

/// Limit for the melds in a list. A hand of sixty cards could form thousands.
const MOST_MELDS: usize = 160;

/// Appends distinct legal moves, at least one, of the seat to move, whose hand is `hand`.
pub(crate) fn list(open: &PublicTable, hand: &[Card], out: &mut Vec<Move>) {
    let own = open.melds(open.to_move);
    if !open.drawn {
        out.push(Move::GetStock);
        let Some(top) = open.pile.last().copied() else { return };
        let with: Vec<Card> = hand.iter().copied().chain([top]).collect();
        let sets = melds(&with, |set| set.contains(&top)).into_iter().map(|mut set| {
            set.remove(set.iter().position(|c| *c == top).expect("the set holds the top card"));
            Cards::from(set)
        });
        out.extend(sets.map(|cards| Move::GetDiscard { cards }));
        return;
    }
    out.extend(melds(hand, |_| true).into_iter().map(|set| Move::MeldNew { cards: set.into() }));
    for (i, meld) in own.iter().enumerate().filter(|(_, meld)| meld.cards().len() < LARGEST) {
        let joins = joins(meld, hand);
        out.extend(joins.into_iter().map(|set| Move::MeldJoin { meld: i as u8, cards: set.into() }));
    }
    out.extend(Card::all().filter(|c| hand.contains(c)).map(|card| Move::Discard { card }));
}

fn counts(hand: &[Card]) -> [u8; KINDS] {
    let mut counts = [0; KINDS];
    hand.iter().for_each(|c| counts[c.index()] += 1);
    counts
}

/// The card at a place of a suit's sequence, 1 to 14. The ace is at both ends.
fn at(suit: u8, place: u8) -> Card {
    Card::of(suit, if place > RANKS { ACE } else { place })
}

/// The distinct `wanted` melds that the hand can form: natural runs first, then runs with a wild card; within a suit the
/// shortest first. The wild card is a free 2, preferably of another suit.
fn melds(hand: &[Card], wanted: impl Fn(&[Card]) -> bool) -> Vec<Vec<Card>> {
    let counts = counts(hand);
    let (mut natural, mut wild) = (Vec::new(), Vec::new());
    for suit in 0..4 {
        let twos = (1..=4).map(|step| Card::of((suit + step) % 4, TWO)).filter(|c| counts[c.index()] > 0);
        for (low, high) in windows() {
            let mut need = [0u8; KINDS];
            let places = (low..=high).map(|p| at(suit, p));
            let (mut set, mut missing) = (Vec::new(), 0);
            for card in places {
                if need[card.index()] < counts[card.index()] {
                    need[card.index()] += 1;
                    set.push(card);
                } else {
                    missing += 1;
                }
            }
            if missing == 0 {
                natural.push(set);
            } else if missing == 1 {
                let free = twos.clone().find(|c| need[c.index()] < counts[c.index()]);
                wild.extend(free.map(|two| [&set[..], &[two]].concat()));
            }
        }
    }
    let mut seen = HashSet::new();
    natural.append(&mut wild);
    natural.retain_mut(|set| {
        set.sort_unstable();
        wanted(set) && Meld::new(set).is_some_and(|meld| !meld.needs_leniency()) && seen.insert(set.clone())
    });
    natural.truncate(MOST_MELDS);
    natural
}

/// All ranges of places that a meld can cover, shortest first.
fn windows() -> impl Iterator<Item = (u8, u8)> {
    (SMALLEST as u8..=LARGEST as u8).flat_map(|n| (1..=RANKS + 2 - n).map(move |low| (low, low + n - 1)))
}

/// Sets of cards that can join a meld: single cards, and sequences of fitting cards of the hand.
fn joins(meld: &Meld, hand: &[Card]) -> Vec<Vec<Card>> {
    let kinds: Vec<Card> = Card::all().filter(|c| hand.contains(c)).collect();
    let fits = |set: &[Card]| meld.with(set).is_some_and(|joined| !joined.needs_leniency());
    let single: Vec<Card> = kinds.into_iter().filter(|c| fits(&[*c])).collect();
    let mut sets: Vec<Vec<Card>> = single.iter().map(|c| vec![*c]).collect();
    for first in single {
        let mut set = vec![first];
        let mut rest = hand.to_vec();
        rest.sort_unstable();
        rest.remove(rest.iter().position(|c| *c == first).expect("the card is in the hand"));
        while let Some(i) = rest.iter().position(|c| {
            c.rank() != TWO && meld.cards().len() + set.len() < LARGEST && {
                set.push(*c);
                let joins = fits(&set);
                set.pop();
                joins
            }
        }) {
            set.push(rest.remove(i));
            let mut sorted = set.clone();
            sorted.sort_unstable();
            if !sets.contains(&sorted) {
                sets.push(sorted);
            }
        }
    }
    sets
}
