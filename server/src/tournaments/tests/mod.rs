//! Properties of pairings and standings.

mod ledger;
pub(crate) mod simulation;

use std::collections::{HashMap, HashSet};

use engines::rng::{Rng, Seed};

use num::Zero;

use super::*;
use crate::tournaments::event::Dealing;

fn whole(points: i64) -> Points {
    Points::from_integer(points.into())
}

#[test]
fn round_robin_pairs_all_once_and_each_at_most_once_in_a_round() {
    for entrants in 2..13 {
        let pairings = round_robin(entrants, 2);
        let mut met = HashSet::new();
        let mut in_round = HashSet::new();
        let mut first_seat: HashMap<usize, i32> = HashMap::new();
        for pairing in &pairings {
            let [a, b] = pairing.entrants[..] else { panic!("two seats") };
            assert!(met.insert((a.min(b), a.max(b))), "{a} and {b} meet twice");
            assert!(in_round.insert((pairing.round, a)) && in_round.insert((pairing.round, b)));
            *first_seat.entry(a).or_default() += 1;
            *first_seat.entry(b).or_default() -= 1;
        }
        assert_eq!(met.len(), entrants * (entrants - 1) / 2);
        let rounds = pairings.last().unwrap().round as usize;
        assert_eq!(rounds, entrants - 1 + entrants % 2);
    }
}

#[test]
fn round_robin_of_larger_tables_seats_every_group_once() {
    let pairings = round_robin(6, 3);
    let groups: HashSet<Vec<usize>> = pairings.iter().map(|pairing| pairing.entrants.clone()).collect();
    assert_eq!((pairings.len(), groups.len()), (20, 20));
    let mut in_round = HashSet::new();
    for pairing in &pairings {
        assert!(pairing.entrants.iter().all(|entrant| in_round.insert((pairing.round, *entrant))));
    }
    assert!(round_robin(2, 3).is_empty() && round_robin(1, 2).is_empty());
}

#[test]
fn mirrored_deal_is_played_once_from_every_seat() {
    let mirror =
        GameSchedule { games: 6, turns: true, dealing: Dealing::Mirror, by_round: true, first_deal: 5 };
    let games = mirror.games(&[Pairing { round: 1, entrants: vec![4, 7, 9] }], |_| None);
    assert_eq!(games.len(), 6);
    for deal in [5, 6] {
        for seat in 0..3 {
            let there: HashSet<usize> =
                games.iter().filter(|game| game.deal == deal).map(|game| game.seats[seat]).collect();
            assert_eq!(there, HashSet::from([4, 7, 9]));
        }
    }
}

#[test]
fn tables_of_a_round_have_the_same_deals_and_no_entrant_plays_one_twice() {
    let pairing = |round, entrants: [usize; 2]| Pairing { round, entrants: entrants.into() };
    let pairings =
        [pairing(1, [0, 1]), pairing(1, [2, 3]), pairing(1, [4, 5]), pairing(2, [0, 2]), pairing(2, [1, 3])];
    // One person owns the entrants 1 and 4.
    let owners = ["a", "b", "c", "d", "b", "f"];
    let all =
        GameSchedule { games: 4, turns: true, dealing: Dealing::Duplicate, by_round: true, first_deal: 10 };
    let games = all.games(&pairings, |entrant| Some(owners[entrant]));
    assert_eq!(games.len(), 5 * 4);
    let deals_of = |pairing: usize| -> Vec<u64> {
        games.iter().filter(|game| game.pairing == pairing).map(|game| game.deal).collect()
    };
    assert_eq!([deals_of(0), deals_of(1)], [[10, 11, 12, 13]; 2], "the tables of round 1");
    assert_eq!(deals_of(2), [14, 15, 16, 17], "the owner's other table");
    assert_eq!([deals_of(3), deals_of(4)], [[18, 19, 20, 21]; 2], "the tables of round 2");
    let mut seen = HashSet::new();
    let mut seats: HashMap<(usize, usize), usize> = HashMap::new();
    for game in &games {
        for (seat, entrant) in game.seats.iter().enumerate() {
            assert!(seen.insert((owners[*entrant], game.deal)), "{entrant} knows deal {}", game.deal);
            *seats.entry((*entrant, seat)).or_default() += 1;
        }
    }
    for entrant in 0..6 {
        assert_eq!(seats[&(entrant, 0)], seats[&(entrant, 1)], "as often in each seat");
    }
    assert!(games.windows(2).take(7).all(|two| two[0].deal % 4 <= two[1].deal % 4 || two[0].deal > 13));
    let ladder =
        GameSchedule { by_round: false, ..all }.games(&pairings[2..4], |entrant| Some(owners[entrant]));
    assert_eq!(ladder.iter().map(|game| game.deal).collect::<HashSet<_>>().len(), 4, "tables of one moment");
}

