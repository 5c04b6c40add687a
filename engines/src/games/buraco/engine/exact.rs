//! The best rest of a turn, among all ways to lay cards down, if the match ended with that turn.

use super::super::rules::{RANKS, SMALLEST};
use super::position::{FastPosition, Lay, NEW, NONE, Run, TWO};

/// Number of positions after which the best so far is taken; hands of nine cards hardly ever reach it.
const ENOUGH: u32 = 1_000;
/// The places near a 2: those of an ace, a 3 and a 4.
const NEAR_TWO: u16 = 0b1101;
/// One more than the highest place.
const PLACES: u8 = RANKS + 1;

/// With more cards than this, finding the lays of one position takes so long that it is asked meanwhile whether to stop.
const LARGE_HAND: u8 = 20;

/// The lays that, with the best discard, give the seat to move the most points; the best found until `stop` returns `true`.
pub(super) fn richest(pos: &FastPosition, stop: &mut dyn FnMut() -> bool) -> Vec<Lay> {
    let mut walk = Walk { best: i32::MIN, found: Vec::new(), lays: Vec::new(), left: ENOUGH, stop };
    walk.visit(pos, None);
    walk.found
}

/// The seat's points if its turn ends here with the best discard.
pub(super) fn ended(pos: &FastPosition) -> i32 {
    let seat = pos.me;
    let discards = pos.hand().kinds().map(|card| {
        let mut after = *pos;
        after.discard(card);
        after.points(seat)
    });
    if pos.over { pos.points(seat) } else { discards.max().unwrap_or(i32::MIN) }
}

struct Walk<'a> {
    best: i32,
    found: Vec<Lay>,
    lays: Vec<Lay>,
    left: u32,
    stop: &'a mut dyn FnMut() -> bool,
}

impl Walk<'_> {
    fn visit(&mut self, pos: &FastPosition, last: Option<Lay>) {
        if (self.stop)() {
            self.left = 0;
            return;
        }
        let value = ended(pos);
        if value > self.best {
            self.best = value;
            self.found.clone_from(&self.lays);
        }
        if pos.over {
            return;
        }
        // The order of the lays does not matter, so only one is tried: one join to each meld, then new melds.
        let later = |lay: &Lay| {
            last.is_none_or(|last| *lay > last && (lay.target == NEW || lay.target > last.target))
        };
        let again = |lay: &Lay| lay.target == NEW && last == Some(*lay);
        for lay in lays(pos, self.stop).into_iter().filter(|lay| later(lay) || again(lay)) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let mut after = *pos;
            after.lay(&lay);
            self.lays.push(lay);
            self.visit(&after, Some(lay));
            self.lays.pop();
        }
    }
}

/// The 2s to try as wild cards: those that could be natural somewhere, and one of the others.
fn wilds(pos: &FastPosition) -> impl Iterator<Item = u8> {
    let twos = (0..4).filter(|suit| pos.hand().one[*suit] & TWO != 0);
    let near = |suit: usize| {
        let own = pos.melds(pos.me).iter().filter(|run| usize::from(run.suit) == suit);
        own.fold(pos.hand().places(suit), |all, run| all | run.places) & NEAR_TWO != 0
    };
    let (natural, idle): (Vec<_>, Vec<_>) = twos.partition(|suit| near(*suit));
    natural.into_iter().chain(idle.into_iter().take(1)).map(|suit| suit as u8 * RANKS + 1)
}

/// All ways to join an own meld or to form a new one; those found until `stop` returns `true`.
fn lays(pos: &FastPosition, stop: &mut dyn FnMut() -> bool) -> Vec<Lay> {
    let is_large = pos.hand().n > LARGE_HAND;
    let wilds: Vec<u8> = wilds(pos).collect();
    let own = pos.melds(pos.me).iter().zip(0..).map(|(run, target)| (*run, target));
    let new = (0..4).map(|suit| (Run { places: 0, suit, wild: NONE }, NEW));
    let mut found = Vec::new();
    for (run, target) in own.chain(new) {
        let held = pos.hand().places(usize::from(run.suit)) & !run.places;
        let reach = held | run.places;
        let own_two = run.suit * RANKS + 1;
        // The suit's own 2 as a wild card takes its natural place if another wild card fills the gap.
        let freed = if run.wild == own_two { TWO } else { 0 };
        let mut add = |places: u16| {
            for wild in [NONE].into_iter().chain(wilds.iter().copied()) {
                let lay = Lay { target, suit: run.suit, places, wild };
                if !lay.is_empty() && !found.contains(&lay) && pos.fits(&lay) {
                    found.push(lay);
                }
            }
        };
        if target != NEW {
            add(0);
        }
        for low in 0..PLACES {
            if is_large && stop() {
                return found;
            }
            for high in low..PLACES {
                let window = (2u16 << high) - (1 << low);
                if run.places & !window != 0 || usize::from(high - low) + 2 < SMALLEST {
                    continue;
                }
                for hole in std::iter::once(0).chain((low + 1..high).map(|place| 1 << place)) {
                    for filled in [run.places, run.places | freed] {
                        let places = window & !hole & !filled;
                        if places & !reach == 0 && hole & run.places == 0 && places != 0 {
                            add(places);
                        }
                    }
                }
            }
        }
    }
    found
}
