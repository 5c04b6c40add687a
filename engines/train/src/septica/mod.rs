//! Septica: the network, and a measurement of players.

pub mod measure;
pub mod net;
