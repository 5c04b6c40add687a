//! Compound inputs: facts of [`super::inputs`] that always come together, given as one input whose row is the sum of their
//! rows. The sum of the first layer stays the same, but a position has some 80 rows instead of 140.

use super::inputs::{
    BEST_POINTS, BONUS, BOUGHT, CHIPS, HELD, LACKING, LACKS, MISSING, MostPoints, NOBLE, OWN_MISSING,
    OWN_UNCOVERED, PLAYER, POINTS, RESERVED, UNCOVERED,
};
use super::position::{FAST, FastPlayer, FastTable, Lanes, NEEDS, minus, sum};
use crate::games::splendor::rules::{CARDS, COLORS, GOAL, GOLD, LEVELS, NOBLES, RESERVE_LIMIT, SEATS, SLOTS};

/// Places of a number from 0 to 7, and of a pair of them.
const EIGHT: usize = 8;
const PAIR: usize = EIGHT * EIGHT;

/// Start of each group of compounds about a player, counted from the player's first: single facts first, then pairs, then
/// facts about cards.
const OF_POINTS: usize = 0;
const OF_NOBLES: usize = OF_POINTS + 24;
const OF_BONUSES: usize = OF_NOBLES + 10 * (NOBLES + 1);
const OF_CHIPS: usize = OF_BONUSES + 2 * PAIR + EIGHT * 4;
const OF_HAND: usize = OF_CHIPS + 3 * PAIR;
const OF_BEST: usize = OF_HAND + 11 * 25;
const OF_OPEN: usize = OF_BEST + 16 * 16;
const OF_OWN: usize = OF_OPEN + PLACES[CARDS + 1].paying as usize;
const OF_LACKING: usize = OF_OWN + PLACES[CARDS + 1].paying as usize;
/// Compounds about one player.
const OF_PLAYER: usize = OF_LACKING + PLACES[CARDS + 1].lacking as usize;

/// Compounds about the table: the round and the seat to move, the bank, the decks.
const OF_TABLE: usize = 40 * SEATS + 3 * PAIR + 11 * 11 + 11;

/// Number of compounds at a table with this many seats.
pub(super) const fn compounds(seats: usize) -> usize {
    seats * OF_PLAYER + OF_TABLE
}

/// Maximum number of compounds about one player that are true at once.
const MOST_OF_PLAYER: usize = 1 + 5 + 3 + 3 + 1 + 1 + 2 * (LEVELS * SLOTS + RESERVE_LIMIT);
/// Maximum number of compounds that are true at once.
pub(super) const MOST: usize = SEATS * MOST_OF_PLAYER + 6;

/// The places of a card.
#[derive(Clone, Copy)]
struct Places {
    /// Start of the pairs of missing chips and half the chips that bonuses do not cover, each number up to 7.
    paying: u16,
    /// Number of values of the second number in these pairs.
    uncovered: u16,
    /// Start of the sets of lacking chips; gold is not counted.
    lacking: u16,
    /// By colour, the distance between the places of sets that differ in one chip.
    strides: [u16; COLORS],
}

/// By card; last the number of all places.
static PLACES: [Places; CARDS + 2] = {
    let mut all = [Places { paying: 0, uncovered: 0, lacking: 0, strides: [0; COLORS] }; CARDS + 2];
    let (mut id, mut paying, mut lacking) = (0, 0, 0);
    while id < CARDS + 2 {
        (all[id].paying, all[id].lacking) = (paying, lacking);
        if id <= CARDS {
            let (mut c, mut sets, mut cost) = (0, 1, 0);
            while c < COLORS {
                all[id].strides[c] = sets;
                sets *= FAST[id].cost[c] as u16 + 1;
                cost += FAST[id].cost[c] as u16;
                c += 1;
            }
            let half = cost.div_ceil(2);
            all[id].uncovered = 1 + if half < 7 { half } else { 7 };
            paying += (1 + if cost < 7 { cost } else { 7 }) * all[id].uncovered;
            lacking += sets;
        }
        id += 1;
    }
    all
};

/// Calls `tell` with every compound that is true, once each.
#[inline]
pub(super) fn each_compound(pos: &FastTable, mut tell: impl FnMut(usize)) {
    let seats = usize::from(pos.seats);
    for relative in 0..seats {
        let player = &pos.players[(usize::from(pos.to_move) + relative) % seats];
        each_of_player(pos, player, |at| tell(relative * OF_PLAYER + at));
    }
    let mut at = seats * OF_PLAYER;
    tell(at + SEATS * usize::from(pos.round.min(39)) + usize::from(pos.to_move));
    at += SEATS * 40;
    for pair in 0..3 {
        tell(at + PAIR * pair + pair_of(&pos.bank, pair));
    }
    at += 3 * PAIR;
    let [low, middle, high] = pos.left.map(|left| usize::from(left.div_ceil(4).min(10)));
    tell(at + 11 * low + middle);
    tell(at + 121 + high);
}

/// The place of the amounts of two kinds of chips, of pair number 0 to 2.
#[inline]
fn pair_of(chips: &Lanes, pair: usize) -> usize {
    let [a, b] = [chips[2 * pair], chips[2 * pair + 1]].map(|n| usize::from(n.min(7)));
    EIGHT * a + b
}

