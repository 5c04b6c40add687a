//! Bots in matches: their seats and dialogues, what they wrote, their faults, and the check of a new program.

pub mod bot_check;
pub mod bot_faults;
pub mod bot_output;
pub mod bot_seat;
pub mod dialogue;
pub mod hosted;
pub mod seat_holders;
