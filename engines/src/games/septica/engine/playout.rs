//! One deal played out: both seats by a rule of thumb with some chance in it while the deck is long, then exactly.

use super::position::{DECK, NONE, Position, count, is_point, ranks};
use super::simple::cut;
use super::solve::Solver;
use crate::search::Search;

/// The points of seat 0 in the end. It is solved from the last card of the deck on: nothing is hidden then. To solve
/// from a longer deck costs more, knows what no player can, and was not measurably better. `None`: stopped.
pub fn points(
    mut p: Position,
    deck: &[u8; DECK],
    solver: &mut Solver,
    search: &mut Search<'_>,
) -> Option<u8> {
    while !p.over() {
        if p.left == 0 {
            let rest = solver.points(&p, -1, 9, search)?;
            return Some(p.won[0] + rest as u8);
        }
        if !search.tick() {
            return None;
        }
        let rank = thumb(&p, search);
        p.play(rank, deck);
    }
    Some(p.final_points()[0])
}

/// A sensible card or stop, looking at the mover's own hand alone.
fn thumb(p: &Position, search: &mut Search<'_>) -> u8 {
    let hand = p.hands[p.mover()];
    if p.led == NONE {
        return lead(hand, search);
    }
    let chance = search.rng().below(16);
    let wants = if p.answering {
        if p.stake > 0 { chance < 15 } else { chance < 6 }
    } else if p.stake > 0 {
        chance < 15
    } else {
        chance < 3
    };
    let cutting = if wants { cut(hand, p.led) } else { None };
    match cutting {
        Some(rank) => rank,
        None if p.answering => throw(hand, p.led, search),
        None => NONE,
    }
}

fn lead(hand: u32, search: &mut Search<'_>) -> u8 {
    let sevens = count(hand, 0);
    let weight = |rank: u8| match count(hand, rank) {
        n if is_point(rank) => [0, 0, 1, 8, 20][(n + sevens).min(4) as usize],
        n if rank == 0 => {
            if n >= 3 {
                8
            } else {
                1
            }
        }
        n => 8 + 4 * n as usize,
    };
    pick(hand, weight, search)
}

fn throw(hand: u32, led: u8, search: &mut Search<'_>) -> u8 {
    let weight = |rank: u8| {
        if rank == 0 || rank == led || is_point(rank) { 1 } else { 24 }
    };
    pick(hand, weight, search)
}

/// A rank of the hand, each with its weight; the first one if all weigh nothing.
fn pick(hand: u32, weight: impl Fn(u8) -> usize, search: &mut Search<'_>) -> u8 {
    let sum: usize = ranks(hand).map(&weight).sum();
    let mut at = if sum > 0 { search.rng().below(sum) } else { 0 };
    for rank in ranks(hand) {
        let w = weight(rank);
        if at < w || sum == 0 {
            return rank;
        }
        at -= w;
    }
    NONE
}
