//! Going on after a failure: pauses between attempts, and panics that end only their own work.

pub(crate) mod backoff;
pub(crate) mod catch_panic;
