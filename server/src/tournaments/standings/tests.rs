//! Exact points, the places, and FIDE's examples.

use engines::rng::{Rng, Seed};

use super::*;
use crate::tournaments::Pairing;

fn game_of(round: u32, seats: &[usize], places: &[u8], deal: u64) -> PlayedGame {
    let scores = GameScores::of_places(places);
    PlayedGame { round, seats: seats.to_vec(), points: scores.shares(), scores, deal, forfeited: Vec::new() }
}

/// A game that the first entrant won.
fn won(round: u32, winner: usize, loser: usize) -> PlayedGame {
    game_of(round, &[winner, loser], &[1, 2], 0)
}

fn drawn(round: u32, one: usize, other: usize) -> PlayedGame {
    game_of(round, &[one, other], &[1, 1], 0)
}

/// A game to which `absent` did not come.
fn forfeited(round: u32, present: usize, absent: usize) -> PlayedGame {
    PlayedGame { forfeited: vec![1], ..won(round, present, absent) }
}

/// The rounds of these games, with these byes.
fn rounds(entrants: usize, games: &[PlayedGame], byes: &[(u32, usize)]) -> Rounds {
    let pairing = |game: &PlayedGame| Pairing { round: game.round, entrants: game.seats.clone() };
    Rounds::new(entrants, &games.iter().map(pairing).collect::<Vec<_>>(), byes, 1, 2)
}

fn halves(n: i64) -> Points {
    Points::new(n.into(), 2.into())
}

fn places(standings: &Standings) -> Vec<(usize, usize)> {
    standings.lines.iter().map(|line| (line.entrant, line.place)).collect()
}

fn of(standings: &Standings, entrant: usize) -> &StandingsLine {
    standings.lines.iter().find(|line| line.entrant == entrant).unwrap()
}

#[test]
fn sums_that_floating_point_numbers_would_tell_apart_are_equal() {
    // 5/6 and 1/6, in another order: as floating-point numbers the sums differ in their last digits.
    let table = |deal: u64, seats: [usize; 4]| game_of(1, &seats, &[1, 1, 3, 3], deal);
    let mut rng = Rng::new(&Seed::from(5));
    let games: Vec<PlayedGame> = (0..600)
        .map(|deal| table(deal, if rng.below(2) == 0 { [0, 2, 1, 3] } else { [3, 1, 2, 0] }))
        .collect();
    let both: Vec<PlayedGame> = games
        .iter()
        .cloned()
        .chain(
            games
                .iter()
                .map(|game| PlayedGame { seats: game.seats.iter().map(|s| 3 - s).collect(), ..game.clone() }),
        )
        .collect();
    let standings = Standings::new(4, &both, Ranking::AllMeet);
    assert!(
        standings.lines.iter().all(|line| line.points == Points::from_integer(600.into()) && line.place == 1)
    );
}

#[test]
fn direct_encounter_separates_a_group_that_has_met_and_then_its_parts() {
    // All of 0 to 3 have 3 points. Among themselves 0 and 1 have 2, 2 and 3 have 1; 0 beat 1, and 3 beat 2.
    let mut games = vec![won(1, 0, 1), won(2, 3, 2), won(3, 0, 2), won(4, 1, 3), won(5, 1, 2), won(6, 3, 0)];
    games.extend([won(7, 0, 4), won(7, 1, 4), won(7, 2, 4), won(8, 2, 4), won(9, 2, 4), won(7, 3, 4)]);
    let standings = Standings::new(5, &games, Ranking::AllMeet);
    assert_eq!(of(&standings, 4).direct, None, "nobody else has as many points");
    let direct: Vec<Points> = (0..4).map(|entrant| of(&standings, entrant).direct.clone().unwrap()).collect();
    assert_eq!(direct, [halves(4), halves(4), halves(0), halves(4)]);
    // 0, 1 and 3 beat each other in a circle: Sonneborn-Berger separates them no further either.
    assert_eq!(places(&standings), [(0, 1), (1, 1), (3, 1), (2, 4), (4, 5)]);
}

