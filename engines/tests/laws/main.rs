//! What holds for every game of the registry, and the walls between the parts.

#![allow(clippy::unwrap_used)] // a test says what is wrong by failing

mod golden;
mod laws;
mod sessions;
mod walls;
