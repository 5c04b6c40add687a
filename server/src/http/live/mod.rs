//! Connections that stay open: streams of events and WebSockets. They share one limit, one heartbeat and one way to end.

pub mod admit;
pub mod backoff;
pub mod close;
pub mod fence;
pub mod follow;
pub mod form;
pub mod keep_alive;
pub mod meter;
pub mod socket;
pub mod spectate;
pub mod stream;
