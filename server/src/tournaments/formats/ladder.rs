//! The pairings of a ladder tournament: free entrants play next, those with few pairings first, each against an opponent of
//! near rating whom it has met least. Pure.

use std::collections::HashMap;

use crate::ratings::{Rating, after_match};
use crate::tournaments::{Pairing, PlayedGame};

/// An entrant of a ladder who takes part and has pairings left.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::tournaments) struct RatedEntrant {
    /// The number in the tournament.
    pub number: usize,
    /// The rating, from the games of the tournament so far.
    pub rating: Rating,
    /// Pairings so far.
    pub paired: u32,
    /// Whether no game of the entrant is still to be played.
    pub is_free: bool,
}

/// The pairings that can begin now. `met`: how often two entrants have been paired, the smaller number first.
///
/// With two seats an entrant waits for an opponent who is busy rather than meet another one more often again, unless all
/// are free.
pub(in crate::tournaments) fn ladder_pairings(
    entrants: &[RatedEntrant],
    seats: usize,
    met: &HashMap<(usize, usize), u32>,
) -> Vec<Pairing> {
    let times = |a: usize, b: usize| met.get(&(a.min(b), a.max(b))).copied().unwrap_or(0);
    let is_anyone_busy = entrants.iter().any(|entrant| !entrant.is_free);
    let mut free: Vec<&RatedEntrant> = entrants.iter().filter(|entrant| entrant.is_free).collect();
    // The most uncertain ratings first: those of the fewest pairings.
    free.sort_by_key(|entrant| (entrant.paired, entrant.number));
    let mut pairings = Vec::new();
    let mut at = 0;
    while at < free.len() && free.len() >= seats {
        let first = free[at];
        let least = entrants.iter().filter(|other| other.number != first.number);
        let least = least.map(|other| times(first.number, other.number)).min().unwrap_or(0);
        let mut table = vec![at];
        while table.len() < seats {
            let meetings = |other: &RatedEntrant| {
                table.iter().map(|own| times(free[*own].number, other.number)).sum::<u32>()
            };
            let far = |other: &RatedEntrant| (other.rating.points() - first.rating.points()).abs();
            let others = (0..free.len()).filter(|other| !table.contains(other));
            let ranked = others.map(|other| (meetings(free[other]), far(free[other]), other));
            let best = ranked.min_by(|a: &(u32, f64, usize), b| {
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
            });
            match best {
                Some((meetings, _, other)) if seats > 2 || meetings <= least || !is_anyone_busy => {
                    table.push(other);
                }
                _ => break,
            }
        }
        if table.len() < seats {
            at += 1;
            continue;
        }
        let entrants: Vec<usize> = table.iter().map(|place| free[*place].number).collect();
        let round = table.iter().map(|place| free[*place].paired).max().unwrap_or(0) + 1;
        pairings.push(Pairing { round, entrants });
        let mut places = table;
        places.sort_unstable();
        for place in places.into_iter().rev() {
            free.remove(place);
        }
        at = 0;
    }
    pairings
}

/// The ratings of the entrants after these games, beginning with what they were at their entry.
pub(in crate::tournaments) fn ratings_after(strengths: &[f64], played: &[PlayedGame]) -> Vec<Rating> {
    let mut ratings: Vec<Rating> = strengths.iter().map(|points| Rating::at(*points)).collect();
    for game in played {
        let half_wins = game.scores.half_wins();
        let place = |own: &u32| 1 + half_wins.iter().filter(|other| *other > own).count();
        let places: Vec<u8> =
            half_wins.iter().map(|own| u8::try_from(place(own)).unwrap_or(u8::MAX)).collect();
        let before: Vec<Rating> = game.seats.iter().map(|entrant| ratings[*entrant]).collect();
        for (entrant, after) in game.seats.iter().zip(after_match(&before, &places)) {
            ratings[*entrant] = after;
        }
    }
    ratings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournaments::GameScores;

    fn entrant(number: usize, points: f64, paired: u32, is_free: bool) -> RatedEntrant {
        RatedEntrant { number, rating: Rating::at(points), paired, is_free }
    }

    fn pairs(entrants: &[RatedEntrant], seats: usize, met: &[((usize, usize), u32)]) -> Vec<Vec<usize>> {
        let met = met.iter().copied().collect();
        ladder_pairings(entrants, seats, &met).into_iter().map(|pairing| pairing.entrants).collect()
    }

    #[test]
    fn near_ratings_meet_and_those_with_few_pairings_come_first() {
        let four = [
            entrant(0, 1500.0, 0, true),
            entrant(1, 1900.0, 0, true),
            entrant(2, 1510.0, 0, true),
            entrant(3, 1880.0, 0, true),
        ];
        assert_eq!(pairs(&four, 2, &[]), [[0, 2], [1, 3]]);
        assert_eq!(pairs(&four, 3, &[]), [[0, 2, 3]], "one waits");
        let mut three = four[..3].to_vec();
        three[0].paired = 1;
        assert_eq!(pairs(&three, 2, &[]), [[1, 2]], "the entrant that has played waits");
    }

    #[test]
    fn entrant_waits_for_a_new_opponent_unless_all_are_free() {
        let met = [((0, 1), 1)];
        let busy = [entrant(0, 1500.0, 1, true), entrant(1, 1500.0, 1, true), entrant(2, 1500.0, 0, false)];
        assert!(pairs(&busy, 2, &met).is_empty(), "2 is new to both");
        assert_eq!(pairs(&busy[..2], 2, &met), [[0, 1]], "there is nobody else");
        assert!(pairs(&busy[..1], 2, &[]).is_empty());
    }

    #[test]
    fn ratings_follow_the_scores() {
        let game = |places: [u8; 2]| {
            let scores = GameScores::of_places(&places);
            PlayedGame {
                round: 1,
                seats: vec![1, 0],
                points: scores.shares(),
                scores,
                deal: 0,
                forfeited: Vec::new(),
            }
        };
        let after = ratings_after(&[1500.0, 1700.0], &[game([2, 1]), game([1, 1])]);
        assert!(after[0].points() > 1500.0 && after[1].points() < 1700.0);
        assert!(after[0].sigma < Rating::NEW.sigma);
        assert!((Rating::at(1700.0).points() - 1700.0).abs() < 1e-9);
    }
}
