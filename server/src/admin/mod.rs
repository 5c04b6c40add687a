//! `kibitz admin`: the operator's commands for a running server, over its admin API, and for a database file.

pub mod bans;
mod client;
mod command;
mod moderation;
mod options;
mod players;
mod tournaments;

pub use command::{AdminArgs, run};
pub use options::{AdminOptions, Registration};
