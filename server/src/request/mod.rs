//! The parts of requests and responses that the API and the pages share: the caller, the origin, the path, the body and the
//! query, each checked; JSON, and errors as problems.

pub(crate) mod admin;
pub(crate) mod caller;
pub(crate) mod client;
pub(crate) mod direct;
pub(crate) mod extract;
pub(crate) mod idempotency;
pub(crate) mod in_flight;
pub(crate) mod json;
pub(crate) mod meter;
pub(crate) mod origin;
pub(crate) mod path;
mod place;
pub(crate) mod problem;
pub(crate) mod seed;
