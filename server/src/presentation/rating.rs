//! A rating as clients see it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ratings::Rating;

/// A player's strength in a game, and how sure it is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct RatingShown {
    /// The rating on an Elo-like scale: a player without a match has 1500, and a difference of 400 points means a score of
    /// 10 to 1.
    pub(crate) points: i64,
    /// The strength lies within this many points of the rating, with a probability of 95%.
    pub(crate) margin: i64,
    /// Whether the margin is so large that the rating says little.
    pub(crate) provisional: bool,
    /// The rating as it is computed: the mean, in the units of Weng and Lin.
    mu: f64,
    /// The standard deviation, in the same units.
    sigma: f64,
}

impl From<Rating> for RatingShown {
    fn from(rating: Rating) -> Self {
        // Ratings are far from the bounds of i64.
        let whole = |points: f64| points.round() as i64;
        Self {
            points: whole(rating.points()),
            margin: whole(rating.margin()),
            provisional: rating.is_provisional(),
            mu: rating.mu,
            sigma: rating.sigma,
        }
    }
}
