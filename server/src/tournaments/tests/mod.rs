//! Properties of pairings and standings.

mod ledger;

use std::collections::{HashMap, HashSet};

use engines::rng::{Rng, Seed};

use super::*;
use crate::tournaments::event::Dealing;

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
    let mirror = Schedule { deals: 2, dealing: Dealing::Mirror, by_round: true, first_deal: 5 };
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
fn tables_of_a_round_have_the_same_deals_and_nobody_plays_one_twice() {
    let pairing = |round, entrants: [usize; 2]| Pairing { round, entrants: entrants.into() };
    let pairings =
        [pairing(1, [0, 1]), pairing(1, [2, 3]), pairing(1, [4, 5]), pairing(2, [0, 2]), pairing(2, [1, 3])];
    // One person owns the entrants 1 and 4.
    let owners = ["a", "b", "c", "d", "b", "f"];
    let all = Schedule { deals: 2, dealing: Dealing::Duplicate, by_round: true, first_deal: 10 };
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
    let ladder = Schedule { by_round: false, ..all }.games(&pairings[2..4], |entrant| Some(owners[entrant]));
    assert_eq!(ladder.iter().map(|game| game.deal).collect::<HashSet<_>>().len(), 4, "tables of one moment");
}

/// Plays a Swiss tournament with results by strength and noise; some withdraw after each round.
fn play_swiss(entrants: usize, rounds: u32, withdraw: usize, seed: u64) {
    let mut rng = Rng::new(&Seed::from(seed));
    let mut left: Vec<Entrant> = (0..entrants)
        .map(|number| Entrant { number, points: 0.0, strength: -(number as f64), had_bye: false })
        .collect();
    let mut met = HashSet::new();
    for round in 1..=rounds {
        let paired = swiss_round(round, &left, 2, &met).unwrap();
        let mut seated: HashSet<usize> = HashSet::new();
        assert_eq!(paired.byes.len(), left.len() % 2);
        for bye in &paired.byes {
            let entrant = left.iter_mut().find(|entrant| entrant.number == *bye).unwrap();
            assert!(!entrant.had_bye, "{bye} has a second bye in round {round}");
            (entrant.had_bye, entrant.points) = (true, entrant.points + 2.0);
            assert!(seated.insert(*bye));
        }
        for pairing in &paired.pairings {
            let [a, b] = pairing.entrants[..] else { panic!("two seats") };
            assert!(met.insert((a.min(b), a.max(b))), "{a} and {b} meet again in round {round}");
            assert!(seated.insert(a) && seated.insert(b));
            let wins = rng.unit() * 60.0 < 30.0 + b as f64 - a as f64;
            let winner = if wins { a } else { b };
            left.iter_mut().find(|entrant| entrant.number == winner).unwrap().points += 2.0;
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
    let entrant =
        |number: usize, points| Entrant { number, points, strength: -(number as f64), had_bye: false };
    let all: Vec<Entrant> = (0..8).map(|number| entrant(number, 0.0)).collect();
    let first = swiss_round(1, &all, 2, &HashSet::new()).unwrap();
    let mut pairs: Vec<Vec<usize>> = first.pairings.into_iter().map(|pairing| pairing.entrants).collect();
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    assert_eq!(pairs, [[0, 4], [1, 5], [2, 6], [3, 7]]);
    let points = [2.0, 0.0, 2.0, 0.0];
    let all: Vec<Entrant> = (0..4).map(|number| entrant(number, points[number])).collect();
    let second = swiss_round(2, &all, 2, &HashSet::from([(0, 1), (2, 3)])).unwrap();
    assert!(second.pairings.iter().all(|pairing| points[pairing.entrants[0]] == points[pairing.entrants[1]]));
}

#[test]
fn swiss_ends_when_all_have_met_and_says_so() {
    let entrant = |number| Entrant { number, points: 0.0, strength: 0.0, had_bye: false };
    let all = [entrant(0), entrant(1)];
    assert_eq!(swiss_round(2, &all, 2, &HashSet::from([(0, 1)])), Err(SwissError::AllHaveMet));
    assert_eq!(swiss_round(1, &all[..1], 2, &HashSet::new()), Err(SwissError::TooFew));
    assert_eq!(swiss_round(1, &all, 3, &HashSet::new()), Err(SwissError::TooFew));
}

#[test]
fn swiss_tables_of_four_seat_everyone_once_and_avoid_old_opponents() {
    let all: Vec<Entrant> = (0..10)
        .map(|number| Entrant { number, points: 0.0, strength: -(number as f64), had_bye: number == 9 })
        .collect();
    let met = HashSet::from([(0, 1), (0, 2)]);
    let round = swiss_round(1, &all, 4, &met).unwrap();
    assert_eq!(round.byes, [8, 7], "9 has had a bye");
    let seated: HashSet<usize> = round.pairings.iter().flat_map(|pairing| pairing.entrants.clone()).collect();
    assert_eq!(seated.len(), 8);
    let of_first = round.pairings.iter().find(|pairing| pairing.entrants.contains(&0)).unwrap();
    assert!(!of_first.entrants.contains(&1) && !of_first.entrants.contains(&2));
}

fn game(seats: [usize; 2], scores: [f64; 2], deal: u64) -> PlayedGame {
    let scores = scores.to_vec();
    PlayedGame { seats: seats.to_vec(), points: scores.clone(), scores, deal, forfeited: false }
}

#[test]
fn scores_are_shares_of_the_opponents_beaten() {
    assert_eq!(seat_scores(&[1, 2]), [1.0, 0.0]);
    assert_eq!(seat_scores(&[2, 2]), [0.5, 0.5]);
    assert_eq!(seat_scores(&[3, 1, 1, 4]), [1.0 / 3.0, 2.5 / 3.0, 2.5 / 3.0, 0.0]);
    assert_eq!(seat_scores(&[1]), [0.0]);
}

#[test]
fn standings_break_ties_by_direct_encounter_then_by_the_opponents() {
    // 0 beat 1, 1 beat 2, 2 beat 0, and all three beat 3.
    let games = [
        game([0, 1], [1.0, 0.0], 0),
        game([1, 2], [1.0, 0.0], 1),
        game([2, 0], [1.0, 0.0], 2),
        game([0, 3], [1.0, 0.0], 3),
        game([1, 3], [1.0, 0.0], 4),
        game([2, 3], [1.0, 0.0], 5),
    ];
    let standings = Standings::new(4, &games, &[], TieBreak::SonnebornBerger);
    let places: Vec<(usize, usize)> = standings.lines.iter().map(|line| (line.entrant, line.place)).collect();
    assert_eq!(places, [(0, 1), (1, 1), (2, 1), (3, 4)], "nothing separates the three");
    // All three have 3.5 points again; 1 has scored most among them.
    let more = [game([0, 1], [0.5, 0.5], 6), game([1, 0], [1.0, 0.0], 7), game([0, 3], [1.0, 0.0], 8)];
    let all: Vec<PlayedGame> = games.iter().chain(&more).cloned().collect();
    let standings = Standings::new(4, &all, &[(2, 1.5)], TieBreak::Buchholz);
    let points: Vec<(usize, f64)> = standings.lines.iter().map(|line| (line.entrant, line.points)).collect();
    assert_eq!(points[0].1, 3.5);
    assert_eq!(standings.lines.iter().map(|line| line.points).filter(|p| *p == 3.5).count(), 3);
    assert_eq!(points[0].0, 1, "1 has scored 2.5 among the three");
    assert_eq!(standings.crosstable[&(0, 1)], Direct { games: 3, points: 1.5 });
    assert_eq!(standings.crosstable[&(1, 0)], Direct { games: 3, points: 1.5 });
}

#[test]
fn interval_and_superiority_grow_with_the_evidence() {
    let pair = |deal| [game([0, 1], [1.0, 0.0], deal), game([1, 0], [0.5, 0.5], deal)];
    let of = |deals: u64| {
        let games: Vec<PlayedGame> = (0..deals).flat_map(pair).collect();
        Standings::new(2, &games, &[], TieBreak::SonnebornBerger)
    };
    let [few, many] = [of(3), of(30)];
    let width = |standings: &Standings| {
        let score = standings.lines[0].score.unwrap();
        assert!(score.low <= 0.75 && 0.75 <= score.high);
        score.high - score.low
    };
    assert!(width(&many) < width(&few));
    let likely = |standings: &Standings| standings.lines[0].superiority.unwrap();
    assert!(0.5 < likely(&few) && likely(&few) < likely(&many) && likely(&many) > 0.99);
    assert_eq!(many.lines[1].superiority, None, "there is no next entrant");
    let none = Standings::new(2, &[], &[], TieBreak::Buchholz);
    assert!(none.lines.iter().all(|line| line.score.is_none() && line.place == 1));
}