#[test]
fn parts_that_the_direct_encounter_leaves_tied_are_compared_again() {
    // Among the four with 2 points, 0 and 1 have 2, and 0 beat 1; 2 and 3 have 1, and 3 beat 2.
    let among = [won(1, 0, 1), won(1, 3, 2), won(2, 0, 3), won(2, 1, 2), won(3, 2, 0), won(3, 1, 3)];
    let games: Vec<_> = among.into_iter().chain([won(4, 2, 4), won(4, 3, 4)]).collect();
    let standings = Standings::new(5, &games, Ranking::AllMeet);
    assert!((0..4).all(|entrant| of(&standings, entrant).points == halves(4)));
    assert_eq!(places(&standings), [(0, 1), (1, 2), (3, 3), (2, 4), (4, 5)]);
}

#[test]
fn direct_encounter_does_not_count_in_a_group_that_has_not_met_in_full() {
    // 0 beat 1, neither met 2, and all three have 1 point.
    let games = [won(1, 0, 1), won(1, 2, 3), won(2, 1, 3), won(2, 4, 0), won(3, 4, 2)];
    let standings = Standings::new(5, &games, Ranking::OpponentsDiffer(&rounds(5, &games, &[])));
    assert!([0, 1, 2].iter().all(|entrant| of(&standings, *entrant).direct.is_none()));
    // A mean, however often two have met (6.1.2).
    let twice = [won(1, 0, 1), won(2, 0, 1), won(3, 1, 0), won(4, 1, 0), won(5, 2, 0), won(5, 1, 2)];
    let standings = Standings::new(3, &twice, Ranking::AllMeet);
    assert_eq!(of(&standings, 0).direct, None, "it is alone with 2 points");
    let met = [won(1, 0, 1), won(2, 1, 0)];
    let direct = Standings::new(2, &met, Ranking::AllMeet).lines.into_iter().map(|line| line.direct);
    assert!(direct.into_iter().all(|direct| direct == Some(halves(1))));
}

#[test]
fn buchholz_counts_a_bye_as_a_game_against_the_own_points_at_most_those_of_draws() {
    // 0 wins all: a bye in round 1, then 1 and 2.
    let games = [won(1, 1, 2), won(2, 0, 1), won(3, 0, 2)];
    let byes = [(1, 0), (2, 2), (3, 1)];
    let standings = Standings::new(3, &games, Ranking::OpponentsDiffer(&rounds(3, &games, &byes)));
    assert_eq!(
        [0, 1, 2].map(|entrant| of(&standings, entrant).points.clone()),
        [halves(6), halves(4), halves(2)]
    );
    // 16.4.2: three rounds, so that the dummy of 0 has 1.5 and not 3.
    assert_eq!(of(&standings, 0).buchholz, Some(halves(3 + 4 + 2)));
    assert_eq!(of(&standings, 1).buchholz, Some(halves(3 + 6 + 2)));
    assert_eq!(of(&standings, 2).buchholz, Some(halves(2 + 6 + 4)));
    // A bye is won.
    assert_eq!(of(&standings, 0).sonneborn, Some(halves(3 + 4 + 2)));
    assert_eq!(of(&standings, 2).sonneborn, Some(halves(2)));
}

#[test]
fn byes_of_pairings_with_many_games_weigh_as_much_as_opponents() {
    // Pairings of four games; 2 has the bye, and as many points as 0.
    let games: Vec<PlayedGame> = (0..4).map(|deal| game_of(1, &[0, 1], &[1, 2], deal)).collect();
    let rounds = Rounds::new(3, &[Pairing { round: 1, entrants: vec![0, 1] }], &[(1, 2)], 4, 2);
    let standings = Standings::new(3, &games, Ranking::OpponentsDiffer(&rounds));
    assert_eq!(of(&standings, 2).points, halves(8));
    assert_eq!(of(&standings, 2).buchholz, Some(halves(4 * 4)), "four dummies of two points");
    assert_eq!(of(&standings, 0).buchholz, Some(halves(0)));
}

