//! Azul's official dialogue, both sides: the bot prints once which input format it wants, then reads its remaining time
//! and the updates or the position each turn. Chooses no moves.

mod distort;
mod player;
mod referee;
mod repair;
mod text;

pub(super) use distort::distort;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;

use super::rules::{COLOURS, Counts, Move};

/// The input that the bot reads each turn. The bot names it in the first word that it prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputFormat {
    /// The position.
    State,
    /// The events since the bot's last turn.
    Update,
    /// Both: the updates, then the position.
    Both,
}

impl InputFormat {
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

/// A change of the table that the referee reports.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TableUpdate {
    /// The displays after a refill.
    Restock([Counts; COLOURS]),
    /// A move of the opponent.
    Move(Move),
}
