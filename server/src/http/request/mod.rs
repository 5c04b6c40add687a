//! What handlers take out of requests: who calls, from where, the body and the query, each checked. And the JSON answer.

pub mod caller;
pub mod client;
pub mod extract;
pub mod idempotency;
pub mod json;
pub mod origin;
pub mod proxies;
pub mod seed;
