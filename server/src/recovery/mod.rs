//! What goes on after a failure: pauses between attempts, and panics that end no more than their own work.

pub(crate) mod backoff;
pub(crate) mod catch_panic;