#[inline]
fn each_of_player(pos: &FastTable, p: &FastPlayer, mut tell: impl FnMut(usize)) {
    tell(OF_POINTS + usize::from(p.points.min(23)));
    tell(OF_BONUSES + pair_of(&p.bonus, 0));
    tell(OF_BONUSES + PAIR + pair_of(&p.bonus, 1));
    tell(OF_BONUSES + 2 * PAIR + 4 * usize::from(p.bonus[4].min(7)) + usize::from(p.reserved_n));
    for pair in 0..3 {
        tell(OF_CHIPS + PAIR * pair + pair_of(&p.chips, pair));
    }
    tell(OF_HAND + 25 * usize::from(sum(&p.chips).min(10)) + usize::from(p.cards.min(24)));
    for id in pos.nobles.iter().filter(|id| **id != 0) {
        let missing = sum(&minus(&NEEDS[usize::from(*id)], &p.bonus));
        tell(OF_NOBLES + 10 * usize::from(*id) + usize::from(missing.min(9)));
    }
    let mut most = MostPoints::of(pos, p);
    let mut of_card = |id: u8, from: usize| {
        let (card, places) = (&FAST[usize::from(id)], &PLACES[usize::from(id)]);
        let need = minus(&card.cost, &p.bonus);
        let lacking = minus(&need, &p.chips);
        let all = sum(&lacking);
        let missing = u16::from(all.saturating_sub(p.chips[GOLD]).min(7));
        let uncovered = u16::from(sum(&need).div_ceil(2).min(7));
        tell(from + usize::from(places.paying + missing * places.uncovered + uncovered));
        if missing == 0 {
            most.with(card);
        }
        if all > 0 {
            let set: u16 = (0..COLORS).map(|c| u16::from(lacking[c]) * places.strides[c]).sum();
            tell(OF_LACKING + usize::from(places.lacking + set));
        }
    };
    pos.face_up.as_flattened().iter().filter(|id| **id != 0).for_each(|id| of_card(*id, OF_OPEN));
    p.reserved.iter().filter(|id| **id != 0).for_each(|id| of_card(*id, OF_OWN));
    let [first, second] = most.best.map(|points| usize::from(points.min(GOAL as u8)));
    tell(OF_BEST + 16 * first + second);
}

/// Calls `each` with the facts of every compound at a table with this many seats, in the order of the compounds.
pub(super) fn each_facts(seats: usize, mut each: impl FnMut(&[u16])) {
    for seat in 0..seats {
        facts_of_player(seat * PLAYER, &mut each);
    }
    let mut at = seats * PLAYER;
    pairs([at, at + 40], [40, SEATS], &mut each);
    at += 40 + SEATS;
    pairs_of_kinds(at, 3, &mut each);
    at += (GOLD + 1) * EIGHT;
    pairs([at, at + 11], [11, 11], &mut each);
    (0..11).for_each(|n| each(&[(at + 22 + n) as u16]));
}

/// The facts of the compounds about the player whose facts begin at `from`.
fn facts_of_player(from: usize, each: &mut impl FnMut(&[u16])) {
    (0..24).for_each(|n| each(&[(from + POINTS + n) as u16]));
    (0..10 * (NOBLES + 1)).for_each(|n| each(&[(from + NOBLE + n) as u16]));
    pairs_of_kinds(from + BONUS, 2, each);
    pairs([from + BONUS + 4 * EIGHT, from + RESERVED], [EIGHT, 4], each);
    pairs_of_kinds(from + CHIPS, 3, each);
    pairs([from + HELD, from + BOUGHT], [11, 25], each);
    pairs([from + BEST_POINTS, from + BEST_POINTS + 16], [16, 16], each);
    for [missing, uncovered] in [[MISSING, UNCOVERED], [OWN_MISSING, OWN_UNCOVERED]] {
        for id in 0..=CARDS {
            let all = usize::from(PLACES[id + 1].paying - PLACES[id].paying);
            let m = usize::from(PLACES[id].uncovered);
            let first = from + EIGHT * id;
            pairs([first + missing, first + uncovered], [all / m, m], each);
        }
    }
    for id in 0..=CARDS {
        let places = &PLACES[id];
        for set in 0..PLACES[id + 1].lacking - places.lacking {
            let (mut facts, mut n) = ([0; COLORS], 0);
            for ((stride, cost), first) in places.strides.iter().zip(FAST[id].cost).zip(LACKS[id]) {
                let lacking = set / stride % (u16::from(cost) + 1);
                if lacking > 0 {
                    facts[n] = (from + LACKING) as u16 + first + lacking - 1;
                    n += 1;
                }
            }
            each(&facts[..n]);
        }
    }
}

/// Every pair of facts from two groups. `from`: the start of each group; `sizes`: its number of facts.
fn pairs(from: [usize; 2], sizes: [usize; 2], each: &mut impl FnMut(&[u16])) {
    for a in 0..sizes[0] {
        (0..sizes[1]).for_each(|b| each(&[(from[0] + a) as u16, (from[1] + b) as u16]));
    }
}

/// The compounds of `n` pairs of kinds of chips: each joins the amount of one kind and the amount of the next.
fn pairs_of_kinds(from: usize, n: usize, each: &mut impl FnMut(&[u16])) {
    for pair in 0..n {
        let first = from + 2 * pair * EIGHT;
        pairs([first, first + EIGHT], [EIGHT, EIGHT], each);
    }
}
