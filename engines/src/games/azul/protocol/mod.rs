//! Azul's official dialogue, both sides: the bot says once what it wants to read, then gets turns of milliseconds,
//! updates, position. Chooses no moves.

mod distort;
mod player;
mod referee;
mod repair;
mod text;

pub use distort::distort;
pub use player::Bot;
pub use referee::Judge;

use super::rules::{COLOURS, Counts, Move};

/// What the bot reads each turn; the first word it prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// The position.
    State,
    /// What has happened since its last turn.
    Update,
    /// Both, what has happened first.
    Both,
}

impl Input {
    const ALL: [Self; 3] = [Self::State, Self::Update, Self::Both];
    const WORDS: [&'static str; 3] = ["state", "update", "both"];

    fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|i| i.word() == word)
    }

    fn has_updates(self) -> bool {
        self != Self::State
    }

    fn has_state(self) -> bool {
        self != Self::Update
    }
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Update {
    /// The displays were filled like this.
    Restock([Counts; COLOURS]),
    /// The opponent moved.
    Move(Move),
}
