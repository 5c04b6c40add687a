//! Properties of ratings, and a simulation of players of known strength.

use engines::rng::{Rng, Seed};

use super::*;

#[test]
fn winner_gains_what_an_equal_opponent_loses() {
    let [winner, loser] = after_match(&[Rating::NEW; 2], &[1, 2]).try_into().unwrap();
    assert!(winner.points() > 1500.0 && loser.points() < 1500.0);
    assert!((winner.points() + loser.points() - 3000.0).abs() < 1e-9);
    assert!(winner.sigma < Rating::NEW.sigma && loser.sigma < Rating::NEW.sigma);
    assert!(Rating::NEW.is_provisional());
}

#[test]
fn only_the_order_of_places_counts() {
    let before = [Rating { mu: 30.0, sigma: 2.0 }, Rating::NEW, Rating { mu: 21.0, sigma: 4.0 }];
    assert_eq!(after_match(&before, &[1, 2, 3]), after_match(&before, &[2, 3, 9]));
    let equal = after_match(&before[..2], &[1, 1]);
    assert!(equal[0].mu < 30.0 && equal[1].mu > 25.0, "a draw brings them together");
    assert_eq!(after_match(&before[..1], &[1]), before[..1], "one player alone proves nothing");
}

/// Players of known strength play matches of `seats` seats. Half of them take the opponents whose ratings are nearest out
/// of three, as pairing by rating does.
fn simulate(seats: usize, spread: f64, seed: u64) -> Simulated {
    const PLAYERS: usize = 200;
    const MATCHES: usize = 20_000;
    let mut rng = Rng::new(&Seed::from(seed));
    let normal = |rng: &mut Rng| (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
    let strengths: Vec<f64> = (0..PLAYERS).map(|_| MIDDLE + spread * normal(&mut rng)).collect();
    let mut ratings = vec![Rating::NEW; PLAYERS];
    for game in 0..MATCHES {
        let mut at_table = vec![rng.below(PLAYERS)];
        while at_table.len() < seats {
            let tries = if game % 2 == 0 { 1 } else { 3 };
            let found = (0..tries).map(|_| rng.below(PLAYERS)).filter(|other| !at_table.contains(other));
            let distance = |other: &usize| (ratings[*other].mu - ratings[at_table[0]].mu).abs();
            let nearest = found.collect::<Vec<_>>();
            let nearest = nearest.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
            at_table.extend(nearest);
        }
        // Strength and Gumbel noise: the score of two players is that of the Elo scale.
        let scale = 400.0 / 10f64.ln();
        let shown: Vec<f64> = at_table
            .iter()
            .map(|player| {
                let noise = -(-rng.unit().max(1e-12).ln()).max(1e-12).ln();
                strengths[*player] + scale * noise
            })
            .collect();
        let places: Vec<u8> =
            shown.iter().map(|own| 1 + shown.iter().filter(|other| *other > own).count() as u8).collect();
        let before: Vec<Rating> = at_table.iter().map(|player| ratings[*player]).collect();
        for (player, after) in at_table.into_iter().zip(after_match(&before, &places)) {
            ratings[player] = after;
        }
    }
    Simulated { strengths, ratings }
}

/// Players after their matches.
struct Simulated {
    strengths: Vec<f64>,
    ratings: Vec<Rating>,
}

impl Simulated {
    /// Spearman's rank correlation of strengths and ratings.
    fn correlation(&self) -> f64 {
        let points: Vec<f64> = self.ratings.iter().map(|rating| rating.points()).collect();
        spearman(&self.strengths, &points)
    }

    /// The share of strengths inside their stated intervals.
    fn covered(&self) -> f64 {
        let players = self.strengths.iter().zip(&self.ratings);
        let inside =
            players.filter(|(strength, rating)| (rating.points() - **strength).abs() <= rating.margin());
        inside.count() as f64 / self.strengths.len() as f64
    }

    /// The places by strength, from 1, of the first players of the leaderboard: those who are not provisional, then the others,
    /// each in the order of the lower bound.
    fn first_on_the_leaderboard(&self, how_many: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ratings.len()).collect();
        let key = |player: &usize| {
            let rating = self.ratings[*player];
            (rating.is_provisional(), -rating.lower_bound())
        };
        order.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let place = |player: usize| {
            1 + self.strengths.iter().filter(|other| **other > self.strengths[player]).count()
        };
        order.into_iter().take(how_many).map(place).collect()
    }
}

