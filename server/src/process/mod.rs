//! The life of a server process: its settings, the start of its parts, its connections and its end.

pub(crate) mod admin_token;
mod connections;
pub mod options;
mod router;
pub mod server;
pub(crate) mod signals;
mod start;