/// Plays a Swiss tournament with results by strength and noise; some withdraw after each round.
fn play_swiss(entrants: usize, rounds: u32, withdraw: usize, seed: u64) {
    let mut rng = Rng::new(&Seed::from(seed));
    let mut left: Vec<Entrant> = (0..entrants)
        .map(|number| Entrant { number, points: Points::zero(), strength: -(number as f64), had_bye: false })
        .collect();
    let mut met = HashSet::new();
    for round in 1..=rounds {
        let paired = swiss_round(round, &left, 2, &met).unwrap();
        let mut seated: HashSet<usize> = HashSet::new();
        assert_eq!(paired.byes.len(), left.len() % 2);
        for bye in &paired.byes {
            let entrant = left.iter_mut().find(|entrant| entrant.number == *bye).unwrap();
            assert!(!entrant.had_bye, "{bye} has a second bye in round {round}");
            entrant.had_bye = true;
            entrant.points += whole(2);
            assert!(seated.insert(*bye));
        }
        for pairing in &paired.pairings {
            let [a, b] = pairing.entrants[..] else { panic!("two seats") };
            assert!(met.insert((a.min(b), a.max(b))), "{a} and {b} meet again in round {round}");
            assert!(seated.insert(a) && seated.insert(b));
            let wins = rng.unit() * 60.0 < 30.0 + b as f64 - a as f64;
            let winner = if wins { a } else { b };
            left.iter_mut().find(|entrant| entrant.number == winner).unwrap().points += whole(2);
        }
        assert_eq!(seated.len(), left.len(), "everyone is seated or has the bye");
        for _ in 0..withdraw {
            left.remove(rng.below(left.len()));
        }
    }
}

#[test]
fn swiss_never_repeats_a_pair_or_a_bye_even_after_withdrawals() {
    for seed in 0..50 {
        play_swiss(33, 7, 0, seed);
        play_swiss(33, 7, 1, seed);
        play_swiss(8, 4, 0, seed);
        play_swiss(200, 9, 3, seed);
    }
}

#[test]
fn swiss_round_pairs_equal_points_and_the_upper_half_with_the_lower() {
    let entrant = |number: usize, points| Entrant {
        number,
        points: whole(points),
        strength: -(number as f64),
        had_bye: false,
    };
    let all: Vec<Entrant> = (0..8).map(|number| entrant(number, 0)).collect();
    let first = swiss_round(1, &all, 2, &HashSet::new()).unwrap();
    let mut pairs: Vec<Vec<usize>> = first.pairings.into_iter().map(|pairing| pairing.entrants).collect();
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    assert_eq!(pairs, [[0, 4], [1, 5], [2, 6], [3, 7]]);
    let points = [2, 0, 2, 0];
    let all: Vec<Entrant> = (0..4).map(|number| entrant(number, points[number])).collect();
    let second = swiss_round(2, &all, 2, &HashSet::from([(0, 1), (2, 3)])).unwrap();
    assert!(second.pairings.iter().all(|pairing| points[pairing.entrants[0]] == points[pairing.entrants[1]]));
}

#[test]
fn swiss_ends_when_all_have_met_and_says_so() {
    let entrant = |number| Entrant { number, points: Points::zero(), strength: 0.0, had_bye: false };
    let all = [entrant(0), entrant(1)];
    assert_eq!(swiss_round(2, &all, 2, &HashSet::from([(0, 1)])), Err(SwissError::AllHaveMet));
    assert_eq!(swiss_round(1, &all[..1], 2, &HashSet::new()), Err(SwissError::TooFew));
    assert_eq!(swiss_round(1, &all, 3, &HashSet::new()), Err(SwissError::TooFew));
}

#[test]
fn swiss_tables_of_four_seat_everyone_once_and_avoid_old_opponents() {
    let all: Vec<Entrant> = (0..10)
        .map(|number| Entrant {
            number,
            points: Points::zero(),
            strength: -(number as f64),
            had_bye: number == 9,
        })
        .collect();
    let met = HashSet::from([(0, 1), (0, 2)]);
    let round = swiss_round(1, &all, 4, &met).unwrap();
    assert_eq!(round.byes, [8, 7], "9 has had a bye");
    let seated: HashSet<usize> = round.pairings.iter().flat_map(|pairing| pairing.entrants.clone()).collect();
    assert_eq!(seated.len(), 8);
    let of_first = round.pairings.iter().find(|pairing| pairing.entrants.contains(&0)).unwrap();
    assert!(!of_first.entrants.contains(&1) && !of_first.entrants.contains(&2));
}
