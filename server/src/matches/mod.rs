//! The life of hosted matches. `event`, `ledger` and `clock` are pure. The rest runs them: the actor of a live match is a
//! cache and a timer, the log in the store is the authority.

mod actor;
pub mod awaited;
pub mod bots;
pub mod chat;
pub mod clock;
mod create;
pub mod deps;
pub mod dialogue;
pub mod event;
mod idempotency;
pub mod import;
mod join;
pub mod ledger;
pub mod license;
pub mod listing;
pub mod match_file;
pub mod match_life;
mod news;
pub mod options;
mod position;
pub mod record;
pub mod refusal;
mod registry;
mod rematch;
pub mod render;
pub mod request;
pub mod seat_holders;
pub mod seated;
pub mod service;

pub use options::HostOptions;
pub use registry::{names, notified};
