//! Sampled round robin: a part of all tables that a round robin has, chosen so that all pairs of entrants meet about equally often.
//!
//! The entrants stand in a circle. A base table is a set of places in it; turning it by each number of places gives one table for
//! each entrant, and each entrant has each seat once. Two entrants meet as often as their distance occurs in the base tables, so
//! that only the distances must be balanced: a near difference family (cf. Beth, Jungnickel, Lenz: Design Theory,
//! chapter VII). Both searches here are simulated annealing, which finds such a family for nearly all numbers within
//! milliseconds.

use engines::rng::{Rng, Seed};

use crate::tournaments::Pairing;
use crate::tournaments::formats::round_robin::fill_rounds;

/// The steps of the first search, and how often it begins anew.
const STEPS: usize = 40_000;
const ATTEMPTS: u64 = 5;

/// The same of the second one, which takes longer. It runs when a tournament starts, so it must not take long.
const EXCHANGES: usize = 200_000;
const EXCHANGE_ATTEMPTS: u64 = 2;

/// The tables of a sampled round robin; the entrants of each in the order of seats. Each entrant has `games` games, as many in each
/// seat; `games` is a multiple of `seats`. The numbers of meetings of two pairs differ by at most one, except for a few numbers of
/// entrants and games for which the search finds no such schedule: then by two. The same arguments give the same tables.
pub fn sampled_round_robin(entrants: usize, seats: usize, games: usize) -> Vec<Pairing> {
    if seats < 2 || entrants < seats || games < seats {
        return Vec::new();
    }
    let bases = games / seats;
    let attempts =
        (0..ATTEMPTS).map(|seed| circulant(entrants, seats, bases, &mut Rng::new(&Seed::from(seed))));
    let best = best(attempts);
    let tables = best.tables;
    let tables = if best.excess == 0 { tables } else { exchanged(entrants, tables) };
    fill_rounds(tables)
}

/// Tables, and how far the numbers of meetings are from differing by at most one.
struct Candidate {
    tables: Vec<Vec<usize>>,
    excess: i64,
}

/// The first candidate without excess, or the one with the least.
fn best(candidates: impl Iterator<Item = Candidate>) -> Candidate {
    let mut best = Candidate { tables: Vec::new(), excess: i64::MAX };
    for candidate in candidates {
        if candidate.excess < best.excess {
            best = candidate;
        }
        if best.excess == 0 {
            break;
        }
    }
    best
}

/// How often each thing is counted: a distance, or a pair of entrants. Its excess is 0 if all counts are the two whole
/// numbers around the mean.
struct Counts {
    counts: Vec<i64>,
    /// The mean, rounded down.
    least: i64,
    excess: i64,
}

impl Counts {
    /// Counts of 0 for `places` things. `least`: the mean that the counts will have, rounded down.
    fn new(places: usize, least: i64) -> Self {
        Self { counts: vec![0; places], least, excess: 0 }
    }

    fn penalty(&self, count: i64) -> i64 {
        let off = (self.least - count).max(count - self.least - 1).max(0);
        off * off
    }

    fn add(&mut self, place: usize, change: i64) {
        self.excess -= self.penalty(self.counts[place]);
        self.counts[place] += change;
        self.excess += self.penalty(self.counts[place]);
    }

    /// Makes these changes unless they worsen the excess more than chance allows at this temperature. Whether they were made.
    fn try_changes(&mut self, changes: &[(usize, i64)], temperature: f64, rng: &mut Rng) -> bool {
        let before = self.excess;
        changes.iter().for_each(|(place, change)| self.add(*place, *change));
        let worse = (self.excess - before) as f64;
        if worse <= 0.0 || rng.unit() < (-worse / temperature).exp() {
            return true;
        }
        changes.iter().for_each(|(place, change)| self.add(*place, -change));
        false
    }
}

/// Tables that are base tables turned in all ways.
fn circulant(entrants: usize, seats: usize, bases: usize, rng: &mut Rng) -> Candidate {
    let least = bases * seats * (seats - 1) / (entrants - 1);
    let mut distances = Counts::new(entrants, least as i64);
    // All distances but 0 are counted; so each begins with the penalty of none.
    distances.excess = (entrants as i64 - 1) * distances.penalty(0);
    let mut tables: Vec<Vec<usize>> = (0..bases).map(|_| distinct(entrants, seats, rng)).collect();
    let between = |a: usize, b: usize| [(entrants + a - b) % entrants, (entrants + b - a) % entrants];
    for table in &tables {
        for (at, a) in table.iter().enumerate() {
            table[at + 1..]
                .iter()
                .flat_map(|b| between(*a, *b))
                .for_each(|distance| distances.add(distance, 1));
        }
    }
    for step in 0..STEPS {
        if distances.excess == 0 {
            break;
        }
        let (table, seat, new) = (rng.below(bases), rng.below(seats), rng.below(entrants));
        if tables[table].contains(&new) {
            continue;
        }
        let old = tables[table][seat];
        let others = tables[table].iter().enumerate().filter(|(other, _)| *other != seat);
        let changes: Vec<(usize, i64)> = others
            .flat_map(|(_, other)| {
                let gone = between(old, *other).map(|distance| (distance, -1));
                gone.into_iter().chain(between(new, *other).map(|distance| (distance, 1)))
            })
            .collect();
        if distances.try_changes(&changes, cooling(step, 20_000, 0.9), rng) {
            tables[table][seat] = new;
        }
    }
    let turned = |table: &Vec<usize>| {
        let table = table.clone();
        (0..entrants).map(move |by| table.iter().map(|place| (place + by) % entrants).collect())
    };
    Candidate { tables: tables.iter().flat_map(turned).collect(), excess: distances.excess }
}

