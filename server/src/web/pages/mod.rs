//! The pages, a file for each.

pub(in crate::web) mod account;
pub(in crate::web) mod admin;
pub(in crate::web) mod bots;
pub(in crate::web) mod game;
pub(in crate::web) mod home;
pub(in crate::web) mod leaderboard;
pub(in crate::web) mod lobby;
pub(in crate::web) mod matches;
pub(in crate::web) mod mistakes;
pub(in crate::web) mod player;
pub(in crate::web) mod problems;
pub(in crate::web) mod puzzles;
pub(in crate::web) mod reference;
pub(in crate::web) mod tournament_tables;
pub(in crate::web) mod tournaments;
pub(in crate::web) mod trouble;
pub(in crate::web) mod tv;
