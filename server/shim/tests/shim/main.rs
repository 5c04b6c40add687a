//! Tests of the program as contests run it: a real child process between a referee and a server that the test plays,
//! with real pipes and sockets. No test depends on the speed of the machine.

// These servers use games and moves that do not exist, which a build with engines would refuse.
#[cfg(not(feature = "embedded"))]
mod best_move;
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
#[cfg(feature = "programs")]
mod programs;
#[cfg_attr(feature = "embedded", allow(dead_code))] // the tests of that build use fewer of them
mod referee;
#[cfg_attr(feature = "embedded", allow(dead_code))]
mod server;
#[cfg(not(feature = "embedded"))]
mod setup;
#[cfg(all(feature = "tls", not(feature = "embedded")))]
mod tls;

use std::time::Duration;

/// Only a failing test takes this long.
const LIMIT: Duration = Duration::from_secs(20);
