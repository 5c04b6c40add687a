//! Going on after a failure: pauses between attempts, panics that end only their own work, and work that
//! goes on although its future rests.

pub(crate) mod backoff;
pub(crate) mod catch_panic;
pub(crate) mod own_task;
