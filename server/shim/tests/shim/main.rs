//! The program as contests run it: a real child process between a referee played by the test and a server played by
//! the test, on real pipes and sockets. Waits are limits only; no test depends on how fast the machine is.

mod dialogue;
mod ends;
mod faults;
mod referee;
mod server;
mod setup;
#[cfg(feature = "tls")]
mod tls;

use std::time::Duration;

/// Longer than anything takes; reached only by a failing test.
const LIMIT: Duration = Duration::from_secs(20);
