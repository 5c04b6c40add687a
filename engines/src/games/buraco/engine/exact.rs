//! The rest of a turn that counts most if the match ended with it, among all ways to lay cards down.

use super::super::rules::{RANKS, SMALLEST};
use super::fast::{Lay, NEW, NONE, Pos, Run};

/// Positions looked at before the best so far is taken; hands of nine cards hardly ever need as many.
const ENOUGH: u32 = 1_000;
/// One more than the highest place.
const PLACES: u8 = RANKS + 1;

/// The lays after which, with the best discard, the seat to move has the most points.
pub fn richest(pos: &Pos) -> Vec<Lay> {
    let mut walk = Walk { best: i32::MIN, found: Vec::new(), lays: Vec::new(), left: ENOUGH };
    walk.visit(pos, None);
    walk.found
}

/// What the seat has if its turn ends here, by the discard that leaves it the most.
pub fn ended(pos: &Pos) -> i32 {
    let seat = pos.me;
    let discards = pos.hand().kinds().map(|card| {
        let mut after = *pos;
        after.discard(card);
        after.points(seat)
    });
    if pos.over { pos.points(seat) } else { discards.max().unwrap_or(i32::MIN) }
}

struct Walk {
    best: i32,
    found: Vec<Lay>,
    lays: Vec<Lay>,
    left: u32,
}

impl Walk {
    fn visit(&mut self, pos: &Pos, last: Option<Lay>) {
        let value = ended(pos);
        if value > self.best {
            self.best = value;
            self.found.clone_from(&self.lays);
        }
        if pos.over {
            return;
        }
        // The order of the lays makes no difference, so one of them is enough: joins once to each meld, then new melds.
        let later = |lay: &Lay| {
            last.is_none_or(|last| *lay > last && (lay.target == NEW || lay.target > last.target))
        };
        let again = |lay: &Lay| lay.target == NEW && last == Some(*lay);
        for lay in lays(pos).into_iter().filter(|lay| later(lay) || again(lay)) {
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

/// All ways to join an own meld or to form a new one; of the wild cards of other suits one stands for all.
fn lays(pos: &Pos) -> Vec<Lay> {
    let own = pos.melds(pos.me).iter().zip(0..).map(|(run, target)| (*run, target));
    let new = (0..4).map(|suit| (Run { places: 0, suit, wild: NONE }, NEW));
    let mut found = Vec::new();
    for (run, target) in own.chain(new) {
        let held = pos.hand().places(usize::from(run.suit)) & !run.places;
        let reach = held | run.places;
        let own_two = run.suit * RANKS + 1;
        let wilds = [Some(NONE), pos.hand().wild(usize::from(run.suit)), Some(own_two)];
        let mut add = |places: u16| {
            for wild in wilds.into_iter().flatten() {
                let lay = Lay { target, suit: run.suit, places, wild };
                if lay.len() > 0 && !found.contains(&lay) && pos.fits(&lay) {
                    found.push(lay);
                }
            }
        };
        if target != NEW {
            add(0);
        }
        for low in 0..PLACES {
            for high in low..PLACES {
                let window = (2u16 << high) - (1 << low);
                if run.places & !window != 0 || usize::from(high - low) + 2 < SMALLEST {
                    continue;
                }
                for hole in std::iter::once(0).chain((low + 1..high).map(|place| 1 << place)) {
                    let places = window & !hole & !run.places;
                    if places & !reach == 0 && hole & run.places == 0 && places != 0 {
                        add(places);
                    }
                }
            }
        }
    }
    found
}
