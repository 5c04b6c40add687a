//! Addresses for programs that start later, or again at the same address.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// The ports to choose from. Linux gives connections and listeners that name no port those from 32768 on, so nothing takes one
/// of these by chance while its program does not run.
const FIRST: u32 = 20_000;
const COUNT: u32 = 12_000;

static CHOSEN: AtomicU32 = AtomicU32::new(0);

/// An address of this machine that nothing uses. Each call returns another one; two test programs begin at different ports.
///
/// # Panics
/// If every port is in use.
pub fn unused_address() -> SocketAddr {
    let mut addresses = (0..COUNT).map(|_| {
        let place = std::process::id().wrapping_mul(97).wrapping_add(CHOSEN.fetch_add(1, Ordering::Relaxed));
        SocketAddr::from((Ipv4Addr::LOCALHOST, (FIRST + place % COUNT) as u16))
    });
    addresses.find(|address| TcpListener::bind(address).is_ok()).expect("some port is free")
}
