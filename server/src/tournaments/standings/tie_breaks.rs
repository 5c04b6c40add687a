//! The tie-breaks: direct encounter, Buchholz and Sonneborn-Berger by FIDE's regulations C.07 of March 2026 (articles 6, 8, 9, 15
//! and 16), where a round can have several games and a game more than two players. `docs/tournaments.md` has the formulas.

use std::collections::BTreeMap;

use num::{BigInt, Zero};

use crate::tournaments::standings::exact::{Points, common_denominator, numerator};
use crate::tournaments::standings::rounds::Rounds;
use crate::tournaments::standings::{Direct, PlayedGame};

/// The games of each pair of entrants, seen from the first of them.
pub(super) type Encounters = BTreeMap<(usize, usize), Direct>;

/// The encounters of `entrants` entrants in these games.
pub(super) fn encounters<'a>(entrants: usize, games: impl IntoIterator<Item = &'a PlayedGame>) -> Encounters {
    let mut all = vec![Direct::default(); entrants * entrants];
    for game in games {
        for (seat, one) in game.seats.iter().enumerate() {
            for (opponent, other) in game.seats.iter().enumerate().filter(|(opponent, _)| *opponent != seat) {
                let direct = &mut all[one * entrants + other];
                direct.games += 1;
                direct.half_points += game.scores.between(seat, opponent);
            }
        }
    }
    let numbered = all.into_iter().enumerate().filter(|(_, direct)| direct.games > 0);
    numbered.map(|(place, direct)| ((place / entrants, place % entrants), direct)).collect()
}

/// The encounters of an entrant, each with the opponent.
fn against(encounters: &Encounters, entrant: usize) -> impl Iterator<Item = (usize, &Direct)> {
    encounters.range((entrant, 0)..=(entrant, usize::MAX)).map(|((_, other), direct)| (*other, direct))
}

/// The direct encounter (article 6.1): for each entrant of a group the sum of the mean results against the others. `None` if not
/// all of them have met (the rule of article 6.3 for such groups is not used), or if there is only one.
pub(super) fn direct_encounter(group: &[usize], encounters: &Encounters) -> Option<Vec<Points>> {
    if group.len() < 2 {
        return None;
    }
    let mean = |one: usize, other: usize| {
        let direct = encounters.get(&(one, other))?;
        Some(Points::new(direct.half_points.into(), (2 * direct.games).into()))
    };
    let sum = |one: &usize| {
        group.iter().filter(|other| *other != one).try_fold(Points::zero(), |sum, other| {
            let mean = mean(*one, *other)?;
            Some(sum + mean)
        })
    };
    // Groups of many who have not all met are usual early on: the first missing encounter ends the work.
    group.iter().map(sum).collect()
}

/// Orders a tied group by the direct encounter, the best first. Those who are still tied are compared among themselves again, as
/// long as that separates some (article 6.2).
pub(super) fn by_direct_encounter(group: Vec<usize>, encounters: &Encounters) -> Vec<Vec<usize>> {
    let Some(sums) = direct_encounter(&group, encounters) else { return vec![group] };
    let sums: BTreeMap<usize, Points> = group.iter().copied().zip(sums).collect();
    let mut parts = super::split(group, |entrant| sums[&entrant].clone());
    if parts.len() > 1 {
        parts = parts.into_iter().flat_map(|part| by_direct_encounter(part, encounters)).collect();
    }
    parts
}

/// The Buchholz and Sonneborn-Berger values of an entrant.
#[derive(Clone, Debug)]
pub(super) struct OpponentsPoints {
    /// The sum of the points of the opponents, of each as often as there were games.
    pub buchholz: Points,
    /// The same, each multiplied by the result against the opponent.
    pub sonneborn: Points,
}

/// These values of all entrants. `points`: of all entrants. `rounds`: `None` for a round robin, in which a forfeited game counts
/// as played (article 15.2); otherwise what article 16 needs.
pub(super) fn opponents_points(
    points: &[Points],
    games: &[PlayedGame],
    encounters: &Encounters,
    rounds: Option<&Rounds>,
) -> Vec<OpponentsPoints> {
    // All in whole multiples of one unit; twice as fine as the points, since half a point is added.
    let unit = common_denominator(points) * 2;
    let own: Vec<BigInt> = points.iter().map(|points| numerator(points, &unit)).collect();
    // What opponents see (16.3), and twice the values to come: results are whole numbers of half points.
    let drawn = |games: usize| &unit * games / 2;
    let seen: Vec<BigInt> = match rounds {
        Some(rounds) => {
            (0..).zip(&own).map(|(entrant, own)| own + drawn(rounds.drawn_games(entrant, games))).collect()
        }
        None => own.clone(),
    };
    let mut sums: Vec<[BigInt; 2]> = (0..points.len())
        .map(|entrant| {
            let mut sum = [BigInt::zero(), BigInt::zero()];
            for (other, direct) in against(encounters, entrant) {
                sum[0] += &seen[other] * direct.games;
                sum[1] += &seen[other] * direct.half_points;
            }
            sum
        })
        .collect();
    if let Some(rounds) = rounds {
        // Each game that was not played is one against a dummy with the own points, at most those of the opponent (16.4.1) or
        // of a draw in each game of all rounds (16.4.2).
        for game in games.iter().filter(|game| !game.was_played()) {
            for (seat, one) in game.seats.iter().enumerate() {
                for (opponent, other) in
                    game.seats.iter().enumerate().filter(|(opponent, _)| *opponent != seat)
                {
                    let dummy = (&own[*one]).min(&seen[*other]);
                    sums[*one][0] += dummy;
                    sums[*one][1] += dummy * game.scores.between(seat, opponent);
                }
            }
        }
        let most = drawn(rounds.count() * rounds.games());
        for (entrant, sum) in sums.iter_mut().enumerate() {
            let dummy = (&own[entrant]).min(&most);
            let [byes, absent] =
                rounds.without_opponents(entrant).map(|rounds_without| rounds_without * rounds.opponents());
            sum[0] += dummy * (byes + absent);
            sum[1] += dummy * (2 * byes);
        }
    }
    let values = |[buchholz, sonneborn]: [BigInt; 2]| OpponentsPoints {
        buchholz: Points::new(buchholz, unit.clone()),
        sonneborn: Points::new(sonneborn, &unit * 2),
    };
    sums.into_iter().map(values).collect()
}
