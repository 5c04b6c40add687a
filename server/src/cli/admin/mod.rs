//! `kibitz admin`: the operator's commands for a running server, over its admin API, and for a database file.

mod client;
mod command;
mod export;
mod moderation;
mod players;
mod programs;
mod tournaments;

pub use command::{AdminArgs, run};
