//! The network: what a position is worth to each seat, trained by self-play (see the README). A sum of the vectors of
//! the facts that hold, rectified, and weighted sums of that; whole numbers only.

use std::sync::LazyLock;

use super::super::rules::{CARDS, COLORS, GOAL, GOLD, NOBLES, SEATS};
use super::position::{FAST, Lanes, NEEDS, Player, Pos, minus, sum};

/// Hidden units.
pub const HIDDEN: usize = 32;
/// Where each group of facts about a player begins, counted from the player's first.
const POINTS: usize = 0;
const BONUS: usize = POINTS + 24;
const CHIPS: usize = BONUS + 5 * 8;
const HELD: usize = CHIPS + 6 * 8;
const BOUGHT: usize = HELD + 11;
const RESERVED: usize = BOUGHT + 25;
const LEAP: usize = RESERVED + 4;
const NEAR: usize = LEAP + 2 * 16;
const FAR: usize = NEAR + 8 * (CARDS + 1);
const OWN: usize = FAR + 8 * (CARDS + 1);
const NOBLE: usize = OWN + 8 * (CARDS + 1);
/// Facts about one player.
const PLAYER: usize = NOBLE + 10 * (NOBLES + 1);
/// Facts about the table: the round, who moves, the bank.
const TABLE: usize = 40 + SEATS + 6 * 8;

/// Kinds of facts at a table with so many seats.
pub const fn facts(seats: usize) -> usize {
    seats * PLAYER + TABLE
}

/// Tells every fact that holds, once each.
pub fn each_fact(pos: &Pos, mut tell: impl FnMut(usize)) {
    let seats = usize::from(pos.seats);
    for relative in 0..seats {
        let player = &pos.players[(usize::from(pos.to_move) + relative) % seats];
        each_of_player(pos, player, |fact| tell(relative * PLAYER + fact));
    }
    let table = seats * PLAYER;
    tell(table + usize::from(pos.round.min(39)));
    tell(table + 40 + usize::from(pos.to_move));
    for kind in 0..=GOLD {
        tell(table + 40 + SEATS + 8 * kind + usize::from(pos.bank[kind].min(7)));
    }
}

fn each_of_player(pos: &Pos, p: &Player, mut tell: impl FnMut(usize)) {
    tell(POINTS + usize::from(p.points.min(23)));
    for c in 0..COLORS {
        tell(BONUS + 8 * c + usize::from(p.bonus[c].min(7)));
    }
    for kind in 0..=GOLD {
        tell(CHIPS + 8 * kind + usize::from(p.chips[kind].min(7)));
    }
    tell(HELD + usize::from(sum(&p.chips).min(10)));
    tell(BOUGHT + usize::from(p.cards.min(24)));
    tell(RESERVED + usize::from(p.reserved_n));
    let mut completes = 0u8;
    for id in pos.nobles.iter().filter(|id| **id != 0) {
        let missing: Lanes = minus(&NEEDS[usize::from(*id)], &p.bonus);
        let all = sum(&missing);
        tell(NOBLE + 10 * usize::from(*id) + usize::from(all.min(9)));
        if all == 1 {
            completes |= (0..COLORS).fold(0, |set, c| set | missing[c] << c);
        }
    }
    // The most points after one purchase now, and after the next best one.
    let mut leap = [p.points, p.points];
    let mut reaches = |id: u8| {
        let card = &FAST[usize::from(id)];
        let points = p.points + card.points + 3 * (completes >> card.bonus & 1);
        if points > leap[0] {
            leap = [points, leap[0]];
        } else if points > leap[1] {
            leap[1] = points;
        }
    };
    for id in pos.face_up.as_flattened().iter().filter(|id| **id != 0) {
        let need = minus(&FAST[usize::from(*id)].cost, &p.bonus);
        let missing = sum(&minus(&need, &p.chips)).saturating_sub(p.chips[GOLD]);
        tell(NEAR + 8 * usize::from(*id) + usize::from(missing.min(7)));
        tell(FAR + 8 * usize::from(*id) + usize::from((sum(&need).div_ceil(2)).min(7)));
        if missing == 0 {
            reaches(*id);
        }
    }
    for id in p.reserved.iter().filter(|id| **id != 0) {
        let need = minus(&FAST[usize::from(*id)].cost, &p.bonus);
        let missing = sum(&minus(&need, &p.chips)).saturating_sub(p.chips[GOLD]);
        tell(OWN + 8 * usize::from(*id) + usize::from(missing.min(7)));
        if missing == 0 {
            reaches(*id);
        }
    }
    for (i, points) in leap.iter().enumerate() {
        tell(LEAP + 16 * i + usize::from((*points).min(GOAL as u8)));
    }
}

/// One in whole numbers: weights are multiples of its inverse.
pub const ONE: i32 = 256;

type Row = [i16; HIDDEN];

/// A network for tables with one number of seats.
pub struct Net {
    facts: Vec<Row>,
    bias: Row,
    /// By seats from the mover on, like `base`.
    values: Vec<Row>,
    base: Vec<i32>,
}

/// Numbers in the file of a network, 16 bits each.
const fn numbers(seats: usize) -> usize {
    HIDDEN * (facts(seats) + 1 + seats) + seats
}

impl Net {
    /// The network in such a file; `None` where the length does not fit the seats.
    pub fn read(file: &[u8], seats: usize) -> Option<Self> {
        if file.len() != 2 * numbers(seats) {
            return None;
        }
        let mut all = file.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        let mut row = || -> Row { std::array::from_fn(|_| all.next().unwrap_or(0)) };
        let facts = (0..facts(seats)).map(|_| row()).collect();
        let bias = row();
        let values = (0..seats).map(|_| row()).collect();
        let base = all.map(|n| i32::from(n) * ONE).collect();
        Some(Self { facts, bias, values, base })
    }

    /// The hidden layer.
    #[inline]
    fn hidden(&self, pos: &Pos) -> Row {
        let mut sum = self.bias;
        each_fact(pos, |fact| {
            sum.iter_mut().zip(&self.facts[fact]).for_each(|(s, w)| *s = s.wrapping_add(*w));
        });
        sum.map(|s| s.max(0))
    }

    /// What the position is worth to each seat, 0 to 1.
    pub fn worth(&self, pos: &Pos) -> [f32; SEATS] {
        let hidden = self.hidden(pos);
        let mut worth = [0.0; SEATS];
        for (relative, (row, base)) in self.values.iter().zip(&self.base).enumerate() {
            let seat = (usize::from(pos.to_move) + relative) % self.base.len();
            worth[seat] = squash(base + dot(&hidden, row));
        }
        worth
    }
}

#[inline]
fn dot(a: &Row, b: &Row) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// From the network's number to a share: 1/2 at 0; the operations are exact on every machine.
#[inline]
fn squash(raw: i32) -> f32 {
    let x = raw as f32 / (ONE * ONE) as f32;
    0.5 + 0.5 * x / (1.0 + x * x).sqrt()
}

/// The networks in use, by the number of seats; none for one, where matches are played on to their end.
pub fn for_seats(seats: u8) -> Option<&'static Net> {
    static TWO: LazyLock<Option<Net>> = LazyLock::new(|| Net::read(include_bytes!("two.net"), 2));
    static THREE: LazyLock<Option<Net>> = LazyLock::new(|| Net::read(include_bytes!("three.net"), 3));
    static FOUR: LazyLock<Option<Net>> = LazyLock::new(|| Net::read(include_bytes!("four.net"), 4));
    match seats {
        2 => TWO.as_ref(),
        3 => THREE.as_ref(),
        4 => FOUR.as_ref(),
        _ => None,
    }
}
