//! The server `kibitz`: move requests over HTTP and WebSockets, answered by the engines of crate `engines`.
//!
//! It knows games only through `engines::erased` and the registry, never by name.

// `print!` and `eprint!` panic if the output is closed; use `console` instead.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]

pub mod accounts;
pub mod admission;
pub mod analysis;
pub mod app;
#[cfg(feature = "programs")]
pub mod bot_runner;
pub mod catalogue;
pub mod cli;
pub mod domain;
pub mod engine_pool;
pub mod error;
mod http;
pub mod jobs;
pub mod limits;
pub mod lobby;
pub mod matches;
pub mod metrics;
pub mod moderation;
mod nats;
pub mod notifications;
pub mod offered_files;
mod presentation;
pub mod process;
pub mod programs;
pub mod ratings;
mod recovery;
mod request;
pub mod store;
pub mod tournaments;
mod web;

/// The allocator of the program, its tests and its benchmarks. The messages, events and JSON of a move are many small,
/// short-lived blocks, often freed by another thread than the one that made them; with the system's allocator they cost
/// more than a tenth of a move's processor time (`cargo bench -p kibitz --bench matches -- sockets`). Without huge pages
/// (its feature `no_thp`) it takes no more memory for open connections than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
