//! What holds for every game of the registry, the walls between the parts, and the arena with real programs.

#![allow(clippy::unwrap_used)] // a test says what is wrong by failing

mod analysis;
mod arena;
mod golden;
mod laws;
mod sessions;
mod tables;
mod walls;
