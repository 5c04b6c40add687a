//! Which matches that are over a download contains, as far as the database decides it.

use crate::domain::MatchId;

/// A selection of public matches that are over, for downloads; the oldest come first. It leaves out those that ended before
/// they began.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedFilter {
    /// The matches of a game, or of a player.
    pub of: FinishedOf,
    /// Only matches with a greater id: those created after this one.
    pub after: MatchId,
    /// Only matches with a smaller id.
    pub until: MatchId,
    /// The maximum number of matches.
    pub limit: u32,
}

/// What matches of a [`FinishedFilter`] have in common.
#[derive(Clone, Debug, PartialEq)]
pub enum FinishedOf {
    /// The game with this short name.
    Game(String),
    /// The player with this id, and the game with this short name if there is one.
    Player(String, Option<String>),
}

/// A match that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedMatch {
    /// The match.
    pub id: MatchId,
    /// Its entry in lists, as JSON.
    pub summary: String,
    /// The least `mu` of its players' ratings after it; `None`: it changed no ratings.
    pub least_mu: Option<f64>,
}
