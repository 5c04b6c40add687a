//! The pages, a file for each; `api` has those about the API.

pub(in crate::web) mod account;
pub(in crate::web) mod admin;
pub(in crate::web) mod api;
pub(in crate::web) mod bots;
pub(in crate::web) mod game;
pub(in crate::web) mod home;
pub(in crate::web) mod leaderboard;
pub(in crate::web) mod lessons;
pub(in crate::web) mod lobby;
pub(in crate::web) mod matches;
pub(in crate::web) mod mistakes;
pub(in crate::web) mod player;
pub(in crate::web) mod puzzles;
pub(in crate::web) mod tournaments;
pub(in crate::web) mod trouble;
pub(in crate::web) mod tv;
