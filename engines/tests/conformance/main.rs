//! Tests for every registered game, for the layers of the code, and for the arena with real programs.

#![allow(clippy::unwrap_used)] // a failing test shows what is wrong

mod analysis;
mod arena;
mod golden;
mod layers;
mod registry;
mod sessions;
mod tables;
