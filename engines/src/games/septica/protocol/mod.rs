//! Septica's official dialogue, both sides: the player's and that of the contest's computer. Chooses no moves.

mod distort;
mod player;
mod recovery;
mod referee;
mod zero;

pub(super) use distort::distort;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;
