//! Rules, official dialogues, engines and arena of kibitz: no async, no socket, no SQL, no HTTP.
//!
//! The central idea: the host holds the full state ([`game::State`]). Engines, referees, browsers and callers see only a
//! [`game::View`]. An engine is given a view, so it cannot cheat.

pub mod arena;
pub mod conformance;
pub mod cores;
pub mod dialogue;
pub mod encoding;
pub mod erased;
pub mod game;
pub mod games;
mod grid;
pub mod harness_file;
pub mod judge;
pub mod label;
pub mod perfect_information;
pub mod picture;
pub mod protocol;
mod recorded;
pub mod remarks;
pub mod rng;
pub mod search;
pub mod search_kit;
pub mod session;
pub mod suite;
mod table;
pub mod timer;

/// The game that `scripts/new-game` copies. It is no game of the server; only the tests compile it.
#[cfg(test)]
#[path = "../template/mod.rs"]
pub mod template;
#[cfg(test)]
mod template_tests;
