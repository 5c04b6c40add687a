//! Readers of the official referee's files: its saved games, and the input of one move.

mod input;
mod saved_game;

pub(in super::super) use input::INPUT;
pub(in super::super) use saved_game::SAVED_GAME;
