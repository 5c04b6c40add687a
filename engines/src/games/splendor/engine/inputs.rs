//! The inputs of the network: facts about a position, each true or false, from the view of the seat to move. Training uses
//! them one by one; play uses them as `compounds` (`engine/compounds.rs`).

use super::position::{FAST, FastCard, FastPlayer, FastTable, Lanes, NEEDS, minus, sum};
use crate::games::splendor::rules::{CARDS, COLORS, GOAL, GOLD, LEVELS, NOBLES, SEATS};

/// Places for a number from 0 to 7 for each card.
const BY_CARD: usize = 8 * (CARDS + 1);
/// Start of each group of inputs about a player, counted from the player's first.
pub(super) const POINTS: usize = 0;
pub(super) const BONUS: usize = POINTS + 24;
pub(super) const CHIPS: usize = BONUS + COLORS * 8;
pub(super) const HELD: usize = CHIPS + (GOLD + 1) * 8;
pub(super) const BOUGHT: usize = HELD + 11;
pub(super) const RESERVED: usize = BOUGHT + 25;
pub(super) const BEST_POINTS: usize = RESERVED + 4;
pub(super) const MISSING: usize = BEST_POINTS + 2 * 16;
pub(super) const UNCOVERED: usize = MISSING + BY_CARD;
pub(super) const OWN_MISSING: usize = UNCOVERED + BY_CARD;
pub(super) const OWN_UNCOVERED: usize = OWN_MISSING + BY_CARD;
pub(super) const LACKING: usize = OWN_UNCOVERED + BY_CARD;
pub(super) const NOBLE: usize = LACKING + ALL_COSTS;
/// Inputs about one player.
pub(super) const PLAYER: usize = NOBLE + 10 * (NOBLES + 1);
/// Inputs about the table: the round, the seat to move, the bank, the decks.
const TABLE: usize = 40 + SEATS + 8 * (GOLD + 1) + 11 * LEVELS;

/// The costs of all cards together: one place for each chip of a colour that a card can lack.
const ALL_COSTS: usize = LACKS[CARDS + 1][0] as usize;

/// By card and colour the first place of the chips of the colour that the card can lack; last the number of places.
pub(super) static LACKS: [[u16; COLORS]; CARDS + 2] = {
    let mut all = [[0; COLORS]; CARDS + 2];
    let (mut id, mut next) = (0, 0);
    while id < CARDS + 2 {
        let mut c = 0;
        while c < COLORS {
            all[id][c] = next;
            if id <= CARDS {
                next += FAST[id].cost[c] as u16;
            }
            c += 1;
        }
        id += 1;
    }
    all
};

/// Number of inputs at a table with this many seats.
pub const fn inputs(seats: usize) -> usize {
    seats * PLAYER + TABLE
}

/// Calls `tell` with every input that is true, once each.
pub fn each_input(pos: &FastTable, mut tell: impl FnMut(usize)) {
    let seats = usize::from(pos.seats);
    for relative in 0..seats {
        let player = &pos.players[(usize::from(pos.to_move) + relative) % seats];
        each_of_player(pos, player, |input| tell(relative * PLAYER + input));
    }
    let mut at = seats * PLAYER;
    tell(at + usize::from(pos.round.min(39)));
    at += 40;
    tell(at + usize::from(pos.to_move));
    at += SEATS;
    for kind in 0..=GOLD {
        tell(at + 8 * kind + usize::from(pos.bank[kind].min(7)));
    }
    at += 8 * (GOLD + 1);
    for (level, left) in pos.left.iter().enumerate() {
        tell(at + 11 * level + usize::from(left.div_ceil(4).min(10)));
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
    for id in pos.nobles.iter().filter(|id| **id != 0) {
        let missing = sum(&minus(&NEEDS[usize::from(*id)], &p.bonus));
        tell(NOBLE + 10 * usize::from(*id) + usize::from(missing.min(9)));
    }
    let mut most = MostPoints::of(pos, p);
    let mut of_card = |id: u8, missing_from: usize, uncovered_from: usize| {
        let card = &FAST[usize::from(id)];
        let need = minus(&card.cost, &p.bonus);
        let lacking = minus(&need, &p.chips);
        let missing = sum(&lacking).saturating_sub(p.chips[GOLD]);
        tell(missing_from + 8 * usize::from(id) + usize::from(missing.min(7)));
        tell(uncovered_from + 8 * usize::from(id) + usize::from(sum(&need).div_ceil(2).min(7)));
        for c in 0..COLORS {
            if lacking[c] > 0 {
                tell(LACKING + usize::from(LACKS[usize::from(id)][c]) + usize::from(lacking[c]) - 1);
            }
        }
        if missing == 0 {
            most.with(card);
        }
    };
    for id in pos.face_up.as_flattened().iter().filter(|id| **id != 0) {
        of_card(*id, MISSING, UNCOVERED);
    }
    for id in p.reserved.iter().filter(|id| **id != 0) {
        of_card(*id, OWN_MISSING, OWN_UNCOVERED);
    }
    for (i, points) in most.best.iter().enumerate() {
        tell(BEST_POINTS + 16 * i + usize::from((*points).min(GOAL as u8)));
    }
}

/// The most points that a player can have after one purchase now, and the second most.
pub(super) struct MostPoints {
    /// The two numbers found so far.
    pub best: [u8; 2],
    now: u8,
    /// The colours of which one card more completes a noble.
    completes: u8,
}

impl MostPoints {
    /// The points without any purchase.
    #[inline]
    pub(super) fn of(pos: &FastTable, p: &FastPlayer) -> Self {
        let mut completes = 0u8;
        for id in pos.nobles.iter().filter(|id| **id != 0) {
            let missing: Lanes = minus(&NEEDS[usize::from(*id)], &p.bonus);
            if sum(&missing) == 1 {
                completes |= (0..COLORS).fold(0, |set, c| set | missing[c] << c);
            }
        }
        Self { best: [p.points; 2], now: p.points, completes }
    }

    /// Counts a purchase that the player can pay for.
    #[inline]
    pub(super) fn with(&mut self, card: &FastCard) {
        let points = self.now + card.points + 3 * (self.completes >> card.bonus & 1);
        if points > self.best[0] {
            self.best = [points, self.best[0]];
        } else if points > self.best[1] {
            self.best[1] = points;
        }
    }
}
