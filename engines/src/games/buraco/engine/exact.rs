//! The best rest of a turn, among all ways to lay cards down, if the match ended with that turn.

use super::super::rules::{GOING_OUT, RANKS, SMALLEST};
use super::hand::HandMasks;
use super::position::{FastPosition, Lay, NEW, NONE, Run, TWO};

/// Number of positions after which the best so far is taken; hands of nine cards hardly ever reach it.
const ENOUGH: u32 = 1_000;
/// The places near a 2: those of an ace, a 3 and a 4.
const NEAR_TWO: u16 = 0b1101;
/// One more than the highest place.
const PLACES: u8 = RANKS + 1;

/// The lays that, with the best discard, give the seat to move the most points; the best found until `stop` returns `true`.
pub(super) fn richest(pos: &FastPosition, stop: &mut dyn FnMut() -> bool) -> Vec<Lay> {
    let mut walk = Walk { best: i32::MIN, found: Vec::new(), lays: Vec::new(), left: ENOUGH, stop };
    walk.visit(pos, None);
    walk.found
}

/// The seat's points if its turn ends here with the best discard.
pub(super) fn ended(pos: &FastPosition) -> i32 {
    let table = pos.table_points(pos.me);
    let points = |hand: &HandMasks| table + if hand.n == 0 { GOING_OUT } else { 0 } - hand.cost();
    let discards = pos.hand().kinds().map(|card| {
        let mut after = *pos.hand();
        after.remove(card);
        points(&after)
    });
    if pos.over { points(pos.hand()) } else { discards.max().unwrap_or(i32::MIN) }
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
        for lay in lays(pos, last) {
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

/// The ways to join an own meld or to form a new one after the lay `last`, each when it is asked for: a large hand has
/// thousands. The order of the lays does not matter, so only one is tried: one join to each meld, then new melds.
fn lays(pos: &FastPosition, last: Option<Lay>) -> impl Iterator<Item = Lay> + use<'_> {
    let wilds: Vec<u8> = [NONE].into_iter().chain(wilds(pos)).collect();
    let own = pos.melds(pos.me).iter().zip(0..).map(|(run, target)| (*run, target));
    let new = (0..4).map(|suit| (Run { places: 0, suit, wild: NONE }, NEW));
    let may_follow = move |run: &Run, target: u8| {
        last.is_none_or(|last| target > last.target || (target == NEW && run.suit >= last.suit))
    };
    let candidates = own.chain(new).filter(move |(run, target)| may_follow(run, *target));
    let candidates = candidates.flat_map(move |(run, target)| {
        let wilds = wilds.clone();
        place_sets(pos, run, target).flat_map(move |places| {
            let lay = move |wild| Lay { target, suit: run.suit, places, wild };
            wilds.clone().into_iter().map(lay)
        })
    });
    candidates.filter(move |lay| !lay.is_empty() && last.is_none_or(|last| *lay >= last) && pos.fits(lay))
}

/// The places that natural cards of the hand can fill in a lay on this run, perhaps around a gap for a wild card; each set once.
fn place_sets(pos: &FastPosition, run: Run, target: u8) -> impl Iterator<Item = u16> + use<> {
    let held = pos.hand().places(usize::from(run.suit)) & !run.places;
    let reach = held | run.places;
    let own_two = run.suit * RANKS + 1;
    // The suit's own 2 as a wild card takes its natural place if another wild card fills the gap.
    let freed = if run.wild == own_two { TWO } else { 0 };
    let windows = (0..PLACES).flat_map(move |low| {
        let window = move |high| (2u16 << high) - (1 << low);
        let has_few_gaps = move |high: &u8| (window(*high) & !reach & !freed).count_ones() <= 1;
        (low..PLACES).take_while(has_few_gaps).map(move |high| (low, high, window(high)))
    });
    let windows = windows.filter(move |(low, high, window)| {
        run.places & !window == 0 && usize::from(high - low) + 2 >= SMALLEST
    });
    let sets = windows.flat_map(move |(low, high, window)| {
        let holes = std::iter::once(0).chain((low + 1..high).map(|place| 1 << place));
        holes.filter(move |hole: &u16| hole & run.places == 0).flat_map(move |hole| {
            let filled = [run.places, run.places | freed].into_iter().take(if freed == 0 { 1 } else { 2 });
            filled.map(move |filled| window & !hole & !filled)
        })
    });
    let sets = sets.filter(move |places| places & !reach == 0 && *places != 0);
    // New melds with different ends or gaps have different places; joins may fill the same.
    let mut found = Vec::new();
    let once = move |places: &u16| {
        let is_new = target == NEW || !found.contains(places);
        if target != NEW && is_new {
            found.push(*places);
        }
        is_new
    };
    (target != NEW).then_some(0).into_iter().chain(sets.filter(once))
}
