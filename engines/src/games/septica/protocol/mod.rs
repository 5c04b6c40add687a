//! Septica's official dialogue, both sides: the player's and that of the contest's computer. Chooses no moves.

mod distort;
mod files;
mod player;
mod recovery;
mod referee;
mod zero;

pub(super) use distort::distort;
pub(super) use files::DIALOGUE;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;

use crate::protocol::LINE_BYTES;

/// The most lines of a match: 32 cards, 16 zeros, 16 ends of tricks, the hand and the score.
const MATCH_LINES: usize = 32 + 16 + 16 + 2;

/// The most bytes of the numbers of a match and the spaces between them: two for each card played and three for each card drawn,
/// and those of zeros, ends of tricks and scores.
const MATCH_TEXT: usize = 200;

/// The greatest length of a dialogue, in bytes: a contest's matches in a row.
pub(super) const MAX_BYTES: usize = player::MATCHES as usize * (MATCH_LINES * LINE_BYTES + MATCH_TEXT);
