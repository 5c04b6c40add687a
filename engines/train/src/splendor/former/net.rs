//! The network of version 3: the value of a position to each seat. Its inputs are facts about the position, each true or
//! false.

use std::sync::LazyLock;

use engines::games::splendor::engine::position::{FAST, FastPlayer, FastTable, Lanes, NEEDS, minus, sum};
use engines::games::splendor::rules::{CARDS, COLORS, GOAL, GOLD, NOBLES, SEATS};
use engines::search_kit::curve::algebraic;
use engines::search_kit::net::{Network, WrongLength, rectify, to_float};

/// Hidden units.
pub(crate) const HIDDEN: usize = 32;
/// Start of each group of facts about a player, counted from the player's first.
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
/// Facts about the table: the round, the seat to move, the bank.
const TABLE: usize = 40 + SEATS + 6 * 8;

/// Number of facts at a table with this many seats.
pub(crate) const fn facts(seats: usize) -> usize {
    seats * PLAYER + TABLE
}

/// Calls `tell` with every fact that is true, once each.
pub(crate) fn each_fact(pos: &FastTable, mut tell: impl FnMut(usize)) {
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

fn each_of_player(pos: &FastTable, p: &FastPlayer, mut tell: impl FnMut(usize)) {
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
    // The most points after one purchase now, and the second most.
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

/// A network for tables with one number of seats. Its outputs are values by seat, from the mover on.
pub(crate) struct ValueNet(Network<HIDDEN>);

impl ValueNet {
    /// The network in a file for this many seats.
    ///
    /// # Errors
    /// When the length does not fit.
    pub(crate) fn read(file: &[u8], seats: usize) -> Result<Self, WrongLength> {
        Network::read(file, facts(seats), seats).map(Self)
    }

    /// The value of the position to each seat, 0 to 1.
    pub(crate) fn worth(&self, table: &FastTable) -> [f32; SEATS] {
        let Network { first, last } = &self.0;
        let mut sum = first.empty();
        each_fact(table, |fact| first.add(&mut sum, fact));
        let mut worth = [0.0; SEATS];
        for (relative, output) in last.outputs(&rectify(&sum)).enumerate() {
            let seat = (usize::from(table.to_move) + relative) % last.len();
            worth[seat] = algebraic(to_float(output));
        }
        worth
    }
}

/// The networks in use, by the number of seats; none for one seat, whose matches are played to their end.
pub(crate) fn for_seats(seats: u8) -> Option<&'static ValueNet> {
    fn read(file: &[u8], seats: usize) -> ValueNet {
        ValueNet::read(file, seats).expect("the repository's network has the length for its seats")
    }
    static TWO: LazyLock<ValueNet> = LazyLock::new(|| read(include_bytes!("two.net"), 2));
    static THREE: LazyLock<ValueNet> = LazyLock::new(|| read(include_bytes!("three.net"), 3));
    static FOUR: LazyLock<ValueNet> = LazyLock::new(|| read(include_bytes!("four.net"), 4));
    match seats {
        2 => Some(&TWO),
        3 => Some(&THREE),
        4 => Some(&FOUR),
        _ => None,
    }
}
