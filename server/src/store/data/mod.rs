//! What the store is asked for and returns, by topic, in either database.

pub(in crate::store) mod change;
pub(in crate::store) mod finished;
pub(crate) mod lobby;
pub(crate) mod moderation;
pub(in crate::store) mod players;
pub(in crate::store) mod programs;
pub(in crate::store) mod push;
pub(in crate::store) mod puzzles;
pub(in crate::store) mod ratings;
pub(in crate::store) mod row;
pub(in crate::store) mod seats;
pub(in crate::store) mod sign_in;
pub(in crate::store) mod spectators;
pub(in crate::store) mod tournaments;
pub(in crate::store) mod vacations;
