//! The life of hosted matches. `event`, `ledger`, `clock` and `token` are pure; `hall` and `live` run them: a task per
//! live match is a cache and a timer, the log in the store is the authority.

pub mod bot;
pub mod clock;
pub mod event;
pub mod hall;
pub mod ledger;
pub mod refused;
pub mod token;