/// Spearman's rank correlation of values without ties.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|own| values.iter().filter(|other| *other < own).count() as f64).collect()
    };
    let squares: f64 = ranks(a).iter().zip(ranks(b)).map(|(a, b)| (a - b).powi(2)).sum();
    let n = a.len() as f64;
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}

#[test]
fn ratings_rank_players_of_known_strength_and_their_intervals_hold() {
    for seats in [2, 3, 4] {
        let populations = [(1, 200.0), (2, 250.0), (3, 350.0)];
        let mut all_covered = 0.0;
        for (seed, spread) in populations {
            let simulated = simulate(seats, spread, seed);
            let (correlation, covered) = (simulated.correlation(), simulated.covered());
            let first = simulated.first_on_the_leaderboard(10);
            println!(
                "{seats} seats, spread {spread}: correlation {correlation:.3}, inside {covered:.3}, first {first:?}"
            );
            // The first ten of the leaderboard are among the strongest of the 200 players: 30th at most, and 9th on average.
            assert!(first.iter().all(|place| *place <= 30), "{seats} seats, spread {spread}: {first:?}");
            assert!(first.iter().sum::<usize>() <= 90, "{seats} seats, spread {spread}: {first:?}");
            assert!(correlation > 0.95, "{seats} seats, spread {spread}: {correlation}");
            all_covered += covered / populations.len() as f64;
        }
        // Of 600 players; of 200 the share varies by chance.
        assert!((0.90..=0.99).contains(&all_covered), "{seats} seats: {all_covered}");
    }
}

/// The number of matches after which a new player of this strength, paired as the ladder pairs, is not provisional any more;
/// and whether its strength is then within the stated interval.
fn until_established(strength: f64, rng: &mut Rng) -> (u32, bool) {
    let opponents: Vec<Rating> =
        (0..8).map(|n| Rating { sigma: 1.2, ..Rating::at(1000.0 + 150.0 * f64::from(n)) }).collect();
    let expected = |a: f64, b: f64| 1.0 / (1.0 + 10f64.powf((b - a) / 400.0));
    let (mut own, mut met, mut played) = (Rating::NEW, [0.0; 8], 0);
    while own.is_provisional() {
        let told = |n: usize| {
            let open = expected(own.points(), opponents[n].points());
            open * (1.0 - open) * (own.sigma.powi(2) + opponents[n].sigma.powi(2)) / (1.0 + met[n])
        };
        let n = (0..8).max_by(|a, b| told(*a).total_cmp(&told(*b))).unwrap();
        met[n] += 1.0;
        played += 1;
        let wins = rng.unit() < expected(strength, opponents[n].points());
        own = after_match(&[own, opponents[n]], if wins { &[1, 2] } else { &[2, 1] })[0];
    }
    (played, (own.points() - strength).abs() <= own.margin())
}

#[test]
fn new_players_are_soon_established() {
    for strength in [900.0, 1200.0, 1500.0, 1800.0, 2100.0] {
        let mut rng = Rng::new(&Seed::from(strength as u64));
        let all: Vec<(u32, bool)> = (0..300).map(|_| until_established(strength, &mut rng)).collect();
        let mean = f64::from(all.iter().map(|(played, _)| played).sum::<u32>()) / 300.0;
        let inside = all.iter().filter(|(_, inside)| *inside).count();
        println!("{strength}: {mean:.1} matches, {inside} of 300 inside");
        assert!((20.0..=30.0).contains(&mean), "{strength}: {mean}");
        assert!(all.iter().all(|(played, _)| *played <= 40));
        assert!(inside >= 280, "{strength}: {inside}");
    }
}
