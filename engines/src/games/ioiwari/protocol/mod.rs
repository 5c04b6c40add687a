//! Ioiwari's official dialogue: the bot is player 1 and reads the seven pits once; then both sides exchange pit
//! numbers. Chooses no moves.

mod distort;
mod player;
mod referee;

pub(super) use distort::distort;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;

use crate::protocol::WORD_BYTES;

/// The greatest length of a dialogue, in bytes: seven numbers and at most 18 moves; four times that, because a referee that
/// contradicts the rules may send more.
pub(super) const MAX_BYTES: usize = 4 * (7 + 18) * WORD_BYTES;