#[test]
fn forfeits_count_against_a_dummy_with_at_most_the_opponents_points() {
    let games = [forfeited(1, 0, 1), won(1, 2, 3), won(2, 2, 0), won(2, 1, 3), won(3, 0, 3), drawn(3, 1, 2)];
    let standings = Standings::new(4, &games, Ranking::OpponentsDiffer(&rounds(4, &games, &[])));
    assert_eq!([0, 1, 2, 3].map(|entrant| of(&standings, entrant).points.clone()), [4, 3, 5, 0].map(halves));
    // 16.4.1: 0 has 2 points, 1 has 1.5.
    assert_eq!(of(&standings, 0).buchholz, Some(halves(3 + 5)));
    assert_eq!(of(&standings, 1).buchholz, Some(halves(3 + 5)));
    assert_eq!((of(&standings, 0).won, of(&standings, 1).won), (1, 1), "a forfeit is not won by play");
    let round_robin = Standings::new(4, &games, Ranking::AllMeet);
    assert_eq!(of(&round_robin, 0).won, 2, "all forfeits of a round robin are games");
    assert_eq!(of(&round_robin, 0).sonneborn, Some(halves(3)));
}

#[test]
fn opponents_of_a_withdrawn_entrant_see_draws_in_the_rounds_after_it() {
    // 1 lost to 0, beat 2, and left before the last two of four rounds.
    let games = [won(1, 0, 1), won(1, 2, 3), won(2, 1, 2), won(2, 0, 3), won(3, 0, 2), won(4, 2, 3)];
    let byes = [(3, 3), (4, 0)];
    let paired = rounds(4, &games, &byes);
    let standings = Standings::new(4, &games, Ranking::OpponentsDiffer(&paired));
    assert_eq!(of(&standings, 1).points, halves(2));
    // 0 met 1 (1 point and two draws), 3 (1 point), 2 (2 points), and had a bye: 4 points, but at most 2 (four draws).
    assert_eq!(of(&standings, 0).buchholz, Some(halves(4 + 2 + 4 + 4)));
    // The own rounds without a game count with the own points.
    assert_eq!(of(&standings, 1).buchholz, Some(halves(8 + 4 + 2 + 2)));
    // An entrant who enters late was absent first, which changes nothing for the opponents.
    let late = [won(1, 0, 1), won(2, 0, 2)];
    let standings = Standings::new(3, &late, Ranking::OpponentsDiffer(&rounds(3, &late, &[(2, 1)])));
    assert_eq!(of(&standings, 0).buchholz, Some(halves(2)));
}

#[test]
fn forfeits_between_the_end_and_the_withdrawal_do_not_end_it() {
    // 1 was absent in rounds 2 and 4 and forfeited round 3: two draws are added.
    let games = [won(1, 0, 1), forfeited(3, 2, 1)];
    let rounds = rounds(3, &games, &[(2, 0), (4, 0)]);
    assert_eq!(rounds.drawn_games(1, &games), 2);
    assert_eq!(rounds.drawn_games(0, &games), 0, "its last round is a bye");
    let waits = [won(1, 0, 1)];
    assert_eq!(rounds.drawn_games(1, &waits), 1, "the game of round 3 is still to be played");
}

#[test]
fn interval_and_superiority_grow_with_the_evidence() {
    let pair = |deal| [game_of(1, &[0, 1], &[1, 2], deal), game_of(1, &[1, 0], &[1, 1], deal)];
    let of = |deals: u64| {
        let games: Vec<PlayedGame> = (0..deals).flat_map(pair).collect();
        Standings::new(2, &games, Ranking::AllMeet)
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
    let none = Standings::new(2, &[], Ranking::OpponentsDiffer(&Rounds::none(2)));
    assert!(none.lines.iter().all(|line| line.score.is_none() && line.place == 1));
}
