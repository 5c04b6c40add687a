//! The life of a server process: its settings, the start of its parts, its connections and its end.

pub(crate) mod admin_token;
mod connections;
mod log_format;
pub mod options;
mod router;
pub mod server;
pub(crate) mod service_manager;
pub(crate) mod signals;
mod start;
