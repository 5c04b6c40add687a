//! The values that the API and the pages both show, in the form in which clients get them. It knows no routes and no HTML.

pub(crate) mod featured;
pub(crate) mod game;
pub(crate) mod leaderboard;
pub(crate) mod rating;
pub(crate) mod scores;
pub(crate) mod tournament;
pub(crate) mod tournament_list;
