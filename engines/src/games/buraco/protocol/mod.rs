//! Buraco's official dialogue, both sides. Chooses no moves.

mod distort;
mod files;
mod observed;
mod player;
mod referee;

pub(super) use distort::distort;
pub(super) use files::{LOG, START};
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;

use super::rules::CARDS;

/// The most turns of both seats: 81 cards of the stock are drawn, and each pile that is taken brings three of the 104 cards to the
/// table.
const MOST_TURNS: usize = 81 + CARDS / 3;

/// The most bytes of a turn without the cards of piles and melds: the id of the seat to move, the draw and its card, and the
/// discard, each on a line of its own.
const TURN_BYTES: usize = 256;

/// The most bytes of a card in a hand or pile that is read, and alone in a command that lays it down.
const CARD_BYTES: usize = 64;

/// The greatest length of a dialogue, in bytes.
pub(super) const MAX_BYTES: usize = MOST_TURNS * TURN_BYTES + CARDS * CARD_BYTES;
