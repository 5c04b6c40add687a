//! Buraco's official dialogue, both sides. Chooses no moves.

mod distort;
mod observed;
mod player;
mod referee;

pub(super) use distort::distort;
pub(super) use player::PlayerDialogue;
pub(super) use referee::RefereeDialogue;
