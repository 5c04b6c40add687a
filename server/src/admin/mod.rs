//! `kibitz admin`: what an operator does with a running server, over its admin API, and with a database file.

pub mod bans;
mod client;
mod command;
mod options;

pub use command::{AdminArgs, run};
pub use options::AdminOptions;
