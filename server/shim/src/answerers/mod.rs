//! The sources of answers: a server, the engines in this program, or a server with the engines as fallback. They must not print.

#[cfg(feature = "embedded")]
pub(crate) mod engine;
#[cfg(feature = "embedded")]
pub(crate) mod fallback;
pub(crate) mod remote;
