//! The parts of a request that handlers read: the caller, the origin, the body and the query, each checked. Also JSON
//! responses.

pub(crate) mod caller;
pub(crate) mod client;
pub(crate) mod extract;
pub(crate) mod idempotency;
pub(crate) mod in_flight;
pub(crate) mod json;
pub(crate) mod origin;
mod place;
pub(crate) mod proxies;
pub(crate) mod seed;
