//! Duplicate deals: the result of a game is compared with the other results of the same deal from the same seat, so that
//! the luck of the deal counts less.

use std::collections::HashMap;

use crate::tournaments::PlayedGame;

/// The number of drawn results (1/2) that are added to the other results of a deal and seat. They keep a mean of few results, which is
/// mostly luck itself, from counting too much: with `n` other results whose correlation with the own one is `r`, the
/// variance of the points is least with `1 / r - 1` of them. `docs/tournaments.md` has the measured correlations, 0.12 to
/// 0.32, and what this number saves.
pub const DRAWN_RESULTS: usize = 7;

/// Replaces the points of each game by `1/2 + own score - mean`, where the mean is that of the other scores of the same deal
/// and seat and of [`DRAWN_RESULTS`] drawn ones. Without other results these are the scores; the points of a table have the
/// same sum as its scores. Forfeited games are not compared.
pub fn compare(games: &mut [PlayedGame]) {
    // The sum and the number of the scores of each deal and seat.
    let mut results: HashMap<(u64, usize), (f64, usize)> = HashMap::new();
    for game in games.iter().filter(|game| !game.forfeited) {
        for (seat, score) in game.scores.iter().enumerate() {
            let result = results.entry((game.deal, seat)).or_default();
            *result = (result.0 + score, result.1 + 1);
        }
    }
    for game in games.iter_mut().filter(|game| !game.forfeited) {
        let points = game.scores.iter().enumerate().map(|(seat, own)| {
            let (sum, count) = results.get(&(game.deal, seat)).copied().unwrap_or((*own, 1));
            let drawn = DRAWN_RESULTS as f64;
            let mean = (sum - own + drawn / 2.0) / ((count - 1) as f64 + drawn);
            0.5 + own - mean
        });
        game.points = points.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(deal: u64, scores: [f64; 2]) -> PlayedGame {
        PlayedGame { seats: vec![0, 1], scores: scores.into(), points: scores.into(), deal, forfeited: false }
    }

    #[test]
    fn win_from_a_seat_that_usually_lost_counts_more() {
        let mut games = vec![game(1, [0.0, 1.0]); 8];
        games[0].scores = vec![1.0, 0.0];
        compare(&mut games);
        // Seven others lost; seven drawn ones: a mean of 1/4.
        assert_eq!(games[0].points, [1.25, -0.25]);
        // One won, six lost, seven drawn: a mean of 4.5 / 14.
        let usual = 0.5 - 4.5 / 14.0;
        assert!(
            (games[1].points[0] - usual).abs() < 1e-12 && (games[1].points[1] - 1.0 + usual).abs() < 1e-12
        );
    }

    #[test]
    fn single_and_forfeited_games_count_as_they_are() {
        let forfeited = PlayedGame { forfeited: true, ..game(1, [1.0, 0.0]) };
        let mut games = [game(1, [0.5, 0.5]), forfeited, game(2, [1.0, 0.0])];
        compare(&mut games);
        let points: Vec<&[f64]> = games.iter().map(|game| &game.points[..]).collect();
        assert_eq!(points, [[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]]);
    }
}
