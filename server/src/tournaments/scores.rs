//! The exact scores of the seats of a game, as they are stored.

use engines::game::ContestScore;
use num::rational::Ratio;
use serde::{Deserialize, Serialize};

/// The points of one game, exact.
pub type GamePoints = Ratio<i64>;

/// The scores of the seats of a game. The score of a seat is the share of the other seats that it has beaten, a shared place
/// counting half: with two seats 1 for a win, 1/2 for a draw, 0 for a loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredScores", into = "StoredScores")]
pub struct GameScores {
    /// For each seat 2 for each seat that it has beaten, and 1 for each one with which it shares a place.
    half_wins: Vec<u32>,
    /// The game's own points of each seat, where it was played to its end. Older logs do not have them.
    points: Option<Vec<i32>>,
}

impl GameScores {
    /// The scores of a match with these places and the game's own points.
    pub fn of_result(places: &[u8], points: Option<Vec<i32>>) -> Self {
        Self { points, ..Self::of_places(places) }
    }

    /// What a contest that counts in this way counts for a seat. A match that was not played to its end has no points of its own:
    /// it counts 0 where those are counted.
    pub fn contest_points(&self, score: ContestScore, seat: usize) -> GamePoints {
        let whole = match score {
            ContestScore::Places => return Ratio::new(self.half_wins[seat].into(), 2),
            ContestScore::Points => self.points.as_ref().map_or(0, |points| points[seat]),
            ContestScore::Result { win, draw, loss } => {
                let is_first = self.half_wins.iter().max() == self.half_wins.get(seat);
                match (is_first, self.winner()) {
                    (true, Some(_)) => win,
                    (true, None) => draw,
                    (false, _) => loss,
                }
            }
        };
        GamePoints::from(i64::from(whole))
    }

    /// The scores of a game in which the seats have these places, from 1.
    pub fn of_places(places: &[u8]) -> Self {
        let against = |own: &u8, other: &u8| match own.cmp(other) {
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 0,
        };
        // A seat shares the place with itself.
        let half_wins = |own: &u8| places.iter().map(|other| against(own, other)).sum::<u32>() - 1;
        Self { half_wins: places.iter().map(half_wins).collect(), points: None }
    }

    /// The scores of a game of this many seats that the `absent` ones forfeited: they have nothing, and the others share the
    /// first place.
    pub fn of_forfeit(seats: usize, absent: &[usize]) -> Self {
        let present = seats - absent.len();
        // A table has a few seats.
        let half_wins = (2 * absent.len() + present.saturating_sub(1)) as u32;
        let of_seat = |seat| if absent.contains(&seat) { 0 } else { half_wins };
        Self { half_wins: (0..seats).map(of_seat).collect(), points: None }
    }

    /// For each seat 2 for each seat that it has beaten, and 1 for each one with which it shares a place.
    pub fn half_wins(&self) -> &[u32] {
        &self.half_wins
    }

    /// The game's own points of each seat, where they are known.
    pub fn game_points(&self) -> Option<&[i32]> {
        self.points.as_deref()
    }

    /// The score of each seat, 0 to 1.
    pub fn shares(&self) -> Vec<GamePoints> {
        let most = self.most();
        self.half_wins.iter().map(|half_wins| Ratio::new(i64::from(*half_wins), most)).collect()
    }

    /// The score of each seat as the nearest floating-point number.
    pub fn rounded(&self) -> Vec<f64> {
        let most = self.most() as f64;
        self.half_wins.iter().map(|half_wins| f64::from(*half_wins) / most).collect()
    }

    /// The result of a seat against another one: 2 if it finished before the other, 1 if they share a place, 0 otherwise.
    pub fn between(&self, seat: usize, other: usize) -> u32 {
        match self.half_wins[seat].cmp(&self.half_wins[other]) {
            std::cmp::Ordering::Greater => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => 0,
        }
    }

    /// The seat that finished before all others, if there is one.
    pub fn winner(&self) -> Option<usize> {
        let best = self.half_wins.iter().max()?;
        let mut leaders = (0..self.half_wins.len()).filter(|seat| self.half_wins[*seat] == *best);
        leaders.next().filter(|_| leaders.next().is_none())
    }