/// Improves tables by exchanging two entrants in the same seat of two tables, which keeps the number of their games in each seat.
fn exchanged(entrants: usize, tables: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let attempts = (0..EXCHANGE_ATTEMPTS)
        .map(|seed| exchange(entrants, tables.clone(), &mut Rng::new(&Seed::from(seed))));
    best(attempts).tables
}

fn exchange(entrants: usize, mut tables: Vec<Vec<usize>>, rng: &mut Rng) -> Candidate {
    let seats = tables[0].len();
    let meetings = tables.len() * seats * (seats - 1) / 2;
    let pairs = entrants * (entrants - 1) / 2;
    let pair = |a: usize, b: usize| a.min(b) * entrants + a.max(b);
    let mut counts = Counts::new(entrants * entrants, (meetings / pairs) as i64);
    counts.excess = pairs as i64 * counts.penalty(0);
    for table in &tables {
        for (at, a) in table.iter().enumerate() {
            table[at + 1..].iter().for_each(|b| counts.add(pair(*a, *b), 1));
        }
    }
    let mut best = Candidate { tables: tables.clone(), excess: counts.excess };
    for step in 0..EXCHANGES {
        let (one, other, seat) = (rng.below(tables.len()), rng.below(tables.len()), rng.below(seats));
        let (a, b) = (tables[one][seat], tables[other][seat]);
        if tables[one].contains(&b) || tables[other].contains(&a) {
            continue;
        }
        let others = (0..seats).filter(|at| *at != seat);
        let changes: Vec<(usize, i64)> = others
            .flat_map(|at| {
                let (with_one, with_other) = (tables[one][at], tables[other][at]);
                [
                    (pair(a, with_one), -1),
                    (pair(b, with_one), 1),
                    (pair(b, with_other), -1),
                    (pair(a, with_other), 1),
                ]
            })
            .collect();
        if !counts.try_changes(&changes, cooling(step, EXCHANGES, 0.45), rng) {
            continue;
        }
        (tables[one][seat], tables[other][seat]) = (b, a);
        if counts.excess < best.excess {
            best = Candidate { tables: tables.clone(), excess: counts.excess };
            if best.excess == 0 {
                break;
            }
        }
    }
    best
}

/// The temperature at a step: falls from `hot` in `period` steps, again and again.
fn cooling(step: usize, period: usize, hot: f64) -> f64 {
    hot * (1.0 - (step % period) as f64 / period as f64) + 0.04
}

/// Different numbers below `entrants`.
fn distinct(entrants: usize, count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut numbers: Vec<usize> = Vec::with_capacity(count);
    while numbers.len() < count {
        let number = rng.below(entrants);
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Checks what must hold for all schedules, and returns how much the numbers of meetings of pairs differ.
    fn spread(entrants: usize, seats: usize, games: usize) -> usize {
        let tables = sampled_round_robin(entrants, seats, games);
        assert_eq!(tables.len(), entrants * games / seats);
        let mut in_seat: HashMap<(usize, usize), usize> = HashMap::new();
        let mut met: HashMap<(usize, usize), usize> = HashMap::new();
        let mut in_round: HashMap<(u32, usize), usize> = HashMap::new();
        for Pairing { round, entrants } in &tables {
            for (seat, a) in entrants.iter().enumerate() {
                *in_seat.entry((*a, seat)).or_default() += 1;
                *in_round.entry((*round, *a)).or_default() += 1;
                entrants[seat + 1..]
                    .iter()
                    .for_each(|b| *met.entry((*a.min(b), *a.max(b))).or_default() += 1);
            }
        }
        assert_eq!(in_seat.len(), entrants * seats, "everybody has every seat");
        assert!(in_seat.values().all(|times| *times == games / seats), "as often in each seat");
        assert!(in_round.values().all(|times| *times == 1), "one game in a round");
        let most = met.values().copied().max().unwrap();
        let pairs = entrants * (entrants - 1) / 2;
        let least = if met.len() == pairs { met.values().copied().min().unwrap() } else { 0 };
        most - least
    }

    #[test]
    fn all_pairs_meet_equally_often_within_one() {
        let mut by_two = Vec::new();
        for seats in 2..=4 {
            for entrants in seats..=32 {
                for games in (1..=6).map(|bases| bases * seats) {
                    match spread(entrants, seats, games) {
                        0 | 1 => {}
                        2 => by_two.push((entrants, seats, games)),
                        found => panic!("{entrants} entrants, {seats} seats, {games} games: {found}"),
                    }
                }
            }
        }
        // They have about as many meetings as there are pairs.
        let hard = [(24, 4, 8), (25, 4, 8)];
        assert_eq!(by_two, hard);
        for (entrants, seats, games) in [(256, 4, 32), (200, 4, 12), (256, 2, 40), (100, 3, 30), (64, 4, 64)]
        {
            assert!(spread(entrants, seats, games) <= 1, "{entrants} entrants, {seats} seats, {games} games");
        }
    }

    #[test]
    fn schedule_that_cannot_be_is_empty() {
        assert!(sampled_round_robin(3, 4, 8).is_empty() && sampled_round_robin(8, 4, 3).is_empty());
        assert_eq!(sampled_round_robin(4, 4, 4).len(), 4, "the only table, from every seat");
    }
}
