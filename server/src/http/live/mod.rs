//! Connections that stay open: streams of events and WebSockets. They share one limit, one heartbeat and one way to end.

pub(crate) mod admit;
pub(crate) mod close;
pub(crate) mod follow;
pub(crate) mod form;
pub(crate) mod keep_alive;
pub(crate) mod message;
pub(crate) mod socket;
pub(crate) mod spectate;
pub(crate) mod stream;
