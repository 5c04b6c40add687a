//! What handlers read from a request: the caller, the origin, the body and the query, each checked. And JSON responses.

pub mod caller;
pub mod client;
pub mod extract;
pub mod idempotency;
pub mod json;
pub mod origin;
pub mod proxies;
pub mod seed;
