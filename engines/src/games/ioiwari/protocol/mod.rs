//! Ioiwari's official dialogue: the bot is player 1 and reads the seven pits once; then both sides exchange pit
//! numbers. Chooses no moves.

mod distort;
mod player;
mod referee;

pub(super) use distort::distort;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;
