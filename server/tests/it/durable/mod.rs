//! Hosted matches on a server that crashes, behind a network that fails, among clients that misbehave: the real
//! program, a real database file, real sockets.

mod crash;
mod follow;
mod network;
mod player;
mod proxy;
mod service;
mod truth;
