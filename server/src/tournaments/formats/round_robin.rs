//! Round robin: every group of entrants that fits a table meets once.

use crate::tournaments::Pairing;

/// All pairings of a round robin. With two seats every entrant meets every other once, in rounds in which each plays at
/// most once (the circle method: the first entrant stays, the others move one place a round). With more seats every
/// group of that size meets once, which takes binomial(entrants, seats) pairings; the rounds are then filled greedily.
pub fn round_robin(entrants: usize, seats: usize) -> Vec<Pairing> {
    if seats < 2 || entrants < seats {
        return Vec::new();
    }
    if seats == 2 { circle(entrants) } else { fill_rounds(groups(entrants, seats)) }
}

/// The circle method. With an odd number of entrants each is without an opponent in one round.
fn circle(entrants: usize) -> Vec<Pairing> {
    let places = entrants + entrants % 2;
    let moving = places - 1;
    let mut pairings = Vec::with_capacity(entrants * (entrants - 1) / 2);
    for round in 0..moving {
        // The entrant at a place in this round.
        let at = |place: usize| if place == 0 { 0 } else { 1 + (place - 1 + moving - round) % moving };
        for place in 0..places / 2 {
            let (a, b) = (at(place), at(places - 1 - place));
            if a < entrants && b < entrants {
                // The first entrant would always have the first seat; alternate it.
                let pair = if place == 0 && round % 2 == 1 { vec![b, a] } else { vec![a, b] };
                pairings.push(Pairing { round: round as u32 + 1, entrants: pair });
            }
        }
    }
    pairings
}

/// All groups of this size, in lexicographic order.
fn groups(entrants: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let mut group: Vec<usize> = (0..size).collect();
    loop {
        all.push(group.clone());
        let Some(at) = (0..size).rev().find(|at| group[*at] < entrants - size + at) else { return all };
        group[at] += 1;
        for next in at + 1..size {
            group[next] = group[next - 1] + 1;
        }
    }
}

/// Puts groups into rounds in which no entrant plays twice, in order: each round takes all groups that it has room for.
pub(in crate::tournaments) fn fill_rounds(mut groups: Vec<Vec<usize>>) -> Vec<Pairing> {
    let entrants = groups.iter().flatten().max().map_or(0, |most| most + 1);
    let mut pairings = Vec::with_capacity(groups.len());
    let mut round = 0;
    while !groups.is_empty() {
        round += 1;
        let mut busy = vec![false; entrants];
        groups.retain(|group| {
            let fits = group.iter().all(|entrant| !busy[*entrant]);
            if fits {
                group.iter().for_each(|entrant| busy[*entrant] = true);
                pairings.push(Pairing { round, entrants: group.clone() });
            }
            !fits
        });
    }
    pairings
}
