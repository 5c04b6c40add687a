//! Septica: the network, and a measurement of players.

pub(crate) mod measure;
pub(crate) mod net;
