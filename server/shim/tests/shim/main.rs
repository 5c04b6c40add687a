//! The program as contests run it: a real child process between a referee played by the test and a server played by
//! the test, on real pipes and sockets. Waits are limits only; no test depends on how fast the machine is.

// Played servers speak of games that are none; with the engines built in, the program would know better.
#[cfg(not(feature = "embedded"))]
mod dialogue;
#[cfg(feature = "embedded")]
mod embedded;
#[cfg(not(feature = "embedded"))]
mod ends;
mod facts;
#[cfg(not(feature = "embedded"))]
mod faults;
#[cfg(not(feature = "embedded"))]
mod pass;
#[cfg_attr(feature = "embedded", allow(dead_code))] // the tests of that build need less of them
mod referee;
#[cfg_attr(feature = "embedded", allow(dead_code))]
mod server;
#[cfg(not(feature = "embedded"))]
mod setup;
#[cfg(all(feature = "tls", not(feature = "embedded")))]
mod tls;

use std::time::Duration;

/// Longer than anything takes; reached only by a failing test.
const LIMIT: Duration = Duration::from_secs(20);
