//! Ioiwari's official dialogue: the bot is player 1 and reads the seven pits once; then both sides exchange pit numbers.
//! Chooses no moves.

mod player;

pub use player::{Bot, Judge, distort};
