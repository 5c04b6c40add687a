//! The life of hosted matches. `event`, `ledger` and `clock` are pure. The rest runs them: the actor of a live match is a
//! cache and a timer, the log in the store is the authority.

mod actor;
pub mod awaited;
pub mod bots;
pub mod chat;
pub mod clock;
pub mod deps;
pub mod event;
pub mod first_moves;
mod idempotency;
pub mod import;
pub mod ledger;
pub mod listing;
pub mod match_life;
mod news;
pub mod options;
pub mod record;
pub mod refusal;
mod registry;
pub mod render;
pub mod request;
pub mod seated;
pub mod service;
mod start;

pub use options::HostOptions;
pub use registry::{names, notified};