    /// The half-wins of a seat that has beaten all others. 1 for a game of one seat, which has no score to divide.
    fn most(&self) -> i64 {
        2 * self.half_wins.len().saturating_sub(1).max(1) as i64
    }
}

/// The stored form. Older versions know only the rounded scores.
#[derive(Serialize, Deserialize)]
struct StoredScores {
    #[serde(default)]
    half_wins: Vec<u32>,
    scores: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    points: Option<Vec<i32>>,
}

impl From<GameScores> for StoredScores {
    fn from(scores: GameScores) -> Self {
        Self { scores: scores.rounded(), half_wins: scores.half_wins, points: scores.points }
    }
}

impl From<StoredScores> for GameScores {
    fn from(stored: StoredScores) -> Self {
        let StoredScores { half_wins, scores, points } = stored;
        if half_wins.len() == scores.len() {
            return Self { half_wins, points };
        }
        let most = 2 * scores.len().saturating_sub(1).max(1);
        // From 0 to `most`.
        let exact = |score: &f64| (score * most as f64).round() as u32;
        Self { half_wins: scores.iter().map(exact).collect(), points }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_shares_of_the_opponents_beaten() {
        let shares = |places: &[u8]| GameScores::of_places(places).shares();
        let thirds = |halves: [i64; 4]| halves.map(|n| Ratio::new(n, 6)).to_vec();
        assert_eq!(shares(&[1, 2]), [Ratio::from(1), Ratio::from(0)]);
        assert_eq!(shares(&[2, 2]), [Ratio::new(1, 2); 2]);
        assert_eq!(shares(&[3, 1, 1, 4]), thirds([2, 5, 5, 0]));
        assert_eq!(shares(&[1]), [Ratio::from(0)]);
        assert_eq!(GameScores::of_forfeit(4, &[0, 2]).shares(), thirds([0, 5, 0, 5]));
        assert_eq!(GameScores::of_forfeit(4, &[0, 1, 2, 3]).shares(), thirds([0; 4]));
    }

    #[test]
    fn results_between_seats_and_the_winner_follow_from_the_places() {
        let scores = GameScores::of_places(&[2, 1, 2, 4]);
        assert_eq!([scores.between(1, 0), scores.between(0, 2), scores.between(3, 0)], [2, 1, 0]);
        assert_eq!(scores.winner(), Some(1));
        assert_eq!(GameScores::of_places(&[1, 1, 3]).winner(), None);
    }

    #[test]
    fn contests_count_results_points_or_places() {
        let of = |places: &[u8], score, seat| {
            let points = places.iter().map(|place| 10 - i32::from(*place)).collect();
            GameScores::of_result(places, Some(points)).contest_points(score, seat)
        };
        let result = ContestScore::Result { win: 4, draw: 2, loss: 0 };
        let results =
            [of(&[1, 2], result, 0), of(&[1, 2], result, 1), of(&[1, 1], result, 1), of(&[2, 2], result, 0)];
        assert_eq!(results, [4, 0, 2, 2].map(Ratio::from));
        assert_eq!(of(&[2, 1, 3], ContestScore::Points, 0), Ratio::from(8));
        assert_eq!(of(&[2, 1, 2, 4], ContestScore::Places, 0), Ratio::new(3, 2));
        let resigned = GameScores::of_result(&[1, 2], None);
        assert_eq!(resigned.contest_points(ContestScore::Points, 0), Ratio::from(0));
    }

    #[test]
    fn rounded_scores_of_older_logs_are_read_exactly_and_both_are_written() {
        for places in [&[1, 2][..], &[1, 1], &[2, 1, 2], &[3, 1, 1, 4], &[1, 2, 3, 4], &[1, 1, 1, 1]] {
            let scores = GameScores::of_places(places);
            let mut stored = serde_json::to_value(&scores).unwrap();
            assert_eq!(serde_json::from_value::<GameScores>(stored.clone()).unwrap(), scores);
            stored.as_object_mut().unwrap().remove("half_wins");
            assert_eq!(serde_json::from_value::<GameScores>(stored).unwrap(), scores);
        }
    }
}
