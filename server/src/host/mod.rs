//! The life of hosted matches. `event`, `ledger`, `clock` and `token` are pure; the rest runs them: a task per live
//! match is a cache and a timer, the log in the store is the authority.

mod again;
mod ask;
mod audience;
pub mod bot;
pub mod clock;
mod commit;
mod desk;
mod ending;
mod engine_seat;
mod engines_alone;
pub mod event;
pub mod hall;
mod holdings;
mod house;
mod joining;
pub mod ledger;
pub mod listing;
mod live;
mod making;
pub mod names;
pub mod now;
pub mod options;
pub mod players;
pub mod record;
pub mod refused;
mod rematch;
mod replay;
pub mod show;
mod standing;
pub mod token;
mod waker;

pub use house::refused_by_store;
pub use options::HostOptions;
