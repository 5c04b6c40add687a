//! Azul's official dialogue, both sides: the bot prints once which input format it wants, then reads its remaining time
//! and the updates or the position each turn. Chooses no moves.

mod distort;
mod files;
mod player;
mod referee;
mod repair;
mod text;

pub(super) use distort::distort;
pub(super) use files::DIALOGUE;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;

use super::rules::{COLOURS, Counts, Move};
use crate::protocol::WORD_BYTES;

/// The most rounds: a wall without a complete row has room for 20 tiles, and a seat that plays to win lays one in each round.
const MOST_ROUNDS: usize = 20;

/// The most turns of a seat in a round: two seats take turns at 20 tiles.
const MOST_TURNS: usize = 10;

/// The most words of a turn: the time, two moves of the opponent and a refill in between, the position, and the own move.
const TURN_WORDS: usize = 1 + (1 + 2 * 4 + 26) + (6 + 25 + 1 + 2 * 37) + 3;

/// The greatest length of a dialogue, in bytes.
pub(super) const MAX_BYTES: usize = MOST_ROUNDS * MOST_TURNS * TURN_WORDS * WORD_BYTES;

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
