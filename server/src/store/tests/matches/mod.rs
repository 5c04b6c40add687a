//! Matches: their events and lists, and what is kept beside them.

mod analyses;
mod appends;
pub(in crate::store::tests) mod bot_faults;
mod bot_output;
mod chat;
mod import;
mod lists;
mod puzzles;
