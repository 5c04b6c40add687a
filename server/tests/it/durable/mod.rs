//! Hosted matches on a server that crashes, behind a failing network, among misbehaving clients, on full disks: the real
//! program, a real database file, real sockets.

mod clocks;
mod crash;
mod disk;
mod follow;
mod network;
mod player;
mod proxy;
mod raw;
mod secrets;
pub(crate) mod service;
mod sockets;
mod storms;
mod truth;
mod two_servers;
mod zoo;
