//! Scores and points as clients see them: rounded, and exact.

use num::BigInt;
use schemars::JsonSchema;
use serde::Serialize;

use crate::tournaments::{GameScores, Points, Standings, StandingsLine, common_denominator, numerator};

/// A whole number as text.
const WHOLE: &str = "^-?[0-9]+$";

/// The scores of the seats of a game.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScoresShown {
    /// The score of each seat, 0 to 1: the share of the other seats that finished behind, a shared place counting half. Null
    /// as long as the game has none or is sealed.
    pub(crate) scores: Option<Vec<f64>>,
    /// The same, exact: for each seat 2 for each seat that finished behind, and 1 for each one that shares its place. With
    /// `n` seats, the score is this number divided by `2 (n - 1)`.
    half_wins: Option<Vec<u32>>,
    /// The game's own points of each seat, where it was played to its end.
    game_points: Option<Vec<i32>>,
}

impl ScoresShown {
    /// The form of these scores.
    pub(crate) fn of(scores: Option<&GameScores>) -> Self {
        Self {
            scores: scores.map(GameScores::rounded),
            half_wins: scores.map(|scores| scores.half_wins().to_vec()),
            game_points: scores.and_then(|scores| scores.game_points().map(<[i32]>::to_vec)),
        }
    }
}

/// The exact values of a line of the standings: whole numbers as text, to be divided by the denominator, which is the same in all
/// lines.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExactShown {
    #[schemars(regex(pattern = WHOLE))]
    pub(crate) denominator: String,
    #[schemars(regex(pattern = WHOLE))]
    pub(crate) points: String,
    #[schemars(regex(pattern = WHOLE))]
    pub(crate) direct: Option<String>,
    #[schemars(regex(pattern = WHOLE))]
    pub(crate) buchholz: Option<String>,
    #[schemars(regex(pattern = WHOLE))]
    pub(crate) sonneborn_berger: Option<String>,
}

impl ExactShown {
    /// The exact values of a line.
    pub(crate) fn of(line: &StandingsLine, denominator: &BigInt) -> Self {
        let whole = |points: &Points| numerator(points, denominator).to_string();
        Self {
            denominator: denominator.to_string(),
            points: whole(&line.points),
            direct: line.direct.as_ref().map(whole),
            buchholz: line.buchholz.as_ref().map(whole),
            sonneborn_berger: line.sonneborn.as_ref().map(whole),
        }
    }
}

/// The least common denominator of all values of the standings.
pub(crate) fn denominator<'a>(standings: &'a Standings) -> BigInt {
    let of_line = |line: &'a StandingsLine| {
        let StandingsLine { points, direct, buchholz, sonneborn, .. } = line;
        [Some(points), direct.as_ref(), buchholz.as_ref(), sonneborn.as_ref()].into_iter().flatten()
    };
    common_denominator(standings.lines.iter().flat_map(of_line))
}
