//! Hosted matches on a server that crashes, behind a failing network, among misbehaving clients, on full disks: the real
//! program, a real database file, real sockets.

mod balancers;
#[cfg(target_os = "linux")]
mod chaos;
mod clocks;
mod cluster;
#[cfg(target_os = "linux")]
mod compose;
mod crash;
mod disk;
mod follower;
mod misbehaving_clients;
mod network;
mod proxy;
mod raw_connection;
pub(crate) mod record_checks;
mod retrying_client;
#[cfg(target_os = "linux")]
mod rolling_upgrade;
mod secrets;
mod silence;
mod simultaneous_requests;
mod sockets;
mod spectators;
mod two_servers;
mod unshown;
mod upgrades;
