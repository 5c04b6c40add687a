//! Ratings: the strength of players, estimated from the order in which they finish. Pure. It must not know how matches
//! or ratings are stored.
//!
//! The system is that of Weng and Lin ("A Bayesian Approximation Method for Online Ranking", Journal of Machine Learning
//! Research 12, 2011), also known as OpenSkill: it rates matches of any number of seats.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

/// The estimate of a player's strength: a normal distribution, in the units of Weng and Lin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The mean.
    pub mu: f64,
    /// The standard deviation.
    pub sigma: f64,
}

/// How much the strength of a player may change from match to match, as a standard deviation. Without it a rating could
/// not follow a bot that has been improved. It is 1/100 of the first `sigma`, as in OpenSkill.
const CHANGE: f64 = 25.0 / 300.0;

/// How much the strength of a bot may change when another program plays for it, as a standard deviation: a quarter of the first
/// `sigma`, 56 Elo points. An established bot with one new program stays established; one that changes its program again and
/// again without matches becomes provisional.
const NEW_PROGRAM: f64 = 25.0 / 12.0;

/// Points of the Elo scale for one unit of `mu`. A difference of 400 points means a score of 10 to 1. The update
/// expects flatter scores the less sure it is of both ratings, so that differences of `mu` settle where
/// sqrt(2 beta^2 + 2 sigma^2), with sigma as it is after some hundred matches, is the scale of the logistic curve.
const POINTS: f64 = 27.0;

/// The Elo scale's middle: the rating of a player without a match.
const MIDDLE: f64 = 1500.0;

/// Two-sided 95% point of the normal distribution.
const Z: f64 = 1.96;

/// A rating whose interval is wider than this, in Elo points to either side, is provisional. A new player leaves this range
/// after some 25 matches on the ladder, whatever its strength (`new_players_are_soon_established` in the tests).
const PROVISIONAL: f64 = 200.0;

impl Rating {
    /// The rating of a player without a match.
    pub const NEW: Self = Self { mu: 25.0, sigma: 25.0 / 3.0 };

    /// The rating of a player without a match who is taken to have these points.
    pub fn at(points: f64) -> Self {
        Self { mu: Self::NEW.mu + (points - MIDDLE) / POINTS, ..Self::NEW }
    }

    /// The rating of a bot for which another program plays from now on. It is never less certain than that of a player without a
    /// match.
    #[must_use]
    pub fn with_new_program(self) -> Self {
        Self { sigma: self.sigma.hypot(NEW_PROGRAM).min(Self::NEW.sigma), ..self }
    }

    /// The rating on an Elo-like scale.
    pub fn points(self) -> f64 {
        MIDDLE + POINTS * (self.mu - Self::NEW.mu)
    }

    /// Half of the width of its 95% interval, in Elo points.
    pub fn margin(self) -> f64 {
        Z * POINTS * self.sigma
    }

    /// The lower end of its 95% interval, in the units of Weng and Lin. Leaderboards sort by it, so that a player with few
    /// results does not come first by luck.
    pub fn lower_bound(self) -> f64 {
        self.mu - Z * self.sigma
    }

    /// Whether it is still too uncertain to be compared.
    pub fn is_provisional(self) -> bool {
        self.margin() > PROVISIONAL
    }
}

impl Default for Rating {
    fn default() -> Self {
        Self::NEW
    }
}

/// The ratings after a match. `places`: the place of each player, in the same order; a smaller number is better, equal
/// ones are shared. A match for fewer than two players changes nothing.
///
/// # Panics
/// If there are not as many places as players.
pub fn after_match(before: &[Rating], places: &[u8]) -> Vec<Rating> {
    assert_eq!(before.len(), places.len(), "each player has a place");
    if before.len() < 2 {
        return before.to_vec();
    }
    let players: Vec<[WengLinRating; 1]> = before
        .iter()
        .map(|rating| [WengLinRating { rating: rating.mu, uncertainty: rating.sigma.hypot(CHANGE) }])
        .collect();
    let outcomes: Vec<(&[WengLinRating], MultiTeamOutcome)> = players
        .iter()
        .zip(places)
        .map(|(player, place)| (player.as_slice(), MultiTeamOutcome::new(usize::from(*place))))
        .collect();
    let rated = weng_lin_multi_team(&outcomes, &WengLinConfig::new());
    rated.into_iter().flatten().map(|new| Rating { mu: new.rating, sigma: new.uncertainty }).collect()
}
