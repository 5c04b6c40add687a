//! The server `kibitz`: move requests over HTTP and WebSockets, answered by the engines of crate `engines`.
//!
//! It knows games only through `engines::erased` and the registry, never by name.

// They panic where nobody reads: what is said goes through `console`.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]

pub mod admin;
pub mod app;
pub mod arena;
pub mod catalogue;
pub mod config;
mod connections;
mod console;
pub mod domain;
pub mod error;
pub mod healthcheck;
pub mod host;
pub mod http;
pub mod limits;
pub mod metrics;
pub mod pool;
pub mod schema;
pub mod server;
pub mod stall;
pub mod store;
pub mod upkeep;
pub mod verify;
mod web;
