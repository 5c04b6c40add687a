//! Ioiwari's official dialogue: the bot is player 1 and reads the seven pits once; then both sides exchange pit
//! numbers. In the mirror dialogue the bot is player 2. Chooses no moves.

mod distort;
mod player;
mod referee;

pub(super) use distort::distort;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;

use crate::game::Seat;
use crate::protocol::WORD_BYTES;

/// The contest's bot.
const PLAYER_1: Seat = Seat(0);

/// The first line of the mirror dialogue, before the pits of the start, none of which is empty.
const SECOND: &str = "0";

/// The greatest length of a dialogue, in bytes: eight numbers and at most 18 moves; four times that, because a referee that
/// contradicts the rules may send more.
pub(super) const MAX_BYTES: usize = 4 * (8 + 18) * WORD_BYTES;
