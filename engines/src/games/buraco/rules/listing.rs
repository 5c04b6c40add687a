//! The list of moves worth considering: all draws and discards, natural runs, and simple uses of one wild card. None of
//! them needs a leniency of the official referee. [`PublicTable::check`] accepts every legal move.

use super::cards::{ACE, Card, KINDS, RANKS, TWO};
use super::meld::{Gathered, LARGEST, Meld, SMALLEST};
use super::moves::Move;
use super::table::PublicTable;

/// Limit for the melds in a list. A hand of sixty cards could form thousands.
const MOST_MELDS: usize = 160;

/// A way to join a meld.
pub(crate) struct ListedJoin {
    /// The card that is added first. After it, the lowest card of the hand that then fits is added again and again.
    pub first: Card,
    /// All added cards, sorted.
    pub cards: Vec<Card>,
}

/// Appends distinct legal moves, at least one, of the seat to move, whose hand is `hand`.
pub(crate) fn list(open: &PublicTable, hand: &[Card], out: &mut Vec<Move>) {
    each_listed(open, hand, &mut |mv, _| out.push(mv));
}

/// Calls `each` with the moves of [`list`]; with a join also its [`ListedJoin::first`].
pub(crate) fn each_listed(open: &PublicTable, hand: &[Card], each: &mut dyn FnMut(Move, Option<Card>)) {
    let own = open.melds(open.to_move);
    if !open.drawn {
        each(Move::GetStock, None);
        let Some(top) = open.pile.last().copied() else { return };
        let with: Vec<Card> = hand.iter().copied().chain([top]).collect();
        for mut set in melds(&with, Some(top)) {
            set.remove(set.iter().position(|c| *c == top).expect("the set holds the top card"));
            each(Move::GetDiscard { cards: set.into() }, None);
        }
        return;
    }
    melds(hand, None).into_iter().for_each(|set| each(Move::MeldNew { cards: set.into() }, None));
    for (i, meld) in own.iter().enumerate() {
        for join in joins(meld, hand) {
            each(Move::MeldJoin { meld: i as u8, cards: join.cards.into() }, Some(join.first));
        }
    }
    let counts = counts(hand);
    Card::all().filter(|c| counts[c.index()] > 0).for_each(|card| each(Move::Discard { card }, None));
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

/// The distinct melds that the hand can form, those with the card `top` if there is one: natural runs first, then runs with a wild
/// card; within a suit the shortest first. The wild card is a free 2, preferably of another suit.
fn melds(hand: &[Card], top: Option<Card>) -> Vec<Vec<Card>> {
    let (counts, held) = (counts(hand), held_places(hand));
    let (mut natural, mut wild) = (Vec::new(), Vec::new());
    for suit in 0..4 {
        // Only a 2 is part of melds of another suit.
        if top.is_some_and(|top| top.suit() != suit && top.rank() != TWO) {
            continue;
        }
        runs(&counts, held[usize::from(suit)], suit, &mut natural, &mut wild);
    }
    let mut seen: Vec<u128> = Vec::new();
    natural.append(&mut wild);
    natural.retain_mut(|set| {
        if seen.len() == MOST_MELDS || top.is_some_and(|top| !set.contains(&top)) {
            return false;
        }
        set.sort_unstable();
        // The number of copies of each kind, in two bits each.
        let key = set.iter().fold(0, |key, card| key + (1 << (2 * card.index())));
        let is_new =
            !seen.contains(&key) && Gathered::of(set).is_some_and(|cards| cards.form_strict_meld(&[]));
        if is_new {
            seen.push(key);
        }
        is_new
    });
    natural
}

/// Appends the cards of each run of a suit, of whose places `held` has a bit for each card, that lacks no card to `natural`, and of each that lacks one, with a free 2 for it, to
/// `wild`; both the shortest first.
fn runs(counts: &[u8; KINDS], held: u16, suit: u8, natural: &mut Vec<Vec<Card>>, wild: &mut Vec<Vec<Card>>) {
    let twos = (1..=4).map(|step| Card::of((suit + step) % 4, TWO)).filter(|c| counts[c.index()] > 0);
    for (low, high) in windows().take_while(|(low, high)| u32::from(high - low) <= held.count_ones()) {
        let window = (1u16 << (high + 1)) - (1 << low);
        let (present, missing) = (window & held, window & !held);
        // With one ace only, the high one is missing from a run from ace to ace.
        let one_ace = low == ACE && high > RANKS && counts[at(suit, ACE).index()] == 1;
        let (present, missing) =
            if one_ace { (present & !(1 << high), missing | 1 << high) } else { (present, missing) };
        if missing & missing.wrapping_sub(1) != 0 {
            continue;
        }
        let cards = (low..=high).filter(|p| present >> p & 1 == 1).map(|p| at(suit, p));
        if missing == 0 {
            natural.push(cards.collect());
            continue;
        }
        let used = |two: Card| u8::from(two.suit() == suit && present >> TWO & 1 == 1);
        if let Some(two) = twos.clone().find(|two| used(*two) < counts[two.index()]) {
            wild.push(cards.chain([two]).collect());
        }
    }
}

/// The places of each suit, 1 to 14, for which the hand has a card: a bit for each.
fn held_places(hand: &[Card]) -> [u16; 4] {
    let mut held = [0u16; 4];
    hand.iter().for_each(|card| held[usize::from(card.suit())] |= 1 << card.rank());
    held.map(|places| places | (places >> ACE & 1) << (RANKS + 1))
}

/// All ranges of places that a meld can cover, shortest first.
fn windows() -> impl Iterator<Item = (u8, u8)> {
    (SMALLEST as u8..=LARGEST as u8).flat_map(|n| (1..=RANKS + 2 - n).map(move |low| (low, low + n - 1)))
}

/// The ways to join a meld: single cards, and sequences of fitting cards of the hand. No two add the same cards.
pub(crate) fn joins(meld: &Meld, hand: &[Card]) -> Vec<ListedJoin> {
    if meld.cards().len() >= LARGEST {
        return Vec::new();
    }
    let suit = meld.suit();
    let can_fit = |c: &&Card| c.rank() == TWO || c.suit() == suit;
    let mut fitting: Vec<Card> = hand.iter().filter(can_fit).copied().collect();
    fitting.sort_unstable();
    let mut single = fitting.clone();
    single.dedup();
    let Some(melded) = Gathered::of(meld.cards()) else { return Vec::new() };
    single.retain(|c| melded.form_strict_meld(&[*c]));
    let mut joins: Vec<ListedJoin> =
        single.iter().map(|c| ListedJoin { first: *c, cards: vec![*c] }).collect();
    fitting.retain(|c| c.rank() != TWO);
    for first in single {
        let mut set = vec![first];
        let mut rest = fitting.clone();
        if let Some(i) = rest.iter().position(|c| *c == first) {
            rest.remove(i);
        }
        while let Some(i) = rest.iter().position(|c| {
            meld.cards().len() + set.len() < LARGEST && {
                set.push(*c);
                let joins = melded.form_strict_meld(&set);
                set.pop();
                joins
            }
        }) {
            set.push(rest.remove(i));
            let mut cards = set.clone();
            cards.sort_unstable();
            if joins.iter().all(|join| join.cards != cards) {
                joins.push(ListedJoin { first, cards });
            }
        }
    }
    joins
}
