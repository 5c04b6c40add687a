//! Duplicate deals: the result of a game is compared with the other results of the same deal from the same seat, so that
//! the luck of the deal counts less.

use std::collections::HashMap;

use crate::tournaments::PlayedGame;
use crate::tournaments::scores::GamePoints;

/// The number of drawn results (1/2) that are added to the other results of a deal and seat. They keep a mean of few
/// results, which is mostly luck itself, from counting too much: with `n` other results whose correlation with the own
/// one is `r`, the variance of the points is least with `1 / r - 1` of them. `docs/tournaments.md` has the measured
/// correlations, 0.12 to 0.32, and what this number saves.
const DRAWN_RESULTS: i64 = 7;

/// Replaces the points of each game by `1/2 + own score - mean`, where the mean is that of the other scores of the same deal
/// and seat and of `DRAWN_RESULTS` drawn ones. Without other results these are the scores; the points of a table have the
/// same sum as its scores. Forfeited games are not compared.
pub fn compare(games: &mut [PlayedGame]) {
    let half = GamePoints::new(1, 2);
    // The sum and the number of the scores of each deal and seat.
    let mut results: HashMap<(u64, usize), (GamePoints, i64)> = HashMap::new();
    for game in games.iter().filter(|game| game.was_played()) {
        for (seat, score) in game.scores.shares().into_iter().enumerate() {
            let (sum, count) = results.entry((game.deal, seat)).or_default();
            *sum += score;
            *count += 1;
        }
    }
    for game in games.iter_mut().filter(|game| game.was_played()) {
        let points = game.scores.shares().into_iter().enumerate().map(|(seat, own)| {
            let (sum, count) = results.get(&(game.deal, seat)).copied().unwrap_or((own, 1));
            let mean = (sum - own + half * DRAWN_RESULTS) / (count - 1 + DRAWN_RESULTS);
            half + own - mean
        });
        game.points = points.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournaments::scores::GameScores;

    fn game(deal: u64, places: [u8; 2]) -> PlayedGame {
        let scores = GameScores::of_places(&places);
        PlayedGame {
            round: 1,
            seats: vec![0, 1],
            points: scores.shares(),
            scores,
            deal,
            forfeited: Vec::new(),
        }
    }

    #[test]
    fn win_from_a_seat_that_usually_lost_counts_more() {
        let mut games = vec![game(1, [2, 1]); 8];
        games[0] = game(1, [1, 2]);
        compare(&mut games);
        // Seven others lost; seven drawn ones: a mean of 1/4.
        assert_eq!(games[0].points, [GamePoints::new(5, 4), GamePoints::new(-1, 4)]);
        // One won, six lost, seven drawn: a mean of 4.5 / 14.
        let usual = GamePoints::new(1, 2) - GamePoints::new(9, 28);
        assert_eq!(games[1].points, [usual, GamePoints::from(1) - usual]);
    }

    #[test]
    fn single_and_forfeited_games_count_as_they_are() {
        let forfeited = PlayedGame { forfeited: vec![1], ..game(1, [1, 2]) };
        let mut games = [game(1, [1, 1]), forfeited, game(2, [1, 2])];
        compare(&mut games);
        for game in games {
            assert_eq!(game.points, game.scores.shares());
        }
    }
}
